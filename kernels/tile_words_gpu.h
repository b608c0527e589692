// tile_words_gpu.h: words of memory as a GPU's kernels read, write and swap them. See tile.h.
#pragma once

namespace hz {

// Atomics are relaxed and device-scoped: see the paragraph on memory order in tile.h.
template <class T>
HZ_FN T compare_and_swap(T* at, T expected, T desired) {
  if constexpr (sizeof(T) == 16) {
    Two e = bits<Two>(expected), d = bits<Two>(desired), o;
    asm volatile(
        "{ .reg .b128 e, d, o;\n"
        "  mov.b128 e, {%3, %4};\n"
        "  mov.b128 d, {%5, %6};\n"
        "  atom.relaxed.gpu.global.cas.b128 o, [%2], e, d;\n"
        "  mov.b128 {%0, %1}, o; }"
        : "=l"(o.lo), "=l"(o.hi)
        : "l"(at), "l"(e.lo), "l"(e.hi), "l"(d.lo), "l"(d.hi)
        : "memory");
    return bits<T>(o);
  } else if constexpr (sizeof(T) == 8) {
    u64 old;
    asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(old)
                 : "l"(at), "l"(bits<u64>(expected)), "l"(bits<u64>(desired))
                 : "memory");
    return bits<T>(old);
  } else {
    u32 old;
    asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "l"(at), "r"(bits<u32>(expected)), "r"(bits<u32>(desired))
                 : "memory");
    return bits<T>(old);
  }
}

template <class T>
HZ_FN T atomic_exchange(T* at, T desired) {
  if constexpr (sizeof(T) == 16) {
    Two d = bits<Two>(desired), o;
    asm volatile(
        "{ .reg .b128 d, o;\n"
        "  mov.b128 d, {%3, %4};\n"
        "  atom.relaxed.gpu.global.exch.b128 o, [%2], d;\n"
        "  mov.b128 {%0, %1}, o; }"
        : "=l"(o.lo), "=l"(o.hi)
        : "l"(at), "l"(d.lo), "l"(d.hi)
        : "memory");
    return bits<T>(o);
  } else if constexpr (sizeof(T) == 8) {
    u64 old;
    asm volatile("atom.relaxed.gpu.global.exch.b64 %0, [%1], %2;"
                 : "=l"(old)
                 : "l"(at), "l"(bits<u64>(desired))
                 : "memory");
    return bits<T>(old);
  } else {
    u32 old;
    asm volatile("atom.relaxed.gpu.global.exch.b32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(at), "r"(bits<u32>(desired))
                 : "memory");
    return bits<T>(old);
  }
}

// read_word reads one table word without tearing. It bypasses the L1 cache, which is not
// coherent with writes of other multiprocessors.
template <class T>
HZ_FN T read_word(const T* at) {
  if constexpr (sizeof(T) == 16) {
    Two w;
    asm volatile(
        "{ .reg .b128 w;\n"
        "  ld.relaxed.gpu.global.b128 w, [%2];\n"
        "  mov.b128 {%0, %1}, w; }"
        : "=l"(w.lo), "=l"(w.hi)
        : "l"(at)
        : "memory");
    return bits<T>(w);
  } else if constexpr (sizeof(T) == 8) {
    u64 w;
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(w) : "l"(at) : "memory");
    return bits<T>(w);
  } else {
    u32 w;
    asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(w) : "l"(at) : "memory");
    return bits<T>(w);
  }
}

// Word is a table word as what registers hold.
template <int N>
struct WordOf {
  using Type = u64;
};
template <>
struct WordOf<4> {
  using Type = u32;
};
template <>
struct WordOf<16> {
  using Type = Two;
};
template <class T>
using Word = typename WordOf<sizeof(T)>::Type;

HZ_FN Two choose(bool c, const Two& a, const Two& b) { return {c ? a.lo : b.lo, c ? a.hi : b.hi}; }

// keep_in_register makes a value opaque, so the compiler does not trace where it came from.
HZ_FN void keep_in_register(u32& x) { asm("" : "+r"(x)); }
HZ_FN void keep_in_register(u64& x) { asm("" : "+l"(x)); }
HZ_FN void keep_in_register(Two& x) { asm("" : "+l"(x.lo), "+l"(x.hi)); }

// read_row reads adjacent table words, each without tearing: 16 bytes by one load.
template <class T, int N>
HZ_FN void read_row(const T* at, Word<T> (&row)[N]) {
  if constexpr (sizeof(T) == 8 && N % 2 == 0) {
#pragma unroll
    for (int i = 0; i < N; i += 2) {
      asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"
                   : "=l"(row[i]), "=l"(row[i + 1])
                   : "l"(at + i)
                   : "memory");
    }
  } else if constexpr (sizeof(T) == 4 && N % 4 == 0) {
#pragma unroll
    for (int i = 0; i < N; i += 4) {
      asm volatile("ld.relaxed.gpu.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(row[i]), "=r"(row[i + 1]), "=r"(row[i + 2]), "=r"(row[i + 3])
                   : "l"(at + i)
                   : "memory");
    }
  } else {
#pragma unroll
    for (int i = 0; i < N; i++) row[i] = bits<Word<T>>(read_word(at + i));
  }
}

// read_two reads two adjacent words of 8 bytes, or leaves what is there if `at` is null: in place, which a branch
// around a read is not.
HZ_FN void read_two(u64 at, u64 (&row)[2]) {
  asm volatile(
      "{ .reg .pred wanted;\n"
      "  setp.ne.u64 wanted, %2, 0;\n"
      "  @wanted ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2]; }"
      : "+l"(row[0]), "+l"(row[1])
      : "l"(at)
      : "memory");
}

// write_word writes one table word without tearing.
template <class T>
HZ_FN void write_word(T* at, T value) {
  if constexpr (sizeof(T) == 16) {
    Two w = bits<Two>(value);
    asm volatile(
        "{ .reg .b128 w;\n"
        "  mov.b128 w, {%1, %2};\n"
        "  st.relaxed.gpu.global.b128 [%0], w; }" ::"l"(at),
        "l"(w.lo), "l"(w.hi)
        : "memory");
  } else if constexpr (sizeof(T) == 8) {
    asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(at), "l"(bits<u64>(value)) : "memory");
  } else if constexpr (sizeof(T) == 1) {
    asm volatile("st.relaxed.gpu.global.b8 [%0], %1;" ::"l"(at), "r"(u32(value)) : "memory");
  } else {
    asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(at), "r"(bits<u32>(value)) : "memory");
  }
}

HZ_FN void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

// release_word writes a word with release order.
HZ_FN void release_word(u32* at, u32 value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

HZ_FN u64 atomic_add(u64* at, u64 amount) {
  u64 old;
  asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;" : "=l"(old) : "l"(at), "l"(amount) : "memory");
  return old;
}
HZ_FN u32 atomic_add(u32* at, u32 amount) {
  u32 old;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(at), "r"(amount) : "memory");
  return old;
}

}  // namespace hz
