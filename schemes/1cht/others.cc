//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "1cht.h"
#include "kernel.h"
template <class P> using of_1cht_always = hz::OneCht<P, hz::Exchange::always>;
HZ_KERNELS(1cht_always, of_1cht_always, insert, find, update, erase, count, export)
