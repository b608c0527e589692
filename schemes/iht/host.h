// host.h: inserts that find no room may rebuild the table.
#pragma once

#include "host_side.h"

namespace hz::host {

struct IhtHost : Rebuilds {
  // By the number of slots of each bucket above the threshold: measured like that of bp2ht.
  static double max_load(const auto& p) {
    constexpr double of_8[] = {0.32, 0.56, 0.63, 0.70, 0.70}, of_16[] = {0.43, 0.71, 0.81, 0.84, 0.84},
                     of_32[] = {0.57, 0.79, 0.87, 0.90, 0.92};
    const double* loads = p.bucket == 8 ? of_8 : p.bucket == 16 ? of_16 : of_32;
    return loads[std::clamp<int64_t>(p.bucket - p.threshold * p.bucket / 100 - 1, 0, 4)];
  }

  static Layout layout(const auto& p, const Shape& s) {
    Layout l = in_buckets(s, u64(p.bucket));
    add(l, {"board", p.room == p.room_board ? 4 * l.buckets : 4});
    return l;
  }
};

}  // namespace hz::host
