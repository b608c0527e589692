// assoc.h: a cache, whose full table makes room for new pairs.
//
// Idea. Other tables fail when they are full. In a cache, the pair that is least likely to be
// asked for again leaves. Each key has two buckets of 16 slots. Apart from the slots, each
// bucket has 32 bytes of marks, which one access reads: a tag for each slot, 8 bits of a hash
// of its key, and a score, which says when its pair was last used, or how often. A find reads a
// slot only if the tag says so. A put that finds no room reads no slots at all: it takes
// the place of the pair with the least score in both buckets, and hands that back. So the
// table runs at a load factor of 1 forever.
//
//   marks (tag:score) of four slots, scores by when the pairs were last used; the clock is at 9
//   bucket 0  a1:9 4c:4 9e:8 07:8         k has tag 5f, H_0(k) = 0, H_1(k) = 2: no tag is its
//   bucket 1  33:7 5f:9 10:9 c2:3         own, so it is not here. It takes the place of the
//   bucket 2  d0:2 4c:5 71:9 ee:6         first of bucket 2, whose 2 is the least in both
//
// Why two buckets. The keys of a trace spread unevenly: with one bucket of 16 slots, some
// would lose pairs just used, while others keep old ones. Among the
// 32 slots of two buckets, the oldest pair is nearly one of the oldest of all.
//
// Policies. What get and put make of a score, and which is the least:
//   lru     the clock, which advances by 1 while a 64th of the slots are filled anew: the pair
//           that was not used for the longest time leaves. A put that sees a score of more than three
//           times the slots ago makes it younger, so that no byte wraps
//   fifo    the same, but get leaves it alone: the pair that came first leaves
//   lfu     how often the pair was used. Up to 16 it is exact, then each 16 halve the chance
//           that it rises, so a byte counts to a million
//   random  any of them leaves
//   user    the lowest 8 bits of the value, of a wide one its first byte: 0 leaves first. A put of a
//           new key whose score is below those of all 32 slots is refused: it fails, changes nothing,
//           and its pair is handed back
// All operations of a batch are at the same time of the clock, as they have no order.
//
// Put. Look for the key in both buckets, and replace its pair by a compare-and-swap. If it is in
// neither, lock it, by a word for all keys of a first bucket, and look again: no other
// put can add the key now. Claim a slot, an unused one of the emptier bucket or that of the least
// score, by a compare-and-swap of its tag. Exchange the pairs, then set tag and score, and
// unlock. A claimed slot is no other put's, so tags and pairs agree. What was put just before
// by another put of the batch may leave at once.
//
// Pairs of several words. A put always locks its key. To replace a pair, it claims the slot, as
// evicting does, so that no other put takes the slot while it writes. Updates do the same.
// An erase claims the slot.
//
// Get is a find that renews the score of its pair. Find does not. Insert does not search for
// its key; it and upsert evict nothing, and fail if both buckets are full.
//
// Linearization. A put takes effect at the compare-and-swap or exchange that writes its pair, or at
// the claim before it writes several words; one that is refused, when it has read the last score. A
// key is in one slot at most, because adding it takes its lock. A score of a user takes effect after its pair: who
// writes it looks at the slot again, and if another's pair is there, writes that one's. So after a batch they agree,
// but for a put that replaced a pair just as its slot's score was set. Each operation runs in batches of its own, so
// that hits and evictions can be told apart.
//
// Limits. Which pair leaves depends on the order in which the puts of a batch run, so contents of a
// full table differ from run to run. Inserts fill 0.78 of a table.
//
// Own design, after set-associative caches, the power of two choices, the tags of Swiss tables,
// and HierarchicalKV of NVIDIA, whose buckets of 128 slots have scores of 8 bytes.
#pragma once

#include "hash.h"
#include "marks.h"
#include "parted.h"

namespace hz {

template <class P>
class Assoc : public Marked {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Chunk = Bucket<P, 1>;
  static constexpr int width = 1;
  static constexpr Traits traits{.single_lane = true, .second_bucket = {k_op_insert, k_op_upsert, k_op_put}};

