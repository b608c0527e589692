// The kernel that looks at arrays of slots.
#include "look.h"

#include "kernel.h"

HZ_KERNEL(hz_look_buckets, hz::look_buckets)
