//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "iht.h"
#include "kernel.h"
template <class P> using of_iht_b8_unused_board = hz::Iht<P, 8, hz::Erased::unused, hz::Room::board>;
HZ_KERNELS(iht_b8_unused_board, of_iht_b8_unused_board, insert, find, update, erase, count, export, mix)
template <class P> using of_iht_b8_unused_buckets = hz::Iht<P, 8, hz::Erased::unused, hz::Room::buckets>;
HZ_KERNELS(iht_b8_unused_buckets, of_iht_b8_unused_buckets, insert, find, update, erase, count, export, mix)
template <class P> using of_iht_b8_marked_board = hz::Iht<P, 8, hz::Erased::marked, hz::Room::board>;
HZ_KERNELS(iht_b8_marked_board, of_iht_b8_marked_board, insert, find, update, erase, count, export, mix)
template <class P> using of_iht_b16_unused_board = hz::Iht<P, 16, hz::Erased::unused, hz::Room::board>;
HZ_KERNELS(iht_b16_unused_board, of_iht_b16_unused_board, insert, find, update, erase, count, export, mix)
template <class P> using of_iht_b16_unused_buckets = hz::Iht<P, 16, hz::Erased::unused, hz::Room::buckets>;
HZ_KERNELS(iht_b16_unused_buckets, of_iht_b16_unused_buckets, insert, find, update, erase, count, export, mix)
template <class P> using of_iht_b16_marked_board = hz::Iht<P, 16, hz::Erased::marked, hz::Room::board>;
HZ_KERNELS(iht_b16_marked_board, of_iht_b16_marked_board, insert, find, update, erase, count, export, mix)
template <class P> using of_iht_b32_unused_board = hz::Iht<P, 32, hz::Erased::unused, hz::Room::board>;
HZ_KERNELS(iht_b32_unused_board, of_iht_b32_unused_board, insert, find, update, erase, count, export, mix)
template <class P> using of_iht_b32_unused_buckets = hz::Iht<P, 32, hz::Erased::unused, hz::Room::buckets>;
HZ_KERNELS(iht_b32_unused_buckets, of_iht_b32_unused_buckets, insert, find, update, erase, count, export, mix)
