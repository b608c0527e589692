// scan.h: where items of different sizes begin if they lie side by side: an exclusive
// prefix sum, on the device.
//
//   sizes    3  0  2  1  4 ...          one launch sums each piece of 1024 items
//   places   0  3  3  5  6 ...          another one writes the places
//
// A warp goes through a piece in rows of 32 items and reads several rows at once. Between
// the two launches the sums of the pieces are scanned in the same way; when only one is
// left, that is the total (runtime/host). So sizes are read twice and places written once,
// and no warp waits for another.
#pragma once

#include "drive.h"

namespace hz {

// matched: did operation i of a batch take part in this launch, and find something?
HZ_FN bool matched(const hz_batch& b, u64 i) {
  if (b.Ops != 0 && (b.Select >> array<u8>(b.Ops)[i] & 1) == 0) return false;
  return array<u8>(b.Status)[i] == k_ok;
}

// Sizes reads the sizes of items: numbers of type N, or 1 each if N is Nothing. Operations of
// a batch that found nothing have size 0. It has its own copy of the block, which no write
// changes, and no branch, so a lane can read several sizes at the same time.
template <class N, bool OfBatch>
class Sizes {
 public:
  HZ_FN explicit Sizes(const hz_scan& s) : last_(s.Items - 1), number_(s.Number), stride_(s.Stride), batch_(s.Batch) {}

  HZ_FN u64 last() const { return last_; }

  // of returns the size of item i, and 0 behind the last one.
  HZ_FN u64 of(u64 i) const {
    const u64 at = i < last_ ? i : last_;
    const u64 size = number(number_ + at * stride_);
    bool counts = i <= last_;
    if constexpr (OfBatch) counts &= matched(batch_, at);
    return counts ? size : 0;
  }

 private:
  HZ_FN static u64 number(u64 at) {
    if constexpr (__is_same(N, Nothing)) {
      return 1;
    } else {
      const N number = *array<N>(at);
      return N(number + 1) == 0 ? 0 : number;
    }
  }

  u64 last_, number_, stride_;
  hz_batch batch_;
};

// with_sizes calls f with the sizes that a block describes.
template <class N, class F>
HZ_FN void with_sizes_of(const hz_scan& s, F&& f) {
  if (s.Batch.Status != 0) {
    f(Sizes<N, true>(s));
  } else {
    f(Sizes<N, false>(s));
  }
}
template <class F>
HZ_FN void with_sizes(const hz_scan& s, F&& f) {
  if (s.Width == 0) return with_sizes_of<Nothing>(s, f);
  if (s.Width == sizeof(u32)) return with_sizes_of<u32>(s, f);
  with_sizes_of<u64>(s, f);
}

// kSumRows and kPlaceRows are how many rows of 32 items a warp reads before it looks at the
// first. More take registers: with 8, few warps write places at the same time.
inline constexpr u32 kSumRows = kOverlapped, kPlaceRows = (kOverlapped + 1) / 2;

// each_rows calls f(base, rows) for the rows of a piece, N at a time.
template <u32 N, class S, class F>
HZ_FN void each_rows(const Tile<kWarp>& tile, const S& sizes, u64 piece, F&& f) {
  const u64 end = (piece + 1) * HZ_SCAN_PIECE;
  for (u64 base = piece * HZ_SCAN_PIECE; base < end && base <= sizes.last(); base += N * kWarp) {
    Lanes<u64, kWarp> rows[N];
#pragma GCC unroll 8
    for (u32 k = 0; k < N; k++) {
      tile.each([&](Lane l) { rows[k][l] = sizes.of(base + k * kWarp + l.index()); });
    }
    f(base, rows);
  }
}

// scan_sums is the body of the kernel hz_scan_sums, scan_places that of hz_scan_places.
// Both are launched for pieces, each with a whole warp.
HZ_FN void scan_sums(const void*, void* block, u64 first, u64 count) {
  const hz_scan s = *static_cast<const hz_scan*>(block);
  with_sizes(s, [&](const auto& sizes) {
    for_each_warp(first, count, [&](const Tile<kWarp>& tile, u64 piece) {
      Lanes<u64, kWarp> sum;
      tile.each([&](Lane l) { sum[l] = 0; });
      each_rows<kSumRows>(tile, sizes, piece, [&](u64, const Lanes<u64, kWarp>(&rows)[kSumRows]) {
#pragma GCC unroll 8
        for (u32 k = 0; k < kSumRows; k++) tile.each([&](Lane l) { sum[l] += rows[k][l]; });
      });
      const u64 total = tile.total(sum);
      tile.each(1, [&](Lane) { array<u64>(s.Sum)[piece] = total; });
    });
  });
}

HZ_FN void write_place(const hz_scan& s, u64 i, u64 place) {
  const u64 at = s.Place + i * s.PlaceStride;
  if (s.PlaceWidth == sizeof(u32)) {
    *array<u32>(at) = u32(place);
  } else {
    *array<u64>(at) = place;
  }
}

// Nothing comes before the first piece.
HZ_FN void scan_places(const void*, void* block, u64 first, u64 count) {
  const hz_scan s = *static_cast<const hz_scan*>(block);
  with_sizes(s, [&](const auto& sizes) {
    for_each_warp(first, count, [&](const Tile<kWarp>& tile, u64 piece) {
      u64 sum = piece == 0 ? 0 : array<u64>(s.Sum)[piece];
      each_rows<kPlaceRows>(tile, sizes, piece, [&](u64 base, const Lanes<u64, kWarp>(&rows)[kPlaceRows]) {
#pragma GCC unroll 8
        for (u32 k = 0; k < kPlaceRows; k++) {
          const Lanes<u64, kWarp> before = tile.before(rows[k]);
          tile.each([&](Lane l) {
            const u64 i = base + k * kWarp + l.index();
            if (i < s.Items) write_place(s, i, sum + before[l]);
          });
          sum += tile.pick(before, kWarp - 1) + tile.pick(rows[k], kWarp - 1);
        }
      });
    });
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
