// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#endif
#include "bcht.h"

#include "kernel.h"

HZ_ARGS("bcht", "max_chain looks")

template <class P> using of_bcht_b8_first = hz::Bcht<P, 8, hz::Placement::first>;
HZ_KERNELS_FOR(bcht_b8_first, of_bcht_b8_first, k4v4, insert, find, update, erase, count, export)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(bcht_b8_first, of_bcht_b8_first, k8v8, insert, find, update, erase, count, export)))
