// The variants of Mega-KV's index that are compiled: one per bucket size.
#include "megakv.h"

#include "kernel.h"

HZ_ARGS("megakv", "max_chain")

#define HZ_MEGAKV(B)                                                             \
  template <class P>                                                             \
  using MegaKv##B = hz::MegaKv<P, B>;                                            \
  HZ_KERNELS(megakv_b##B, MegaKv##B, insert, find, update, erase, count, export)

HZ_MEGAKV(8)
HZ_MEGAKV(16)
HZ_MEGAKV(32)
