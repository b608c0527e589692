// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#if !defined(HZ_COUNTED)
#define HZ_TIMED
#endif
#include "csr.h"

#include "kernel.h"

HZ_ARGS("csr", "max_probes")
HZ_OWN_OP(part_sizes)
HZ_OWN_OP(part)
HZ_OWN_OP(scatter)
HZ_OWN_OP(copy)

template <class P> using of_csr_t0 = hz::Csr<P, 0>;
HZ_KERNELS_FOR(csr_t0, of_csr_t0, k4v4, insert, find, find_all, count, export, part_sizes, part, scatter, copy)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(csr_t0, of_csr_t0, k8v8, insert, find, find_all, count, export, part_sizes, part, scatter, copy)))

template <class P> using of_csr_t1 = hz::Csr<P, 1>;
HZ_KERNELS_FOR(csr_t1, of_csr_t1, k4v4, insert, find, find_all, count, export, part_sizes, part, scatter, copy)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(csr_t1, of_csr_t1, k8v8, insert, find, find_all, count, export, part_sizes, part, scatter, copy)))

template <class P> using of_csr_t2 = hz::Csr<P, 2>;
HZ_KERNELS_FOR(csr_t2, of_csr_t2, k4v4, insert, find, find_all, count, export, part_sizes, part, scatter, copy)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(csr_t2, of_csr_t2, k8v8, insert, find, find_all, count, export, part_sizes, part, scatter, copy)))

template <class P> using of_csr_t3 = hz::Csr<P, 3>;
HZ_KERNELS_FOR(csr_t3, of_csr_t3, k4v4, insert, find, find_all, count, export, part_sizes, part, scatter, copy)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(csr_t3, of_csr_t3, k8v8, insert, find, find_all, count, export, part_sizes, part, scatter, copy)))

template <class P> using of_csr_t4 = hz::Csr<P, 4>;
HZ_KERNELS_FOR(csr_t4, of_csr_t4, k4v4, insert, find, find_all, count, export, part_sizes, part, scatter, copy)
HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(csr_t4, of_csr_t4, k8v8, insert, find, find_all, count, export, part_sizes, part, scatter, copy)))
