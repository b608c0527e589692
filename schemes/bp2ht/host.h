// host.h: inserts that find no room may rebuild the table.
#pragma once

#include "host_side.h"

namespace hz::host {

struct Bp2htHost : Rebuilds {
  // By bucket size and number of hash functions: a percent or two below the load factor at which the first insert
  // failed in tables of 2^16 to 2^26 slots, the large ones earliest.
  static double max_load(const auto& p) {
    constexpr double of_8[] = {0.63, 0.77, 0.82}, of_16[] = {0.82, 0.89, 0.91}, of_32[] = {0.91, 0.94, 0.95};
    return (p.bucket == 8 ? of_8 : p.bucket == 16 ? of_16 : of_32)[p.hashes - 2];
  }

  static Layout layout(const auto& p, const Shape& s) {
    Layout l = in_buckets(s, u64(p.bucket));
    add(l, {"board", p.room == p.room_board ? 4 * l.buckets : 4});
    return l;
  }
};

}  // namespace hz::host
