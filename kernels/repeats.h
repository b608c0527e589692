// repeats.h: how many keys of a batch were in it before, for a sample of all possible keys.
//
// A key is in the sample by its hash, so with it are all of its copies: 1 of `Stride` keys.
// Those are put into a set, the table block: `Bucket` words of 8 bytes, all ones at first,
// at least twice as many as the sample has keys. The block is that of a look (abi.h); the
// keys are its slots. It costs a read of the keys, since the set stays in the cache.
#pragma once

#include "batch.h"
#include "hash.h"
#include "look.h"

namespace hz {

// was_in reports whether a key is in the set, and puts it there.
HZ_FN bool was_in(Lane l, u64* set, u64 words, u64 key, u64 hash) {
  for (u64 probe = 0; probe < words; probe++) {
    const u64 was = lane_cas(l, set + ((hash + probe) & (words - 1)), ~u64(0), key);
    if (was == key) return true;
    if (was == ~u64(0)) return false;
  }
  return false;
}

// count_repeats is the body of the kernel hz_repeats. It counts into the first bin.
HZ_FN void count_repeats(const void* table, void* block, u64 first, u64 count) {
  u64* set = static_cast<u64*>(const_cast<void*>(table));
  hz_look* look = static_cast<hz_look*>(block);
  Bins bins(look);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    const u32 again = tile.ballot_of(valid, [&](Lane l) {
      const u64 i = base + l.index();
      const u64 key = look->Key == sizeof(u32) ? array<u32>(look->At)[i] : array<u64>(look->At)[i];
      const u64 hash = mix64(key), erased = look->Key == sizeof(u32) ? ~u32(0) - 1 : ~u64(0) - 1;
      return key < erased && (hash & (look->Stride - 1)) == 0 && was_in(l, set, look->Bucket, key, hash >> 32);
    });
    bins.add(0, u32(popcount(again)));
  });
  bins.add_up();
}

}  // namespace hz
