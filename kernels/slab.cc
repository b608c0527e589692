// The variants of slab hash: addresses by a directory of super blocks, or light; for
// pairs, and for keys alone.
#include "slab.h"

#include "kernel.h"

HZ_ARGS("slab", "")

#define HZ_SLAB(addresses)                                                                                           \
  template <class P>                                                                                                 \
  using Slab_##addresses = hz::SlabHash<P, hz::Addresses::addresses>;                                                \
  HZ_KERNELS_FOR(slab_##addresses, Slab_##addresses, k4v4, insert, upsert, find, find_all, update, erase, erase_all, \
                 mix, count, export, flush)                                                                          \
  HZ_KERNELS_FOR(slab_##addresses, Slab_##addresses, k4v0, insert, upsert, find, find_all, update, erase, erase_all, \
                 mix, count, export, flush)

HZ_SLAB(light)
HZ_SLAB(super)
