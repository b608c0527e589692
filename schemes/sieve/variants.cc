// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "sieve.h"
#include "kernel.h"

HZ_ARGS("sieve", "max_chain")
template <class P> using of_sieve_b8_f4 = hz::Sieve<P, 8, 4>;
HZ_KERNELS(sieve_b8_f4, of_sieve_b8_f4, insert, find, update, erase, count, export, mix)
