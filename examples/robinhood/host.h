// host.h: what takes more than a launch.
#ifndef ROBINHOOD_HOST_H
#define ROBINHOOD_HOST_H

#include "host_side.h"

namespace hz::host {

struct RobinHoodHost {
  // A flush makes room of what was erased: all pairs are taken out and inserted again. In another order one may find no
  // room within max_probes; then all stays as it was.
  template <class T>
  static Result run(T& t, op_flush, const Batch&) {
    return flush_or_keep(t);
  }
};

}  // namespace hz::host

#endif
