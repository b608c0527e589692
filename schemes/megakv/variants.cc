// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "megakv.h"
#include "kernel.h"

HZ_ARGS("megakv", "max_chain")
template <class P> using of_megakv_b32 = hz::MegaKv<P, 32>;
HZ_KERNELS(megakv_b32, of_megakv_b32, insert, find, update, erase, count, export)
