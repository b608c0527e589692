// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#include "dycuckoo.h"

#include "kernel.h"

HZ_ARGS("dycuckoo", "max_chain places")
HZ_OWN_OP(split)
HZ_OWN_OP(merge)
HZ_OWN_OP(weigh)

template <class P> using of_dycuckoo = hz::DyCuckoo<P>;
HZ_KERNELS_FOR(dycuckoo, of_dycuckoo, k4v4, insert, upsert, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo, of_dycuckoo, k4v8, insert, upsert, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo, of_dycuckoo, k4v16, insert, upsert, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo, of_dycuckoo, k4v32, insert, upsert, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo, of_dycuckoo, k4v64, insert, upsert, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo, of_dycuckoo, k8v4, insert, upsert, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo, of_dycuckoo, k8v8, insert, upsert, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo, of_dycuckoo, k8v16, insert, upsert, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo, of_dycuckoo, k8v32, insert, upsert, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo, of_dycuckoo, k8v64, insert, upsert, find, update, erase, count, export, split, merge, weigh)
