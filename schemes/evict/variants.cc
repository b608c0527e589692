// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#endif
#include "evict.h"

#include "kernel.h"

HZ_ARGS("evict", "policy")
template <class P> using of_evict_b16 = hz::Evict<P, 16>;
HZ_KERNELS(evict_b16, of_evict_b16, put, get, insert, upsert, find, update, erase, count, export)
