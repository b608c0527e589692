// tile_words_cpu.h: words of memory as a CPU's kernels read, write and swap them. See tile.h.
#pragma once

namespace hz {

// Word<N> is an unsigned integer of N bytes that atomic instructions accept.
template <int N>
struct WordOf;
template <>
struct WordOf<1> {
  using type = u8;
};
template <>
struct WordOf<4> {
  using type = u32;
};
template <>
struct WordOf<8> {
  using type = u64;
};
template <>
struct WordOf<16> {
  using type = unsigned __int128;
};
template <class T>
using Word = typename WordOf<sizeof(T)>::type;

// swap_16 is compare_and_swap for 16 bytes, as one instruction: cmpxchg16b or casp.
// (__atomic would call a library, and gcc 12 has no 16-byte __sync on arm64.)
using Word16 = unsigned __int128;
HZ_FN Word16 swap_16(Word16* at, Word16 expected, Word16 desired) {
#if defined(__aarch64__)
  register u64 low asm("x0") = u64(expected);
  register u64 high asm("x1") = u64(expected >> 64);
  register u64 new_low asm("x2") = u64(desired);
  register u64 new_high asm("x3") = u64(desired >> 64);
  asm volatile("caspal x0, x1, x2, x3, [%4]" : "+r"(low), "+r"(high) : "r"(new_low), "r"(new_high), "r"(at) : "memory");
  return Word16(high) << 64 | low;
#else
  return __sync_val_compare_and_swap(at, expected, desired);
#endif
}

// compare_and_swap writes desired to *at if *at equals expected, and returns the old
// value. It is a full barrier.
template <class T>
HZ_FN T compare_and_swap(T* at, T expected, T desired) {
  observe_change(at);
  auto* word = reinterpret_cast<Word<T>*>(at);
  if constexpr (sizeof(T) == 16) {
    return bits<T>(swap_16(word, bits<Word16>(expected), bits<Word16>(desired)));
  } else {
    return bits<T>(__sync_val_compare_and_swap(word, bits<Word<T>>(expected), bits<Word<T>>(desired)));
  }
}

// read_halves reads 16 bytes by two loads.
template <class T>
HZ_FN T read_halves(const T* at) {
  const u64* half = reinterpret_cast<const u64*>(at);
  const u64 low = __atomic_load_n(half, __ATOMIC_RELAXED), high = __atomic_load_n(half + 1, __ATOMIC_RELAXED);
  return bits<T>(Word16(high) << 64 | low);
}

template <class T>
HZ_FN T atomic_exchange(T* at, T desired) {
  observe_change(at);
  if constexpr (sizeof(T) == 16) {
    T seen = read_halves(at);  // a torn read only costs another iteration
    for (;;) {
      T old = compare_and_swap(at, seen, desired);
      if (bits<Word<T>>(old) == bits<Word<T>>(seen)) return old;
      seen = old;
    }
  } else {
    return bits<T>(__atomic_exchange_n(reinterpret_cast<Word<T>*>(at), bits<Word<T>>(desired), __ATOMIC_ACQ_REL));
  }
}

// The inline-assembly constraint for a vector register.
#if defined(__x86_64__)
#define HZ_VECTOR_REGISTER "+x"
#else
#define HZ_VECTOR_REGISTER "+w"
#endif

// VectorOf<N> is a type of N bytes that fits that constraint. For 8 and 4 bytes clang
// accepts integers there, but not vectors.
template <int N>
struct VectorOf {
  typedef u32 type __attribute__((vector_size(N), may_alias));
};
template <>
struct VectorOf<8> {
  typedef u64 type __attribute__((may_alias));
};
template <>
struct VectorOf<4> {
  typedef u32 type __attribute__((may_alias));
};

// read_word reads one table word without tearing.
template <class T>
HZ_FN T read_word(const T* at) {
  if constexpr (sizeof(T) == 16) {
#if defined(__AVX__)
    // Every x86-64 with AVX makes an aligned 16-byte load a single access.
    typename VectorOf<16>::type w;
    asm volatile("vmovdqa %1, %0" : "=x"(w) : "m"(*at));
    return bits<T>(w);
#else
    auto* word = reinterpret_cast<Word16*>(const_cast<T*>(at));
    return bits<T>(swap_16(word, 0, 0));
#endif
  } else {
    return bits<T>(__atomic_load_n(reinterpret_cast<const Word<T>*>(at), __ATOMIC_RELAXED));
  }
}

// write_word writes one table word without tearing.
template <class T>
HZ_FN void write_word(T* at, T value) {
  observe_change(at);
  if constexpr (sizeof(T) == 16) {
#if defined(__AVX__)
    asm volatile("vmovdqa %1, %0" : "=m"(*at) : "x"(bits<typename VectorOf<16>::type>(value)));
#else
    atomic_exchange(at, value);
#endif
  } else {
    __atomic_store_n(reinterpret_cast<Word<T>*>(at), bits<Word<T>>(value), __ATOMIC_RELAXED);
  }
}

}  // namespace hz
