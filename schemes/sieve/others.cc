//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "sieve.h"
#include "kernel.h"
template <class P> using of_sieve_b4_f2 = hz::Sieve<P, 4, 2>;
HZ_KERNELS(sieve_b4_f2, of_sieve_b4_f2, insert, find, update, erase, count, export, mix)
template <class P> using of_sieve_b4_f4 = hz::Sieve<P, 4, 4>;
HZ_KERNELS(sieve_b4_f4, of_sieve_b4_f4, insert, find, update, erase, count, export, mix)
template <class P> using of_sieve_b8_f2 = hz::Sieve<P, 8, 2>;
HZ_KERNELS(sieve_b8_f2, of_sieve_b8_f2, insert, find, update, erase, count, export, mix)
