// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "dycuckoo.h"
#include "kernel.h"

HZ_ARGS("dycuckoo", "max_chain places coordination duplicates")
HZ_OWN_OP(split)
HZ_OWN_OP(merge)
HZ_OWN_OP(weigh)
template <class P> using of_dycuckoo_whole = hz::DyCuckoo<P, hz::Pairs::whole>;
HZ_KERNELS(dycuckoo_whole, of_dycuckoo_whole, insert, upsert, combine, find, update, erase, count, export, split, merge, weigh)
