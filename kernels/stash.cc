// Stash, for keys of 4 and 8 bytes and values of 4 to 64. The size of a ticket is no
// variant: it is a shift.
#include "stash.h"

#include "kernel.h"
#include "tickets_look.h"

HZ_ARGS("stash", "ticket access")

#define HZ_STASH_OPS insert, find, update, erase, upsert, mix, count, export

HZ_KERNELS(stash, hz::Stash, HZ_STASH_OPS)
HZ_KERNELS_FOR(stash, hz::Stash, k4v8, HZ_STASH_OPS)
HZ_KERNELS_FOR(stash, hz::Stash, k8v4, HZ_STASH_OPS)
HZ_KERNELS_FOR(stash, hz::Stash, k4v16, HZ_STASH_OPS)
HZ_KERNELS_FOR(stash, hz::Stash, k8v16, HZ_STASH_OPS)
HZ_KERNELS_FOR(stash, hz::Stash, k4v32, HZ_STASH_OPS)
HZ_KERNELS_FOR(stash, hz::Stash, k8v32, HZ_STASH_OPS)
HZ_KERNELS_FOR(stash, hz::Stash, k4v64, HZ_STASH_OPS)
HZ_KERNELS_FOR(stash, hz::Stash, k8v64, HZ_STASH_OPS)

HZ_PAIR4(HZ_KERNEL(hz_look_tickets, hz::look_tickets))
