// host.h: a flush takes all pairs out and inserts them again.
#pragma once

#include "host_bulk.h"

namespace hz::host {

struct DoubleHost {
  // A step of any length reaches every window because their number is prime.
  static Layout layout(const auto& p, const Shape& s) {
    return in_buckets(s, prime(ceil_of(s.slots, u64(p.window))), u64(p.window));
  }

  static void arguments(const auto& p, const Layout& l, u64* arg) {
    const u64 usual = std::max<u64>(64, 4096 * l.buckets / l.capacity);
    arg[p.max_probes_arg] = std::min(p.max_probes == 0 ? usual : u64(p.max_probes), l.buckets);
  }

  template <class T, class Op>
    requires(__is_same(Op, op_insert) || __is_same(Op, op_combine))
  static Result run(T& t, Op op, const Batch& b) {
    return part_by_part(t, op, b, {.bucket = u64(t.param.window), .reach = 1, .search = true, .most = 0.85});
  }
  static Result run(auto& t, op_flush, const Batch&) { return flush_or_keep(t); }
};

}  // namespace hz::host
