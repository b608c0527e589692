// host.h: inserts that find no room may rebuild the table.
#pragma once

#include <cmath>

#include "host_side.h"

namespace hz::host {

struct OneChtHost : Rebuilds {
  // By number of hash functions, as kernels/cuckoo.h explains.
  static double max_load(const auto& p) {
    constexpr double loads[] = {0, 0, 0.45, 0.90, 0.96, 0.98};
    return loads[p.hashes] * (p.auto_ == p.auto_cudpp ? 0.88 : 1);
  }

  static Layout layout(const auto&, const Shape& s) { return in_buckets(s, 1); }

  static void arguments(const auto& p, const Layout& l, u64* arg) {
    if (p.max_chain > 0) return;
    const bool cudpp = p.auto_ == p.auto_cudpp;
    arg[p.max_chain_arg] = cudpp ? u64(std::ceil(7 * std::log2(double(l.capacity)))) : usual_chain(l);
  }
};

}  // namespace hz::host
