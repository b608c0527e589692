// host.h: the memory of the cache, and its clock.
#pragma once

#include "assoc.h"
#include "host_side.h"

namespace hz::host {

struct AssocHost {
  // For inserts, which evict nothing.
  static double max_load(const auto&) { return 0.78; }

  static Layout layout(const auto& p, const Shape& s) {
    if (p.policy == p.policy_user && s.value == 0) {
      throw Refused("policy is user: without values there are no scores; hint: lru, lfu, fifo or random");
    }
    Layout l = in_buckets(s, AssocTable::B);
    add(l, {"marks", sizeof(AssocTable::Marks) * l.buckets});
    add(l, {"locks", sizeof(u32) * std::min<u64>(l.buckets, AssocTable::kMostLocks)});
    return l;
  }

  // The clock counts pairs that came in. It reaches 256 when four times the slots were filled.
  template <class T, class Op>
    requires(__is_same(Op, op_insert) || __is_same(Op, op_upsert) || __is_same(Op, op_put))
  static Result run(T& t, Op op, const Batch& b) {
    const Result done = t.launch(op, b);
    u64 &came = t.block().Arg[AssocTable::kCame], &now = t.block().Arg[AssocTable::kNow];
    came += done.added;
    now = came / std::max<u64>(1, t.block().Capacity / 64);
    return done;
  }
};

}  // namespace hz::host
