// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "bcht.h"
#include "kernel.h"

HZ_ARGS("bcht", "max_chain looks")
template <class P> using of_bcht_b8_first = hz::Bcht<P, 8, hz::Placement::first>;
HZ_KERNELS(bcht_b8_first, of_bcht_b8_first, insert, put, find, get, update, erase, count, export)
