//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "chained.h"
#include "kernel.h"
template <class P> using of_chained = hz::Chained<P>;
HZ_KERNELS_FOR(chained, of_chained, k4v0, insert, upsert, combine, find, update, erase, count, export, mix)
