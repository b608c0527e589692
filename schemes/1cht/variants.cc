// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#endif
#include "1cht.h"

#include "kernel.h"

HZ_ARGS("1cht", "max_chain")

template <class P> using of_1cht_last = hz::OneCht<P, hz::Exchange::last>;
HZ_KERNELS_FOR(1cht_last, of_1cht_last, k4v4, insert, find, update, erase, count, export)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(1cht_last, of_1cht_last, k8v8, insert, find, update, erase, count, export)))
