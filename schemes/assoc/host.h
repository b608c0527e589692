// host.h: the memory of the cache, and its clock.
#ifndef HZ_ASSOC_HOST_H
#define HZ_ASSOC_HOST_H

#include "host_side.h"

namespace hz::host {

struct AssocHost {
  // For inserts, which evict nothing.
  template <class P>
  static double max_load(const P&) {
    return 0.78;
  }

  template <class P>
  static Layout layout(const P&, const Shape& s) {
    Layout l = in_buckets(s, 16);
    add(l, {"marks", 32 * l.buckets});
    add(l, {"locks", 4 * std::min<u64>(l.buckets, u64(1) << 20)});
    return l;
  }

  // The clock counts pairs that came in. It reaches 256 when four times the slots were filled.
  template <class T, class Op>
    requires(__is_same(Op, op_insert) || __is_same(Op, op_upsert) || __is_same(Op, op_put))
  static Result run(T& t, Op op, const Batch& b) {
    const Result done = t.launch(op, b);
    u64 &came = t.block().Arg[kCame], &now = t.block().Arg[kNow];
    came += done.added;
    now = came / std::max<u64>(1, t.block().Capacity / 64);
    return done;
  }

 private:
  enum Arg { kCame = HZ_MAX_ARGS - 2, kNow = HZ_MAX_ARGS - 1 };
};

}  // namespace hz::host

#endif
