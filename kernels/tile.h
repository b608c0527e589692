// tile.h: the tile, the one thing that scheme code runs on.
//
// A tile is W lanes that work on one operation together. On a GPU it is W
// neighbouring lanes of a warp, one thread per lane; on a CPU it is a W-wide
// vector in one thread. Scheme code is written once, for the tile as a whole,
// and never asks which of the two it is running on.
//
// There are two kinds of values:
//
//   uniform   an ordinary variable. Every lane of the tile has the same value,
//             so branching on it keeps the tile together.
//   lane-wise Lanes<T, W>: a value per lane. On a GPU that is one register of
//             each thread, on a CPU an array. Its elements are reached inside
//             each(), which hands the body a Lane.
//
// and two kinds of work:
//
//   whole-tile   load, ballot, pick, cas, exchange ... All lanes take part and
//                all learn the outcome.
//   lane by lane each(mask, f): f runs once for every lane in the mask, and may
//                branch as it likes. For schemes in which each lane carries an
//                operation of its own, and for lane-wise arithmetic.
//
// What must hold: whole-tile verbs are called by the whole tile, never inside
// each(). A GPU would wait for the missing lanes for ever; the CPU would not
// notice, so the tests run both.
//
// In step. On a GPU several tiles share a warp. While each goes its own way, a
// verb concerns the lanes of one tile, and the others wait. Where all tiles of a
// warp do the same at the same time, a verb is one instruction for all of them,
// several times faster. A function that is handed a Tile<W, true> runs in step:
// it must not put a verb under a condition that may differ between tiles (values
// may be chosen by ?:, verbs may not). An idle tile goes through the motions;
// ballot_of lets none of its lanes do anything.
//
// Memory: table words are read and written whole (4, 8 or 16 bytes, aligned),
// with relaxed order, because a word carries a key together with its value and
// nothing else has to become visible with it. A scheme that publishes memory
// through another word asks for order by name (publish, acquire).
#ifndef HZ_TILE_H
#define HZ_TILE_H

#include "abi.h"

namespace hz {
using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;

inline constexpr int kWarp = 32;  // lanes that issue together; widths divide it
}  // namespace hz

#if defined(__CUDA__)
#define HZ_GPU 1
#include "tile_gpu.h"
#else
#define HZ_GPU 0
#include "tile_cpu.h"
#endif

namespace hz {

// lowest returns the index of the lowest set bit of a mask that has one.
HZ_FN int lowest(u32 mask) { return __builtin_ctz(mask); }

// popcount returns how many lanes are in a mask.
HZ_FN int popcount(u32 mask) { return __builtin_popcount(mask); }

// for_each_pending calls f(i) for every lane i in the mask, lowest first, with
// the whole tile in each call: how a tile works off the operations of its lanes.
template <class F>
HZ_FN void for_each_pending(u32 mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(lowest(mask));
}

}  // namespace hz

#endif
