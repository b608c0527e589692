// host_sample.h: whether most rows of a batch have keys of their own (sample.h).
#pragma once

#include <cmath>

#include "host_side.h"
#include "sample.h"

namespace hz::host {

template <class K>
struct SampleKernel {
  static constexpr const char* name = sizeof(K) == 4 ? "hz_sample_k4" : "hz_sample_k8";
  HZ_FN static void run(void* block, u64 first, u64 count) { sample_keys<K>(nullptr, block, first, count); }
};

// with_key calls f with a number of the type of the keys.
auto with_key(auto& t, auto&& f) { return t.key_bytes() == sizeof(u32) ? f(u32()) : f(u64()); }

// distinct is how many rows of a sample have keys of their own, of HZ_SORT_SAMPLE.
u64 distinct(auto& t, const Batch& b) {
  hz_sort sample{};
  sample.Keys = b.block.Keys, sample.Items = b.n, sample.Marks = t.scratch(HZ_SORT_MARKS / 8 + sizeof(u64));
  t.fill(sample.Marks, 0, HZ_SORT_MARKS / 8 + sizeof(u64));
  with_key(t, [&](auto key) { t.shared(SampleKernel<decltype(key)>{}, sample, HZ_SORT_SAMPLE); });
  return value<u64>(t, sample.Marks + HZ_SORT_MARKS / 8);
}

// all_different reports whether every row may have a key of its own. Some of a sample share a mark by chance.
inline bool all_different(u64 distinct) {
  constexpr u64 rows = HZ_SORT_SAMPLE, share = rows * rows / 2 / HZ_SORT_MARKS;
  return double(rows - distinct) < double(share) + 4 * std::sqrt(double(share));
}

}  // namespace hz::host
