//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "megakv.h"
#include "kernel.h"
template <class P> using of_megakv_b8 = hz::MegaKv<P, 8>;
HZ_KERNELS(megakv_b8, of_megakv_b8, insert, find, update, erase, count, export)
template <class P> using of_megakv_b16 = hz::MegaKv<P, 16>;
HZ_KERNELS(megakv_b16, of_megakv_b16, insert, find, update, erase, count, export)
