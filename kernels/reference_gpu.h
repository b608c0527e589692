// reference_gpu.h: the table of a library for GPUs as a scheme of kind reference with device = "gpu". nvcc compiles it
// to a shared object of its own, whose kernels are functions on the host. They launch the library's.
//
// A table is an object of a class
//
//   template <class P> class Map              P::Key and P::Value are u32 or u64
//   Map(u64 pairs, const hz_table&)           allocates for `pairs` pairs; hz_table has the scheme's arguments (Arg)
//   u64 pairs()                               the number of pairs in the table
//   bool insert(keys, values, n, status)      k_ok, or k_failed for a key that is in the table
//   void find(keys, n, values, status)        k_ok, or k_missing
//   u64 combine(op, keys, values, n, status)  k_ok for the row that added a key, k_replaced for the others. op is
//                                             k_op_add, k_op_min, k_op_max or k_op_tally, which has no values.
//                                             Returns the number of keys added
//   void copy_to(keys, values)                writes all pairs
//
// A class without find or combine lacks these operations. Arrays are on the GPU, and work goes to stream 0. `status`
// may be null in insert and combine. Then insert inserts all rows and returns true, or changes nothing and returns
// false; it is called again with a status. Memory from Array and Memory is counted as the table's. Reserved keys,
// masks of mixed batches, counters, answers and rejected pairs are handled here.
#pragma once

#include <cuda_runtime.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include "numbers.h"
#include "registry.h"

