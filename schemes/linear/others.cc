//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "linear.h"
#include "kernel.h"
template <class P> using of_linear_b1 = hz::Linear<P, 1>;
HZ_KERNELS(linear_b1, of_linear_b1, insert, upsert, combine, find, update, erase, count, export, mix)
template <class P> using of_linear_b4 = hz::Linear<P, 4>;
HZ_KERNELS(linear_b4, of_linear_b4, insert, upsert, combine, find, update, erase, count, export, mix)
template <class P> using of_linear_b16 = hz::Linear<P, 16>;
HZ_KERNELS(linear_b16, of_linear_b16, insert, upsert, combine, find, update, erase, count, export, mix)
template <class P> using of_linear_b32 = hz::Linear<P, 32>;
HZ_KERNELS(linear_b32, of_linear_b32, insert, upsert, combine, find, update, erase, count, export, mix)
