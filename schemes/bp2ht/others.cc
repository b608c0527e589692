//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "bp2ht.h"
#include "kernel.h"
template <class P> using of_bp2ht_b8_board = hz::Bp2ht<P, 8, hz::Room::board>;
HZ_KERNELS(bp2ht_b8_board, of_bp2ht_b8_board, insert, find, update, erase, count, export, mix)
template <class P> using of_bp2ht_b8_buckets = hz::Bp2ht<P, 8, hz::Room::buckets>;
HZ_KERNELS(bp2ht_b8_buckets, of_bp2ht_b8_buckets, insert, find, update, erase, count, export, mix)
template <class P> using of_bp2ht_b16_board = hz::Bp2ht<P, 16, hz::Room::board>;
HZ_KERNELS(bp2ht_b16_board, of_bp2ht_b16_board, insert, find, update, erase, count, export, mix)
template <class P> using of_bp2ht_b16_buckets = hz::Bp2ht<P, 16, hz::Room::buckets>;
HZ_KERNELS(bp2ht_b16_buckets, of_bp2ht_b16_buckets, insert, find, update, erase, count, export, mix)
template <class P> using of_bp2ht_b32_buckets = hz::Bp2ht<P, 32, hz::Room::buckets>;
HZ_KERNELS(bp2ht_b32_buckets, of_bp2ht_b32_buckets, insert, find, update, erase, count, export, mix)
