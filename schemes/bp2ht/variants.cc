// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#include "bp2ht.h"

#include "kernel.h"

HZ_ARGS("bp2ht", "")

template <class P> using of_bp2ht_b8 = hz::Bp2ht<P, 8>;
HZ_KERNELS_FOR(bp2ht_b8, of_bp2ht_b8, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(bp2ht_b8, of_bp2ht_b8, k8v8, insert, find, update, erase, count, export, mix)))

template <class P> using of_bp2ht_b16 = hz::Bp2ht<P, 16>;
HZ_KERNELS_FOR(bp2ht_b16, of_bp2ht_b16, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(bp2ht_b16, of_bp2ht_b16, k8v8, insert, find, update, erase, count, export, mix)))

template <class P> using of_bp2ht_b32 = hz::Bp2ht<P, 32>;
HZ_KERNELS_FOR(bp2ht_b32, of_bp2ht_b32, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(bp2ht_b32, of_bp2ht_b32, k8v8, insert, find, update, erase, count, export, mix)))
