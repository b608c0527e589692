// The kernels of DyCuckoo, for values of 4 and 8 bytes.
#include "dycuckoo.h"

#include "kernel.h"

HZ_ARGS("dycuckoo", "max_chain places")
HZ_OWN_OP(split)
HZ_OWN_OP(merge)
HZ_OWN_OP(weigh)

#define HZ_DYCUCKOO(pair) \
  HZ_KERNELS_FOR(dycuckoo, hz::DyCuckoo, pair, insert, upsert, find, update, erase, count, export, split, merge, weigh)

HZ_DYCUCKOO(k4v4)
HZ_DYCUCKOO(k4v8)
HZ_DYCUCKOO(k8v4)
HZ_DYCUCKOO(k8v8)
