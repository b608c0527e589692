// look_slabs.h: looks at the lists of a slab hash table (look.h), with one tile per
// bucket.
//
//   bins 0 to 7   buckets by the number of slabs in their lists (length_bin)
//   kSlabsBin     slabs in all lists
//   kErasedBin    erased items, which are not reused before a flush
//   kPairsBin     items that hold a pair or a key
#pragma once

#include "alloc.h"
#include "look.h"

namespace hz {

// look_slabs reads a slab as 32 words. With pairs, every second word is a key; the last
// two words are not items.
template <Addresses A>
HZ_FN void look_slabs(const void* table, void* block, u64 first, u64 count) {
  hz_look* look = static_cast<hz_look*>(block);
  const SlabAlloc<kWarp, A> memory(static_cast<const hz_table*>(table));
  const u32 keys = look->Stride == sizeof(u32) ? 0x3fffffff : 0x15555555;
  Bins bins(look);
  for_each_tile<kWarp>(first, count, [&](const Tile<kWarp>& tile, u64 bucket) {
    u32 slabs = 0;
    for (u32 at = u32(bucket); at != kNoSlab; slabs++) {
      const Lanes<u32, kWarp> words = tile.load(reinterpret_cast<const u32*>(memory.at(at)));
      const u32 erased = tile.ballot_equal(words, ~u32(1)) & keys, unused = tile.ballot_equal(words, ~u32(0)) & keys;
      bins.add(kErasedBin, u32(popcount(erased)));
      bins.add(kPairsBin, u32(popcount(keys & ~erased & ~unused)));
      at = tile.pick(words, kWarp - 1);
    }
    bins.add(length_bin(slabs), 1);
    bins.add(kSlabsBin, slabs);
  });
  bins.add_up();
}

}  // namespace hz
