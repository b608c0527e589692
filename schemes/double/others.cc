//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "double.h"
#include "kernel.h"
template <class P> using of_double_w1 = hz::Double<P, 1>;
HZ_KERNELS(double_w1, of_double_w1, insert, upsert, combine, find, update, erase, count, export, mix)
template <class P> using of_double_w2 = hz::Double<P, 2>;
HZ_KERNELS(double_w2, of_double_w2, insert, upsert, combine, find, update, erase, count, export, mix)
template <class P> using of_double_w4 = hz::Double<P, 4>;
HZ_KERNELS(double_w4, of_double_w4, insert, upsert, combine, find, update, erase, count, export, mix)
template <class P> using of_double_w16 = hz::Double<P, 16>;
HZ_KERNELS(double_w16, of_double_w16, insert, upsert, combine, find, update, erase, count, export, mix)
template <class P> using of_double_w32 = hz::Double<P, 32>;
HZ_KERNELS(double_w32, of_double_w32, insert, upsert, combine, find, update, erase, count, export, mix)
