// selftest.h: kernels that exercise every verb of tile.h and record what each lane got.
// workloads/check computes the expected results and compares.
//
// An item is one tile with 64 random words of input. In selftest_verbs.h every tile has
// its own memory; in selftest_shared.h all tiles work on the same few words.
#pragma once

#include "drive.h"

namespace hz {

// for_each_tile_in_step is for_each_tile for tiles in step (tile.h).
template <int W, class F>
HZ_FN void for_each_tile_in_step(u64 first, u64 count, F&& f) {
  for_each_group(first, count, [&](const Tile<kWarp>&, u64 base, u32 valid) {
#if HZ_GPU
    for (u32 turn = 0; turn < W; turn++) {
      const u32 i = lane_in_warp() / W * W + turn;
      f(Tile<W>(), base + i, (valid >> i & 1) != 0);
    }
#else
    for_each_pending(valid, [&](int i) { f(Tile<W>(), base + u64(i), true); });
#endif
  });
}

// SelfTest is the table block of a self-test: the addresses of its input, memory and
// results.
struct SelfTest {
  u64 Input;    // 64 words per item
  u64 Memory;   // 64 words per item, initially zero
  u64 Results;  // Rows rows of W words per item, one row per result; the last
  u64 Rows;     // row's first word is the number of rows written
  u64 Shared;   // the words of SharedWord, then one word per item
  u64 Items;
};

// Results writes rows. Each lane writes what it got, so a disagreement between lanes is
// visible.
template <int W>
class Results {
 public:
  HZ_FN Results(const SelfTest* t, const Tile<W>& tile, u64 item)
      : tile_(tile), row_(reinterpret_cast<u64*>(t->Results) + item * t->Rows * W), first_(row_), rows_(t->Rows) {}

  HZ_FN void uniform(u64 value) {
    tile_.each([&](Lane l) { row_[l.index()] = value; });
    row_ += W;
  }
  template <class T>
  HZ_FN void lanes(const Lanes<T, W>& values) {
    tile_.each([&](Lane l) { row_[l.index()] = u64(values[l]); });
    row_ += W;
  }
  HZ_FN void end() {
    u64 written = u64(row_ - first_) / W;
    tile_.each(1, [&](Lane) { first_[(rows_ - 1) * W] = written; });
  }

 private:
  const Tile<W>& tile_;
  u64* row_;
  u64* first_;
  u64 rows_;
};

}  // namespace hz
