// array.h: memory that ends with its owner.
#ifndef HASHZOO_ARRAY_H
#define HASHZOO_ARRAY_H

namespace hashzoo {

// Array is memory that both the host and the GPU reach, for examples and tests.
template <class T>
class Array {
 public:
  explicit Array(u64 n) : size_(n), data_(static_cast<T*>(allocate_shared(std::max<u64>(1, n) * sizeof(T)))) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { release(data_); }
  T* data() const { return data_; }
  u64 size() const { return size_; }
  T& operator[](u64 i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

 private:
  u64 size_;
  T* data_;
};

#if HZ_GPU

// scratch_pool keeps the memory that operations took for those that follow, because taking memory anew costs up to a
// tenth of an insert. trim gives it back.
inline cudaMemPool_t scratch_pool() {
  static std::mutex one;
  static std::map<int, cudaMemPool_t> pools;
  const std::lock_guard<std::mutex> lock(one);
  cudaMemPoolProps wanted{};
  wanted.allocType = cudaMemAllocationTypePinned, wanted.location.type = cudaMemLocationTypeDevice;
  check(cudaGetDevice(&wanted.location.id), "cudaGetDevice");
  cudaMemPool_t& pool = pools[wanted.location.id];
  if (pool != nullptr) return pool;
  check(cudaMemPoolCreate(&pool, &wanted), "cudaMemPoolCreate");
  u64 kept = ~u64(0);
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), "cudaMemPoolSetAttribute");
  return pool;
}
inline void trim() { check(cudaMemPoolTrimTo(scratch_pool(), 0), "cudaMemPoolTrimTo"); }
inline void* take(u64 bytes, Stream stream) {
  void* at = nullptr;
  const cudaError_t code = cudaMallocFromPoolAsync(&at, bytes, scratch_pool(), stream);
  if (code != cudaSuccess) cudaGetLastError();  // or the next launch would report it
  check(code, "cudaMallocFromPoolAsync");
  return at;
}
inline void give_back(void* at, Stream stream) { cudaFreeAsync(at, stream); }

#elif !defined(HASHZOO_DRIVER)

inline void trim() {}
inline void* take(u64 bytes, Stream) { return allocate(bytes); }
inline void give_back(void* at, Stream) { release(at); }

#endif

// Scratch is memory for the time of one operation.
template <class T>
class Scratch {
 public:
  Scratch(u64 n, Stream stream)
      : stream_(stream), data_(static_cast<T*>(take(std::max<u64>(1, n) * sizeof(T), stream))) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { give_back(data_, stream_); }
  T* data() const { return data_; }

 private:
  Stream stream_;
  T* data_;
};

}  // namespace hashzoo

#endif
