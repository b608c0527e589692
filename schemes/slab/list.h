// list.h: one slab of a slab list, as a tile sees it. See slab.h.
//
//   pairs  | 0 | 1 | 2 | ...              | 14 | - next |    a slot has 8 bytes
//   keys   | 0 | 1 | 2 | ...         | 29 | -  |  next  |    a slot has 4 bytes
//
// A slab is a bucket whose slots hold items, pairs or keys, each read, compared and
// swapped as one word. The last 4 bytes are the address of the next slab; the 4 bytes
// before them are unused.
#pragma once

#include "alloc.h"
#include "rows.h"

namespace hz {

// On a GPU, four lanes read a slab. They took finds of two slabs' worth of pairs on one
// H200 (20 million, beta=200) from 15661 to 20405 million per second, and of absent keys
// from 11109 to 14348; eight lanes were no better than lanes with two items each, and two
// lanes were slower in all operations.
inline constexpr int kSlabLanes = 4;

template <class P>
class Slab : public Rows<P, kSlabBytes / sizeof(P), kSlabLanes, (kSlabBytes - 8) / sizeof(P)> {
 public:
  static constexpr int slots_of_slab = kSlabBytes / sizeof(P), items = (kSlabBytes - 8) / sizeof(P);
  static constexpr u32 kItems = (u32(1) << items) - 1;
  using Base = Rows<P, slots_of_slab, kSlabLanes, items>;

  using Base::Base;

  // next returns the address of the next slab, link the location of that address.
  template <class Tile>
  HZ_FN u32 next(const Tile& tile) const {
    return this->of_last(tile, [](const P& slot) { return last_word(slot); });
  }
  HZ_FN u32* link() const { return link_of(this->slots()); }
  HZ_FN static u32* link_of(P* at) { return reinterpret_cast<u32*>(at) + kSlabBytes / 4 - 1; }

 private:
  HZ_FN static u32 last_word(const P& slot) {
    if constexpr (P::value_bytes == 0) {
      return slot.key;
    } else {
      return slot.value;
    }
  }
};

}  // namespace hz
