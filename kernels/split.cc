//go:build all
// The kernels that split a batch among the parts of a device.
#include "kernel.h"
#include "partition.h"

// HZ_DENSE_KERNEL is HZ_KERNEL with so few registers that many blocks run on a multiprocessor
// at once.
#if HZ_GPU
#define HZ_DENSE_KERNEL(name, blocks, ...)                                                                        \
  extern "C" __attribute__((global, launch_bounds(hz::kBlock, blocks))) void name(const void* table, void* batch, \
                                                                                  hz::u64 count) {                \
    __VA_ARGS__(table, batch, 0, count);                                                                          \
  }
#else
#define HZ_DENSE_KERNEL(name, blocks, ...) HZ_KERNEL(name, __VA_ARGS__)
#endif

// Those for up to 2, 8 or 32 parts, and for keys of 4 or 8 bytes: a GPU would give one for
// all as many registers as the largest needs, and too few warps.
#define HZ_SPLIT(parts, bits, blocks)                                                         \
  HZ_KERNEL(hz_split_count_of_##parts##_k4, hz::split_count<bits, hz::u32>)                   \
  HZ_KERNEL(hz_split_count_of_##parts##_k8, hz::split_count<bits, hz::u64>)                   \
  HZ_DENSE_KERNEL(hz_split_move_of_##parts##_k4, blocks, hz::split_move<bits, hz::u32>)       \
  HZ_DENSE_KERNEL(hz_split_move_of_##parts##_k8, blocks, hz::split_move<bits, hz::u64>)       \
  HZ_DENSE_KERNEL(hz_split_scatter_of_##parts##_k4, blocks, hz::split_scatter<bits, hz::u32>) \
  HZ_DENSE_KERNEL(hz_split_scatter_of_##parts##_k8, blocks, hz::split_scatter<bits, hz::u64>) \
  HZ_DENSE_KERNEL(hz_split_order_of_##parts, blocks, hz::split_order<bits>)

HZ_SPLIT(2, 1, 8)
HZ_SPLIT(8, 3, 6)
HZ_SPLIT(32, HZ_SPLIT_BITS, 5)
HZ_KERNEL(hz_split_starts, hz::split_starts)
HZ_KERNEL(hz_split_rename, hz::split_rename)
