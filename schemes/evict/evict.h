// evict.h: a cache, whose full table makes room for new pairs.
//
// Idea. Other tables fail when they are full. In a cache, the pair that is least likely to be
// asked for again leaves. Each key has two buckets, of one or two cache lines. Apart from the
// pairs, each slot has a score of one byte: when its pair was last used, or how often. A put
// that finds no room takes the place of the pair with the least score in its two buckets, and
// hands that back. So the table runs at a load factor of 1 forever.
//
//   scores, by when the pairs were last used; the clock is at 9
//   bucket 0  [ 3:9][ 6:4][ 5:8][12:8]    H_0(k) = 0, H_1(k) = 2, both full:
//   bucket 1  [ 1:7][15:9][10:9][11:3]    k takes the place of 13, whose score of 2 is
//   bucket 2  [13:2][ 8:5][ 7:9][ 4:6]    the least in both. 11 is older, but elsewhere
//
// Why two buckets. The keys of a trace spread unevenly: with one bucket of 16 slots, some
// would lose pairs that were just used, while others keep what nobody asks for. With the
// choice among 32 slots of two buckets, the oldest of them is nearly one of the oldest of all.
//
// Policies. What get and put make of a score, and which is the least:
//   lru     the clock, which advances by 1 while a 64th of the slots are filled anew: the pair that
//           was not used for the longest time leaves. A byte lasts for four times the slots; a put
//           that sees a score from longer ago than three times makes it younger, so none wraps
//   fifo    the same, but get leaves it alone: the pair that came first leaves
//   lfu     how often the pair was used. Up to 16 it is exact, then each 16 halve the chance that it
//           rises, so a byte counts to a million
//   random  any of them leaves
// All operations of a batch are at the same time of the clock, as they have no order.
//
// Put. Read both buckets. If one has the key, replace its pair by a compare-and-swap.
// Otherwise lock the key, that is a word for all keys of one first bucket, and read both
// again: no other put can add the key now. If there is room, the pair goes into an open slot of the
// emptier bucket by a compare-and-swap. If not, it is exchanged for the pair with the
// least score. Only the key is locked, not its buckets: the pair that leaves may have been put
// there just before, and then it leaves at once.
//
// Get is a find that renews the score of its pair. Find does not. Insert does not search for
// its key; it and upsert evict nothing, and fail if both buckets are full.
//
// Linearization. Puts take effect at the compare-and-swap or exchange that writes their pair; a
// key is in one slot at most, because adding it takes its lock. A pair does not move, so
// a find that saw its key in neither bucket missed a key that was absent at one moment. The
// operations nevertheless run in separate batches, so that hits and evictions can be told apart.
//
// Limits. Which pair leaves depends on the order in which the puts of a batch run, so contents of a
// full table differ from run to run. Inserts fill 0.60 and 0.78 of a table with buckets of 8 and 16.
//
// Own design, after set-associative caches, the power of two choices, and HierarchicalKV of NVIDIA, whose
// buckets of 128 slots have scores of 8 bytes.
#ifndef HZ_EVICT_H
#define HZ_EVICT_H

#include "drive.h"
#include "hash.h"
#include "line.h"

namespace hz {

template <class P, int B>
class Evict {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Slots = Line<P, B>;
  using Chunk = TwoLines<P, B>;
  static constexpr int width = Slots::width;
  static constexpr Traits traits{
      .gpu_width = Slots::gpu_width, .one_walk = {k_op_get}, .second_bucket = {k_op_insert, k_op_upsert, k_op_put}};
  enum Policy { kLru, kLfu, kFifo, kRandom };
  enum Arg { kPolicy, kNow = HZ_MAX_ARGS - 1 };

  HZ_FN explicit Evict(const hz_table* t)
      : slots_(reinterpret_cast<P*>(t->Region[0])),
        scores_(reinterpret_cast<u8*>(t->Region[1])),
        locks_(reinterpret_cast<u32*>(t->Region[2])),
        hashes_(t),
        last_lock_(lock_count(t->Buckets) - 1),
        policy_(u32(t->Arg[kPolicy])),
        now_(u8(t->Arg[kNow])) {}