  HZ_FN explicit Assoc(const hz_table* t)
      : Marked(t),
        slots_(reinterpret_cast<P*>(t->Region[kSlots])),
        locks_(reinterpret_cast<u32*>(t->Region[kLocks])),
        hashes_(t),
        tag_hash_(t->Hash + 2),
        far_(t->Capacity * sizeof(P) > kNear) {}

  HZ_FN P* slots() const { return slots_; }
  HZ_FN u32 first(Key key) const { return hashes_.at(0, key); }
  HZ_FN Marks* bucket(u32 number) const { return marks_ + number; }

  template <class Op>
    requires(adds(Op::code))
  HZ_FN u32 second_bucket(Op, const Walk<P>& walk) const {
    return hashes_.at(1, walk.pair.key);
  }

  template <class Tile, class T>
  HZ_FN Done<P> find_at(const Tile& tile, Walk<P>& walk, Marks*, T& tally) const {
    P seen;
    const u64 same = like(walk, tally);
    if (ahead(tile, walk, same, tally)) return Done<P>::undecided();
    const u32 slot = search(walk, same, seen, tally);
    return slot != kNone ? found({walk.place, slot}, seen, tally) : elsewhere(walk);
  }
  template <class Tile, class T>
  HZ_FN Done<P> get_at(const Tile& tile, Walk<P>& walk, Marks*, T& tally) const {
    P seen;
    const u64 same = like(walk, tally);
    if (ahead(tile, walk, same, tally)) return Done<P>::undecided();
    const u32 slot = search(walk, same, seen, tally);
    if (slot == kNone) return elsewhere(walk);
    use({walk.place, slot}, walk, tally);
    return found({walk.place, slot}, seen, tally);
  }
  template <class Tile, class T>
  HZ_FN Done<P> update_at(const Tile& tile, Walk<P>& walk, Marks*, T& tally) const {
    P seen;
    if constexpr (kWord) {
      const u32 slot = search(walk, seen, tally);
      if (slot == kNone) return elsewhere(walk);
      if (!swap({walk.place, slot}, seen, walk.pair, tally)) return Done<P>::undecided();
      if (policy_ == kUser) use_value({walk.place, slot}, walk.pair, tally);
      return Done<P>::ok();
    } else {
      const u32 one = first(walk.pair.key);
      if (!locks(tile, one, tally)) return Done<P>::undecided();
      const u32 slot = search(walk, seen, tally);
      Done<P> done = slot == kNone ? elsewhere(walk) : Done<P>::undecided();
      if (slot != kNone && swap({walk.place, slot}, seen, walk.pair, tally)) done = Done<P>::ok();
      tile.unlock_of(1, lock_of(one));
      return done;
    }
  }
  template <class Tile, class T>
  HZ_FN Done<P> erase_at(const Tile&, Walk<P>& walk, Marks*, T& tally) const {
    P seen;
    const u32 slot = search(walk, seen, tally);
    if (slot == kNone) return elsewhere(walk);
    if constexpr (kWord) {
      if (!swap({walk.place, slot}, seen, P::empty(), tally)) return Done<P>::undecided();
    } else {
      if (!hold({walk.place, slot}, walk.pair.key, tally)) return Done<P>::undecided();
      lane_write(Lane{0}, &slot_at({walk.place, slot})->key, P::kEmptyKey);
    }
    set_tag({walk.place, slot}, kUnused, tally);
    return Done<P>::ok();
  }

  template <class Tile, class T>
  HZ_FN Done<P> insert_at(const Tile&, Walk<P>& walk, Marks* at, T& tally) const {
    tally.probe(at, sizeof(Marks));
    return add(walk, both(walk.pair.key), false, tally);
  }
  template <class Tile, class T>
  HZ_FN Done<P> upsert_at(const Tile& tile, Walk<P>& walk, Marks*, T& tally) const {
    return replace_or_add(tile, walk, false, tally);
  }
  template <class Tile, class T>
  HZ_FN Done<P> put_at(const Tile& tile, Walk<P>& walk, Marks*, T& tally) const {
    return replace_or_add(tile, walk, true, tally);
  }

 private:
  static constexpr bool kWord = sizeof(P) == alignof(P);  // a pair is read and swapped in one access
  static constexpr u64 kNear = 4 << 20;                   // bytes of slots that a CPU's core keeps in its cache

