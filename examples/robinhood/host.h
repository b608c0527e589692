// host.h: what takes more than a launch.
#pragma once

#include "host_side.h"

namespace hz::host {

struct RobinHoodHost {
  template <class P>
  static Layout layout(const P& p, const Shape& s) {
    return in_buckets(s, u64(p.bucket));
  }

  template <class P>
  static void arguments(const P& p, const Layout& l, u64* arg) {
    if (p.max_probes == 0) arg[P::max_probes_arg] = usual_probes(l);
  }

  // A flush makes room of what was erased: all pairs are taken out and inserted again. In another order one may find no
  // room within max_probes; then all stays as it was.
  template <class T>
  static Result run(T& t, op_flush, const Batch&) {
    return flush_or_keep(t);
  }
};

}  // namespace hz::host
