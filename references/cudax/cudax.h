#pragma once
#include <thrust/iterator/transform_iterator.h>

#include <cuda/experimental/__cuco/fixed_capacity_map.cuh>
#include <cuda/memory_resource>
#include <cuda/stream>

#include "reference_gpu.h"

namespace hz {

// The library cannot undo an insert: without a status, inserts of keys that are in the table are an error; --verify
// passes one. It returns all ones for absent keys, so all ones cannot be a value.
template <class P>
class Cudax {
 public:
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Pair = cuda::std::pair<Key, Value>;
  using Map =
      cuda::experimental::cuco::fixed_capacity_map<Key, Value, cuda::std::dynamic_extent, cuda::thread_scope_device,
                                                   cuda::std::equal_to<Key>,
                                                   cuda::experimental::cuco::double_hashing<1, cuda::hash<Key>>, 4>;

  struct PairAt {
    const Key* keys;
    const Value* values;
    __host__ __device__ Pair operator()(u64 i) const { return {keys[i], values[i]}; }
  };

  Cudax(u64 pairs, const hz_table& t)
      : map_(stream_, cuda::device_default_memory_pool(cuda::device_ref{0}), pairs, t.Arg[0] / 100.0,
             cuda::experimental::cuco::empty_key(~Key(0)), cuda::experimental::cuco::empty_value(~Value(0))) {
    *Memory::taken += map_.capacity() * sizeof(Pair);
  }
  u64 pairs() const { return pairs_; }

  // stream is one that waits for stream 0, which waits for it; the library does not take stream 0 itself.
  static cuda::stream_ref stream() {
    static cudaStream_t made = [] {
      cudaStream_t s;
      done(cudaStreamCreate(&s));
      return s;
    }();
    return made;
  }

  bool insert(const Key* keys, const Value* values, u64 n, u8* status) {
    const PairAt pairs{keys, values};
    if (status == nullptr) {
      const auto first = thrust::make_transform_iterator(thrust::counting_iterator<u64>(0), pairs);
      if (map_.insert(stream_, first, first + n) != n) throw std::runtime_error("some of the keys are there already");
      pairs_ += n;
      return true;
    }
    each(n, [pairs, status, map = map_.ref()] __device__(u64 i) mutable {
      status[i] = map.insert(pairs(i)) ? k_ok : k_failed;
    });
    pairs_ += thrust::count(on_gpu(), status, status + n, u8(k_ok));
    return true;
  }

  void find(const Key* keys, u64 n, Value* values, u8* status) const {
    map_.find(stream_, keys, keys + n, values);
    each(n, [=] __device__(u64 i) { status[i] = values[i] == ~Value(0) ? k_missing : k_ok; });
  }

  void copy_to(Key* keys, Value* values) const { (void)map_.retrieve_all(stream_, keys, values); }

 private:
  cuda::stream_ref stream_ = stream();
  Map map_;
  u64 pairs_ = 0;
};

}  // namespace hz
