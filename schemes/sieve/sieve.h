// sieve.h: a bucketed cuckoo table with a sieve in front of it.
//
// Idea. What limits a table on a GPU is how often it touches memory at random. bcht needs
// little more than one access for most operations. But an insert reads a bucket to see where
// room is, and swaps to take it; and in a full table an absent key costs two or three reads,
// because nearly every bucket is full, and a full bucket does not say who was turned away
// from it. Both questions have short answers, and the sieve has them: 13 bits for a bucket
// of eight slots, a fortieth of the table, which mostly stay in the second-level cache.
//
//   bucket 0  [ 1][ 2][ 3][ 8]   taken 1111   passed by 6
//   bucket 1  [ 6][  ][  ][  ]   taken 1000   -
//   bucket 2  [10][  ][  ][  ]   taken 1000   -
//
//   taken   a bit for each slot. An insert reads it instead of the bucket, claims a slot by
//           setting its bit, and stores its pair there: one write to the table, no swap.
//   passed  a filter. Each key has one of its bits, by its hash, and sets it in every full
//           bucket before its own. A search that does not see its key in a full bucket goes
//           on only if the key's bit is set there: in the picture, 7 shares the bit of 6, or
//           it is nowhere.
//   lock    one bit, for the only operation that needs it: moving a pair under searches.
//
// Insert. A key has a few buckets, H_0, H_1, ... Its pair goes into the first that has room.
// If all are full, it takes the slot of a random pair of H_0, by a compare-and-swap, and the
// insert goes on with that pair, from its own H_0 on. If that finds no room either, it evicts
// a pair of a random one of its buckets, and so on. After max_chain evictions, the insert
// hands back the pair in hand.
//
// Find, update, erase. Read H_0, and go on as above. A bucket with a slot that was never used
// was never full, so nobody has passed it, and a search ends there without a look at the
// sieve. An erase leaves a marker where no slot of the bucket is unused, and clears the bit
// of its slot. Filters are not cleared: they only ever let too many searches go on. Where most
// pairs are replaced many times, searches cost up to what they would without a filter.
//
// What must hold. When a launch ends, each pair in H_i has set the bit of its key in all buckets
// before that, and each of these has once been full. So an insert goes on only after a bucket
// that it saw full, by the bits of its slots. To lose a race for a slot is not enough: the first
// version went on then, left unused slots behind, and lookups missed a few keys in a million.
// Once claimed, a slot gets a pair before the launch ends, so a bucket that was full has no
// unused slot from then on. Nobody swaps with a slot that was claimed and has no pair yet.
//
// Inserts beside searches. Between two evictions the pair in hand is in no slot, and a find
// would miss it. In a launch with finds and updates, an insert therefore moves a pair: it
// copies it to one of its later buckets that has room, and then puts its own pair into the old
// slot, by a compare-and-swap. So a pair is in the table all the time, and it moves in the
// direction in which searches go. If no pair of a bucket can move, the insert makes room in a
// bucket that one of them wants to go to, and begins anew.
//
//   insert  takes effect when its pair is stored, or at the compare-and-swap that puts it into
//           the slot of a pair that was moved.
//   find    takes effect when it reads the slot of its key. If it sees the key nowhere, it
//           has read all buckets of the key in order (in such a launch it ignores the filter
//           and unused slots: slots count as taken before their pairs are stored). A pair
//           that was in the table all the time was in the bucket that it read, or has moved
//           on, to a bucket that it reads later: no find misses it.
//   update  takes effect at its compare-and-swap. If the pair is being moved, that swap makes
//           the one fail which would empty the old slot, and the mover takes the new value to
//           the copy. Nobody updates a copy whose pair is still in its old slot: while the
//           bucket is locked, an update begins anew.
//
// Whoever moves a pair has the locks of both buckets, so no pair is moved twice at a time.
// Locks are only tried, and a moving insert waits for nobody. Keys are inserted once: an
// insert does not search for its key. Erases do not share a launch with inserts: a copy would
// outlive its pair.
//
// What each idea gave. H100s (limits: 32.5 G reads of 64 bytes a second, 13.6 G swaps), 50
// million pairs of 4+4 bytes, M/s, for inserts, finds of present and of absent keys; each row
// with what the rows before it have. The last two are variants, of which the one with 8 bits is
// not compiled any more:
//
//                                             0.8                    0.95
//   bcht                              11748 26191 18494       9389 21985 12477
//   bits and filter in a word of 16    9966 24322             9115 20213
//   apart, filters of 8 bits           9338 23312 22125       7950 19484 18606
//   inserts evict, and move no pairs  11356 22981 22172       9855 17976 17495
//   filters of 4 bits                 11680 23342 22008      10090 18879 15970
//   only placed pairs set bits, the
//   first eviction is in H_0, more
//   warps for finds                   11582 24641 23403      10358 21540 19185
//   with filters of 2 bits            11546 25097 22521      10579 22304 16725
//   with filters of 8 bits            11134 24307 22943       9789 20670 20484
//
// (The last two claimed a slot without a look at first, which cost inserts up to 3 percent.) So
// small filters are better: what does not stay in the cache costs more than a search that goes
// on in vain. Lanes that take new inserts gave 2 percent at 0.95. Erases are slower than bcht's
// (10.4 and 12.3 G/s at 0.8), as they clear a bit, too; so are finds of present keys, which in
// a full table wait for the filter. With pairs of 8+8 bytes in buckets of 4, present keys are
// found a fifth more slowly than in bcht, and absent ones an eighth faster.
//
// Where the ideas come from. Buckets of one access, filled in order, and eviction: bcht. Bits of
// slots instead of reading buckets: our iht. A filter of the keys that overflowed, for each
// group of slots: the overflow byte of boost::unordered_flat_map; there probing goes on without
// end, and here keys have a few buckets. Pairs that are copied before they leave: MemC3.
//
// Limits. With three functions it fills to 0.99, as bcht does. With two and buckets of 4
// slots, inserts alone fill it to 0.96, and beside searches, where pairs only move on, to 0.80.
// Pairs move, so their addresses are not stable. The sieve of a table much larger than the
// cache does not fit into it.
#pragma once

