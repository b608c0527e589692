// bucket.h: a bucket of W slots, read by a tile of W lanes in one access.
//
// A Bucket is a snapshot: lane i holds slot i as it was when the bucket was
// read. Questions (where is this key, is there room) are answered from the
// snapshot; a change goes to memory by one compare-and-swap on one slot, which
// fails if the snapshot is no longer true. All of it may be used in step.
#ifndef HZ_BUCKET_H
#define HZ_BUCKET_H

#include "pair.h"
#include "tally.h"

namespace hz {

template <class P, int W>
class Bucket {
 public:
  using Key = typename P::Key;
  static constexpr int bytes = sizeof(P) * W;

  HZ_FN Bucket() {}
  template <class Tile>
  HZ_FN Bucket(const Tile& tile, P* slots) : slots_(slots), seen_(tile.load(slots)) {}

  // A bucket that is read under a condition; without it nothing is read.
  template <class Tile>
  HZ_FN Bucket(const Tile& tile, P* slots, bool read) : slots_(slots) {
    tile.each([&](Lane l) { seen_[l] = P::empty(); });
    if (read) seen_ = tile.load(slots);
  }

  // Of two, by a condition that may differ between tiles that are in step.
  template <class Tile>
  HZ_FN static Bucket either(const Tile& tile, bool condition, const Bucket& a, const Bucket& b) {
    Bucket chosen;
    chosen.slots_ = condition ? a.slots_ : b.slots_;
    tile.each([&](Lane l) { chosen.seen_[l] = P::either(condition, a.seen_[l], b.seen_[l]); });
    return chosen;
  }

  HZ_FN P* slots() const { return slots_; }
  // seen is what the lane's slot held.
  HZ_FN const P& seen(Lane l) const { return seen_[l]; }

  // find returns the slots that hold the key: at most one, for unique keys.
  template <class Tile>
  HZ_FN u32 find(const Tile& tile, Key key) const {
    return tile.ballot([&](Lane l) { return seen_[l].key == key; });
  }
  // open returns the slots that a pair may be put into: unused or erased.
  template <class Tile>
  HZ_FN u32 open(const Tile& tile) const {
    return tile.ballot([&](Lane l) { return !seen_[l].is_live(); });
  }
  // unused returns the slots that never held a pair. While there is one, no key
  // was ever turned away from this bucket, and a find may stop here.
  template <class Tile>
  HZ_FN u32 unused(const Tile& tile) const {
    return tile.ballot([&](Lane l) { return seen_[l].is_empty(); });
  }
  // value returns the value in the first of some slots.
  template <class Tile>
  HZ_FN typename P::Value value(const Tile& tile, u32 slots) const {
    return tile.pick_of(lowest(slots | u32(1) << (W - 1)), [&](Lane l) { return seen_[l].value; });
  }

  // put puts a pair into the first of some slots, unless there is none or the slot
  // has changed since it was seen.
  template <class Tile, class T>
  HZ_FN bool put(const Tile& tile, u32 slots, P pair, T& tally) const {
    u32 first = slots & -slots;
    u32 won =
        tile.ballot_of(first, [&](Lane l) { return lane_cas(l, slots_ + l.index(), seen_[l], pair) == seen_[l]; });
    if (slots != 0) tally.swap(slots_, sizeof(P), won != 0);
    return won != 0;
  }

  // claim puts a pair into the first of some slots of a bucket, which need not be at
  // hand, unless there is none or the slot is not unused.
  template <class Tile, class T>
  HZ_FN static bool claim(const Tile& tile, P* bucket, u32 slots, P pair, T& tally) {
    u32 first = slots & -slots;
    u32 won =
        tile.ballot_of(first, [&](Lane l) { return lane_cas(l, bucket + l.index(), P::empty(), pair) == P::empty(); });
    if (slots != 0) tally.swap(bucket, sizeof(P), won != 0);
    return won != 0;
  }

 private:
  P* slots_;
  Lanes<P, W> seen_;
};

// TwoBuckets is a bucket and, for an operation that wants it, a second one that is read at
// the same time.
template <class P, int W>
class TwoBuckets : public Bucket<P, W> {
 public:
  using One = Bucket<P, W>;

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
