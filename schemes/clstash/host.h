// host.h: inserts that may fill the table.
#pragma once

#include <cmath>

#include "host_stadium.h"

namespace hz::host {

struct ClStashHost {
  static Layout layout(const auto& p, const Shape& s) { return with_tickets(s, u64(p.ticket)); }

  // Up to `threshold` percent of the slots, lanes do not help each other.
  static Result run(auto& t, op_insert op, const Batch& b) {
    const u64 limit = u64(std::ceil(double(t.param.threshold) / 100 * double(t.block().Capacity)));
    if (t.pairs() >= limit) return until_full(t, op, b);
    Batch first = b;
    first.keyed = true, first.n = std::min(b.n, limit - t.pairs());
    const Result done = t.launch(op_alone_insert{}, first);
    if (first.n == b.n) return done;
    Batch others = rest(t, b, first.n);
    leave_after(t, others.block, done.pairs);
    Result all = fill_to(t, op, others, t.pairs() + b.n);
    all += done;
    all.batch = b;
    return all;
  }
};

}  // namespace hz::host
