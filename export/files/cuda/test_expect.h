// test_expect.h: what the parts of the test share.
#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>

#include "test.h"

using hashzoo::Array;
using hashzoo::Counts;
using hashzoo::u32;
using hashzoo::u64;
using hashzoo::u8;

inline int wrong = 0, checked = 0;

inline void expect(bool holds, const std::string& what) {
  checked++;
  if (holds) return;
  std::printf("wrong: %s\n", what.c_str());
  if (++wrong == 20) std::exit(1);
}
inline void expect(u64 have, u64 want, const std::string& what) {
  expect(have == want, what + ": " + std::to_string(have) + ", not " + std::to_string(want));
}

// Values as numbers. The further words of a wide value follow from the first.
template <class V>
struct Numbers {
  static V of(u64 n) { return V(n); }
  static u64 from(const V& v) { return v; }
};
template <int N>
struct Numbers<hz::Wide<N>> {
  static hz::Wide<N> of(u64 n) {
    hz::Wide<N> v;
    for (u64 i = 0; i < N / 8; i++) v.word[i] = n + i * 0x9e3779b97f4a7c15;
    return v;
  }
  static u64 from(const hz::Wide<N>& v) {
    const hz::Wide<N> same = of(v.word[0]);
    if (std::memcmp(&same, &v, N) != 0) expect(false, "a torn value");
    return v.word[0];
  }
};
template <>
struct Numbers<hz::Nothing> {
  static hz::Nothing of(u64) { return {}; }
  static u64 from(hz::Nothing) { return 0; }
};

// largest masks a number to the width of a value.
template <class V>
u64 largest() {
  return sizeof(V) < 8 && !std::is_empty_v<V> ? ~u64(0) >> (64 - 8 * sizeof(V)) : std::is_empty_v<V> ? 0 : ~u64(0);
}
