// tile_block_gpu.h: memory that the threads of a block share. Its atomics are faster than
// those of the table.
#ifndef HZ_TILE_BLOCK_GPU_H
#define HZ_TILE_BLOCK_GPU_H

namespace hz {

// kBlockBytes is how much of it a block may have: no fewer blocks fit on a multiprocessor.
inline constexpr u32 kBlockBytes = 16 << 10;

template <class F>
HZ_FN void for_each_of_block(u32 n, F&& f) {
  for (u32 i = thread_in_block(); i < n; i += threads_in_block()) f(i);
}
HZ_FN void block_sync() { __nvvm_barrier_sync(0); }

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

#endif
