// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.
// clang-format off
#define HZ_TIMED
#include "fks.h"
#include "kernel.h"

HZ_ARGS("fks", "bucket reg_load full max_chain rehashes reserve")
HZ_OWN_OP(renew)
HZ_OWN_OP(widen)
HZ_OWN_OP(transfer)
HZ_OWN_OP(survey)
template <class P> using of_fks = hz::Fks<P>;
HZ_KERNELS(fks, of_fks, insert, find, update, erase, count, export, mix, renew, widen, transfer, survey)
