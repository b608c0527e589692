// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#endif
#include "chained.h"

#include "kernel.h"

HZ_ARGS("chained", "")

template <class P> using of_chained = hz::Chained<P>;
HZ_KERNELS_FOR(chained, of_chained, k4v4, insert, upsert, combine, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(chained, of_chained, k8v8, insert, upsert, combine, find, update, erase, count, export, mix)))
