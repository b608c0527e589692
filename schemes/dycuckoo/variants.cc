// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#endif
#include "dycuckoo.h"

#include "kernel.h"

HZ_ARGS("dycuckoo", "max_chain places coordination duplicates")
HZ_OWN_OP(split)
HZ_OWN_OP(merge)
HZ_OWN_OP(weigh)

template <class P> using of_dycuckoo_whole = hz::DyCuckoo<P, hz::Pairs::whole>;
HZ_KERNELS_FOR(dycuckoo_whole, of_dycuckoo_whole, k4v4, insert, upsert, combine, find, update, erase, count, export, split, merge, weigh)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(dycuckoo_whole, of_dycuckoo_whole, k8v8, insert, upsert, combine, find, update, erase, count, export, split, merge, weigh)))
