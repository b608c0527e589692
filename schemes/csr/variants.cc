// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "csr.h"
#include "kernel.h"

HZ_ARGS("csr", "max_probes keys")
HZ_OWN_OP(scatter)
HZ_OWN_OP(copy)
template <class P> using of_csr = hz::Csr<P>;
HZ_KERNELS(csr, of_csr, insert, find, find_all, count, export, scatter, copy)
