// traits.h: what a scheme asks of the drivers, beyond the functions of its operations.
//
// A class gives one value, which names what it asks for, in the order below:
//
//   static constexpr Traits traits{.single_lane = true, .mixed = {k_op_insert, k_op_find}};
//
// A misspelt name does not compile. Nor does a trait without its function, and traits_fit finds
// functions without their traits. A class inherits the traits of its base, or adds to them:
//
//   static constexpr Traits traits = Base::traits.with([](Traits& t) { t.ends = true; });
#pragma once

#include "operations.h"

namespace hz {

// Content is how count and export see the pairs of a table.
enum class Content {
  slots,     // Pair* slots(), all of them
  slot,      // Pair slot(u64 i), which is not live if slot i holds no pair
  each_pair  // void each_pair(f), which calls f for each pair, of a table without slots
};

struct Traits {
  Content content = Content::slots;

  // On a CPU, the width that a tile has on a GPU; 0 if it is the same.
  int gpu_width = 0;

  // For width 1: functions run only in lanes that have work, each lane by itself, and may branch
  // freely. They count their own memory accesses, but not the reads of buckets they are given.
  bool single_lane = false;

  // Lanes read different constants of the table block at the same time. Such reads of constant
  // memory are serialized, so the scheme reads the copy of the block in device memory.
  bool divergent_constants = false;

  // template <class Op> using For = the class that carries out Op in place of this one: one for
  // tiles of another width, say.
  bool class_per_op = false;

  // Operations that may share a batch: the kernel `mix` calls each walk's own function.
  Ops mixed{};

  // Operations that need many registers: a GPU tile keeps one walk in flight, not two.
  Ops one_walk{};

  // Operations that run faster with more resident warps and fewer registers per thread.
  Ops many_warps{};

  // The same, with still more warps, for pairs of up to 8 bytes.
  Ops most_warps{};

  // Operations that run faster with half the warps that fit, if the batch is large (drive_gpu.h).
  Ops few_warps{};

  // With single_lane: lanes that are done do not wait for others of their warp, but take new operations.
  Ops refilled{};

  // With single_lane: unfinished operations are queued, and idle lanes take them up (drive_together.h).
  Ops queued{};

  // u32 second_bucket(op_x, walk): the number of a second bucket that operation x reads in the
  // same step, or kNoBucket. If x reads it as a Chunk, that must be TwoLines (line.h).
  Ops second_bucket{};

  // const void* beside(op_x, number): what operation x touches besides bucket `number`. A CPU
  // fetches it ahead.
  Ops beside{};

  // bool in_pairs(): do tiles in step read their buckets together, if the Chunk can (line.h)?
  bool in_pairs = false;

  // u32 combine_seen(tile, todo, walks, outcomes, tally): on a GPU, combines the values of lanes in
  // `todo` for all of them at once, as far as that needs no walk, and returns those that are
  // done, with their outcomes.
  bool combine_seen = false;

  // void end(): what a thread does after its last operation.
  bool ends = false;

  template <class F>
  constexpr Traits with(F&& set) const {
    Traits t = *this;
    set(t);
    return t;
  }
};

// traits_fit: S has no function that its traits leave out, which drivers would never call.
template <class S, class Op, class T>
HZ_BOTH constexpr bool traits_fit(const Traits& t) {
  using W = Walk<typename S::Pair>;
  using Seen = Lanes<Outcome, S::width>;
  return (t.class_per_op || !requires { typename S::template For<Op>; }) &&
         (t.content != Content::slots || !requires(const S s) { s.slot(0); }) &&
         (t.content == Content::each_pair || !requires(const S s) { s.each_pair([](const typename S::Pair&) {}); }) &&
         (listed<Op>(t.second_bucket) || !requires(const S s, W walk) { s.second_bucket(Op{}, walk); }) &&
         (listed<Op>(t.beside) || !requires(const S s) { s.beside(Op{}, 0); }) &&
         (t.in_pairs || !requires(const S s) { s.in_pairs(); }) && (t.ends || !requires(S s) { s.end(); }) &&
         (t.combine_seen || !requires(const S s, Tile<S::width, true> tile, Lanes<W, S::width> walks, Seen seen,
                                      T tally) { s.combine_seen(tile, 0u, walks, seen, tally); });
}

}  // namespace hz
