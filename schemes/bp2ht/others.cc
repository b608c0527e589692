//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#include "bp2ht.h"

#include "kernel.h"

HZ_ARGS("bp2ht", "")
#endif

template <class P> using of_bp2ht_b8_board = hz::Bp2ht<P, 8, hz::Room::board>;
HZ_KERNELS_FOR(bp2ht_b8_board, of_bp2ht_b8_board, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(bp2ht_b8_board, of_bp2ht_b8_board, k8v8, insert, find, update, erase, count, export, mix)))

template <class P> using of_bp2ht_b8_buckets = hz::Bp2ht<P, 8, hz::Room::buckets>;
HZ_KERNELS_FOR(bp2ht_b8_buckets, of_bp2ht_b8_buckets, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(bp2ht_b8_buckets, of_bp2ht_b8_buckets, k8v8, insert, find, update, erase, count, export, mix)))

template <class P> using of_bp2ht_b16_board = hz::Bp2ht<P, 16, hz::Room::board>;
HZ_KERNELS_FOR(bp2ht_b16_board, of_bp2ht_b16_board, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(bp2ht_b16_board, of_bp2ht_b16_board, k8v8, insert, find, update, erase, count, export, mix)))

template <class P> using of_bp2ht_b16_buckets = hz::Bp2ht<P, 16, hz::Room::buckets>;
HZ_KERNELS_FOR(bp2ht_b16_buckets, of_bp2ht_b16_buckets, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(bp2ht_b16_buckets, of_bp2ht_b16_buckets, k8v8, insert, find, update, erase, count, export, mix)))

template <class P> using of_bp2ht_b32_buckets = hz::Bp2ht<P, 32, hz::Room::buckets>;
HZ_KERNELS_FOR(bp2ht_b32_buckets, of_bp2ht_b32_buckets, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(bp2ht_b32_buckets, of_bp2ht_b32_buckets, k8v8, insert, find, update, erase, count, export, mix)))
