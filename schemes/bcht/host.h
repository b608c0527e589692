// host.h: inserts that find no room may rebuild the table.
#ifndef HZ_BCHT_HOST_H
#define HZ_BCHT_HOST_H

#include "host_side.h"

namespace hz::host {

struct BchtHost {
  template <class T>
  static Result run(T& t, op_insert op, const Batch& b) {
    return rebuild(t, op, b);
  }
};

}  // namespace hz::host

#endif
