// contend.h: how often words of memory can be changed by operations that meet there: what locks
// and swaps cost where many threads want the same bucket. The block is that of a look (abi.h):
// an array of `Slots` words, and in Key how many neighboring accesses share a word, as a power
// of two. Accesses of the lanes of a warp are neighbors, so up to 32 of them meet in one
// instruction, and more of them in different warps.
#pragma once

#include "memory_limits.h"

namespace hz {

// each_shared calls f(lane, address) for each access.
template <class F>
HZ_FN void each_shared(void* block, u64 first, u64 count, F&& f) {
  const u64 sharing = static_cast<const hz_look*>(block)->Key;
  const auto place = [=](u64 base, u64 k, Lane l) { return (base * kAtOnce + k * kWarp + l.index()) >> sharing; };
  each_access(block, first, count, place, f);
}

HZ_FN void swap_shared(const void*, void* block, u64 first, u64 count) {
  each_shared(block, first, count, [](Lane l, u64* at) { return lane_exchange(l, at, u64(1)); });
}
// Each finds the 0 that it expects, and leaves it there.
HZ_FN void compare_shared(const void*, void* block, u64 first, u64 count) {
  each_shared(block, first, count, [](Lane l, u64* at) { return lane_cas(l, at, u64(0), u64(0)); });
}
HZ_FN void write_shared(const void*, void* block, u64 first, u64 count) {
  each_shared(block, first, count, [](Lane l, u64* at) {
    lane_write(l, at, u64(1));
    return u64(0);
  });
}

// write_in_order writes each word once, neighbors side by side.
HZ_FN void write_in_order(const void*, void* block, u64 first, u64 count) {
  const hz_look* look = static_cast<const hz_look*>(block);
  u64* to = array<u64>(look->At);
  const u64 slots = look->Slots;
  for_each_group(first / kAtOnce, count / kAtOnce, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) {
      for (u64 k = 0; k < kAtOnce; k++) {
        const u64 i = base * kAtOnce + k * kWarp + l.index();
        if (i < slots) lane_write(l, to + i, u64(1));
      }
    });
  });
}

}  // namespace hz
