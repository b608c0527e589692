// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "1cht.h"
#include "kernel.h"

HZ_ARGS("1cht", "max_chain")
template <class P> using of_1cht_last = hz::OneCht<P, hz::Exchange::last>;
HZ_KERNELS(1cht_last, of_1cht_last, insert, find, update, erase, count, export)
