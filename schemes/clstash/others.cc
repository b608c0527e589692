//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "clstash.h"
#include "kernel.h"
#if !defined(HZ_COUNTED)
HZ_OWN_OP(alone_insert)
#endif
template <class P> using of_clstash = hz::ClStash<P>;
HZ_KERNELS_FOR(clstash, of_clstash, k8v4, insert, find, erase, count, export, alone_insert)
HZ_KERNELS_FOR(clstash, of_clstash, k4v8, insert, find, erase, count, export, alone_insert)
HZ_KERNELS_FOR(clstash, of_clstash, k4v16, insert, find, erase, count, export, alone_insert)
HZ_KERNELS_FOR(clstash, of_clstash, k8v16, insert, find, erase, count, export, alone_insert)
HZ_KERNELS_FOR(clstash, of_clstash, k4v32, insert, find, erase, count, export, alone_insert)
HZ_KERNELS_FOR(clstash, of_clstash, k8v32, insert, find, erase, count, export, alone_insert)
HZ_KERNELS_FOR(clstash, of_clstash, k4v64, insert, find, erase, count, export, alone_insert)
HZ_KERNELS_FOR(clstash, of_clstash, k8v64, insert, find, erase, count, export, alone_insert)
