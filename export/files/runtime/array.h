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

// Scratch is memory for the time of one operation.
template <class T>
class Scratch {
 public:
  explicit Scratch(u64 n) : data_(static_cast<T*>(allocate(std::max<u64>(1, n) * sizeof(T)))) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { release(data_); }
  T* data() const { return data_; }

 private:
  T* data_;
};

}  // namespace hashzoo

#endif
