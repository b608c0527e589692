// selftest.h: kernels that exercise every verb of tile.h and write down what each
// lane got. workloads/check computes what they must have got and compares.
//
// An item is one tile with 64 random words of input. In selftest_verbs.h it has
// memory of its own, in selftest_shared.h all tiles work on the same few words.
#ifndef HZ_SELFTEST_H
#define HZ_SELFTEST_H

#include "drive.h"

namespace hz {

// for_each_tile_in_step is for_each_tile with tiles that are in step (tile.h).
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

// The table block of a self-test: where its input, its memory and its results are.
struct SelfTest {
  u64 Input;    // 64 words an item
  u64 Memory;   // 64 words an item, zero at first
  u64 Results;  // a row of W words for each result, Rows rows an item; the last
  u64 Rows;     // row's first word says how many were written
  u64 Shared;   // see SharedWord, then a word an item
  u64 Items;
};

// Results writes rows: each lane writes what it got, so that lanes which disagree
// show.
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

#endif
