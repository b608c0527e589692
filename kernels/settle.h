// settle.h: outcomes of inserts made to agree with their counts.
//
// A host side repeats inserts that found no room, so in the end fewer have failed than a
// launch noted. What is left over may be pairs of others, so which operations failed is a
// free choice. The block is that of the batch; its counter `failed` says how many
// operations are to be failed, and `ok` counts the candidates seen. The first of them are
// failed, all later ones are ok. If the candidates are the failed operations, this takes
// back failures; with those that are ok it adds some.
#pragma once

#include "batch.h"
#include "drive.h"

namespace hz {

template <Outcome Candidate>
HZ_FN void settle(const void*, void* block, u64 first, u64 count) {
  const hz_batch* b = static_cast<const hz_batch*>(block);
  u8* outcomes = array<u8>(b->Status);
  u64* counters = array<u64>(b->Counters);
  const u64 wanted = counters[kCount_failed];
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    const u32 candidates = tile.ballot([&](Lane l) {
      const u64 i = base + l.index();
      if ((valid >> l.index() & 1) == 0 || outcomes[i] != Candidate) return false;
      return b->Ops == 0 || (b->Select >> array<u8>(b->Ops)[i] & 1) != 0;  // others belong to another launch
    });
    if (candidates == 0) return;
    const u64 at = tile.fetch_add(counters + kCount_ok, u64(popcount(candidates)));
    tile.each(candidates,
              [&](Lane l) { outcomes[base + l.index()] = at + tile.rank(candidates, l) < wanted ? k_failed : k_ok; });
  });
}

}  // namespace hz