  HZ_FN P* slot_at(Place at) const { return slots_ + u64(at.bucket) * B + at.slot; }

  HZ_FN u8 tag_of(Key key) const { return u8(1 + hash_to(*tag_hash_, HZ_FAST, key, kClaimed - 1)); }

  HZ_FN Both both(Key key) const {
    const u32 one = hashes_.at(0, key), two = hashes_.at(1, key);
    return {one, two, tags_of(one), tags_of(two)};
  }

  // ahead has what the marks lead to fetched, for the next step of the walk, if the table is too large for a cache.
  template <class Tile, class T>
  HZ_FN bool ahead(const Tile& tile, Walk<P>& walk, u64 same, T&) const {
    if (!Tile::fetches || T::counted || !far_ || same == 0 || walk.memo > walk.step) return false;
    tile.fetch(slot_at({walk.place, slot_in(same)}));
    walk.memo = 1 + walk.step;
    return true;
  }
  template <class Tile, class T>
  HZ_FN bool ahead(const Tile& tile, Walk<P>& walk, const Both& at, bool evicts, T&) const {
    if (!Tile::fetches || T::counted || !far_ || walk.memo != 0) return false;
    const u64 same = at.tags.with(tag_of(walk.pair.key)), others = at.others.with(tag_of(walk.pair.key));
    Place to{at.two, kNone};
    if ((same | others) == 0) {
      to = room(walk, at, evicts);
      tile.fetch(locks_ + at.one % kMostLocks);
    } else {
      to = same != 0 ? Place{at.one, slot_in(same)} : Place{at.two, slot_in(others)};
    }
    tile.fetch(slot_at(to));  // that of no slot is harmless
    walk.memo = 1;
    return true;
  }

  // like returns the slots of the walk's bucket with the tag of its key, and search that which has its key, with the
  // pair there, or kNone.
  template <class T>
  HZ_FN u64 like(const Walk<P>& walk, T& tally) const {
    tally.probe(marks_ + walk.place, sizeof(Marks));
    return tags_of(walk.place).with(tag_of(walk.pair.key));
  }
  template <class T>
  HZ_FN u32 search(const Walk<P>& walk, u64 same, P& seen, T& tally) const {
    return search(Both{walk.place, 0, {}, {}}, same, 0, walk.pair.key, seen, tally).slot;
  }
  template <class T>
  HZ_FN u32 search(const Walk<P>& walk, P& seen, T& tally) const {
    return search(walk, like(walk, tally), seen, tally);
  }
  template <class T>
  HZ_FN Place search(const Both& at, Key key, P& seen, T& tally) const {
    const u8 tag = tag_of(key);
    return search(at, at.tags.with(tag), at.others.with(tag), key, seen, tally);
  }
  // Lanes of a warp wait for each other's reads, so one loop goes over the slots of both buckets.
  template <class T>
  HZ_FN Place search(const Both& at, u64 same, u64 others, Key key, P& seen, T& tally) const {
    while ((same | others) != 0) {
      const Place place = same != 0 ? Place{at.one, slot_in(same)} : Place{at.two, slot_in(others)};
      see(place, seen, tally);
      if (seen.key == key) return place;
      others &= same != 0 ? ~u64(0) : others - 1;
      same &= same - 1;
    }
    return {at.one, kNone};
  }

  // see reads a pair, or the key of one of several words.
  template <class T>
  HZ_FN void see(Place at, P& seen, T& tally) const {
    if constexpr (kWord) {
      seen = lane_read(Lane{0}, slot_at(at));
    } else {
      seen.key = lane_read(Lane{0}, &slot_at(at)->key);
    }
    tally.read_table(slot_at(at), kWord ? sizeof(P) : sizeof(Key));
  }
  template <class T>
  HZ_FN Done<P> found(Place at, P& seen, T& tally) const {
    if constexpr (!kWord) {
      seen.value = read_parts(&slot_at(at)->value);
      tally.read_table(&slot_at(at)->value, sizeof(Value));
    }
    return Done<P>::found(seen.value);
  }

