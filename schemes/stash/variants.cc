// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "stash.h"
#include "kernel.h"

HZ_ARGS("stash", "ticket access")
HZ_OWN_OP(board)
template <class P> using of_stash_board = hz::Stash<P, hz::Lookups::board>;
HZ_KERNELS(stash_board, of_stash_board, insert, find, update, erase, upsert, combine, count, export, mix, board)
