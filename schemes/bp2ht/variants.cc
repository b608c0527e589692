// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#endif
#include "bp2ht.h"

#include "kernel.h"

HZ_ARGS("bp2ht", "")

template <class P> using of_bp2ht_b32_board = hz::Bp2ht<P, 32, hz::Room::board>;
HZ_KERNELS_FOR(bp2ht_b32_board, of_bp2ht_b32_board, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(bp2ht_b32_board, of_bp2ht_b32_board, k8v8, insert, find, update, erase, count, export, mix)))
