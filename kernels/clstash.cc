// clStash, for keys of 4 and 8 bytes and values of 4 to 64.
#include "clstash.h"

#include "kernel.h"

HZ_ARGS("clstash", "ticket")
HZ_OWN_OP(alone_insert)

#define HZ_CLSTASH_OPS insert, alone_insert, find, erase, count, export

HZ_KERNELS(clstash, hz::ClStash, HZ_CLSTASH_OPS)
HZ_KERNELS_FOR(clstash, hz::ClStash, k4v8, HZ_CLSTASH_OPS)
HZ_KERNELS_FOR(clstash, hz::ClStash, k8v4, HZ_CLSTASH_OPS)
HZ_KERNELS_FOR(clstash, hz::ClStash, k4v16, HZ_CLSTASH_OPS)
HZ_KERNELS_FOR(clstash, hz::ClStash, k8v16, HZ_CLSTASH_OPS)
HZ_KERNELS_FOR(clstash, hz::ClStash, k4v32, HZ_CLSTASH_OPS)
HZ_KERNELS_FOR(clstash, hz::ClStash, k8v32, HZ_CLSTASH_OPS)
HZ_KERNELS_FOR(clstash, hz::ClStash, k4v64, HZ_CLSTASH_OPS)
HZ_KERNELS_FOR(clstash, hz::ClStash, k8v64, HZ_CLSTASH_OPS)
