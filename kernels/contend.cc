// The kernels that measure memory for which operations contend.
#include "contend.h"

#include "kernel.h"

HZ_KERNEL(hz_contend_swap, hz::swap_shared)
HZ_KERNEL(hz_contend_compare, hz::compare_shared)
HZ_KERNEL(hz_contend_write, hz::write_shared)
HZ_KERNEL(hz_ordered_write, hz::write_in_order)
