// The variants of BCHT that are compiled: one per bucket size; least_loaded only
// for buckets large enough to differ in load.
#include "bcht.h"

#include "kernel.h"

HZ_ARGS("bcht", "max_chain")

#define HZ_BCHT(B, placement)                                                                         \
  template <class P>                                                                                  \
  using Bcht##B##placement = hz::Bcht<P, B, hz::Placement::placement>;                                \
  HZ_KERNELS(bcht_b##B##_##placement, Bcht##B##placement, insert, find, update, erase, count, export)

HZ_BCHT(1, first)
HZ_BCHT(2, first)
HZ_BCHT(4, first)
HZ_BCHT(8, first)
HZ_BCHT(16, first)
HZ_BCHT(32, first)
HZ_BCHT(8, least_loaded)
HZ_BCHT(16, least_loaded)
HZ_BCHT(32, least_loaded)
