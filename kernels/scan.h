// scan.h: where items of different sizes begin if they lie side by side: an exclusive
// prefix sum, on the device.
//
//   sizes    3  0  2  1  4 ...          one launch sums each piece of 1024 items
//   places   0  3  3  5  6 ...          another one writes the places
//
// A tile goes through a piece, 32 items at a time. Between the two launches the sums of the
// pieces are scanned in the same way; when only one is left, that is the total
// (runtime/host). So sizes are read twice and places written once, and no tile waits for
// another.
#ifndef HZ_SCAN_H
#define HZ_SCAN_H

#include "drive.h"

namespace hz {

// matched: did operation i of a batch take part in this launch, and find something?
HZ_FN bool matched(const hz_batch& b, u64 i) {
  if (b.Ops != 0 && (b.Select >> array<u8>(b.Ops)[i] & 1) == 0) return false;
  return array<u8>(b.Status)[i] == k_ok;
}

HZ_FN u64 size_of(const hz_scan* s, u64 i) {
  if (i >= s->Items || (s->Batch.Status != 0 && !matched(s->Batch, i))) return 0;
  const u64 at = s->Number + i * s->Stride;
  if (s->Width == 0) return 1;
  if (s->Width == sizeof(u32)) return *array<u32>(at) + 1 == 0 ? 0 : *array<u32>(at);
  return *array<u64>(at) + 1 == 0 ? 0 : *array<u64>(at);
}

// each_row calls f(tile, base, sizes) for the rows of 32 items of a piece.
template <class F>
HZ_FN void each_row(const hz_scan* s, u64 first, u64 count, F&& f) {
  for_each_tile<kWarp>(first, count, [&](const Tile<kWarp>& tile, u64 piece) {
    for (u64 base = piece * HZ_SCAN_PIECE; base < (piece + 1) * HZ_SCAN_PIECE; base += kWarp) {
      Lanes<u64, kWarp> sizes;
      tile.each([&](Lane l) { sizes[l] = size_of(s, base + l.index()); });
      f(tile, piece, base, sizes);
    }
  });
}

// scan_sums is the body of the kernel hz_scan_sums, scan_places that of hz_scan_places.
// Both are launched for pieces.
HZ_FN void scan_sums(const void*, void* block, u64 first, u64 count) {
  const hz_scan* s = static_cast<const hz_scan*>(block);
  u64 sum = 0;
  each_row(s, first, count, [&](const Tile<kWarp>& tile, u64 piece, u64 base, const Lanes<u64, kWarp>& sizes) {
    sum = tile.total(sizes) + (base % HZ_SCAN_PIECE == 0 ? 0 : sum);
    if ((base + kWarp) % HZ_SCAN_PIECE == 0) tile.each(1, [&](Lane) { array<u64>(s->Sum)[piece] = sum; });
  });
}

HZ_FN void scan_places(const void*, void* block, u64 first, u64 count) {
  const hz_scan* s = static_cast<const hz_scan*>(block);
  u64 sum = 0;
  each_row(s, first, count, [&](const Tile<kWarp>& tile, u64 piece, u64 base, const Lanes<u64, kWarp>& sizes) {
    if (base % HZ_SCAN_PIECE == 0) sum = array<u64>(s->Sum)[piece];
    const Lanes<u64, kWarp> before = tile.before(sizes);
    tile.each([&](Lane l) {
      const u64 i = base + l.index(), at = s->Place + i * s->PlaceStride;
      if (i >= s->Items) return;
      if (s->PlaceWidth == sizeof(u32)) {
        *array<u32>(at) = u32(sum + before[l]);
      } else {
        *array<u64>(at) = sum + before[l];
      }
    });
    sum += tile.total(sizes);
  });
}

// write_matches is the body of the kernel hz_matches, for finds whose answers, Stride bytes
// apart, begin with Width bytes of value: it writes the values that were found to their
// places, as far as FoundLimit goes, and makes each answer the number of pairs, 1.
HZ_FN void write_matches(const void*, void* block, u64 first, u64 count) {
  const hz_scan* s = static_cast<const hz_scan*>(block);
  const hz_batch& b = s->Batch;
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) {
      const u64 i = base + l.index();
      if (!matched(b, i)) return;
      const u64 at = array<u64>(b.FoundAt)[i];
      u32* answer = array<u32>(b.Out + i * s->Stride);
      if (at < b.FoundLimit) {
        array<u32>(b.FoundOf)[at] = u32(i);
        for (u64 word = 0; word < s->Width / 4; word++)
          array<u32>(b.FoundValues)[at * (s->Width / 4) + word] = answer[word];
      }
      if (s->Stride == sizeof(u32)) *answer = 1;
      for (u64 word = 0; word < s->Stride / 8; word++) array<u64>(u64(answer))[word] = Wide<16>::nth(1, word);
    });
  });
}

}  // namespace hz

#endif
