// list.h: one slab of a slab list, as a tile sees it. See slab.h.
//
//   pairs  | 0 | 1 | 2 | ...              | 14 | - next |    a slot has 8 bytes
//   keys   | 0 | 1 | 2 | ...         | 29 | -  |  next  |    a slot has 4 bytes
//
// A slab is a bucket whose slots hold items, pairs or keys, each read, compared and
// swapped as one word. The last 4 bytes are the address of the next slab; the 4 bytes
// before them are unused.
#ifndef HZ_SLAB_LIST_H
#define HZ_SLAB_LIST_H

#include "alloc.h"
#include "bucket.h"

namespace hz {

template <class P>
class Slab : public Bucket<P, kSlabBytes / sizeof(P)> {
 public:
  static constexpr int slots_of_slab = kSlabBytes / sizeof(P);
  using Base = Bucket<P, slots_of_slab>;
  using typename Base::Key;
  static constexpr int items = slots_of_slab - 8 / sizeof(P);
  static constexpr u32 kItems = (u32(1) << items) - 1;

  using Base::Base;

  // find returns the items that hold a key, unused those that never held one, and live
  // those that hold one now.
  template <class Tile>
  HZ_FN u32 find(const Tile& tile, Key key) const {
    return Base::find(tile, key) & kItems;
  }
  template <class Tile>
  HZ_FN u32 unused(const Tile& tile) const {
    return Base::unused(tile) & kItems;
  }
  template <class Tile>
  HZ_FN u32 live(const Tile& tile) const {
    return Base::live(tile) & kItems;
  }

  // value returns the value of the lowest of a mask of items.
  template <class Tile>
  HZ_FN typename P::Value value(const Tile& tile, u32 found) const {
    if constexpr (P::value_bytes == 0) {
      return {};
    } else {
      return Base::value(tile, found);
    }
  }

  // next returns the address of the next slab, link the location of that address.
  template <class Tile>
  HZ_FN u32 next(const Tile& tile) const {
    return last_word(this->in(tile, slots_of_slab - 1));
  }
  HZ_FN u32* link() const { return link_of(this->slots()); }
  HZ_FN static u32* link_of(P* at) { return reinterpret_cast<u32*>(at) + kSlabBytes / 4 - 1; }

 private:
  HZ_FN static u32 last_word(const P& item) {
    if constexpr (P::value_bytes == 0) {
      return item.key;
    } else {
      return item.value;
    }
  }
};

}  // namespace hz

#endif
