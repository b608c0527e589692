// host.h: what takes more than a launch.
#pragma once

#include "host_side.h"

namespace hz::host {

struct RobinHoodHost {
  static Layout layout(const auto& p, const Shape& s) { return in_buckets(s, u64(p.bucket)); }

  static void arguments(const auto& p, const Layout& l, u64* arg) {
    if (p.max_probes == 0) arg[p.max_probes_arg] = usual_probes(l);
  }

  // A flush makes room of what was erased: all pairs are taken out and inserted again. In another order one may find no
  // room within max_probes; then all stays as it was.
  static Result run(auto& t, op_flush, const Batch&) { return flush_or_keep(t); }
};

}  // namespace hz::host
