// host.h: operations that race for nodes are tried again, and a flush takes all pairs out.
//
// Of upserts that race for a new key, each takes a node, and one inserts its node. Until the others have given theirs
// back, there may be none left for other keys.
#ifndef HZ_CHAINED_HOST_H
#define HZ_CHAINED_HOST_H

#include "host_side.h"

namespace hz::host {

struct ChainedHost {
  template <class T>
  static Result run(T& t, op_upsert op, const Batch& b) {
    return retry(t, op, b);
  }
  template <class T>
  static Result run(T& t, op_combine op, const Batch& b) {
    return retry(t, op, b);
  }
  template <class T>
  static Result run(T& t, op_mix op, const Batch& b) {
    return retry(t, op, b);
  }
  template <class T>
  static Result run(T& t, op_flush, const Batch&) {
    return flush_all(t);
  }
};

}  // namespace hz::host

#endif
