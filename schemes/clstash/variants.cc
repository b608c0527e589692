// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#endif
#include "clstash.h"

#include "kernel.h"

HZ_ARGS("clstash", "ticket")
HZ_OWN_OP(alone_insert)

template <class P> using of_clstash = hz::ClStash<P>;
HZ_KERNELS_FOR(clstash, of_clstash, k4v4, insert, find, erase, count, export, alone_insert)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(clstash, of_clstash, k8v8, insert, find, erase, count, export, alone_insert)))