  // elsewhere goes on to the second bucket, if this was the first.
  HZ_FN Done<P> elsewhere(Walk<P>& walk) const {
    if (walk.step != 0) return Done<P>::missing();
    walk.step = 1;
    walk.place = hashes_.at(1, walk.pair.key);
    return Done<P>::undecided();
  }
  template <class T>
  HZ_FN bool swap(Place place, const P& seen, const P& with, T& tally) const {
    if constexpr (kWord) {
      P* at = slot_at(place);
      const bool won = lane_cas(Lane{0}, at, seen, with) == seen;
      tally.swap(at, sizeof(P), won);
      return won;
    } else {
      const bool held = hold(place, with.key, tally);
      if (held) write(place, with, tally);
      return held;
    }
  }

  // use_value gives a pair the score of its value. If another has come to its slot meanwhile, whose own score may have
  // been written over, that one gets its own.
  template <class T>
  HZ_FN void use_value(Place at, P seen, T& tally) const {
    for (P with = seen;; with = seen) {
      set_score(at, score_of(with.value), tally);
      lane_fence(Lane{0});
      seen = lane_cas(Lane{0}, slot_at(at), with, with);
      if (score_of(seen.value) == score_of(with.value)) return;
    }
  }
  HZ_FN static u8 score_of([[maybe_unused]] const Value& value) {
    if constexpr (P::value_bytes > 8) return u8(value.word[0]);
    if constexpr (P::value_bytes > 0 && P::value_bytes <= 8) return u8(value);
    return 0;
  }

  // hold claims the slot of a pair of several words, if its tag is still there.
  template <class T>
  HZ_FN bool hold(Place at, Key key, T& tally) const {
    const u64 word = lane_read(Lane{0}, marks_[at.bucket].tags + at.slot / 8);
    if (u8(word >> at.slot % 8 * 8) != tag_of(key) || !claim(at, word, tally)) return false;
    lane_fence(Lane{0});
    return true;
  }
  // write gives such a pair another value, and releases its slot.
  template <class T>
  HZ_FN void write(Place at, const P& with, T& tally) const {
    write_parts(&slot_at(at)->value, with.value);
    tally.write_table(&slot_at(at)->value, sizeof(Value));
    if (policy_ == kUser) set_score(at, score_of(with.value), tally);
    lane_fence(Lane{0});
    set_tag(at, tag_of(with.key), tally);
  }

  // locks has other puts of the key wait.
  HZ_FN auto lock_of(u32 one) const {
    return [this, one](Lane) { return locks_ + one % kMostLocks; };
  }
  template <class Tile, class T>
  HZ_FN bool locks(const Tile& tile, u32 one, T& tally) const {
    const auto lock = lock_of(one);
    const bool locked = tile.lock_of(1, lock) != 0;
    tally.swap(lock(Lane{0}), sizeof(u32), locked);
    return locked;
  }

  // replace_or_add does both or, after another operation was faster, nothing.
  template <class Tile, class T>
  HZ_FN Done<P> replace_or_add(const Tile& tile, Walk<P>& walk, bool evicts, T& tally) const {
    P seen;
    const Both at = both(walk.pair.key);
    if (ahead(tile, walk, at, evicts, tally)) return Done<P>::undecided();
    tally.probe(marks_ + at.one, sizeof(Marks)), tally.probe(marks_ + at.two, sizeof(Marks));
    const Place there = kWord ? search(at, walk.pair.key, seen, tally) : Place{at.one, kNone};
    if (there.slot != kNone) {
      if (!swap(there, seen, walk.pair, tally)) return Done<P>::undecided();
      if constexpr (kWord) {
        if (policy_ == kUser) use_value(there, walk.pair, tally);
      }
      use(there, walk, tally);
      return Done<P>::replaced();
    }
    if (!locks(tile, at.one, tally)) return Done<P>::undecided();
    const Both now = both(walk.pair.key);
    const Place place = search(now, walk.pair.key, seen, tally);
    const bool came = place.slot != kNone;
    const Done<P> done = came ? renew(place, walk, tally) : add(walk, now, evicts, tally);
    tile.unlock_of(1, lock_of(at.one));
    return done;
  }
  // renew replaces a pair of several words; one of a word is replaced without its lock. If another key with the same
  // tag came there just before, that leaves: the slot must not be given back, as a put of that key may have missed it.
  template <class T>
  HZ_FN Done<P> renew(Place at, const Walk<P>& walk, T& tally) const {
    if constexpr (!kWord) {
      if (!hold(at, walk.pair.key, tally)) return Done<P>::undecided();
      P seen;
      see(at, seen, tally);
      if (seen.key != walk.pair.key) return settle(at, walk, tally);
      use(at, walk, tally);
      write(at, walk.pair, tally);
      return Done<P>::replaced();
    }
    return Done<P>::undecided();
  }

