// The kernel that looks at lists, one for all pairs.
#include "kernel.h"
#include "look_chains.h"

HZ_PAIR4(HZ_KERNEL(hz_look_chains, hz::look_chains))
