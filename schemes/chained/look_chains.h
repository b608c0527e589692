// look_chains.h: looks at the lists of a chained table (look.h), with one lane per
// bucket.
//
//   bins 0 to 7   buckets by the number of nodes in their lists (length_bin)
//   kErasedBin    erased nodes that are still in a list
//   kPairsBin     other nodes in lists
#pragma once

#include "look.h"

namespace hz {

// look_chains depends only on the size of a node and on the link following the key
// (Chained::Hop), so one kernel serves all pairs.
HZ_FN void look_chains(const void* table_block, void* block, u64 first, u64 count) {
  constexpr u32 kErased = u32(1) << 31;
  const hz_table* table = static_cast<const hz_table*>(table_block);
  hz_look* look = static_cast<hz_look*>(block);
  const u64 links = table->Region[1] + look->Key, stride = look->Stride;
  Bins bins(look);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    Lanes<u32, kWarp> next, length;
    Lanes<u64, kWarp> erased, live;
    tile.each([&](Lane l) { length[l] = 0, erased[l] = live[l] = 0; });
    tile.each(valid, [&](Lane l) { next[l] = array<const u32>(table->Region[0])[base + l.index()]; });
    u32 busy = tile.ballot_of(valid, [&](Lane l) { return next[l] != 0; });
    while (busy != 0) {  // a node of each list per round, read in parallel
      tile.each(busy, [&](Lane l) {
        const u32 link = *array<const u32>(links + next[l] * stride);
        erased[l] += (link & kErased) != 0;
        live[l] += (link & kErased) == 0;
        length[l]++;
        next[l] = link & ~kErased;
      });
      busy = tile.ballot_of(busy, [&](Lane l) { return next[l] != 0; });
    }
    bins.add_lengths(valid, [&](Lane l) { return length[l]; });
    bins.add(kErasedBin, u32(tile.total(erased)));
    bins.add(kPairsBin, u32(tile.total(live)));
  });
  bins.add_up();
}

}  // namespace hz
