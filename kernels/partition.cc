// The kernels that split a batch among the parts of a device.
#include "partition.h"

#include "kernel.h"

HZ_KERNEL(hz_split_count, hz::split_count)
HZ_KERNEL(hz_split_starts, hz::split_starts)
HZ_KERNEL(hz_split_move, hz::split_move)
HZ_KERNEL(hz_split_scatter, hz::split_scatter)
HZ_KERNEL(hz_split_order, hz::split_order)
HZ_KERNEL(hz_split_rename, hz::split_rename)