#include "choices.h"

namespace hz {

// Bits are N bits for each bucket, in words that stay in the second-level cache.
template <int N>
class Bits {
 public:
  static_assert(N >= 1 && 32 % N == 0, "the bits of a bucket lie in one word");
  static constexpr u32 all = N == 32 ? ~u32(0) : (u32(1) << N % 32) - 1;

  HZ_FN explicit Bits(u64 words) : words_(reinterpret_cast<u32*>(words)) {}

  HZ_FN u32* word(u32 bucket) const { return words_ + bucket / (32 / N); }
  HZ_FN u32 read(Lane l, u32 bucket) const { return of(bucket, lane_read(l, word(bucket))); }
  // set sets bits, and returns what the bits of the bucket were.
  HZ_FN u32 set(Lane l, u32 bucket, u32 which) const {
    return of(bucket, lane_or(l, word(bucket), which << shift(bucket)));
  }
  HZ_FN void clear(Lane l, u32 bucket, u32 which) const { lane_and(l, word(bucket), ~(which << shift(bucket))); }

 private:
  HZ_FN static u32 of(u32 bucket, u32 word) { return word >> shift(bucket) & all; }
  HZ_FN static u32 shift(u32 bucket) { return bucket % (32 / N) * N; }

  u32* words_;
};

// Alone: for launches of inserts and nothing else, of which each lane has its own.
template <class P, int B, int Filter, bool Alone = false>
class Sieve : public Choices<P, B> {
 public:
  using Base = Choices<P, B>;
  using Key = typename P::Key;
  using typename Base::Slots;
  using Set = typename Slots::Set;
  static constexpr int width = Alone ? 1 : Base::width;
  static constexpr Traits traits{.gpu_width = Alone ? 1 : Slots::gpu_width,
                                 .single_lane = Alone,
                                 .class_per_op = true,
                                 .mixed = {k_op_insert, k_op_find, k_op_update},
                                 .most_warps = {k_op_find},
                                 .refilled = {k_op_insert},
                                 .beside = {k_op_insert, k_op_erase, k_op_find}};
  template <class Op>
  using For = Sieve<P, B, Filter, __is_same(Op, op_insert)>;
  enum Arg { kMaxChain };

  HZ_FN Sieve(const hz_table* t, const hz_batch* batch)
      : Base(t, false),
        taken_(t->Region[1]),
        passed_(t->Region[2]),
        locks_(t->Region[3]),
        max_chain_(u32(t->Arg[kMaxChain])),
        seed_(u32(t->Seed)),
        moving_((batch->Select >> k_op_insert & 1) != 0) {}

  // beside returns what an operation may read beside the bucket: a CPU fetches it ahead.
  HZ_FN const void* beside(op_insert, u32 number) const { return taken_.word(number); }
  HZ_FN const void* beside(op_erase, u32 number) const { return taken_.word(number); }
  HZ_FN const void* beside(op_find, u32 number) const { return passed_.word(number); }

