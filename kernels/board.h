// board.h: a board in front of a table, one bit for each slot.
//
// A word of 32 bits stands for a bucket. A set bit says that the slot holds a pair, or
// that an insert has claimed it. The board is so small (an eightieth of the table or
// less) that it stays in a GPU's second-level cache. An insert that chooses among buckets
// reads their words instead of the buckets, and touches only the slot that it writes.
//
//   bucket 0  1 1 0 0 0 0 0 0    two of eight slots are taken
//   bucket 1  1 1 1 0 0 0 0 0    three: slot 3 is the first that is not
//
// Claiming a bit makes its slot the insert's own: no other operation writes to a slot
// without a pair. So the insert stores its pair without a compare-and-swap. An erase
// first takes the pair out of its slot, then clears the bit.
#pragma once

#include "bucket.h"

namespace hz {

template <class P, int B>
class Board {
 public:
  static_assert(B <= 32, "a word of the board has 32 bits");
  static constexpr u32 kFull = B == 32 ? ~u32(0) : (u32(1) << B % 32) - 1;

  HZ_FN explicit Board(u64 words) : words_(reinterpret_cast<u32*>(words)) {}

  HZ_FN u32* word(u32 bucket) const { return words_ + bucket; }

  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, u32> read(const Tile& tile, u32 bucket, T& tally) const {
    tally.probe(word(bucket), sizeof(u32));
    return tile.read(word(bucket));
  }

  // claim sets the bit of a slot, and returns whether it was not set before.
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, bool> claim(const Tile& tile, bool wanted, u32 bucket, u32 slot, T& tally) const {
    const u32 bit = u32(1) << slot;
    const bool won = tile.done_by(wanted, 0, [&](Lane l) { return (lane_or(l, word(bucket), bit) & bit) == 0; });
    if (wanted) tally.swap(word(bucket), sizeof(u32), won);
    return won;
  }

  // release clears the bits of slots.
  template <class Tile, class T>
  HZ_FN void release(const Tile& tile, bool wanted, u32 bucket, u32 slots, T& tally) const {
    if (!wanted) return;
    tile.each(1, [&](Lane l) { lane_and(l, word(bucket), ~slots); });
    tally.touch(word(bucket), sizeof(u32));
  }

 private:
  u32* words_;
};

}  // namespace hz
