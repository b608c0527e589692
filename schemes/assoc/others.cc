//go:build all
// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "assoc.h"
#include "kernel.h"
template <class P> using of_assoc = hz::Assoc<P>;
HZ_KERNELS_FOR(assoc, of_assoc, k4v0, insert, upsert, put, find, get, update, erase, count, export)
HZ_KERNELS_FOR(assoc, of_assoc, k8v0, insert, upsert, put, find, get, update, erase, count, export)
HZ_KERNELS_FOR(assoc, of_assoc, k8v4, insert, upsert, put, find, get, update, erase, count, export)
HZ_KERNELS_FOR(assoc, of_assoc, k4v8, insert, upsert, put, find, get, update, erase, count, export)
HZ_KERNELS_FOR(assoc, of_assoc, k4v16, insert, upsert, put, find, get, update, erase, count, export)
HZ_KERNELS_FOR(assoc, of_assoc, k8v16, insert, upsert, put, find, get, update, erase, count, export)
HZ_KERNELS_FOR(assoc, of_assoc, k4v32, insert, upsert, put, find, get, update, erase, count, export)
HZ_KERNELS_FOR(assoc, of_assoc, k8v32, insert, upsert, put, find, get, update, erase, count, export)
HZ_KERNELS_FOR(assoc, of_assoc, k4v64, insert, upsert, put, find, get, update, erase, count, export)
HZ_KERNELS_FOR(assoc, of_assoc, k8v64, insert, upsert, put, find, get, update, erase, count, export)
