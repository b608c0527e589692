// thrust.h: pairs in the order of their keys, with the algorithms of Thrust and CUB.
#pragma once

#include <thrust/binary_search.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/sequence.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>

#include "reference_gpu.h"

namespace hz {

// Combined is the value that an operation makes of two.
template <class V>
struct Combined {
  Operation op;
  __host__ __device__ V operator()(V a, V b) const {
    return op == k_op_min ? (b < a ? b : a) : op == k_op_max ? (a < b ? b : a) : a + b;
  }
};

// Known is true for sorted key i if it equals the key before it, or is in the table.
template <class K>
struct Known {
  const K *keys, *first, *last;
  __host__ __device__ bool operator()(u64 i) const {
    return (i > 0 && keys[i] == keys[i - 1]) || thrust::binary_search(thrust::seq, first, last, keys[i]);
  }
};

template <class K>
void sort(const K* keys, u64 n, const Array<K>& sorted) {
  with_scratch(
      [&](void* at, size_t& bytes) { return cub::DeviceRadixSort::SortKeys(at, bytes, keys, sorted.begin(), n); });
}

template <class K, class V>
void sort(const K* keys, const V* values, u64 n, const Array<K>& sorted, const Array<V>& theirs) {
  with_scratch([&](void* at, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(at, bytes, keys, sorted.begin(), values, theirs.begin(), n);
  });
}

template <class P>
class Sorted {
 public:
  using Key = typename P::Key;
  using Value = typename P::Value;

  Sorted(u64, const hz_table& t) : sorts_(t.Arg[0] != 0) {}
  u64 pairs() const { return keys_.size(); }

  bool insert(const Key* keys, const Value* values, u64 n, u8* status) {
    Array<Key> k(n);
    Array<Value> v(n);
    if (status == nullptr) {
      sort(keys, values, n, k, v);
      if (!all_new(k)) return false;
    } else {
      set_outcomes(keys, n, status, k_failed);
      const Array<Key> some(n);
      const Array<Value> theirs(n);
      n = thrust::copy_if(on_gpu(), keys, keys + n, status, some.begin(), Is<u8>{k_ok}) - some.begin();
      thrust::copy_if(on_gpu(), values, values + k.size(), status, theirs.begin(), Is<u8>{k_ok});
      sort(some.begin(), theirs.begin(), n, k, v);
      k.shrink(n), v.shrink(n);
    }
    merge(std::move(k), std::move(v));
    return true;
  }

  void find(const Key* keys, u64 n, Value* values, u8* status) const {
    if (!sorts_) return search(keys, nullptr, n, values, status);
    const Array<Key> sorted(n);
    const Array<u32> row(n);
    sort_rows(keys, n, sorted, row);
    search(sorted.begin(), row.begin(), n, values, status);
  }

  u64 combine(Operation op, const Key* keys, const Value* values, u64 n, u8* status) {
    const u64 before = pairs();
    if (status != nullptr) set_outcomes(keys, n, status, k_replaced);
    const Array<Key> k(n);
    if (op == k_op_tally) {
      sort(keys, n, k);
      reduce(op, k, thrust::constant_iterator<Value>(1));
    } else {
      const Array<Value> v(n);
      sort(keys, values, n, k, v);
      reduce(op, k, v.begin());
    }
    return pairs() - before;
  }

  void copy_to(Key* keys, Value* values) const {
    thrust::copy(on_gpu(), keys_.begin(), keys_.end(), keys);
    thrust::copy(on_gpu(), values_.begin(), values_.end(), values);
  }

  static void sort_rows(const Key* keys, u64 n, const Array<Key>& sorted, const Array<u32>& row) {
    const Array<u32> all(n);
    thrust::sequence(on_gpu(), all.begin(), all.end());
    sort(keys, all.begin(), n, sorted, row);
  }

  // search looks up keys[i], which is the key of row row[i], or of row i.
  void search(const Key* keys, const u32* row, u64 n, Value* values, u8* status) const {
    const Key *const first = keys_.begin(), *const last = keys_.end();
    const Value* const there = values_.begin();
    each(n, [=] __device__(u64 i) {
      const Key key = keys[i];
      const Key* const at = thrust::lower_bound(thrust::seq, first, last, key);
      const bool found = at != last && *at == key;
      const u64 to = row == nullptr ? i : row[i];
      status[to] = found ? k_ok : k_missing;
      if (found) values[to] = there[at - first];
    });
  }

  // reduce combines the values of equal keys, and merges the result into the table.
  template <class V>
  void reduce(Operation op, const Array<Key>& sorted, V values) {
    Array<Key> k(sorted.size());
    Array<Value> v(sorted.size());
    const Array<u64> different(1);
    with_scratch([&](void* at, size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(at, bytes, sorted.begin(), k.begin(), values, v.begin(), different.begin(),
                                            Combined<Value>{op}, sorted.size());
    });
    u64 n;
    done(cudaMemcpy(&n, different.begin(), sizeof n, cudaMemcpyDefault));
    k.shrink(n), v.shrink(n);
    const u64 before = pairs();
    merge(std::move(k), std::move(v));
    if (before == 0) return;
    const Array<Key> both = std::move(keys_);
    const Array<Value> theirs = std::move(values_);
    reduce(op, both, theirs.begin());
  }

  // merge adds sorted pairs.
  void merge(Array<Key> k, Array<Value> v) {
    if (pairs() == 0) {
      keys_ = trimmed(std::move(k)), values_ = trimmed(std::move(v));
      return;
    }
    Array<Key> keys(pairs() + k.size());
    Array<Value> values(pairs() + k.size());
    thrust::merge_by_key(on_gpu(), keys_.begin(), keys_.end(), k.begin(), k.end(), values_.begin(), v.begin(),
                         keys.begin(), values.begin());
    keys_ = std::move(keys), values_ = std::move(values);
  }

  // trimmed gives back memory if most of it is unused.
  template <class T>
  static Array<T> trimmed(Array<T> a) {
    return a.roomy() ? Array<T>(a.begin(), a.size()) : std::move(a);
  }

  // set_outcomes gives k_ok to the first row of each key that is not in the table, and `others` to the rest.
  void set_outcomes(const Key* keys, u64 n, u8* status, Outcome others) const {
    const Array<Key> sorted(n);
    const Array<u32> row(n);
    sort_rows(keys, n, sorted, row);
    const Known<Key> known{sorted.begin(), keys_.begin(), keys_.end()};
    const u32* const of = row.begin();
    each(n, [=] __device__(u64 i) { status[of[i]] = known(i) ? others : k_ok; });
  }

  // all_new: are sorted keys all different, and none of them in the table?
  bool all_new(const Array<Key>& sorted) const {
    const thrust::counting_iterator<u64> from(0);
    return thrust::none_of(on_gpu(), from, from + sorted.size(),
                           Known<Key>{sorted.begin(), keys_.begin(), keys_.end()});
  }

 private:
  bool sorts_;
  Array<Key> keys_;
  Array<Value> values_;
};

}  // namespace hz
