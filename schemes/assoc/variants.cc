// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "assoc.h"
#include "kernel.h"

HZ_ARGS("assoc", "policy")
template <class P> using of_assoc = hz::Assoc<P>;
HZ_KERNELS(assoc, of_assoc, insert, upsert, put, find, get, update, erase, count, export)
