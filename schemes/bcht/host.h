// host.h: inserts that find no room may rebuild the table.
#pragma once

#include "host_bulk.h"

namespace hz::host {

struct BchtHost {
  // A word that follows those of the parameters, as in bcht.h.
  static constexpr u64 kSecond = 2;

  // By bucket size and number of hash functions, as kernels/cuckoo.h explains.
  static double max_load(const auto& p) {
    constexpr double of_one[] = {0.45, 0.90, 0.96}, of_two[] = {0.87, 0.97, 0.99}, of_four[] = {0.96, 0.99, 0.99};
    const auto* loads = p.bucket == 1 ? of_one : p.bucket == 2 ? of_two : of_four;
    return p.bucket > 4 ? 0.99 : loads[p.hashes - 2];
  }

  static Layout layout(const auto& p, const Shape& s) { return in_buckets(s, u64(p.bucket)); }

  static void arguments(const auto& p, const Layout& l, u64* arg) {
    if (p.max_chain == 0) arg[p.max_chain_arg] = usual_chain(l);
    // With two buckets in one page, and no third one elsewhere, pages would fill unevenly.
    const bool near = p.looks == 2 && p.hashes > 2 && p.placement == p.placement_first;
    const u64 page = near ? page_of_part(l, p.bulk == p.bulk_always) : 0;
    arg[kSecond] = page != 0, arg[kSecond + 1] = page;
  }

  static Result run(auto& t, op_insert op, const Batch& b) {
    if (t.param.placement == t.param.placement_least_loaded) return rebuild(t, op, b);
    return rebuild(t, b, [&](const Batch& more) {
      return part_by_part(t, op, more,
                          {.bucket = u64(t.param.bucket),
                           .reach = 1,
                           .search = false,
                           .most = 1,
                           .hashes = u64(t.param.hashes),
                           .second = t.block().Arg + kSecond});
    });
  }
};

}  // namespace hz::host
