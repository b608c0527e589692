// allocate.h: allocators of units of 128 bytes by themselves, as kernels of one form. The block
// is that of a batch (abi.h):
//
//   Out         where the address of each unit goes, 8 bytes; 0: there was no memory
//   Values      memory for PairLimit units, between two pieces of a bit for each; all ones
//   PairLimit   how many units there are, a multiple of 1024
//   Counters    512 words, zero at first
//
// hz_allocate_NAME allocates `count` units; hz_release_NAME gives back those in Out. Package
// runtime/limits measures all that a program has.
#pragma once

#include "batch.h"
#include "drive.h"

namespace hz {

inline constexpr u64 kUnitBytes = 128;

// each_unit calls f(lane, Out + i) for each unit i, a lane for each.
template <class F>
HZ_FN void each_unit(const void* block, u64 first, u64 count, F&& f) {
  u64* out = array<u64>(static_cast<const hz_batch*>(block)->Out);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) { f(l, out + base + l.index()); });
  });
}

// bump allocates as simply as possible: a unit is what a counter gives. It releases nothing.
HZ_FN void bump(const void*, const void* block, u64 first, u64 count) {
  const hz_batch* b = static_cast<const hz_batch*>(block);
  u64* next = array<u64>(b->Counters);
  const u64 memory = b->Values, units = b->PairLimit;
  each_unit(block, first, count, [&](Lane l, u64* out) {
    const u64 unit = lane_add(l, next, u64(1));
    *out = unit < units ? memory + unit * kUnitBytes : 0;
  });
}

}  // namespace hz
