// reference_gpu.h: the table of a library for GPUs as a scheme of kind reference with device = "gpu". It is compiled by
// nvcc, apart from everything else, and its kernels are functions on the host, which launch what they like.
//
// A table is an object of a class
//
//   template <class P> class Map            P::Key and P::Value are u32 or u64
//   Map(u64 pairs, const hz_table&)         with room for so many, and the arguments of the scheme (Arg)
//   u64 pairs()                             how many it has
//   bool insert(keys, values, n, status)    k_ok, or k_failed for a key that is there
//   void find(keys, n, values, status)      k_ok, or k_missing
//   u64 combine(op, keys, values, n, status)   k_ok for the row that added a key, k_replaced for the others; op is
//                                           k_op_add, k_op_min, k_op_max or k_op_tally, which has no values. Returns
//                                           how many keys were added
//   void copy_to(keys, values)              all pairs
//
// with the functions for the operations of its scheme.toml; find and combine need not be there. Arrays are on the GPU.
// `status` is null if nobody asks for outcomes: then insert inserts all, or does nothing and returns false, upon which
// it is called again with a status. Memory is taken from Memory (or Array), which counts it; work goes to stream 0.
// Reserved keys, operations that are left out, counters, answers and left-over pairs are taken care of here.
#ifndef HZ_REFERENCE_GPU_H
#define HZ_REFERENCE_GPU_H

#include <cuda_runtime.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include "library.h"

namespace hz {

using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;

#define HZ_AS_ENUM(name, ...) k_op_##name,
enum Operation : u8 { HZ_OPS(HZ_AS_ENUM) kOperations };
#undef HZ_AS_ENUM
#define HZ_AS_ENUM(name, ...) k_##name,
enum Outcome : u8 { HZ_OUTCOMES(HZ_AS_ENUM) kOutcomes };
#undef HZ_AS_ENUM
#define HZ_AS_ENUM(name, ...) kCount_##name,
enum Count { HZ_COUNTERS(HZ_AS_ENUM) };
#undef HZ_AS_ENUM

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

// Memory is where tables get theirs from: the pool of the GPU. It counts the bytes of a table, to which `taken`
// points.
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

// on_gpu is the execution policy for algorithms of thrust.
inline auto on_gpu() {
  static thread_local Memory memory;
  return thrust::cuda::par(memory).on(0);
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

// Rows are the operations of a batch that are carried out: all of it, or those of an index. (nvcc wants functions with
// lambdas to be public, and no constructors.)
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

  // reject has operations answer what those on reserved keys do.
  static void reject(const hz_batch& b, u64 all, PartOf<P> refused) {
    u8* const status = array<u8>(b.Status);
    Value* const out = array<Value>(b.Out);
    each(all, [=] __device__(u64 i) {
      if (!refused(i)) return;
      if (status != nullptr) status[i] = k_rejected;
      if (out != nullptr) out[i] = ~Value(0);
    });
  }

  // write puts numbers of the rows where the batch has those of its operations.
  template <class T>
  void write(const T* from, u64 to) const {
    T* const out = array<T>(to);
    const u64* const at = index.begin();
    if (to == 0 || from == out) return;
    each(n, [=] __device__(u64 i) { out[at == nullptr ? i : at[i]] = from[i]; });
  }
};

// add_to adds to a counter of a batch.
inline void add_to(const hz_batch& b, Count which, u64 amount) {
  u64* const at = array<u64>(b.Counters) + which;
  if (amount != 0) each(1, [=] __device__(u64) { *at += amount; });
}

// no_answer has the rows that found nothing answer all ones.
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
    if (op == k_op_count) return add_to(b, kCount_pairs, map_->pairs());
    if (op == k_op_export) return copy(b);
    const Rows<P> rows = Rows<P>::of(b, n);
    add_to(b, kCount_rejected, rows.rejected);
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
    add_to(b, kCount_pairs, map_->pairs());
  }

  void insert(const hz_batch& b, const Rows<P>& rows) {
    if (b.Status == 0 && map_->insert(rows.keys, rows.values, rows.n, nullptr)) {
      add_to(b, kCount_ok, rows.n), add_to(b, kCount_added, rows.n);
      return;
    }
    const Array<u8> status(rows.n);
    map_->insert(rows.keys, rows.values, rows.n, status.begin());
    add_to(b, kCount_added, ended(b, rows, status));
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
    ended(b, rows, status);
  }

  void combine(const hz_batch& b, const Rows<P>& rows) {
    const Array<u8> status(b.Status == 0 ? 0 : rows.n);
    const u64 added = map_->combine(Operation(b.Op), rows.keys, rows.values, rows.n, status.begin());
    rows.write(status.begin(), b.Status);
    add_to(b, kCount_ok, added), add_to(b, kCount_added, added), add_to(b, kCount_replaced, rows.n - added);
  }

  // ended counts outcomes and writes them, and returns how many are ok.
  u64 ended(const hz_batch& b, const Rows<P>& rows, const Array<u8>& status) {
    const u64 ok = thrust::count(on_gpu(), status.begin(), status.end(), u8(k_ok)),
              failed = thrust::count(on_gpu(), status.begin(), status.end(), u8(k_failed));
    add_to(b, kCount_ok, ok), add_to(b, kCount_failed, failed), add_to(b, kCount_missing, rows.n - ok - failed);
    rows.write(status.begin(), b.Status);
    return ok;
  }

  // hand_back gives the pairs that were not inserted to the batch, as far as it has room.
  void hand_back(const hz_batch& b, const Rows<P>& rows, const Array<u8>& status) {
    const Array<u64> left(rows.n);
    const thrust::counting_iterator<u64> from(0);
    const u64 n =
        thrust::copy_if(on_gpu(), from, from + rows.n, status.begin(), left.begin(), Is<u8>{k_failed}) - left.begin();
    const u64 room = b.PairKeys == 0 ? 0 : std::min<u64>(n, b.PairLimit);
    thrust::gather(on_gpu(), left.begin(), left.begin() + room, rows.keys, array<Key>(b.PairKeys));
    thrust::gather(on_gpu(), left.begin(), left.begin() + room, rows.values, array<Value>(b.PairValues));
    add_to(b, kCount_pairs, n);
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

// carry_out is the body of a kernel. The second region has the bytes that the table takes between
// batches.
template <class P, class Map, u8 op>
void carry_out(const void* table, void* batch, u64, u64 n) {
  using R = Reference<P, Map>;
  const hz_table& t = *static_cast<const hz_table*>(table);
  R& r = Tables<R>::of(t);
  r.run(Operation(op), *static_cast<const hz_batch*>(batch), n);
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

// The contents of the library, as in kernel.h.
struct Kernel : hz_kernel {
  static inline const Kernel* list = nullptr;
  Kernel(const char* name, hz_body body) : hz_kernel{name, body, list} { list = this; }
};
struct Args : hz_args {
  static inline const Args* list = nullptr;
  Args(const char* scheme, const char* names) : hz_args{scheme, names, list} { list = this; }
};

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

#define HZ_ARGS(scheme, names) static hz::Args args_of_scheme(scheme, names);
#define HZ_LIBRARY_OP(name, S, pair, op)                                                       \
  static hz::Kernel name##_kernel(#name, hz::carry_out<hz::pair, S<hz::pair>, hz::k_op_##op>);
#define HZ_LIBRARY_OWN(name, S, pair, which) static hz::Kernel name##_kernel(#name, hz::which<hz::pair, S<hz::pair>>);
#define HZ_PLUGIN                                                                                           \
  extern "C" __attribute__((visibility("default"))) const hz_library* hz_plugin() { return hz::library(); }

#endif
