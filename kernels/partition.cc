// The kernels that split a batch among the parts of a device.
#include "partition.h"

#include "kernel.h"

HZ_KERNEL(hz_split_count, hz::split_count)
HZ_KERNEL(hz_split_places, hz::split_places)
HZ_KERNEL(hz_split_move, hz::split_move)
HZ_KERNEL(hz_split_fetch, hz::split_fetch)
