// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#include "stash.h"

#include "kernel.h"

HZ_ARGS("stash", "ticket access")

template <class P> using of_stash = hz::Stash<P>;
HZ_KERNELS_FOR(stash, of_stash, k4v4, insert, find, update, erase, upsert, combine, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(stash, of_stash, k8v8, insert, find, update, erase, upsert, combine, count, export, mix)))
HZ_KERNELS_FOR(stash, of_stash, k8v4, insert, find, update, erase, upsert, combine, count, export, mix)
HZ_KERNELS_FOR(stash, of_stash, k4v8, insert, find, update, erase, upsert, combine, count, export, mix)
HZ_KERNELS_FOR(stash, of_stash, k4v16, insert, find, update, erase, upsert, combine, count, export, mix)
HZ_KERNELS_FOR(stash, of_stash, k8v16, insert, find, update, erase, upsert, combine, count, export, mix)
HZ_KERNELS_FOR(stash, of_stash, k4v32, insert, find, update, erase, upsert, combine, count, export, mix)
HZ_KERNELS_FOR(stash, of_stash, k8v32, insert, find, update, erase, upsert, combine, count, export, mix)
HZ_KERNELS_FOR(stash, of_stash, k4v64, insert, find, update, erase, upsert, combine, count, export, mix)
HZ_KERNELS_FOR(stash, of_stash, k8v64, insert, find, update, erase, upsert, combine, count, export, mix)
