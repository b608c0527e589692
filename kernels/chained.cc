// The chained table has no variants, but keys alone, as in its paper.
#include "chained.h"

#include "chained_look.h"
#include "kernel.h"

HZ_ARGS("chained", "")

HZ_KERNELS(chained, hz::Chained, insert, upsert, find, update, erase, mix, count, export)
HZ_KERNELS_FOR(chained, hz::Chained, k4v0, insert, upsert, find, update, erase, mix, count, export)

HZ_PAIR4(HZ_KERNEL(hz_look_chains, hz::look_chains))
