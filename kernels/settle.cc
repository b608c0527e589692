// The kernels that make outcomes agree with counts.
#include "settle.h"

#include "kernel.h"

HZ_KERNEL(hz_settle_failed, hz::settle<hz::k_failed>)
HZ_KERNEL(hz_settle_ok, hz::settle<hz::k_ok>)
