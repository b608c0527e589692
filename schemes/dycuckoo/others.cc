//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "dycuckoo.h"
#include "kernel.h"
#if !defined(HZ_COUNTED)
HZ_OWN_OP(split)
HZ_OWN_OP(merge)
HZ_OWN_OP(weigh)
#endif
template <class P> using of_dycuckoo_apart = hz::DyCuckoo<P, hz::Pairs::apart>;
HZ_KERNELS_FOR(dycuckoo_apart, of_dycuckoo_apart, k4v4, insert, upsert, combine, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo_apart, of_dycuckoo_apart, k4v8, insert, upsert, combine, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo_apart, of_dycuckoo_apart, k4v16, insert, upsert, combine, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo_apart, of_dycuckoo_apart, k4v32, insert, upsert, combine, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo_apart, of_dycuckoo_apart, k4v64, insert, upsert, combine, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo_apart, of_dycuckoo_apart, k8v4, insert, upsert, combine, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo_apart, of_dycuckoo_apart, k8v8, insert, upsert, combine, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo_apart, of_dycuckoo_apart, k8v16, insert, upsert, combine, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo_apart, of_dycuckoo_apart, k8v32, insert, upsert, combine, find, update, erase, count, export, split, merge, weigh)
HZ_KERNELS_FOR(dycuckoo_apart, of_dycuckoo_apart, k8v64, insert, upsert, combine, find, update, erase, count, export, split, merge, weigh)
