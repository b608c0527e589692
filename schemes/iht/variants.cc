// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "iht.h"
#include "kernel.h"

HZ_ARGS("iht", "threshold")
template <class P> using of_iht_b32_marked_board = hz::Iht<P, 32, hz::Erased::marked, hz::Room::board>;
HZ_KERNELS(iht_b32_marked_board, of_iht_b32_marked_board, insert, find, update, erase, count, export, mix)
