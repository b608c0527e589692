// host.h: inserts that find no room may rebuild the table.
#pragma once

#include "host_side.h"

namespace hz::host {

struct SieveHost : Rebuilds {
  // By bucket size and number of hash functions. Inserts alone fill tables with two functions and buckets of 4 to 0.96;
  // beside searches, whose pairs only move on, they reach this.
  static double max_load(const auto& p) { return p.hashes > 2 ? 0.99 : p.bucket == 4 ? 0.80 : 0.98; }

  static Layout layout(const auto& p, const Shape& s) {
    Layout l = in_buckets(s, u64(p.bucket));
    add(l, {"taken", 4 * ceil_of(l.capacity, 32)});
    add(l, {"passed", 4 * ceil_of(l.buckets * u64(p.filter), 32)});
    add(l, {"locks", 4 * ceil_of(l.buckets, 32)});
    return l;
  }

  static void arguments(const auto& p, const Layout& l, u64* arg) {
    if (p.max_chain == 0) arg[p.max_chain_arg] = usual_chain(l);
  }
};

}  // namespace hz::host
