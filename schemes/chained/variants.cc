// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "chained.h"
#include "kernel.h"

HZ_ARGS("chained", "")
template <class P> using of_chained = hz::Chained<P>;
HZ_KERNELS(chained, of_chained, insert, upsert, combine, find, update, erase, count, export, mix)
