// look.h: counts what is inside a table, on the device.
//
// A kernel that looks at a table reads all of it and counts into bins: how many buckets
// hold how many pairs, how many lists have which length. Only the bins are copied to the
// host, so looking at a table of gigabytes costs one read of it by the device. The table
// is not changed. Looks happen between batches, so no operation is in flight.
//
// One such kernel exists per table layout, not per scheme and variant: sizes are fields
// of the block (hz_look), and the loops over them are not unrolled. Host sides name the
// kernel and fill the block (host_show.h). A plugin's looks are functions of its class and
// are compiled with its variants (docs/plugins.md); look_at_pairs is what most of them
// need.
//
// look_buckets is for tables that are an array of slots in buckets. Its items are rows:
// 32 slots, which are several buckets, or one bucket if that is larger.
//
//   bins 0 to 32     buckets by the number of pairs they hold. For buckets of b <= 32
//                    slots, bin i counts those that hold i pairs; for larger ones,
//                    those that hold more than (i - 1) / 32 of b, and at most i / 32
//   kErasedBin       slots with the marker of an erased pair
//   kPairsBin        slots that hold a pair
#pragma once

#include "drive.h"
#include "look_bins.h"

namespace hz {

// Bins accumulates counts, a few bins per lane, and adds them to the block at the end.
// The bins are in lanes because they are few: in memory, all threads of a GPU would
// contend for the same words.
class Bins {
 public:
  HZ_FN explicit Bins(hz_look* look) : look_(look) {
    tile_.each([&](Lane l) { low_[l] = high_[l] = 0; });
  }

  // add adds n to a bin; both are uniform.
  HZ_FN void add(u32 bin, u32 n) {
    const u32 lane = u32(1) << bin % kWarp;
    tile_.each(bin < kWarp ? lane : 0, [&](Lane l) { low_[l] += n; });
    tile_.each(bin < kWarp ? 0 : lane, [&](Lane l) { high_[l] += n; });
  }

  // add_lengths counts each lane of the mask in the bin of the length f(lane).
  template <class F>
  HZ_FN void add_lengths(u32 mask, F&& f) {
    for (u32 bin = 0; bin <= u32(kLengths); bin++) {
      add(bin, u32(popcount(tile_.ballot_of(mask, [&](Lane l) { return length_bin(f(l)) == bin; }))));
    }
  }

  // raise sets a bin of the block to at least n, which is uniform. Bins that are raised
  // must not be added to.
  HZ_FN void raise(u32 bin, u64 n) const {
    u64* at = &look_->Bin[bin];
    for (u64 seen = tile_.read(at); seen < n;) {
      const u64 was = tile_.cas(at, seen, n);
      seen = was == seen ? n : was;
    }
  }

  HZ_FN void add_up() const {
    tile_.each([&](Lane l) {
      if (low_[l] != 0) lane_add(l, &look_->Bin[l.index()], u64(low_[l]));
      if (high_[l] != 0) lane_add(l, &look_->Bin[kWarp + l.index()], u64(high_[l]));
    });
  }

 private:
  static_assert(HZ_BINS <= 2 * kWarp);
  hz_look* look_;
  Tile<kWarp> tile_;
  Lanes<u32, kWarp> low_, high_;  // no overflow: a warp looks at fewer than 2^32 slots
};

// SlotKeys reads the keys, of type K, of an array of slots.
template <class K>
class SlotKeys {
 public:
  HZ_FN explicit SlotKeys(const hz_look* look) : at_(look->At), slots_(look->Slots), stride_(look->Stride) {}

  // see returns which of the 32 slots starting at `from` hold pairs, and sets `erased` to
  // those with an erased pair.
  HZ_FN u32 see(const Tile<kWarp>& tile, u64 from, u32& erased) const {
    Lanes<K, kWarp> keys;
    tile.each([&](Lane l) {
      const u64 slot = from + l.index();
      keys[l] = slot < slots_ ? *array<const K>(at_ + slot * stride_) : kEmpty;
    });
    erased = tile.ballot_equal(keys, K(kEmpty - 1));
    return ~(erased | tile.ballot_equal(keys, kEmpty));
  }

 private:
  static constexpr K kEmpty = ~K(0);
  u64 at_, slots_, stride_;
};

template <class K>
HZ_FN void look_at_rows(hz_look* look, u64 first, u64 count) {
  const SlotKeys<K> keys(look);
  const u64 bucket = look->Bucket, row = bucket < kWarp ? kWarp : bucket, slots = look->Slots;
  Bins bins(look);
  for_each_tile<kWarp>(first, count, [&](const Tile<kWarp>& tile, u64 i) {
    u64 pairs = 0;
    u32 erased = 0;
    for (u64 at = i * row; at < (i + 1) * row; at += kWarp) {
      u32 gone;
      const u32 live = keys.see(tile, at, gone);
      pairs += u32(popcount(live));
      erased += u32(popcount(gone));
      for (u64 from = 0; bucket < kWarp && from < kWarp && at + from < slots; from += bucket) {
        bins.add(u32(popcount(live >> from & ((u32(1) << bucket) - 1))), 1);
      }
    }
    if (bucket >= kWarp) bins.add(u32((pairs * kWarp + bucket - 1) / bucket), 1);
    bins.add(kErasedBin, erased);
    bins.add(kPairsBin, u32(pairs));
  });
  bins.add_up();
}

// look_at_pairs visits the pairs of a table of class S and counts them by a number that
// f(scheme, slot, pair) returns, such as the distance from home:
//
//   bins 0 to 7    pairs by that number (length_bin): 0, 1, 2, 3, 4, 5-8, 9-16, 17 and more
//   kLargestBin    the largest number
inline constexpr u32 kLargestBin = 8;

template <class S, class F>
HZ_FN void look_at_pairs(const void* table, void* look, u64 first, u64 count, F&& f) {
  const S scheme(static_cast<const hz_table*>(table));
  Bins bins(static_cast<hz_look*>(look));
  Lanes<u32, kWarp> number, most;
  const Tile<kWarp> lanes;
  lanes.each([&](Lane l) { most[l] = 0; });
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    const u32 live = tile.ballot_of(valid, [&](Lane l) {
      const auto pair = slot_of(scheme, base + l.index());
      number[l] = pair.is_live() ? f(scheme, base + l.index(), pair) : 0;
      most[l] = number[l] > most[l] ? number[l] : most[l];
      return pair.is_live();
    });
    bins.add_lengths(live, [&](Lane l) { return number[l]; });
  });
  bins.raise(kLargestBin, lanes.largest(most));
  bins.add_up();
}

// look_buckets is the body of the kernel hz_look_buckets.
HZ_FN void look_buckets(const void*, void* block, u64 first, u64 count) {
  hz_look* look = static_cast<hz_look*>(block);
  if (look->Key == sizeof(u32)) {
    look_at_rows<u32>(look, first, count);
  } else {
    look_at_rows<u64>(look, first, count);
  }
}

}  // namespace hz
