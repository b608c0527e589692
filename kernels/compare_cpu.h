// compare_cpu.h: compares the lanes of a tile four or eight at a time, where the processor has
// AVX2. Bucket searches spend their time here. Each function returns a mask of lanes.
#ifndef HZ_COMPARE_CPU_H
#define HZ_COMPARE_CPU_H

#include "inline_cpu.h"

#if defined(__AVX2__)
#include <immintrin.h>

namespace hz {

// equal_words returns which of W neighboring words of 8 or 4 bytes equal a value.
template <int W>
HZ_FN u32 equal_words(const u64* words, u64 value) {
  u32 mask = 0;
  const __m256i want = _mm256_set1_epi64x((long long)value);
  for (int i = 0; i < W; i += 4) {
    const __m256i have = _mm256_load_si256(reinterpret_cast<const __m256i*>(words + i));
    mask |= u32(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(have, want)))) << i;
  }
  return mask;
}
template <int W>
HZ_FN u32 equal_words(const u32* words, u32 value) {
  u32 mask = 0;
  const __m256i want = _mm256_set1_epi32(int(value));
  for (int i = 0; i < W; i += 8) {
    const __m256i have = _mm256_load_si256(reinterpret_cast<const __m256i*>(words + i));
    mask |= u32(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(have, want)))) << i;
  }
  return mask;
}

// quads goes over the keys of W pairs of 4+4 bytes, four at once: compare gets the words of
// four pairs, and sets those that hold to ones. A key is the lower half of its pair.
template <int W, class F>
HZ_FN u32 quads(const void* pairs, F&& compare) {
  u32 mask = 0;
  for (int i = 0; i < W; i += 4) {
    const __m256i words = _mm256_load_si256(static_cast<const __m256i*>(pairs) + i / 4);
    mask |= u32(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(compare(words), 32)))) << i;
  }
  return mask;
}

// keys_equal and keys_from return which of W pairs have this key, or one not below it.
template <int W>
HZ_FN u32 keys_equal(const void* pairs, u32 key) {
  const __m256i want = _mm256_set1_epi32(int(key));
  return quads<W>(pairs, [&](__m256i words) { return _mm256_cmpeq_epi32(words, want); });
}
template <int W>
HZ_FN u32 keys_from(const void* pairs, u32 least) {
  const __m256i from = _mm256_set1_epi32(int(least));
  return quads<W>(pairs, [&](__m256i words) { return _mm256_cmpeq_epi32(_mm256_max_epu32(words, from), words); });
}

}  // namespace hz

#endif
#endif
