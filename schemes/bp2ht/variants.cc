// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "bp2ht.h"
#include "kernel.h"

HZ_ARGS("bp2ht", "")
template <class P> using of_bp2ht_b32_board = hz::Bp2ht<P, 32, hz::Room::board>;
HZ_KERNELS(bp2ht_b32_board, of_bp2ht_b32_board, insert, find, update, erase, count, export, mix)
