// memory_limits.h: how often a device's memory can be accessed at random places: the bound of any
// table's rate. The block is that of a look (abi.h): where an array of `Slots` slots of
// `Stride` bytes is. An access is of a whole slot, chosen by a hash of the access's number.
// Each thread has several accesses under way, like the walks of an operation, so the count
// of a launch is a multiple of that.
#pragma once

#include "batch.h"
#include "drive.h"
#include "hash.h"

namespace hz {

inline constexpr u64 kAtOnce = 4;

// Places are the slots of an array, by numbers of accesses.
class Places {
 public:
  HZ_FN explicit Places(const hz_look* look) : at_(look->At), slots_(look->Slots), stride_(look->Stride) {}
  HZ_FN u64* operator()(u64 access) const { return array<u64>(at_ + multiply_high(mix64(access), slots_) * stride_); }

 private:
  u64 at_, slots_, stride_;
};

// keep makes what was read count, so that no compiler leaves the reads out.
template <int W>
HZ_FN void keep(const Tile<W>& tile, void* look, const Lanes<u64, W>& sums) {
  tile.add(&static_cast<hz_look*>(look)->Bin[0], tile.total(sums) & 1);
}

// read_slots reads slots of 8 * W bytes, each by the W lanes of a tile.
template <int W>
HZ_FN void read_slots(const void*, void* look, u64 first, u64 count) {
  const Places places(static_cast<const hz_look*>(look));
  const Tile<W> whole;
  Lanes<u64, W> sums;
  whole.each([&](Lane l) { sums[l] = 0; });
  for_each_tile<W>(first / kAtOnce, count / kAtOnce, [&](const Tile<W>& tile, u64 i) {
    Lanes<u64, W> seen[kAtOnce];
    for (u64 k = 0; k < kAtOnce; k++) seen[k] = tile.load(places(i * kAtOnce + k));
    for (u64 k = 0; k < kAtOnce; k++) tile.each([&](Lane l) { sums[l] += seen[k][l]; });
  });
  keep(whole, look, sums);
}

// each_access accesses single words, each lane its own: f(lane, address) returns a word, and place(base, k, lane) is
// the number of the k-th word of a lane.
template <class Place, class F>
HZ_FN void each_access(void* look, u64 first, u64 count, Place&& place, F&& f) {
  const Places places(static_cast<const hz_look*>(look));
  const Tile<kWarp> whole;
  Lanes<u64, kWarp> sums;
  whole.each([&](Lane l) { sums[l] = 0; });
  for_each_group(first / kAtOnce, count / kAtOnce, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) {
      u64 seen[kAtOnce];
      for (u64 k = 0; k < kAtOnce; k++) seen[k] = f(l, places(place(base, k, l)));
      for (u64 word : seen) sums[l] += word;
    });
  });
  keep(whole, look, sums);
}

template <class F>
HZ_FN void each_word(void* look, u64 first, u64 count, F&& f) {
  each_access(look, first, count, [](u64 base, u64 k, Lane l) { return (base + l.index()) * kAtOnce + k; }, f);
}

HZ_FN void read_words(const void*, void* look, u64 first, u64 count) {
  each_word(look, first, count, [](Lane l, u64* at) { return lane_read(l, at); });
}
HZ_FN void write_words(const void*, void* look, u64 first, u64 count) {
  each_word(look, first, count, [](Lane l, u64* at) {
    lane_write(l, at, u64(1));
    return u64(0);
  });
}
HZ_FN void swap_words(const void*, void* look, u64 first, u64 count) {
  each_word(look, first, count, [](Lane l, u64* at) { return lane_exchange(l, at, u64(1)); });
}

// copy_words copies the first half of an array to the second, in order.
HZ_FN void copy_words(const void*, void* block, u64 first, u64 count) {
  const hz_look* look = static_cast<const hz_look*>(block);
  u64* from = array<u64>(look->At);
  u64* to = array<u64>(look->At + look->Slots / 2 * look->Stride);
  const u64 half = look->Slots * look->Stride / 16;
  for_each_group(first / kAtOnce, count / kAtOnce, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) {
      for (u64 k = 0; k < kAtOnce; k++) {
        const u64 i = base * kAtOnce + k * kWarp + l.index();
        if (i < half) to[i] = from[i];
      }
    });
  });
}

}  // namespace hz
