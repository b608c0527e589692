// bucket.h: a bucket of B slots, read by a tile in one access.
//
// A Bucket is a snapshot: the tile's lanes hold its slots as they were when the bucket
// was read. Questions (where is this key, is there room) are answered from the
// snapshot; a change goes to memory by one compare-and-swap on one slot, which
// fails if the snapshot is no longer true. All of it may be used in step.
//
// A tile may have fewer lanes than the bucket has slots. Lane l then holds slot l of
// each of the bucket's parts:
//
//   32 slots, 16 lanes    part 0: slots  0 .. 15    part 1: slots 16 .. 31
//
// A part is still read as one piece of memory, but a warp has room for twice as many
// tiles, and what is done once for each operation, which is most of it, serves two.
#ifndef HZ_BUCKET_H
#define HZ_BUCKET_H

#include "pair.h"
#include "tally.h"

namespace hz {

// kLanes is how many lanes a tile has that reads buckets of B slots.
template <int B>
inline constexpr int kLanes = B > 4 ? B / 2 : B;

template <class P, int B>
class Bucket {
 public:
  using Key = typename P::Key;
  static constexpr int bytes = sizeof(P) * B, width = kLanes<B>, parts = B / width;

  HZ_FN Bucket() {}
  template <class Tile>
  HZ_FN Bucket(const Tile& tile, P* slots) : slots_(slots) {
    read(tile);
  }

  // A bucket that is read under a condition; without it nothing is read.
  template <class Tile>
  HZ_FN Bucket(const Tile& tile, P* slots, bool wanted) : slots_(slots) {
    tile.each([&](Lane l) {
      for (int part = 0; part < parts; part++) seen_[part][l] = P::empty();
    });
    if (wanted) read(tile);
  }

  // Of two, by a condition that may differ between tiles that are in step.
  template <class Tile>
  HZ_FN static Bucket either(const Tile& tile, bool condition, const Bucket& a, const Bucket& b) {
    Bucket chosen;
    chosen.slots_ = condition ? a.slots_ : b.slots_;
    tile.each([&](Lane l) {
      for (int part = 0; part < parts; part++) {
        chosen.seen_[part][l] = P::either(condition, a.seen_[part][l], b.seen_[part][l]);
      }
    });
    return chosen;
  }

  HZ_FN P* slots() const { return slots_; }

  // where returns the slots of which something holds.
  template <class Tile, class F>
  HZ_FN u32 where(const Tile& tile, F&& holds) const {
    u32 slots = 0;
    for (int part = 0; part < parts; part++) {
      slots |= tile.ballot([&](Lane l) { return holds(seen_[part][l]); }) << part * width;
    }
    return slots;
  }

  // find returns the slots that hold the key: at most one, for unique keys.
  template <class Tile>
  HZ_FN u32 find(const Tile& tile, Key key) const {
    return where(tile, [&](const P& pair) { return pair.key == key; });
  }
  // open returns the slots that a pair may be put into: unused or erased.
  template <class Tile>
  HZ_FN u32 open(const Tile& tile) const {
    return where(tile, [](const P& pair) { return !pair.is_live(); });
  }
  // unused returns the slots that never held a pair. While there is one, no key
  // was ever turned away from this bucket, and a find may stop here.
  template <class Tile>
  HZ_FN u32 unused(const Tile& tile) const {
    return where(tile, [](const P& pair) { return pair.is_empty(); });
  }
  // live returns the slots that hold a pair.
  template <class Tile>
  HZ_FN u32 live(const Tile& tile) const {
    return where(tile, [](const P& pair) { return pair.is_live(); });
  }
  // in is the pair in a slot, and value its value, of the first of some slots.
  template <class Tile>
  HZ_FN P in(const Tile& tile, int slot) const {
    return tile.pick_of(slot % width, [&](Lane l) { return at(slot, l); });
  }
  template <class Tile>
  HZ_FN typename P::Value value(const Tile& tile, u32 slots) const {
    const int slot = first_of(slots);
    return tile.pick_of(slot % width, [&](Lane l) { return at(slot, l).value; });
  }

