// The variants of BCHT that are compiled: one per bucket size.
#include "bcht.h"
#include "kernel.h"

HZ_ARGS("bcht", "max_chain placement")

#define HZ_BCHT(B)                          \
  template <class P>                        \
  using Bcht##B = hz::Bcht<P, B>;           \
  HZ_KERNELS(bcht_b##B, Bcht##B, insert, find, update, erase, count, export)

HZ_BCHT(1)
HZ_BCHT(2)
HZ_BCHT(4)
HZ_BCHT(8)
HZ_BCHT(16)
HZ_BCHT(32)
