// nvcc.h: the builtins of clang that kernels call, for nvcc. They are undefined after the kernels.
#if defined(__NVCC__) && !defined(__clang__)
#ifndef HASHZOO_NVCC_H
#define HASHZOO_NVCC_H
#define __CUDA__ 1
static __device__ __forceinline__ unsigned hashzoo_shuffle(unsigned mask, unsigned value, unsigned from,
                                                           unsigned clamp) {
  unsigned got;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, %3, %4;" : "=r"(got) : "r"(value), "r"(from), "r"(clamp), "r"(mask));
  return got;
}
static __device__ __forceinline__ void hashzoo_barrier() { asm volatile("barrier.sync 0;" ::: "memory"); }
// nvcc takes the builtins for atomics for functions of the host. Those in kernels are relaxed, of 4 or 8 bytes that a
// block shares.
template <int bytes>
struct hashzoo_word;
template <>
struct hashzoo_word<4> {
  using type = unsigned;
};
template <>
struct hashzoo_word<8> {
  using type = unsigned long long;
};
#define HASHZOO_ATOMIC(name, of_cuda)                                 \
  template <class T, class U>                                         \
  static __device__ __forceinline__ T hashzoo_##name(T* at, U with) { \
    using Word = typename hashzoo_word<sizeof(T)>::type;              \
    return T(of_cuda(reinterpret_cast<Word*>(at), Word(with)));       \
  }
HASHZOO_ATOMIC(add, atomicAdd)
HASHZOO_ATOMIC(least, atomicMin)
HASHZOO_ATOMIC(most, atomicMax)
#undef HASHZOO_ATOMIC
template <class T>
static __device__ __forceinline__ T hashzoo_load(const T* at) {
  return *static_cast<const volatile T*>(at);
}
template <class T>
static __device__ __forceinline__ bool hashzoo_swap(T* at, T* expected, T desired) {
  using Word = typename hashzoo_word<sizeof(T)>::type;
  const T seen = T(atomicCAS(reinterpret_cast<Word*>(at), Word(*expected), Word(desired)));
  const bool same = seen == *expected;
  *expected = seen;
  return same;
}
// What gcc has built in, in code that nvcc may also give to the host's compiler.
#define HASHZOO_BIT(name, type, device)                                            \
  static __host__ __device__ __forceinline__ int hashzoo_##name(unsigned type x) { \
    HASHZOO_BY(device, __builtin_##name(x))                                        \
  }
#ifdef __CUDA_ARCH__
#define HASHZOO_BY(device, host) return device;
#else
#define HASHZOO_BY(device, host) return host;
#endif
HASHZOO_BIT(popcount, int, __popc(x))
HASHZOO_BIT(clz, int, __clz(int(x)))
HASHZOO_BIT(clzll, long long, __clzll((long long)(x)))
HASHZOO_BIT(ctz, int, __ffs(int(x)) - 1)
HASHZOO_BIT(ctzll, long long, __ffsll((long long)(x)) - 1)
#undef HASHZOO_BIT
#undef HASHZOO_BY
#endif
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675  // nvcc unrolls such loops without being told
#define __nvvm_read_ptx_sreg_tid_x() threadIdx.x
#define __nvvm_read_ptx_sreg_ntid_x() blockDim.x
#define __nvvm_read_ptx_sreg_ctaid_x() blockIdx.x
#define __nvvm_read_ptx_sreg_nctaid_x() gridDim.x
#define __nvvm_vote_ballot_sync(mask, is) __ballot_sync(mask, is)
#define __nvvm_vote_any_sync(mask, is) __any_sync(mask, is)
#define __nvvm_bar_warp_sync(mask) __syncwarp(mask)
#define __nvvm_shfl_sync_idx_i32(mask, value, from, clamp) hashzoo_shuffle(mask, value, from, clamp)
#define __nvvm_shfl_sync_bfly_i32(mask, value, lanes, clamp) __shfl_xor_sync(mask, value, lanes)
#define __nvvm_match_any_sync_i32(mask, value) __match_any_sync(mask, value)
#define __nvvm_match_any_sync_i64(mask, value) __match_any_sync(mask, (unsigned long long)(value))
#define __nvvm_barrier_sync(id) hashzoo_barrier()
#define __atomic_load_n(at, order) hashzoo_load(at)
#define __atomic_compare_exchange_n(at, expected, desired, weak, order, otherwise) hashzoo_swap(at, expected, desired)
#define __atomic_fetch_add(at, with, order) hashzoo_add(at, with)
#define __atomic_fetch_min(at, with, order) hashzoo_least(at, with)
#define __atomic_fetch_max(at, with, order) hashzoo_most(at, with)
#define __builtin_popcount hashzoo_popcount
#define __builtin_clz hashzoo_clz
#define __builtin_clzll hashzoo_clzll
#define __builtin_ctz hashzoo_ctz
#define __builtin_ctzll hashzoo_ctzll
#endif
