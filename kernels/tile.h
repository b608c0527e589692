// tile.h: the tile, the unit that all scheme code is written for.
//
// A tile is W lanes that carry out one operation together. On a GPU it is W neighboring
// lanes of a warp, one thread per lane. On a CPU it is a W-wide vector in one thread.
// Scheme code is written once, for the whole tile, and never asks which of the two it
// runs on.
//
// Values come in two kinds:
//
//   uniform    An ordinary variable. Every lane of the tile has the same value, so
//              a branch on it keeps the tile together.
//   lane-wise  Lanes<T, W>: one value per lane. On a GPU this is one register of
//              each thread, on a CPU an array. Elements are accessed inside each(),
//              which passes a Lane to the body.
//
// Work comes in two kinds:
//
//   verbs      load, ballot, pick, cas, exchange ... The whole tile takes part, and
//              every lane gets the result.
//   per lane   each(mask, f): f runs once for every lane in the mask and may branch
//              freely. It is for lane-wise arithmetic, and for schemes in which each
//              lane carries its own operation.
//
// Invariant: the whole tile calls a verb, never a subset of its lanes inside each(). A
// GPU would wait forever for the missing lanes. A CPU would not notice, so the tests run
// on both.
//
// In step. Several tiles share a warp. If each tile takes its own path, a verb covers the
// lanes of one tile while the others wait. If all tiles of a warp execute the same verb
// at the same time, it is one instruction for all of them, which is several times faster.
// A function that receives a Tile<W, true> runs in step: it must not put a verb under an
// `if` whose condition may differ between tiles. Behind && and || and in ?: it does not
// compile (collective.h). An idle tile executes the same code; ballot_of disables its lanes.
//
// Memory order. Table words (4, 8 or 16 bytes, aligned) are read and written whole, with
// relaxed order: a word carries a key together with its value, and nothing else has to
// become visible with it. A scheme that publishes memory through another word asks for
// order explicitly (publish, acquire).
#pragma once

#include "numbers.h"

namespace hz {
inline constexpr int kWarp = HZ_WARP;  // lanes that issue together; tile widths divide it

#define HZ_AS_ENUM(name, ...) kEvent_##name,
enum Event : u32 { HZ_EVENTS(HZ_AS_ENUM) kEvents };
#undef HZ_AS_ENUM

// Blocks are the numbers of what a block does, in a launch of as many items as all blocks have threads.
struct Blocks {
  u64 first, step, end;
};
}  // namespace hz

#if defined(__CUDA__)
#define HZ_GPU 1
#include "tile_gpu.h"
#else
#define HZ_GPU 0
#include "inline_cpu.h"
#include "tile_cpu.h"
#endif

namespace hz {

// Atomics for a single lane, inside each().
template <class T>
HZ_FN T lane_cas(Lane, T* at, T expected, T desired) {
  return compare_and_swap(at, expected, desired);
}
template <class T>
HZ_FN T lane_exchange(Lane, T* at, T desired) {
  return atomic_exchange(at, desired);
}
template <class T>
HZ_FN T lane_read(Lane, const T* at) {
  return read_word(at);
}
template <class T>
HZ_FN void lane_write(Lane, T* at, T value) {
  write_word(at, value);
}

// multiply_high returns the upper half of the product; tile_cpu.h and tile_gpu.h have that of 8 bytes.
HZ_FN u32 multiply_high(u32 a, u32 b) { return u32((u64(a) * b) >> 32); }

// lowest returns the index of the lowest set bit of a mask that has one.
HZ_FN int lowest(u32 mask) { return __builtin_ctz(mask); }

// popcount returns how many lanes are in a mask.
HZ_FN int popcount(u32 mask) { return __builtin_popcount(mask); }

// for_each_pending calls f(i) for every lane i in the mask, lowest first, with the whole
// tile in each call. A tile uses it to process its lanes' operations one by one.
template <class F>
HZ_FN void for_each_pending(u32 mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(lowest(mask));
}

// each_number calls f(n) for numbers from one on. On a GPU n is a constant, so that what f
// takes from arrays stays in registers; a CPU compiles one loop.
template <u32 n>
struct Constant {
  HZ_FN constexpr operator u32() const { return n; }
};
template <u32 from, u32 to, class F>
HZ_FN void each_number(F&& f) {
  if constexpr (!HZ_GPU) {
    for (u32 n = from; n < to; n++) f(n);
  } else if constexpr (from < to) {
    f(Constant<from>());
    each_number<from + 1, to>(f);
  }
}

}  // namespace hz
