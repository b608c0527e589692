// compare_cpu.h: compares the lanes of a tile four or eight at a time, where the processor has
// AVX2. Bucket searches spend their time here. Each function returns a mask of lanes.
#pragma once

#include "inline_cpu.h"

#if defined(__AVX2__)

namespace hz {

// Vectors of 32 bytes, in the compiler's own terms: the header of the intrinsics takes longer
// to parse than everything else here.
typedef u64 U64x4 __attribute__((vector_size(32), may_alias));
typedef u32 U32x8 __attribute__((vector_size(32), may_alias));
typedef double F64x4 __attribute__((vector_size(32)));
typedef float F32x8 __attribute__((vector_size(32)));

// upper_bits returns the upper bit of each element as a mask.
HZ_FN u32 upper_bits(U64x4 words) { return u32(__builtin_ia32_movmskpd256(F64x4(words))); }
HZ_FN u32 upper_bits(U32x8 words) { return u32(__builtin_ia32_movmskps256(F32x8(words))); }

// equal_words returns which of W neighboring words of 8 or 4 bytes equal a value.
template <int W>
HZ_FN u32 equal_words(const u64* words, u64 value) {
  u32 mask = 0;
  for (int i = 0; i < W; i += 4) {
    mask |= upper_bits(U64x4(*reinterpret_cast<const U64x4*>(words + i) == value)) << i;
  }
  return mask;
}
template <int W>
HZ_FN u32 equal_words(const u32* words, u32 value) {
  u32 mask = 0;
  for (int i = 0; i < W; i += 8) {
    mask |= upper_bits(U32x8(*reinterpret_cast<const U32x8*>(words + i) == value)) << i;
  }
  return mask;
}

// quads goes over the keys of W pairs of 4+4 bytes, four at once: compare gets the words of
// four pairs, and sets those that hold to ones. A key is the lower half of its pair.
template <int W, class F>
HZ_FN u32 quads(const void* pairs, F&& compare) {
  u32 mask = 0;
  for (int i = 0; i < W; i += 4) {
    const U32x8 words = *(static_cast<const U32x8*>(pairs) + i / 4);
    mask |= upper_bits(U64x4(compare(words)) << 32) << i;
  }
  return mask;
}

// keys_equal and keys_from return which of W pairs have this key, or one not below it.
template <int W>
HZ_FN u32 keys_equal(const void* pairs, u32 key) {
  return quads<W>(pairs, [&](const U32x8& words) { return U32x8(words == key); });
}
template <int W>
HZ_FN u32 keys_from(const void* pairs, u32 least) {
  return quads<W>(pairs, [&](const U32x8& words) { return U32x8(words >= least); });
}

}  // namespace hz

#endif
