// The variants of double hashing that are compiled: one per window size.
#include "double.h"

#include "kernel.h"

HZ_ARGS("double", "max_probes")

#define HZ_DOUBLE(W)                                                                          \
  template <class P>                                                                          \
  using Double##W = hz::Double<P, W>;                                                         \
  HZ_KERNELS(double_w##W, Double##W, insert, upsert, find, update, erase, mix, count, export)

HZ_DOUBLE(1)
HZ_DOUBLE(2)
HZ_DOUBLE(4)
HZ_DOUBLE(8)
HZ_DOUBLE(16)
HZ_DOUBLE(32)
