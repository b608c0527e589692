// bucket.h: a bucket of W slots, read by a tile of W lanes in one access.
//
// A Bucket is a snapshot: lane i holds slot i as it was when the bucket was
// read. Questions (where is this key, is there room) are answered from the
// snapshot; changes (claim, swap, replace) go to memory by one atomic on one
// slot, whose outcome tells whether the snapshot was still true.
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
  HZ_FN Bucket(const Tile<W>& tile, P* slots) : slots_(slots), seen_(tile.load(slots)) {}

  HZ_FN void reload(const Tile<W>& tile) { seen_ = tile.load(slots_); }

  HZ_FN P* slots() const { return slots_; }

  // find returns the slots that hold the key: at most one, for unique keys.
  HZ_FN u32 find(const Tile<W>& tile, Key key) const {
    return tile.ballot([&](Lane l) { return seen_[l].key == key; });
  }
  // open returns the slots that a pair may be put into: unused or erased.
  HZ_FN u32 open(const Tile<W>& tile) const {
    return tile.ballot([&](Lane l) { return !seen_[l].is_live(); });
  }
  // unused returns the slots that never held a pair. While there is one, no key
  // was ever turned away from this bucket, and a find may stop here.
  HZ_FN u32 unused(const Tile<W>& tile) const {
    return tile.ballot([&](Lane l) { return seen_[l].is_empty(); });
  }
  HZ_FN P at(const Tile<W>& tile, int slot) const { return tile.pick(seen_, slot); }

  // replace puts a pair where `expected` was seen, unless that has changed.
  template <class T>
  HZ_FN bool replace(const Tile<W>& tile, int slot, P expected, P pair, T& tally) {
    tally.touch(slots_ + slot, sizeof(P));
    bool won = tile.cas(slots_ + slot, expected, pair) == expected;
    if (!won) tally.lose_race();
    return won;
  }
  // claim puts a pair into an open slot, unless another tile was faster.
  template <class T>
  HZ_FN bool claim(const Tile<W>& tile, int slot, P pair, T& tally) {
    return replace(tile, slot, at(tile, slot), pair, tally);
  }
  // swap puts a pair into a slot and returns the one that was there.
  template <class T>
  HZ_FN P swap(const Tile<W>& tile, int slot, P pair, T& tally) {
    tally.touch(slots_ + slot, sizeof(P));
    return tile.exchange(slots_ + slot, pair);
  }

 private:
  P* slots_;
  Lanes<P, W> seen_;
};

}  // namespace hz

#endif
