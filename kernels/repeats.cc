// The kernel that notices keys that a batch has twice.
#include "repeats.h"

#include "kernel.h"

HZ_KERNEL(hz_repeats, hz::count_repeats)
