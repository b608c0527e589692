// host.h: operations that race for nodes are tried again, and a flush takes all pairs out.
//
// Of upserts that race for a new key, each takes a node, and one inserts its node. Until the others have given theirs
// back, there may be none left for other keys.
#ifndef HZ_CHAINED_HOST_H
#define HZ_CHAINED_HOST_H

#include "host_side.h"

namespace hz::host {

struct ChainedHost {
  // The capacity is that of the pool: a link has 31 bits. Node 0 does not exist: a link of 0 ends a list. A node is a
  // word with the key and a link of the same width, and the value, rounded up to a multiple of that word.
  template <class P>
  static Layout layout(const P& p, const Shape& s) {
    Layout l{};
    l.buckets = ceil_of(s.slots, u64(p.chain)), l.capacity = s.slots;
    add(l, {"heads", 4 * l.buckets, 0, true});
    add(l, {"nodes", (l.capacity + 1) * Shape::rounded(2 * s.key + s.value, 2 * s.key), 0xff, true});
    add(l, {"nodes used", 24});  // nodes taken, the head of the list of spare ones, and how many were put there
    return at_most(l, 2147483647);
  }

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