  template <class Tile, class T>
    requires(!Alone)
  HZ_FN Done<P> find_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    const Set found = at.find(tile, walk.pair.key);
    const typename P::Value value = at.value(tile, found);
    if (tile.branch(found.any())) return Done<P>::found(value);
    return Done<P>::either(found.any(), Done<P>::found(value), further(tile, walk, !found.any(), at, tally));
  }

  template <class Tile, class T>
    requires(!Alone)
  HZ_FN Done<P> update_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    const Set found = at.find(tile, walk.pair.key);
    if (!moving_) return change(tile, walk, found, walk.pair, at, tally, [](bool) {});
    const bool wait = bits_if(tile, tile.busy() && found.any(), locks_, walk, tally) != 0;
    const Done<P> done = change(tile, walk, found.only_if(!wait), walk.pair, at, tally, [](bool) {});
    const u32 first = this->first(walk.pair.key);
    walk.place = wait ? first : walk.place;
    walk.step = wait ? 0 : walk.step;
    return Done<P>::either(wait, Done<P>::undecided(), done);
  }

  // An erase leaves a marker in a bucket that may have been passed.
  template <class Tile, class T>
    requires(!Alone)
  HZ_FN Done<P> erase_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    const Set found = at.find(tile, walk.pair.key);
    const P left = P::either(at.unused(tile).any(), P::empty(), P::erased());
    const u32 bucket = walk.place, slots = at.mask(tile, found);
    return change(tile, walk, found, left, at, tally, [&](bool won) {
      tile.each(won ? 1 : 0, [&](Lane l) { taken_.clear(l, bucket, slots & -slots); });
      if (won) tally.touch(taken_.word(bucket), sizeof(u32));
    });
  }

  template <class Tile, class A, class T>
    requires(Alone)
  HZ_FN Done<P> insert_at(const Tile&, Walk<P>& walk, A*, T& tally) const {
    return done(insert(walk, tally), walk);
  }

  // A tile that has other operations, too, leaves an insert to one of its lanes.
  template <class Tile, class A, class T>
    requires(!Alone)
  HZ_FN Done<P> insert_at(const Tile& tile, Walk<P>& walk, A*, T& tally) const {
    Lanes<u32, width> outcome, place, step, memo;
    tile.each([&](Lane l) { outcome[l] = k_none, place[l] = step[l] = memo[l] = 0; });
    tile.each(tile.busy() ? 1 : 0, [&](Lane l) {
      outcome[l] = insert(walk, tally);
      place[l] = walk.place, step[l] = walk.step, memo[l] = walk.memo;
    });
    walk.place = tile.pick(place, 0), walk.step = tile.pick(step, 0), walk.memo = tile.pick(memo, 0);
    const u32 became = tile.pick(outcome, 0);
    return done(Outcome(became), walk);
  }

 private:
  static constexpr u32 kFull = Bits<B>::all;

  HZ_FN static Done<P> done(Outcome outcome, const Walk<P>& walk) {
    return {outcome, P::no_answer(), P::either(outcome == k_failed, walk.pair, P::empty())};
  }

  // passing returns a key's bit of the filters.
  HZ_FN static u32 passing(Key key) {
    const u64 k = u64(key);
    return u32(1) << multiply_high(mix32(u32(k ^ k >> 32)), u32(Filter));
  }

  // further continues after a bucket without the key, if keys with its bit have passed the
  // bucket, or in any case while inserts move pairs.
  template <class Tile, class T>
  HZ_FN Done<P> further(const Tile& tile, Walk<P>& walk, bool not_here, const Slots& at, T& tally) const {
    bool on = tile.busy() && not_here && walk.step + 1 < count();
    if (!moving_) {
      const bool ends = at.unused(tile).any();
      on = !ends && on;
    }
    if (tile.any(on)) {
      if (moving_) lane_after(Lane{});
      if (!moving_) on = (bits_if(tile, on, passed_, walk, tally) & passing(walk.pair.key)) != 0;
      if (on) walk.place = nth(++walk.step, walk.pair.key);
    }
    return Done<P>::either(on, Done<P>::undecided(), Done<P>::missing());
  }

  // bits_if returns the bits of the walk's bucket if `wanted` is set, and 0 otherwise.
  template <class Tile, int N, class T>
  HZ_FN CollectiveOf<Tile, u32> bits_if(const Tile& tile, bool wanted, const Bits<N>& bits, const Walk<P>& walk,
                                        T& tally) const {
    Lanes<u32, width> seen;
    tile.each([&](Lane l) { seen[l] = 0; });
    tile.each(wanted ? 1 : 0, [&](Lane l) { seen[l] = bits.read(l, walk.place); });
    if (wanted) tally.touch(bits.word(walk.place), sizeof(u32));
    return tile.pick(seen, 0);
  }

  // change replaces the pair that was found. `then` is called with whether it was replaced.
  template <class Tile, class T, class F>
  HZ_FN Done<P> change(const Tile& tile, Walk<P>& walk, Set found, P pair, const Slots& at, T& tally, F&& then) const {
    const bool won = at.put(tile, found, pair, tally);
    then(won);
    if (tile.branch(won)) return Done<P>::ok();
    const Done<P> here = Done<P>::either(won, Done<P>::ok(), Done<P>::undecided());
    return Done<P>::either(found.any(), here, further(tile, walk, !found.any(), at, tally));
  }

  // What follows is for single lanes.

  HZ_FN u32 count() const { return this->hashes_.count(); }
  HZ_FN u32 nth(u32 i, Key key) const { return this->hashes_.at(i, key); }
  HZ_FN P* slots_at(u32 bucket) const { return this->slots_ + u64(bucket) * B; }

  // insert puts the walk's pair into the first of its buckets with room.
  template <class T>
  HZ_FN Outcome insert(Walk<P>& walk, T& tally) const {
    if (walk.step == count()) return Alone ? evict(walk, tally) : make_room(walk, tally);
    do {
      P* slot = claim(walk.place, walk.pair.key, tally);
      if (slot != nullptr) return store(walk, slot, tally);
      walk.step++;
      walk.place = walk.step < count() ? nth(walk.step, walk.pair.key) : own(walk);
    } while (walk.step < count() && kOverlapped > 1);  // a CPU first fetches the next bucket
    return k_none;
  }

  template <class T>
  HZ_FN Outcome store(const Walk<P>& walk, P* slot, T& tally) const {
    pass(walk.step, walk.pair.key, tally);
    lane_write(Lane{}, slot, walk.pair);
    tally.touch(slot, sizeof(P));
    return k_ok;
  }

  // pass notes that a key goes on after its buckets before the i-th, which have been full.
  template <class T>
  HZ_FN void pass(u32 i, Key key, T& tally) const {
    for (u32 j = 0; j < i; j++) {
      const u32 bucket = nth(j, key);
      passed_.set(Lane{}, bucket, passing(key));
      tally.touch(passed_.word(bucket), sizeof(u32));
    }
  }

  // claim makes an open slot of a bucket the lane's own. It fails if it sees that all are taken.
  template <class T>
  HZ_FN P* claim(u32 bucket, Key key, T& tally) const {
    tally.probe(taken_.word(bucket), sizeof(u32));
    u32 taken = taken_.read(Lane{}, bucket);
    while (taken != kFull) {
      const u32 slot = open_in(taken, key);
      taken = taken_.set(Lane{}, bucket, u32(1) << slot);
      const bool won = (taken >> slot & 1) == 0;
      tally.swap(taken_.word(bucket), sizeof(u32), won);
      if (won) return slots_at(bucket) + slot;
    }
    return nullptr;
  }

  // open_in returns the lowest open slot. On a GPU, where all inserts of a small batch see
  // their buckets at the same time, it is the lowest from one on that depends on the key.
  HZ_FN static u32 open_in(u32 taken, Key key) {
    const u32 open = ~taken & kFull;
    const u32 later = kOverlapped == 1 ? open : open & kFull << multiply_high(u32(key) * 0x9e3779b1u, u32(B));
    return u32(lowest(later != 0 ? later : open));
  }

  HZ_FN u32 random(const Walk<P>& walk) const { return mix32(u32(walk.pair.key) ^ (seed_ + walk.memo * 0x9e3779b9u)); }
  // own returns one of the walk's buckets, all of which it has seen full: the first, where
  // its pair is found soonest, and later a random one.
  HZ_FN u32 own(const Walk<P>& walk) const {
    return nth(walk.memo == 0 ? 0 : multiply_high(random(walk), count()), walk.pair.key);
  }
  // index_of returns the number of a key's function that gives a bucket, or count().
  HZ_FN u32 index_of(u32 bucket, Key key) const {
    u32 i = 0;
    while (i < count() && nth(i, key) != bucket) i++;
    return i;
  }

  // evict puts the walk's pair into the slot of another pair, with which the walk begins anew.
  // A slot that was claimed but has no pair yet is left alone.
  template <class T>
  HZ_FN Outcome evict(Walk<P>& walk, T& tally) const {
    if (walk.memo == max_chain_) return k_failed;
    P* slot = slots_at(walk.place) + random(walk) % B;
    const P pair = lane_read(Lane{}, slot);
    const bool won = pair.is_live() && lane_cas(Lane{}, slot, pair, walk.pair) == pair;
    walk.memo++;
    if (won) {
      tally.touch(slot, sizeof(P));
      tally.evict();
      pass(index_of(walk.place, walk.pair.key), walk.pair.key, tally);
      walk.pair = pair;
      walk.step = 0;
    } else {
      tally.swap(slot, sizeof(P), false);
    }
    walk.place = won ? nth(0, pair.key) : own(walk);
    return k_none;
  }

  // make_room moves a pair out of a full bucket. If the bucket is one of the walk's own, the
  // walk's pair takes its slot; otherwise the walk begins anew.
  template <class T>
  HZ_FN Outcome make_room(Walk<P>& walk, T& tally) const {
    const u32 from = walk.place, start = random(walk) >> 8;
    if (walk.memo++ == max_chain_) return k_failed;
    u32 next = own(walk);
    const u32 mine = index_of(from, walk.pair.key);
    const bool stay = mine < count();
    bool moved = false;
    if (lock(from, tally)) {
      tally.probe(slots_at(from), sizeof(P) * B);
      for (u32 i = 0; i < B && !moved; i++) {
        P* slot = slots_at(from) + (start + i) % B;
        const P pair = lane_read(Lane{}, slot);
        if (pair.is_live()) moved = move(walk, from, slot, pair, P::either(stay, walk.pair, P::erased()), next, tally);
      }
      unlock(from, tally);
    }
    if (moved && stay) pass(mine, walk.pair.key, tally);
    const bool anew = moved && !stay;
    walk.step = anew ? 0 : walk.step;
    walk.place = anew ? nth(0, walk.pair.key) : next;
    return moved && stay ? k_ok : k_none;
  }

  // move copies a pair to one of its later buckets that has room, and puts `instead` into its
  // slot. If none has room, `next` may become one of them.
  template <class T>
  HZ_FN bool move(const Walk<P>& walk, u32 from, P* slot, P pair, P instead, u32& next, T& tally) const {
    for (u32 i = index_of(from, pair.key) + 1; i < count(); i++) {
      const u32 to = nth(i, pair.key);
      while (to != from && taken_.read(Lane{}, to) != kFull) {
        if (!lock(to, tally)) return false;  // it may have room, so it cannot be passed
        P* room = claim(to, pair.key, tally);
        if (room != nullptr) {
          pass(i, pair.key, tally);
          carry(slot, pair, room, instead, tally);
          if (!instead.is_live()) taken_.clear(Lane{}, from, u32(1) << (slot - slots_at(from)));
        }
        unlock(to, tally);
        if (room != nullptr) return true;
      }
      if (mix32(random(walk) ^ to) >> 30 == 0) next = to;
    }
    return false;
  }

  // carry writes a pair to its new slot before it leaves the old one. If an update comes in
  // between, it takes the new value along.
  template <class T>
  HZ_FN void carry(P* slot, P pair, P* room, P instead, T& tally) const {
    for (P seen = pair;; pair = seen) {
      lane_write(Lane{}, room, pair);
      lane_fence(Lane{});
      seen = lane_cas(Lane{}, slot, pair, instead);
      if (seen == pair) break;
    }
    tally.touch(room, sizeof(P));
    tally.touch(slot, sizeof(P));
    tally.evict();
  }

  template <class T>
  HZ_FN bool lock(u32 bucket, T& tally) const {
    const bool won = locks_.set(Lane{}, bucket, 1) == 0;
    lane_fence(Lane{});
    tally.swap(locks_.word(bucket), sizeof(u32), won);
    return won;
  }
  template <class T>
  HZ_FN void unlock(u32 bucket, T& tally) const {
    lane_fence(Lane{});
    locks_.clear(Lane{}, bucket, 1);
    tally.touch(locks_.word(bucket), sizeof(u32));
  }

  Bits<B> taken_;
  Bits<Filter> passed_;
  Bits<1> locks_;
  u32 max_chain_, seed_;
  bool moving_;
};

}  // namespace hz