  // add puts a pair into an unused slot of the emptier one of its buckets, or in place of another pair.
  template <class T>
  HZ_FN Done<P> add(const Walk<P>& walk, Both at, bool evicts, T& tally) const {
    for (;; at = both(walk.pair.key)) {
      const Place to = room(walk, at, evicts);
      if (to.slot == kNone) return evicts ? Done<P>::undecided() : Done<P>::failed(walk.pair);
      if (evicts && policy_ == kUser && to.loss > 0 && to.loss <= u8(~score_of(walk.pair.value)))
        return refused(walk, at);
      const bool upper = to.slot >= 8;
      if (claim(to, to.bucket == at.one ? at.tags.half(upper) : at.others.half(upper), tally))
        return settle(to, walk, tally);
    }
  }

  // refused ends a put whose score is below all others. Scores of claimed slots may be changing: then it looks again.
  HZ_FN Done<P> refused(const Walk<P>& walk, const Both& at) const {
    const bool claimed = (at.tags.with(kClaimed) | at.others.with(kClaimed)) != 0;
    return claimed ? Done<P>::undecided() : Done<P>::failed(walk.pair);
  }

  // room is an unused slot of the emptier one of two buckets, or that of the pair that leaves.
  HZ_FN Place room(const Walk<P>& walk, const Both& at, bool evicts) const {
    const u64 unused = at.tags.with(kUnused), others = at.others.with(kUnused);
    const bool there = count_of(others) > count_of(unused), full = (unused | others) == 0;
    if (full && evicts) return least(mix64(walk.index ^ u64(walk.pair.key)), at);
    return {there ? at.two : at.one, full ? kNone : slot_from(there ? others : unused, walk.pair.key)};
  }

  // slot_from is the lowest slot of some from one on that depends on the key: many puts see a bucket at the same time,
  // and would all want the same slot.
  HZ_FN static u32 slot_from(u64 slots, Key key) {
    const u64 from = slots & ~u64(0) << (u32(key) % 8 * 8);
    return slot_in(from != 0 ? from : slots);
  }

  // settle puts the pair into a claimed slot. Once its tag is set, another put may claim the slot and exchange its
  // pair, so the tag must not be stored before this exchange is done. A GPU waits for that only if the tag depends on
  // the answer: on a comparison that never holds.
  template <class T>
  HZ_FN Done<P> settle(Place at, const Walk<P>& walk, T& tally) const {
    const P left = exchange(at, walk.pair);
    tally.write_table(slot_at(at), sizeof(P));
    const u8 tag = tag_of(walk.pair.key);
    set_score(at, policy_ == kLfu ? u8(1) : policy_ == kUser ? score_of(walk.pair.value) : now_, tally);
    set_tag(at, left.key == P::kErasedKey ? kUnused : tag, tally);
    if (!left.is_live()) return Done<P>::ok();
    tally.evict();
    return Done<P>::evicted(left);
  }

  HZ_FN P exchange(Place at, const P& with) const {
    if constexpr (kWord) {
      return lane_exchange(Lane{0}, slot_at(at), with);
    } else {
      lane_fence(Lane{0});
      P left = P::empty();
      left.key = lane_read(Lane{0}, &slot_at(at)->key);
      if (left.is_live()) left.value = read_parts(&slot_at(at)->value);
      write_parts(slot_at(at), with);
      lane_fence(Lane{0});
      return left;
    }
  }

  P* slots_;
  u32* locks_;
  Hashes hashes_;
  const hz_hash* tag_hash_;
  bool far_;
};

}  // namespace hz
