// host.h: a flush takes all pairs out and inserts them again.
#ifndef HZ_DOUBLE_HOST_H
#define HZ_DOUBLE_HOST_H

#include "host_side.h"

namespace hz::host {

struct DoubleHost {
  template <class T>
  static Result run(T& t, op_flush, const Batch&) {
    return flush_or_keep(t);
  }
};

}  // namespace hz::host

#endif
