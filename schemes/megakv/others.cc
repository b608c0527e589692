//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#include "megakv.h"

#include "kernel.h"

HZ_ARGS("megakv", "max_chain")
#endif

template <class P> using of_megakv_b8 = hz::MegaKv<P, 8>;
HZ_KERNELS_FOR(megakv_b8, of_megakv_b8, k4v4, insert, find, update, erase, count, export)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(megakv_b8, of_megakv_b8, k8v8, insert, find, update, erase, count, export)))

template <class P> using of_megakv_b16 = hz::MegaKv<P, 16>;
HZ_KERNELS_FOR(megakv_b16, of_megakv_b16, k4v4, insert, find, update, erase, count, export)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(megakv_b16, of_megakv_b16, k8v8, insert, find, update, erase, count, export)))
