// The kernels that measure memory.
#include "kernel.h"
#include "memory_limits.h"

HZ_KERNEL(hz_limits_read_8, hz::read_words)
HZ_KERNEL(hz_limits_read_32, hz::read_slots<4>)
HZ_KERNEL(hz_limits_read_64, hz::read_slots<8>)
HZ_KERNEL(hz_limits_read_128, hz::read_slots<16>)
HZ_KERNEL(hz_limits_read_256, hz::read_slots<32>)
HZ_KERNEL(hz_limits_write_8, hz::write_words)
HZ_KERNEL(hz_limits_swap_8, hz::swap_words)
HZ_KERNEL(hz_limits_copy_8, hz::copy_words)
