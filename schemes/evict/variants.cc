// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#endif
#include "evict.h"

#include "kernel.h"

HZ_ARGS("evict", "policy")
template <class P> using of_evict = hz::Evict<P>;
HZ_KERNELS(evict, of_evict, put, get, insert, upsert, find, update, erase, count, export)
