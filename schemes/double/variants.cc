// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "double.h"
#include "kernel.h"

HZ_ARGS("double", "max_probes")
template <class P> using of_double_w8 = hz::Double<P, 8>;
HZ_KERNELS(double_w8, of_double_w8, insert, upsert, combine, find, update, erase, count, export, mix)
