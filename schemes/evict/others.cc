//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#include "evict.h"

#include "kernel.h"

HZ_ARGS("evict", "policy")
#endif
template <class P> using of_evict_b8 = hz::Evict<P, 8>;
HZ_KERNELS(evict_b8, of_evict_b8, put, get, insert, upsert, find, update, erase, count, export)
