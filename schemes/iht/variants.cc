// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#include "iht.h"

#include "kernel.h"

HZ_ARGS("iht", "threshold")

template <class P> using of_iht_b8_unused = hz::Iht<P, 8, hz::Erased::unused>;
HZ_KERNELS_FOR(iht_b8_unused, of_iht_b8_unused, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(iht_b8_unused, of_iht_b8_unused, k8v8, insert, find, update, erase, count, export, mix)))

template <class P> using of_iht_b8_marked = hz::Iht<P, 8, hz::Erased::marked>;
HZ_KERNELS_FOR(iht_b8_marked, of_iht_b8_marked, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(iht_b8_marked, of_iht_b8_marked, k8v8, insert, find, update, erase, count, export, mix)))

template <class P> using of_iht_b16_unused = hz::Iht<P, 16, hz::Erased::unused>;
HZ_KERNELS_FOR(iht_b16_unused, of_iht_b16_unused, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(iht_b16_unused, of_iht_b16_unused, k8v8, insert, find, update, erase, count, export, mix)))

template <class P> using of_iht_b16_marked = hz::Iht<P, 16, hz::Erased::marked>;
HZ_KERNELS_FOR(iht_b16_marked, of_iht_b16_marked, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(iht_b16_marked, of_iht_b16_marked, k8v8, insert, find, update, erase, count, export, mix)))

template <class P> using of_iht_b32_unused = hz::Iht<P, 32, hz::Erased::unused>;
HZ_KERNELS_FOR(iht_b32_unused, of_iht_b32_unused, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(iht_b32_unused, of_iht_b32_unused, k8v8, insert, find, update, erase, count, export, mix)))

template <class P> using of_iht_b32_marked = hz::Iht<P, 32, hz::Erased::marked>;
HZ_KERNELS_FOR(iht_b32_marked, of_iht_b32_marked, k4v4, insert, find, update, erase, count, export, mix)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(iht_b32_marked, of_iht_b32_marked, k8v8, insert, find, update, erase, count, export, mix)))
