// The variants of IHT that are compiled: one per bucket size.
#include "iht.h"

#include "kernel.h"

HZ_ARGS("iht", "threshold")

#define HZ_IHT(B)                                                               \
  template <class P>                                                            \
  using Iht##B = hz::Iht<P, B>;                                                 \
  HZ_KERNELS(iht_b##B, Iht##B, insert, find, update, erase, mix, count, export)

HZ_IHT(8)
HZ_IHT(16)
HZ_IHT(32)
