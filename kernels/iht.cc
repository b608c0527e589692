// The variants of IHT that are compiled: by bucket size, and by what erases leave.
#include "iht.h"

#include "kernel.h"

HZ_ARGS("iht", "threshold")

#define HZ_IHT(B, erased)                                                                          \
  template <class P>                                                                               \
  using Iht##B##erased = hz::Iht<P, B, hz::Erased::erased>;                                        \
  HZ_KERNELS(iht_b##B##_##erased, Iht##B##erased, insert, find, update, erase, mix, count, export)

HZ_IHT(8, unused)
HZ_IHT(16, unused)
HZ_IHT(32, unused)
HZ_IHT(8, marked)
HZ_IHT(16, marked)
HZ_IHT(32, marked)
