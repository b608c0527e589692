// tile_block_cpu.h: memory that the threads of a block share on a GPU (tile_block_gpu.h).
// Here each thread has its own.
#pragma once

namespace hz {

// kBlockBytes is how much of it a thread may have: half of a first-level cache.
inline constexpr u32 kBlockBytes = 16 << 10;
template <u32>
inline constexpr u32 kThreadsOf = 1;
inline constexpr u32 kBlockAhead = 1;

// kBlockWays is how many neighboring words of it are compared at once, and share_equal returns
// which of them have a value. kBlockRows: rows as they are in a batch may be compared.
template <class T>
inline constexpr u32 kBlockWays = 32 / sizeof(T);
inline constexpr bool kBlockRows = true;
template <u32 N, class T>
HZ_FN u32 share_equal(const T* at, T value) {
#if defined(__AVX2__)
  return equal_words<int(N)>(at, value);
#else
  u32 mask = 0;
  for (u32 i = 0; i < N; i++) mask |= u32(at[i] == value) << i;
  return mask;
#endif
}
template <u32 N>
HZ_FN u32 lowest_of(u32 mask) {
  return u32(__builtin_ctz(mask));
}

HZ_FN u32 opaque(u32 n) { return n; }

// for_each_of_block calls f(i) for i below n, each in one of the block's threads.
template <class F>
HZ_FN void for_each_of_block(u32 n, F&& f) {
  for (u32 i = 0; i < n; i++) f(i);
}
template <class F>
HZ_FN void for_each_round(u32 n, F&& f) {
  for (u32 i = 0; i < n; i++) f(i, true);
}
HZ_FN void block_sync() {}
HZ_FN u32 thread_in_block() { return 0; }
HZ_FN Lane this_lane() { return {0}; }
template <u32 threads>
HZ_FN Blocks blocks_of(u64 first, u64 count) {
  return {(first + threads - 1) / threads, 1, (first + count + threads - 1) / threads};
}
HZ_FN bool any_in_warp(bool mine) { return mine; }
template <u32 threads, u32 n = threads>
HZ_FN u32 starts_in_block(u32* counts, u32*) {
  u32 sum = 0;
  for (u32 i = 0; i < n; i++) {
    const u32 mine = counts[i];
    counts[i] = sum, sum += mine;
  }
  return sum;
}
template <class Take, class F>
HZ_FN void append_in_block(bool mine, Take&& take, F&& f) {
  if (mine) f(take(1));
}

template <class T>
HZ_FN T share_read(const T* at) {
  return *at;
}
template <class T>
HZ_FN T share_cas(T* at, T expected, T desired) {
  const T seen = *at;
  if (seen == expected) *at = desired;
  return seen;
}
// share_add adds and returns the old number.
HZ_FN u32 share_add(u32* at, u32 amount) {
  const u32 old = *at;
  *at += amount;
  return old;
}
template <class T>
HZ_FN void share_sum(T* at, T amount) {
  *at += amount;
}
template <class T>
HZ_FN void share_least(T* at, T bound) {
  if (bound < *at) *at = bound;
}
template <class T>
HZ_FN void share_most(T* at, T bound) {
  if (bound > *at) *at = bound;
}

// HZ_BLOCK_SCRATCH declares a T that the block shares.
#define HZ_BLOCK_SCRATCH(T, name) \
  T name##_of_block;              \
  T* name = &name##_of_block

}  // namespace hz
