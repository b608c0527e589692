//go:build all
// The kernels that split a batch among the parts of a device.
#include "kernel.h"
#include "partition.h"

// Those for up to 2, 8 or 32 parts, and for keys of 4 or 8 bytes: a GPU would give one for
// all as many registers as the largest needs, and too few warps. Those that move have so few
// registers that many blocks run on a multiprocessor at once.
#define HZ_SPLIT(parts, bits, blocks)                                                                     \
  HZ_KERNEL(hz_split_count_of_##parts##_k4, hz::split_count<bits, hz::u32>)                               \
  HZ_KERNEL(hz_split_count_of_##parts##_k8, hz::split_count<bits, hz::u64>)                               \
  HZ_BLOCK_KERNEL(hz_split_move_of_##parts##_k4, hz::kBlock, blocks, hz::split_move<bits, hz::u32>)       \
  HZ_BLOCK_KERNEL(hz_split_move_of_##parts##_k8, hz::kBlock, blocks, hz::split_move<bits, hz::u64>)       \
  HZ_BLOCK_KERNEL(hz_split_scatter_of_##parts##_k4, hz::kBlock, blocks, hz::split_scatter<bits, hz::u32>) \
  HZ_BLOCK_KERNEL(hz_split_scatter_of_##parts##_k8, hz::kBlock, blocks, hz::split_scatter<bits, hz::u64>) \
  HZ_BLOCK_KERNEL(hz_split_order_of_##parts, hz::kBlock, blocks, hz::split_order<bits>)

HZ_SPLIT(2, 1, 8)
HZ_SPLIT(8, 3, 6)
HZ_SPLIT(32, HZ_SPLIT_BITS, 5)
HZ_KERNEL(hz_split_starts, hz::split_starts)
HZ_KERNEL(hz_split_own_k4, hz::split_own<hz::u32>)
HZ_KERNEL(hz_split_own_k8, hz::split_own<hz::u64>)
HZ_KERNEL(hz_split_rename, hz::split_rename)
