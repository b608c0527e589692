// host.h: a flush takes all pairs out and inserts them again.
#ifndef HZ_DOUBLE_HOST_H
#define HZ_DOUBLE_HOST_H

#include "host_side.h"

namespace hz::host {

struct DoubleHost {
  // A step of any length reaches every window because their number is prime.
  template <class P>
  static Layout layout(const P& p, const Shape& s) {
    return in_buckets(s, prime(ceil_of(s.slots, u64(p.window))), u64(p.window));
  }

  template <class P>
  static void arguments(const P& p, const Layout& l, u64* arg) {
    if (p.max_probes == 0) arg[P::max_probes_arg] = std::max<u64>(64, 4096 * l.buckets / l.capacity);
  }

  template <class T>
  static Result run(T& t, op_flush, const Batch&) {
    return flush_or_keep(t);
  }
};

}  // namespace hz::host

#endif
