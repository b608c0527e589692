// tile_block_gpu.h: memory that the threads of a block share. Its atomics are faster than
// those of the table.
#pragma once

namespace hz {

// kBlockBytes is how much of it a block may have: no fewer blocks fit on a multiprocessor.
inline constexpr u32 kBlockBytes = 16 << 10;

// kThreadsOf is how many threads a block of n threads has; kBlockAhead, how many rows each reads before it looks at the
// first.
template <u32 n>
inline constexpr u32 kThreadsOf = n;
inline constexpr u32 kBlockAhead = 2;

// opaque returns n, and hides from clang how it came about, so that a loop does not keep values derived from it in
// registers.
HZ_FN u32 opaque(u32 n) {
  asm volatile("" : "+r"(n));
  return n;
}

template <class F>
HZ_FN void for_each_of_block(u32 n, F&& f) {
  for (u32 i = thread_in_block(); i < n; i += threads_in_block()) f(i);
}
HZ_FN void block_sync() { __nvvm_barrier_sync(0); }
HZ_FN Lane this_lane() { return {lane_in_warp()}; }

template <u32 threads>
HZ_FN Blocks blocks_of(u64, u64 count) {
  return {thread_in_grid() / threads, threads_in_grid() / threads, (count + threads - 1) / threads};
}
// for_each_round is for_each_of_block with all threads of the block in each round: f(i, whether i is below n).
template <class F>
HZ_FN void for_each_round(u32 n, F&& f) {
  for (u32 base = 0; base < n; base += threads_in_block()) f(base + thread_in_block(), base + thread_in_block() < n);
}

HZ_FN bool any_in_warp(bool mine) {
  return Tile<kWarp>{}.ballot([&](Lane) { return mine; }) != 0;
}

// before_in_block returns the sum of what the threads of the block before this one have, and that of all. `sums` has a
// number for each warp.
struct Before {
  u32 mine, all;
};
template <u32 threads>
HZ_FN Before before_in_block(u32 mine, u32* sums) {
  const u32 lane = opaque(lane_in_warp());
  u32 upto = mine;
  HZ_UNROLLED for (u32 step = 1; step < kWarp; step *= 2) {
    const u32 more = __nvvm_shfl_sync_idx_i32(~u32(0), upto, lane - step, kWarp - 1);
    if (lane >= step) upto += more;
  }
  if (lane == kWarp - 1) sums[thread_in_block() / kWarp] = upto;
  Before sum{upto - mine, 0};
  block_sync();
  HZ_UNROLLED for (u32 w = 0; w < threads / kWarp; w++) {
    if (w == thread_in_block() / kWarp) sum.mine += sum.all;
    sum.all += sums[w];
  }
  return sum;
}
// starts_in_block replaces n counts by the sums of those before, and returns the sum of all.
template <u32 threads, u32 n = threads>
HZ_FN u32 starts_in_block(u32* counts, u32* sums) {
  constexpr u32 each = n / threads;
  struct alignas(each % 4 == 0 ? 16 : 4) Counts {
    u32 count[each];
  };
  Counts* here = reinterpret_cast<Counts*>(counts) + thread_in_block();
  block_sync();
  Counts own = *here;
  u32 mine = 0;
  HZ_UNROLLED for (u32 i = 0; i < each; i++) mine += own.count[i];
  Before sum = before_in_block<threads>(mine, sums);
  HZ_UNROLLED for (u32 i = 0; i < each; i++) {
    const u32 count = own.count[i];
    own.count[i] = sum.mine, sum.mine += count;
  }
  *here = own;
  block_sync();
  return sum.all;
}
// append_in_block calls f(place) in the threads that append a row to a list. take(n) takes n places, and returns the
// first.
template <class Take, class F>
HZ_FN void append_in_block(bool mine, Take&& take, F&& f) {
  const Tile<kWarp> warp;
  const u32 lanes = warp.ballot([&](Lane) { return mine; });
  if (lanes == 0) return;
  const u32 n = u32(__builtin_popcount(lanes));
  const auto first = warp.pick_of(0, [&](Lane l) { return l.index() == 0 ? take(n) : 0; });
  if (mine) f(first + warp.rank(lanes, this_lane()));
}

template <class T>
HZ_FN T share_read(const T* at) {
  return __atomic_load_n(at, __ATOMIC_RELAXED);
}
// kBlockWays is how many neighboring words are compared: share_equal returns those that have a value.
template <class T>
inline constexpr u32 kBlockWays = 2;
inline constexpr bool kBlockRows = false;
template <u32 N>
HZ_FN u32 share_equal(const u32* at, u32 value) {
  static_assert(N == 2);
  const u64 both = share_read(reinterpret_cast<const u64*>(at));
  return u32(u32(both) == value) | u32(u32(both >> 32) == value) << 1;
}
template <u32 N>
HZ_FN u32 share_equal(const u64* at, u64 value) {
  u32 mask = 0;
#pragma unroll
  for (u32 i = 0; i < N; i++) mask |= u32(share_read(at + i) == value) << i;
  return mask;
}
// lowest_of returns the lowest of the places in a mask that is not 0.
template <u32 N>
HZ_FN u32 lowest_of(u32 mask) {
  static_assert(N == 2);
  return ~mask & 1;
}
template <class T>
HZ_FN T share_cas(T* at, T expected, T desired) {
  __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
HZ_FN u32 share_add(u32* at, u32 amount) { return __atomic_fetch_add(at, amount, __ATOMIC_RELAXED); }
HZ_FN void share_sum(u32* at, u32 amount) { __atomic_fetch_add(at, amount, __ATOMIC_RELAXED); }
// There is no instruction for 8 bytes, and a loop of compare-and-swaps would be slow where
// many lanes meet: the halves are added apart, with what is carried over.
HZ_FN void share_sum(u64* at, u64 amount) {
  u32* half = reinterpret_cast<u32*>(at);
  const u32 low = u32(amount), before = __atomic_fetch_add(half, low, __ATOMIC_RELAXED);
  const u32 high = u32(amount >> 32) + (before + low < low);
  if (high != 0) __atomic_fetch_add(half + 1, high, __ATOMIC_RELAXED);
}
template <class T>
HZ_FN void share_least(T* at, T bound) {
  if (bound < share_read(at)) __atomic_fetch_min(at, bound, __ATOMIC_RELAXED);
}
template <class T>
HZ_FN void share_most(T* at, T bound) {
  if (bound > share_read(at)) __atomic_fetch_max(at, bound, __ATOMIC_RELAXED);
}

// HZ_BLOCK_SCRATCH declares a T that the block shares.
#define HZ_BLOCK_SCRATCH(T, name)                           \
  static __attribute__((device, shared)) T name##_of_block; \
  T* name = &name##_of_block

}  // namespace hz
