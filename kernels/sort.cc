// The kernels that put rows into the order of the parts of a table, on a GPU.
#include "kernel.h"

#if HZ_GPU

#include "sort.h"

#define HZ_SORT_KERNEL(name, ...) HZ_BLOCK_KERNEL(name, hz::kSortThreads, 2, __VA_ARGS__)

HZ_SORT_KERNEL(hz_sort_count_k4, hz::sort_count<hz::u32>)
HZ_SORT_KERNEL(hz_sort_count_k8, hz::sort_count<hz::u64>)
HZ_SORT_KERNEL(hz_sort_starts, hz::sort_starts)
HZ_SORT_KERNEL(hz_sort_move_k4v4, hz::sort_move<hz::u32>)
HZ_SORT_KERNEL(hz_sort_move_k8v8, hz::sort_move<hz::u64>)

#endif
