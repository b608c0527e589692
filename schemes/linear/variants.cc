// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "linear.h"
#include "kernel.h"

HZ_ARGS("linear", "max_probes")
template <class P> using of_linear_b8 = hz::Linear<P, 8>;
HZ_KERNELS(linear_b8, of_linear_b8, insert, upsert, combine, find, update, erase, count, export, mix)