namespace hz {

template <class K, class V>
struct PairOf {
  using Key = K;
  using Value = V;
  __host__ __device__ static bool reserved(K key) { return key >= K(~K(0) - 1); }
};
using k4v4 = PairOf<u32, u32>;
using k8v8 = PairOf<u64, u64>;

// done throws what a call of the CUDA runtime says.
inline void done(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// Memory allocates from the pool of the GPU, and counts the bytes of a table at `taken`.
class Memory {
 public:
  using value_type = char;  // as an allocator of temporary memory for thrust

  static inline thread_local u64* taken = nullptr;

  char* allocate(std::ptrdiff_t bytes) {
    void* at = nullptr;
    done(cudaMallocAsync(&at, size_t(bytes), 0));
    *taken += u64(bytes);
    return static_cast<char*>(at);
  }
  void deallocate(char* at, size_t bytes) {
    cudaFreeAsync(at, 0);
    *taken -= bytes;
  }
};

// on_gpu is the execution policy for algorithms of thrust. They return before the GPU is done, unless they return a
// number.
inline auto on_gpu() {
  static thread_local Memory memory;
  return thrust::cuda::par_nosync(memory).on(0);
}

// Array is n numbers on the GPU, which are not set.
template <class T>
class Array {
 public:
  explicit Array(u64 n = 0) : at_(n == 0 ? nullptr : reinterpret_cast<T*>(Memory{}.allocate(n * sizeof(T)))), n_(n) {}
  Array(const T* from, u64 n) : Array(n) { thrust::copy_n(on_gpu(), from, n, at_); }
  Array(Array&& from) noexcept { swap(from); }
  Array& operator=(Array&& from) noexcept {
    Array old(std::move(*this));
    swap(from);
    return *this;
  }
  ~Array() {
    if (at_ != nullptr) Memory{}.deallocate(reinterpret_cast<char*>(at_), room_ * sizeof(T));
  }

  T* begin() const { return at_; }
  T* end() const { return at_ + n_; }
  u64 size() const { return n_; }
  void shrink(u64 n) { n_ = n; }                 // keeps its memory
  bool roomy() const { return n_ < room_ / 2; }  // has much more memory than numbers

 private:
  void swap(Array& other) noexcept {
    std::swap(at_, other.at_), std::swap(n_, other.n_), std::swap(room_, other.room_);
  }

  T* at_ = nullptr;
  u64 n_ = 0, room_ = n_;
};

// with_scratch calls an algorithm of CUB twice: it says how much memory it needs, and gets it.
template <class F>
void with_scratch(F f) {
  size_t bytes = 0;
  done(f(nullptr, bytes));
  const Array<char> scratch(bytes);
  done(f(scratch.begin(), bytes));
}

// each calls f(i) for i below n, on the GPU.
template <class F>
void each(u64 n, F f) {
  thrust::for_each_n(on_gpu(), thrust::counting_iterator<u64>(0), n, f);
}

template <class T>
T* array(u64 address) {
  return reinterpret_cast<T*>(address);
}

// PartOf is true for the operations of a batch that take part, with a reserved key or with another one.
template <class P>
struct PartOf {
  const u8* ops;
  u64 select;
  const typename P::Key* keys;
  bool reserved;

  __host__ __device__ bool operator()(u64 i) const {
    return (ops == nullptr || (select >> ops[i] & 1) != 0) && P::reserved(keys[i]) == reserved;
  }
};

template <class T>
struct Is {
  T value;
  __host__ __device__ bool operator()(T other) const { return other == value; }
};

// Rows are the operations of a batch that are carried out: all of it, or those of an index. (nvcc takes lambdas only in
// public functions that are no constructors.)
template <class P>
struct Rows {
  using Key = typename P::Key;
  using Value = typename P::Value;

  u64 n = 0, rejected = 0;
  const Key* keys;
  const Value* values;
  Array<u64> index;  // empty: all
  Array<Key> some_keys;
  Array<Value> some_values;

  static Rows of(const hz_batch& b, u64 n) {
    Rows r;
    r.n = n, r.keys = array<Key>(b.Keys), r.values = array<Value>(b.Values);
    const PartOf<P> refused{array<u8>(b.Ops), b.Select, r.keys, true};
    const thrust::counting_iterator<u64> from(0);
    r.rejected = thrust::count_if(on_gpu(), from, from + n, refused);
    if (b.Ops != 0 || r.rejected != 0) r.choose(b, n, refused);
    return r;
  }

  void choose(const hz_batch& b, u64 all, PartOf<P> refused) {
    PartOf<P> carried_out = refused;
    carried_out.reserved = false;
    const thrust::counting_iterator<u64> from(0);
    index = Array<u64>(all);
    n = thrust::copy_if(on_gpu(), from, from + all, index.begin(), carried_out) - index.begin();
    if (rejected != 0) reject(b, all, refused);
    some_keys = chosen(keys), keys = some_keys.begin();
    if (values != nullptr) some_values = chosen(values), values = some_values.begin();
  }

  template <class T>
  Array<T> chosen(const T* from) const {
    Array<T> to(n);
    thrust::gather(on_gpu(), index.begin(), index.begin() + n, from, to.begin());
    return to;
  }

  // reject writes the outcome and the answer of operations on reserved keys.
  static void reject(const hz_batch& b, u64 all, PartOf<P> refused) {
    u8* const status = array<u8>(b.Status);
    Value* const out = array<Value>(b.Out);
    each(all, [=] __device__(u64 i) {
      if (!refused(i)) return;
      if (status != nullptr) status[i] = k_rejected;
      if (out != nullptr) out[i] = ~Value(0);
    });
  }

  // write copies an array of the rows to one of the batch.
  template <class T>
  void write(const T* from, u64 to) const {
    T* const out = array<T>(to);
    const u64* const at = index.begin();
    if (to == 0 || from == out) return;
    each(n, [=] __device__(u64 i) { out[at == nullptr ? i : at[i]] = from[i]; });
  }
};

// Counts are what the operations of a batch add to its counters.
struct Counts {
  u64 ok, failed, missing, replaced, added, rejected, pairs;
  __host__ __device__ Counts operator+(const Counts& o) const {
    return {ok + o.ok,       failed + o.failed,     missing + o.missing, replaced + o.replaced,
            added + o.added, rejected + o.rejected, pairs + o.pairs};
  }
  __device__ void add_to(u64* counters) const {
    counters[kCount_ok] += ok, counters[kCount_failed] += failed, counters[kCount_missing] += missing;
    counters[kCount_replaced] += replaced, counters[kCount_added] += added;
    counters[kCount_rejected] += rejected, counters[kCount_pairs] += pairs;
  }
};

// CountsOf are those of one operation. Rejected pairs of inserts are counted as they leave.
struct CountsOf {
  bool inserts;
  __host__ __device__ Counts operator()(u8 outcome) const {
    Counts c{};
    c.ok = outcome == k_ok, c.failed = c.pairs = outcome == k_failed, c.missing = outcome == k_missing;
    c.added = inserts ? c.ok : 0;
    return c;
  }
};

inline void add(const hz_batch& b, Counts c) {
  u64* const counters = array<u64>(b.Counters);
  each(1, [=] __device__(u64) { c.add_to(counters); });
}

// add_outcomes adds those of an array, without waiting for the GPU.
inline void add_outcomes(const hz_batch& b, const Array<u8>& status, bool inserts, u64 rejected) {
  const Array<Counts> sum(1);
  const auto counts = thrust::make_transform_iterator(status.begin(), CountsOf{inserts});
  with_scratch([&](void* at, size_t& bytes) {
    return cub::DeviceReduce::Reduce(at, bytes, counts, sum.begin(), status.size(), thrust::plus<Counts>{}, Counts{});
  });
  const Counts* const of_status = sum.begin();
  u64* const counters = array<u64>(b.Counters);
  each(1, [=] __device__(u64) {
    Counts c = *of_status;
    c.rejected = rejected;
    c.add_to(counters);
  });
}

// no_answer writes all ones for the rows that found nothing.
template <class V>
void no_answer(V* out, const Array<u8>& status) {
  const u8* const outcome = status.begin();
  each(status.size(), [=] __device__(u64 i) {
    if (outcome[i] == k_missing) out[i] = ~V(0);
  });
}

// Reference carries out batches on a Map.
template <class P, class Map>
class Reference {
 public:
  using Key = typename P::Key;
  using Value = typename P::Value;

  explicit Reference(const hz_table& t) {
    counted();
    map_ = std::make_unique<Map>(t.Buckets, t);
  }
  ~Reference() {
    counted();
    map_.reset();
  }

  void run(Operation op, const hz_batch& b, u64 n) {
    counted();
    if (op == k_op_count) return add(b, {.pairs = map_->pairs()});
    if (op == k_op_export) return copy(b);
    const Rows<P> rows = Rows<P>::of(b, n);
    if (op == k_op_insert) insert(b, rows);
    if constexpr (kFinds) {
      if (op == k_op_find) find(b, rows);
    }
    if constexpr (kCombines) {
      if (op == k_op_combine) combine(b, rows);
    }
  }

  u64 bytes() const { return taken_; }

 private:
  static constexpr bool kFinds = requires(Map& m, Key* k, Value* v, u8* s) { m.find(k, u64(), v, s); };
  static constexpr bool kCombines = requires(Map& m, Key* k, Value* v) { m.combine(k_op_add, k, v, u64(), nullptr); };

  void counted() { Memory::taken = &taken_; }

  void copy(const hz_batch& b) {
    if (map_->pairs() > b.PairLimit) throw std::logic_error("there is no room for all pairs");
    map_->copy_to(array<Key>(b.PairKeys), array<Value>(b.PairValues));
    add(b, {.pairs = map_->pairs()});
  }

  void insert(const hz_batch& b, const Rows<P>& rows) {
    if (b.Status == 0 && map_->insert(rows.keys, rows.values, rows.n, nullptr)) {
      return add(b, {.ok = rows.n, .added = rows.n, .rejected = rows.rejected});
    }
    const Array<u8> status(rows.n);
    map_->insert(rows.keys, rows.values, rows.n, status.begin());
    rows.write(status.begin(), b.Status);
    add_outcomes(b, status, true, rows.rejected);
    hand_back(b, rows, status);
  }

  void find(const hz_batch& b, const Rows<P>& rows) {
    const bool all = rows.index.size() == 0;
    const Array<u8> status(rows.n);
    const Array<Value> found(all ? 0 : rows.n);
    Value* const out = all ? array<Value>(b.Out) : found.begin();
    map_->find(rows.keys, rows.n, out, status.begin());
    no_answer(out, status);
    rows.write(out, b.Out);
    rows.write(status.begin(), b.Status);
    add_outcomes(b, status, false, rows.rejected);
  }

  void combine(const hz_batch& b, const Rows<P>& rows) {
    const Array<u8> status(b.Status == 0 ? 0 : rows.n);
    const u64 added = map_->combine(Operation(b.Op), rows.keys, rows.values, rows.n, status.begin());
    rows.write(status.begin(), b.Status);
    add(b, {.ok = added, .replaced = rows.n - added, .added = added, .rejected = rows.rejected});
  }

  // hand_back writes the pairs that were not inserted to the batch, up to its limit.
  void hand_back(const hz_batch& b, const Rows<P>& rows, const Array<u8>& status) {
    const Array<u64> left(rows.n);
    const thrust::counting_iterator<u64> from(0);
    const u64 n =
        thrust::copy_if(on_gpu(), from, from + rows.n, status.begin(), left.begin(), Is<u8>{k_failed}) - left.begin();
    const u64 room = b.PairKeys == 0 ? 0 : std::min<u64>(n, b.PairLimit);
    thrust::gather(on_gpu(), left.begin(), left.begin() + room, rows.keys, array<Key>(b.PairKeys));
    thrust::gather(on_gpu(), left.begin(), left.begin() + room, rows.values, array<Value>(b.PairValues));
  }

  u64 taken_ = 0;  // bytes
  std::unique_ptr<Map> map_;
};

inline cudaMemPool_t pool() {
  cudaMemPool_t pool;
  int device;
  done(cudaGetDevice(&device)), done(cudaDeviceGetDefaultMemPool(&pool, device));
  return pool;
}

// Tables has the tables of a class by the addresses of their first regions. Memory stays in the pool for the next table
// of the same size: taking it from the driver would be most of the time of a batch.
template <class R>
struct Tables {
  static inline std::mutex lock;
  static inline std::map<u64, std::unique_ptr<R>> list;
  static inline u64 size = 0;

  static R& of(const hz_table& t) {
    std::lock_guard<std::mutex> locked(lock);
    return *list.at(t.Region[0]);
  }
  static void make(const hz_table& t) {
    std::lock_guard<std::mutex> locked(lock);
    u64 all = ~u64(0);
    done(cudaMemPoolSetAttribute(pool(), cudaMemPoolAttrReleaseThreshold, &all));
    if (t.Buckets != size) done(cudaStreamSynchronize(0)), done(cudaMemPoolTrimTo(pool(), 0));
    size = t.Buckets;
    list[t.Region[0]] = std::make_unique<R>(t);
  }
  static void drop(const hz_table& t) {
    std::lock_guard<std::mutex> locked(lock);
    list.erase(t.Region[0]);
  }
};

// carry_out is the body of a kernel. It writes the bytes of the table to its second region.
template <class P, class Map, u8 op>
void carry_out(const void* table, void* batch, u64, u64 n) {
  using R = Reference<P, Map>;
  const hz_table& t = *static_cast<const hz_table*>(table);
  R& r = Tables<R>::of(t);
  r.run(Operation(op), *static_cast<const hz_batch*>(batch), n);
  if (op == k_op_find) return;
  const u64 bytes = r.bytes();
  u64* const books = array<u64>(t.Region[1]);
  each(1, [=] __device__(u64) { *books = bytes; });
}
template <class P, class Map>
void make(const void* table, void*, u64, u64) {
  Tables<Reference<P, Map>>::make(*static_cast<const hz_table*>(table));
}
template <class P, class Map>
void drop(const void* table, void*, u64, u64) {
  Tables<Reference<P, Map>>::drop(*static_cast<const hz_table*>(table));
}

inline const char* launch(hz_body body, const void* table, void* batch, u64 count) {
  static thread_local std::string wrong;
  try {
    body(table, batch, 0, count);
    done(cudaGetLastError());
    return nullptr;
  } catch (const std::exception& e) {
    wrong = e.what();
    return wrong.c_str();
  }
}

inline const hz_library* library() {
  static const hz_library made{HZ_ABI_VERSION, Kernel::list, Args::list, nullptr, nullptr, launch};
  return &made;
}

}  // namespace hz

#define HZ_LIBRARY_OP(name, S, pair, op)                                                       \
  static hz::Kernel name##_kernel(#name, hz::carry_out<hz::pair, S<hz::pair>, hz::k_op_##op>);
#define HZ_LIBRARY_OWN(name, S, pair, which) static hz::Kernel name##_kernel(#name, hz::which<hz::pair, S<hz::pair>>);
