// host.h: inserts that find no room may rebuild the table.
#ifndef HZ_BCHT_HOST_H
#define HZ_BCHT_HOST_H

#include "host_bulk.h"

namespace hz::host {

struct BchtHost {
  // By bucket size and number of hash functions, as kernels/cuckoo.h explains.
  template <class P>
  static double max_load(const P& p) {
    constexpr double of_one[] = {0.45, 0.90, 0.96}, of_two[] = {0.87, 0.97, 0.99}, of_four[] = {0.96, 0.99, 0.99};
    const auto* loads = p.bucket == 1 ? of_one : p.bucket == 2 ? of_two : of_four;
    return p.bucket > 4 ? 0.99 : loads[p.hashes - 2];
  }

  // With two buckets in one page, and no third one elsewhere, pages would fill unevenly.
  template <class P>
  static bool near(const P& p) {
    return p.second == p.second_near && p.hashes > 2;
  }
  template <class P>
  static Layout layout(const P& p, const Shape& s) {
    return near(p) ? paged(s, u64(p.bucket), p.bulk == p.bulk_always) : in_buckets(s, u64(p.bucket));
  }

  template <class P>
  static void arguments(const P& p, const Layout& l, u64* arg) {
    if (p.max_chain == 0) arg[P::max_chain_arg] = usual_chain(l);
    arg[P::second_arg + 1] = near(p) ? page_of_part(l, p.bulk == p.bulk_always) : 0;
    arg[P::second_arg] = arg[P::second_arg + 1] != 0;
  }

  template <class T>
  static Result run(T& t, op_insert op, const Batch& b) {
    if (t.param.placement == t.param.placement_least_loaded) return rebuild(t, op, b);
    return rebuild(t, b, [&](const Batch& more) {
      return part_by_part(t, op, more,
                          {.bucket = u64(t.param.bucket),
                           .reach = 1,
                           .search = false,
                           .most = 1,
                           .hashes = u64(t.param.hashes),
                           .second = t.block().Arg + T::Param::second_arg});
    });
  }
};

}  // namespace hz::host

#endif
