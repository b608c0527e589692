//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "stash.h"
#include "kernel.h"
#if !defined(HZ_COUNTED)
HZ_OWN_OP(board)
#endif
template <class P> using of_stash_slots = hz::Stash<P, hz::Lookups::slots>;
HZ_KERNELS(stash_slots, of_stash_slots, insert, find, count, export, board)
template <class P> using of_stash_board = hz::Stash<P, hz::Lookups::board>;
HZ_KERNELS_FOR(stash_board, of_stash_board, k8v4, insert, find, update, erase, upsert, combine, count, export, mix, board)
HZ_KERNELS_FOR(stash_board, of_stash_board, k4v8, insert, find, update, erase, upsert, combine, count, export, mix, board)
HZ_KERNELS_FOR(stash_board, of_stash_board, k4v16, insert, find, update, erase, upsert, combine, count, export, mix, board)
HZ_KERNELS_FOR(stash_board, of_stash_board, k8v16, insert, find, update, erase, upsert, combine, count, export, mix, board)
HZ_KERNELS_FOR(stash_board, of_stash_board, k4v32, insert, find, update, erase, upsert, combine, count, export, mix, board)
HZ_KERNELS_FOR(stash_board, of_stash_board, k8v32, insert, find, update, erase, upsert, combine, count, export, mix, board)
HZ_KERNELS_FOR(stash_board, of_stash_board, k4v64, insert, find, update, erase, upsert, combine, count, export, mix, board)
HZ_KERNELS_FOR(stash_board, of_stash_board, k8v64, insert, find, update, erase, upsert, combine, count, export, mix, board)
