// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#endif
#include "sieve.h"

#include "kernel.h"

HZ_ARGS("sieve", "max_chain")

template <class P> using of_sieve_b8_f4 = hz::Sieve<P, 8, 4>;
HZ_KERNELS_FOR(sieve_b8_f4, of_sieve_b8_f4, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(sieve_b8_f4, of_sieve_b8_f4, k8v8, insert, find, update, erase, count, export, mix)))
