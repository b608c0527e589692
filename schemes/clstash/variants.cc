// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "clstash.h"
#include "kernel.h"

HZ_ARGS("clstash", "ticket")
HZ_OWN_OP(alone_insert)
template <class P> using of_clstash = hz::ClStash<P>;
HZ_KERNELS(clstash, of_clstash, insert, find, erase, count, export, alone_insert)
