// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#endif
#include "megakv.h"

#include "kernel.h"

HZ_ARGS("megakv", "max_chain")

template <class P> using of_megakv_b32 = hz::MegaKv<P, 32>;
HZ_KERNELS_FOR(megakv_b32, of_megakv_b32, k4v4, insert, find, update, erase, count, export)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(megakv_b32, of_megakv_b32, k8v8, insert, find, update, erase, count, export)))