  // lock_count is the number of locks of a table.
  HZ_BOTH static constexpr u32 lock_count(u64 buckets) {
    u32 n = 1;
    while (n < buckets && n < u32(1) << 20) n *= 2;
    return n;
  }

  HZ_FN P* slots() const { return slots_; }
  HZ_FN u32 first(Key key) const { return hashes_.at(0, key); }
  HZ_FN P* bucket(u32 number) const { return slots_ + u64(number) * B; }

  template <class Op>
    requires(adds(Op::code))
  HZ_FN u32 second_bucket(Op, const Walk<P>& walk) const {
    const u32 other = hashes_.at(1, walk.pair.key);
    return other != walk.place ? other : kNoBucket;
  }

  template <class Tile, class T>
  HZ_FN Done<P> find_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T&) const {
    return look(tile, walk, at, [](bool, auto) {});
  }
  template <class Tile, class T>
  HZ_FN Done<P> get_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    return look(tile, walk, at, [&](bool there, auto found) {
      const u32 slot = slot_in(at.mask(tile, found));
      use(tile, there, u64(walk.place) * B + slot, walk, tally);
    });
  }
  template <class Tile, class T>
  HZ_FN Done<P> update_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    return change(tile, walk, walk.pair, at, tally);
  }
  template <class Tile, class T>
  HZ_FN Done<P> erase_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    return change(tile, walk, P::empty(), at, tally);
  }

  template <class Tile, class T>
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    return add<false>(tile, walk, at, true, tally);
  }
  template <class Tile, class T>
  HZ_FN Done<P> upsert_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    return replace_or_add<false>(tile, walk, at, tally);
  }
  template <class Tile, class T>
  HZ_FN Done<P> put_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    return replace_or_add<true>(tile, walk, at, tally);
  }

 private:
  static constexpr u32 kLocked = 1;                // of walk.memo
  static constexpr u8 kAhead = 16, kOldest = 208;  // of a score, in steps of the clock

  // slot_in is the lowest of a mask of slots, or the last one.
  HZ_FN static u32 slot_in(u32 mask) { return u32(lowest(mask | u32(1) << (B - 1))); }

  // look is a find in one of the two buckets. then(there, slots) gets where the key is.
  template <class Tile, class F>
  HZ_FN Done<P> look(const Tile& tile, Walk<P>& walk, const Slots& at, F&& then) const {
    const auto found = at.find(tile, walk.pair.key);
    const typename P::Value value = at.value(tile, found);
    then(found.any(), found);
    return Done<P>::either(found.any(), Done<P>::found(value), absent(tile, walk, !found.any()));
  }

  // change replaces the pair of a key in one of the two buckets.
  template <class Tile, class T>
  HZ_FN Done<P> change(const Tile& tile, Walk<P>& walk, P pair, const Slots& at, T& tally) const {
    const auto found = at.find(tile, walk.pair.key);
    const bool won = at.put(tile, found, pair, tally);
    const Done<P> here = Done<P>::either(won, Done<P>::ok(), Done<P>::undecided());
    return Done<P>::either(found.any(), here, absent(tile, walk, !found.any()));
  }

  template <class Tile>
  HZ_FN Done<P> absent(const Tile& tile, Walk<P>& walk, bool not_here) const {
    const bool stop = walk.step != 0;
    if (tile.any(not_here && !stop)) {
      if (not_here && !stop) walk.place = hashes_.at(++walk.step, walk.pair.key);
    }
    return Done<P>::either(stop, Done<P>::missing(), Done<P>::undecided());
  }

  // replace_or_add replaces the pair of a key, or locks the key, reads its buckets again, and adds it.
  template <bool Evicts, class Tile, class T>
  HZ_FN Done<P> replace_or_add(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    const auto one = at.find(tile, walk.pair.key), other = at.second().find(tile, walk.pair.key);
    const bool found = one.any() || other.any(), locked = walk.memo == kLocked;
    const bool in_one = at.put(tile, one, walk.pair, tally), in_other = at.second().put(tile, other, walk.pair, tally);
    const bool replaced = in_one || in_other;
    const u64 bucket = one.any() ? walk.place : hashes_.at(1, walk.pair.key);
    const u32 mask_of_one = at.mask(tile, one), mask_of_other = at.second().mask(tile, other);
    use(tile, replaced, bucket * B + slot_in(one.any() ? mask_of_one : mask_of_other), walk, tally);

    Done<P> done = Done<P>::either(replaced, Done<P>::replaced(), Done<P>::undecided());
    const bool adds = locked && !found, wants = !locked && !found;
    if (tile.any(adds)) {
      const Done<P> added = add<Evicts>(tile, walk, at, adds, tally);
      done = Done<P>::either(adds, added, done);
    }
    u32* const word = locks_ + (walk.place & last_lock_);
    const auto lock = [&](Lane) { return word; };
    const bool ends = locked && done.outcome != k_none;
    if (tile.any(ends)) tile.unlock_of(ends ? 1 : 0, lock);
    if (tile.any(wants)) {
      const bool got = tile.lock_of(wants ? 1 : 0, lock) != 0;
      if (tile.busy() && wants) tally.swap(word, sizeof(u32), got);
      if (tile.busy() && got) walk.memo = kLocked;
    }
    return done;
  }

  // add puts a pair whose key is in neither bucket into an open slot, or in place of another pair.
  template <bool Evicts, class Tile, class T>
  HZ_FN Done<P> add(const Tile& tile, const Walk<P>& walk, const Chunk& at, bool wanted, T& tally) const {
    const u32 other = hashes_.at(1, walk.pair.key), two = other != walk.place;
    const u32 open = at.mask(tile, at.unused(tile)), others = at.second().mask(tile, at.second().unused(tile));
    const u32 open_there = two ? others : 0;
    const bool there = popcount(open_there) > popcount(open), full = open == 0 && open_there == 0;
    u64 place = u64(there ? other : walk.place) * B + slot_from(there ? open_there : open, walk.pair.key);
    const bool won = tile.done_by(
        wanted && !full, 0, [&](Lane l) { return lane_cas(l, slots_ + place, P::empty(), walk.pair) == P::empty(); });
    if (tile.busy() && wanted && !full) tally.swap(slots_ + place, sizeof(P), won);
    Done<P> done = Done<P>::either(won, Done<P>::ok(), Done<P>::undecided());
    if constexpr (!Evicts) {
      begin(tile, won, place, tally);
      return Done<P>::either(full, Done<P>::failed(walk.pair), done);
    }
    const bool evicts = wanted && full;
    if (tile.any(evicts)) {
      const u64 least =
          victim(tile, evicts, walk, other, tally);  // in a line of its own: verbs stand under no condition
      place = full ? least : place;
      const P left = tile.exchange_if(evicts, slots_ + place, walk.pair);
      if (tile.busy() && evicts) tally.evict(), tally.touch(slots_ + place, sizeof(P));
      done = Done<P>::either(evicts, Done<P>::either(left.is_live(), Done<P>::evicted(left), Done<P>::ok()), done);
    }
    begin(tile, won || evicts, place, tally);
    return done;
  }

  // slot_from is the lowest of a mask of slots from one on that depends on the key: the puts of a small batch see their
  // buckets at the same time, and would all want the same slot.
  HZ_FN static u32 slot_from(u32 open, Key key) {
    const u32 from = open & ~u32(0) << multiply_high(u32(key) * 0x9e3779b1u, u32(B));
    return slot_in(from != 0 ? from : open);
  }

  // victim is the place of the pair with the least score in both buckets. Of equal ones, it is any. Each lane looks at
  // the scores of some slots.
  template <class Tile, class T>
  HZ_FN u64 victim(const Tile& tile, bool wanted, const Walk<P>& walk, u32 other, T& tally) const {
    const u32 start = u32(walk.index * 0x9e3779b97f4a7c15ull >> 40);
    Lanes<u32, width> worst;
    tile.each([&](Lane l) {
      worst[l] = 0;
      if (!wanted || !tile.busy()) return;
      const u32 one = worst_of(l, walk.place, start, 0), two = worst_of(l, other, start, 1);
      worst[l] = one < two ? two : one;
    });
    if (wanted && tile.busy()) {
      tally.touch(scores_ + u64(walk.place) * B, B);
      tally.touch(scores_ + u64(other) * B, B);
    }
    const u32 most = tile.largest(worst);
    return u64((most & 1) != 0 ? other : walk.place) * B + ((most >> 1) + start) % B;
  }

  // worst_of is the greatest loss of value of a lane's slots in a bucket, with the slot, from `start` on, and the
  // bucket.
  HZ_FN u32 worst_of(Lane l, u32 bucket, u32 start, u32 second) const {
    constexpr u32 slots = B / width;
    const u64 from = u64(bucket) * B + l.index() * slots;
    u32 word = policy_ == kRandom ? 0 : lane_read(l, reinterpret_cast<const u32*>(scores_ + from / 4 * 4));
    word >>= from % 4 * 8;
    u32 worst = 0;
#pragma GCC unroll 4
    for (u32 i = 0; i < slots; i++, word >>= 8) {
      const u32 tie = ((l.index() * slots + i - start) % B) << 1 | second;
      const u32 loss = u32(loss_of(l, from + i, u8(word))) << 16 | tie;
      worst = loss < worst ? worst : loss;
    }
    return worst;
  }

  // loss_of is how little a pair is worth by its score: how long ago it was used, or how seldom. A time that would wrap
  // is renewed. One that is ahead of the clock is of now.
  HZ_FN u8 loss_of(Lane l, u64 place, u8 score) const {
    if (policy_ == kLfu) return u8(~score);
    const u8 age = u8(now_ + kAhead - score);
    if (age > kOldest && policy_ != kRandom) lane_write(l, scores_ + place, u8(now_ + kAhead - kOldest));
    return age;
  }

  // begin gives a new pair its score, use renews that of one that was used.
  template <class Tile, class T>
  HZ_FN void begin(const Tile& tile, bool wanted, u64 place, T& tally) const {
    if (!wanted || !tile.busy() || policy_ == kRandom) return;
    tile.each(1, [&](Lane l) { lane_write(l, scores_ + place, policy_ == kLfu ? u8(1) : now_); });
    tally.touch(scores_ + place, 1);
  }
  template <class Tile, class T>
  HZ_FN void use(const Tile& tile, bool wanted, u64 place, const Walk<P>& walk, T& tally) const {
    if (!wanted || !tile.busy() || policy_ == kRandom || policy_ == kFifo) return;
    tile.each(1, [&](Lane l) {
      if (policy_ == kLru) {
        lane_write(l, scores_ + place, now_);
      } else {
        count_use(l, place, walk.index);
      }
    });
    tally.touch(scores_ + place, 1);
  }
  HZ_FN void count_use(Lane l, u64 place, u64 index) const {
    const u64 word = lane_read(l, reinterpret_cast<const u64*>(scores_ + place / 8 * 8));
    const u32 score = u8(word >> place % 8 * 8), halved = score / 16;
    const u32 chance = u32((index + now_ + place) * 0x9e3779b97f4a7c15ull >> 40);
    if (score < 255 && chance % (1u << halved) == 0) lane_write(l, scores_ + place, u8(score + 1));
  }

  P* slots_;
  u8* scores_;
  u32* locks_;
  Hashes hashes_;
  u32 last_lock_, policy_;
  u8 now_;
};

}  // namespace hz

#endif
