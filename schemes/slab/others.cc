//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "slab.h"
#include "kernel.h"
#if !defined(HZ_COUNTED)
HZ_OWN_OP(compact_buckets)
#endif
template <class P> using of_slab_light = hz::SlabHash<P, hz::Addresses::light>;
HZ_KERNELS_FOR(slab_light, of_slab_light, k4v0, insert, upsert, combine, find, find_all, update, erase, erase_all, count, export, mix, compact_buckets)
template <class P> using of_slab_super = hz::SlabHash<P, hz::Addresses::super>;
HZ_KERNELS_FOR(slab_super, of_slab_super, k4v4, insert, upsert, combine, find, find_all, update, erase, erase_all, count, export, mix, compact_buckets)
HZ_KERNELS_FOR(slab_super, of_slab_super, k4v0, insert, upsert, combine, find, find_all, update, erase, erase_all, count, export, mix, compact_buckets)
