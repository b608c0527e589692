//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "bcht.h"
#include "kernel.h"
template <class P> using of_bcht_b1_first = hz::Bcht<P, 1, hz::Placement::first>;
HZ_KERNELS(bcht_b1_first, of_bcht_b1_first, insert, put, find, get, update, erase, count, export)
template <class P> using of_bcht_b2_first = hz::Bcht<P, 2, hz::Placement::first>;
HZ_KERNELS(bcht_b2_first, of_bcht_b2_first, insert, put, find, get, update, erase, count, export)
template <class P> using of_bcht_b4_first = hz::Bcht<P, 4, hz::Placement::first>;
HZ_KERNELS(bcht_b4_first, of_bcht_b4_first, insert, put, find, get, update, erase, count, export)
template <class P> using of_bcht_b8_least_loaded = hz::Bcht<P, 8, hz::Placement::least_loaded>;
HZ_KERNELS(bcht_b8_least_loaded, of_bcht_b8_least_loaded, insert, put, find, get, update, erase, count, export)
template <class P> using of_bcht_b16_first = hz::Bcht<P, 16, hz::Placement::first>;
HZ_KERNELS(bcht_b16_first, of_bcht_b16_first, insert, put, find, get, update, erase, count, export)
template <class P> using of_bcht_b16_least_loaded = hz::Bcht<P, 16, hz::Placement::least_loaded>;
HZ_KERNELS(bcht_b16_least_loaded, of_bcht_b16_least_loaded, insert, put, find, get, update, erase, count, export)
template <class P> using of_bcht_b32_first = hz::Bcht<P, 32, hz::Placement::first>;
HZ_KERNELS(bcht_b32_first, of_bcht_b32_first, insert, put, find, get, update, erase, count, export)
template <class P> using of_bcht_b32_least_loaded = hz::Bcht<P, 32, hz::Placement::least_loaded>;
HZ_KERNELS(bcht_b32_least_loaded, of_bcht_b32_least_loaded, insert, put, find, get, update, erase, count, export)
