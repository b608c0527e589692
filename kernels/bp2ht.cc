// The variants of BP2HT that are compiled: one per bucket size.
#include "bp2ht.h"

#include "kernel.h"

HZ_ARGS("bp2ht", "")

#define HZ_BP2HT(B)                                                                 \
  template <class P>                                                                \
  using Bp2ht##B = hz::Bp2ht<P, B>;                                                 \
  HZ_KERNELS(bp2ht_b##B, Bp2ht##B, insert, find, update, erase, mix, count, export)

HZ_BP2HT(8)
HZ_BP2HT(16)
HZ_BP2HT(32)
