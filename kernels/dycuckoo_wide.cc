// The kernels of DyCuckoo, for values of 16, 32 and 64 bytes.
#include "dycuckoo.h"
#include "kernel.h"

HZ_OWN_OP(split)
HZ_OWN_OP(merge)
HZ_OWN_OP(weigh)

#define HZ_DYCUCKOO(pair) \
  HZ_KERNELS_FOR(dycuckoo, hz::DyCuckoo, pair, insert, upsert, find, update, erase, count, export, split, merge, weigh)

HZ_DYCUCKOO(k4v16)
HZ_DYCUCKOO(k4v32)
HZ_DYCUCKOO(k4v64)
HZ_DYCUCKOO(k8v16)
HZ_DYCUCKOO(k8v32)
HZ_DYCUCKOO(k8v64)