  // put puts a pair into the first of some slots, unless there is none or the slot
  // has changed since it was seen.
  template <class Tile, class T>
  HZ_FN bool put(const Tile& tile, u32 slots, P pair, T& tally) const {
    return swap(tile, slots_, slots, [&](int slot, Lane l) { return at(slot, l); }, pair, tally);
  }

  // put_each puts a pair into each of some slots that has not changed, and returns those.
  template <class Tile, class T>
  HZ_FN u32 put_each(const Tile& tile, u32 slots, P pair, T& tally) const {
    u32 won = 0;
    for (int part = 0; part < parts; part++) {
      P* from = slots_ + part * width;
      won |= tile.ballot_of(slots >> part * width & Tile::all, [&](Lane l) {
        const P seen = seen_[part][l];
        return lane_cas(l, from + l.index(), seen, pair) == seen;
      }) << part * width;
    }
    if constexpr (T::counted) {
      for_each_pending(slots, [&](int i) { tally.swap(slots_ + i, sizeof(P), won >> i & 1); });
    }
    return won;
  }

  // each calls f(lane, slot, pair) for some slots, in the lanes that have them.
  template <class Tile, class F>
  HZ_FN void each(const Tile& tile, u32 slots, F&& f) const {
    for (int part = 0; part < parts; part++) {
      tile.each(slots >> part * width & Tile::all,
                [&](Lane l) { f(l, u32(part * width) + l.index(), seen_[part][l]); });
    }
  }

  // claim puts a pair into the first of some slots of a bucket, which need not be at
  // hand, unless there is none or the slot does not hold what is expected of it.
  template <class Tile, class T>
  HZ_FN static bool claim(const Tile& tile, P* bucket, u32 slots, P expected, P pair, T& tally) {
    return swap(tile, bucket, slots, [&](int, Lane) { return expected; }, pair, tally);
  }

 private:
  // swap puts a pair into the first of some slots if that has what its lane expects there.
  template <class Tile, class F, class T>
  HZ_FN static bool swap(const Tile& tile, P* bucket, u32 slots, F&& expected, P pair, T& tally) {
    const int slot = first_of(slots);
    const bool won = tile.done_by(slots != 0, slot % width, [&](Lane l) {
      const P before = expected(slot, l);
      return lane_cas(l, bucket + slot, before, pair) == before;
    });
    if (slots != 0) tally.swap(bucket + slot, sizeof(P), won);
    return won;
  }

  template <class Tile>
  HZ_FN void read(const Tile& tile) {
    static_assert(Tile::width == width, "tiles that read a bucket have Bucket::width lanes, not one for each slot");
    for (int part = 0; part < parts; part++) seen_[part] = tile.load(slots_ + part * width);
  }

  // first_of is the first of some slots, or any if there is none.
  HZ_FN static int first_of(u32 slots) { return lowest(slots | u32(1) << (B - 1)); }

  // at is what the lane of a slot saw in it.
  HZ_FN P at(int slot, Lane l) const {
    P pair = seen_[0][l];
    for (int part = 1; part < parts; part++) pair = P::either(slot / width == part, seen_[part][l], pair);
    return pair;
  }

  P* slots_;
  Lanes<P, width> seen_[parts];
};

// TwoBuckets is a bucket and, for an operation that wants it, a second one that is read at
// the same time.
template <class P, int B>
class TwoBuckets : public Bucket<P, B> {
 public:
  using One = Bucket<P, B>;

  HZ_FN TwoBuckets() {}
  template <class Tile>
  HZ_FN TwoBuckets(const Tile& tile, P* slots) : One(tile, slots) {}
  template <class Tile>
  HZ_FN TwoBuckets(const Tile& tile, P* slots, bool read) : One(tile, slots, read) {}
  template <class Tile>
  HZ_FN TwoBuckets(const Tile& tile, P* slots, bool read, P* others, bool read_other)
      : One(tile, slots, read), second_(tile, others, read_other) {}

  HZ_FN const One& second() const { return second_; }

 private:
  One second_;
};

}  // namespace hz

#endif
