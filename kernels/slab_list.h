// slab_list.h: one slab of a slab list, as a tile sees it; slab.h has the idea.
//
//   pairs  | 0 | 1 | 2 | ...              | 14 | - next |    a lane has 8 bytes
//   keys   | 0 | 1 | 2 | ...         | 29 | -  |  next  |    a lane has 4 bytes
//
// A lane holds an item, a pair or a key, which is read, compared and swapped as one
// word. The last 4 bytes are the address of the next slab, the 4 before them unused.
#ifndef HZ_SLAB_LIST_H
#define HZ_SLAB_LIST_H

#include "pair.h"
#include "slab_alloc.h"

namespace hz {

template <class P>
class Slab {
 public:
  using Key = typename P::Key;
  static constexpr int bytes = kSlabBytes;
  static constexpr int lanes = bytes / sizeof(P);
  static constexpr int items = lanes - 8 / sizeof(P);
  static constexpr u32 kItems = (u32(1) << items) - 1;

  HZ_FN Slab() {}
  template <class Tile>
  HZ_FN Slab(const Tile& tile, P* at) : at_(at), seen_(tile.load(at)) {}

  // A slab that is read under a condition; without it nothing is read.
  template <class Tile>
  HZ_FN Slab(const Tile& tile, P* at, bool read) : at_(at) {
    tile.each([&](Lane l) { seen_[l] = P::empty(); });
    if (read) seen_ = tile.load(at);
  }

  HZ_FN P* at() const { return at_; }
  HZ_FN const P& item(Lane l) const { return seen_[l]; }

  // find returns the items with a key, unused those that never held one, and live
  // those that hold one now.
  template <class Tile>
  HZ_FN u32 find(const Tile& tile, Key key) const {
    return tile.ballot([&](Lane l) { return seen_[l].key == key; }) & kItems;
  }
  template <class Tile>
  HZ_FN u32 unused(const Tile& tile) const {
    return find(tile, P::kEmptyKey);
  }
  template <class Tile>
  HZ_FN u32 live(const Tile& tile) const {
    return tile.ballot([&](Lane l) { return seen_[l].is_live(); }) & kItems;
  }

  // value returns the value of the first of some items.
  template <class Tile>
  HZ_FN typename P::Value value(const Tile& tile, u32 found) const {
    if constexpr (P::value_bytes == 0) {
      return {};
    } else {
      return tile.pick_of(lowest(found | u32(1) << (lanes - 1)), [&](Lane l) { return seen_[l].value; });
    }
  }

  // next returns the address of the next slab, and link where it is.
  template <class Tile>
  HZ_FN u32 next(const Tile& tile) const {
    return tile.pick_of(lanes - 1, [&](Lane l) { return last_word(seen_[l]); });
  }
  HZ_FN u32* link() const { return link_of(at_); }
  HZ_FN static u32* link_of(P* at) { return reinterpret_cast<u32*>(at) + bytes / 4 - 1; }

  // put replaces the first of some items, unless there is none, or it is no longer
  // what was seen.
  template <class Tile, class T>
  HZ_FN bool put(const Tile& tile, u32 where, P pair, T& tally) const {
    return put_each(tile, where & -where, pair, tally) != 0;
  }

  // put_each replaces each of some items, and returns where it did.
  template <class Tile, class T>
  HZ_FN u32 put_each(const Tile& tile, u32 where, P pair, T& tally) const {
    const u32 won =
        tile.ballot_of(where, [&](Lane l) { return lane_cas(l, at_ + l.index(), seen_[l], pair) == seen_[l]; });
    if constexpr (T::counted) {
      for_each_pending(where, [&](int i) { tally.swap(at_ + i, sizeof(P), won >> i & 1); });
    }
    return won;
  }

 private:
  HZ_FN static u32 last_word(const P& item) {
    if constexpr (P::value_bytes == 0) {
      return item.key;
    } else {
      return item.value;
    }
  }

  P* at_;
  Lanes<P, lanes> seen_;
};

}  // namespace hz

#endif
