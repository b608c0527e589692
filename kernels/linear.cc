// The variants of linear probing that are compiled: one per bucket size.
#include "linear.h"

#include "kernel.h"

HZ_ARGS("linear", "max_probes")

#define HZ_LINEAR(B)                                                                          \
  template <class P>                                                                          \
  using Linear##B = hz::Linear<P, B>;                                                         \
  HZ_KERNELS(linear_b##B, Linear##B, insert, upsert, find, update, erase, mix, count, export)

HZ_LINEAR(1)
HZ_LINEAR(4)
HZ_LINEAR(8)
HZ_LINEAR(16)
HZ_LINEAR(32)
