// sample.h: whether most rows of a batch have keys of their own.
#pragma once

#include "batch.h"
#include "drive.h"
#include "hash.h"
#include "sort_abi.h"

namespace hz {

// sample_keys is the body of the kernels hz_sample: `count` rows, evenly spaced, mark their keys in a bitmap, and
// the bits that they set are counted. So it tells how many rows have keys of their own.
template <class K>
HZ_FN void sample_keys(const void*, void* block, u64 first, u64 count) {
  const hz_sort* sort = static_cast<const hz_sort*>(block);
  const u64 stride = sort->Items / HZ_SORT_SAMPLE;
  u32* marks = array<u32>(sort->Marks);
  for_each_group(first, count, [&](const Tile<kWarp>& warp, u64 base, u32 valid) {
    const u32 fresh = warp.ballot_of(valid, [&](Lane l) {
      const u32 bit = u32(mix64(array<const K>(sort->Keys)[(base + l.index()) * stride])) % HZ_SORT_MARKS;
      const u32 mask = u32(1) << bit % 32;
      return (lane_or(l, marks + bit / 32, mask) & mask) == 0;
    });
    if (fresh != 0) warp.add(reinterpret_cast<u64*>(marks + HZ_SORT_MARKS / 32), u64(popcount(fresh)));
  });
}

}  // namespace hz
