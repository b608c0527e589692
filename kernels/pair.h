// pair.h: a key and its value.
//
// Pair<K> is 4+4 or 8+8 bytes in one word. It is always read, compared and swapped whole,
// so no reader sees a key with another key's value. 16-byte words need cmpxchg16b
// (x86-64), casp (arm64) or atom.b128 (sm_90 and later).
//
// PairOf<K, V> is for schemes that store keys and values apart or protect them by other
// means. Its value has 4 or 8 bytes, more (Wide), or none (Nothing). An operation returns
// an Answer: the value, or a number if values are Nothing.
//
// Two keys are reserved: ~0 marks a slot that was never used, ~0 - 1 a slot whose pair
// was erased. Batches refuse them as input (batch.h), so they never appear as data.
#pragma once

#include "tile.h"

namespace hz {

// choose is c ? a : b, element by element. On a whole struct, clang would put ?: through
// local memory.
HZ_FN u32 choose(bool c, u32 a, u32 b) { return c ? a : b; }
HZ_FN u64 choose(bool c, u64 a, u64 b) { return c ? a : b; }

// Wide is a value of N bytes. The values of batches are 64-bit numbers; the first word of
// a wide value is that number, and the other words are derived from it. A reader can
// therefore detect a torn value.
template <int N>
struct Wide {
  static_assert(N % 8 == 0, "a wide value is a number of 8-byte words");
  static constexpr int words = N / 8;
  u64 word[words];

  HZ_FN static u64 nth(u64 number, u64 i) { return number + i * 0x9e3779b97f4a7c15ull; }
};
template <int N>
HZ_FN Wide<N> choose(bool c, const Wide<N>& a, const Wide<N>& b) {
  Wide<N> chosen;
#pragma GCC unroll 8
  for (int i = 0; i < Wide<N>::words; i++) chosen.word[i] = c ? a.word[i] : b.word[i];
  return chosen;
}
template <int N>
HZ_FN bool operator==(const Wide<N>& a, const Wide<N>& b) {
  bool equal = true;
  for (int i = 0; i < Wide<N>::words; i++) equal = equal && a.word[i] == b.word[i];
  return equal;
}

// Nothing is the value type of tables that hold only keys.
struct Nothing {};
HZ_FN Nothing choose(bool, Nothing, Nothing) { return {}; }
HZ_FN bool operator==(Nothing, Nothing) { return true; }

// ValueTraits describes a value type: its size, its answer type, and how a value is made
// from a number.
template <class V>
struct ValueTraits {
  using Answer = V;
  static constexpr int bytes = sizeof(V);
  HZ_FN static V of(u64 number) { return V(number); }
  HZ_FN static V ones() { return ~V(0); }
  HZ_FN static Answer answer(V value) { return value; }
};
template <int N>
struct ValueTraits<Wide<N>> {
  using Answer = Wide<N>;
  static constexpr int bytes = N;
  HZ_FN static Wide<N> of(u64 number) {
    Wide<N> value;
#pragma GCC unroll 8
    for (int i = 0; i < Wide<N>::words; i++) value.word[i] = Wide<N>::nth(number, u64(i));
    return value;
  }
  HZ_FN static Wide<N> ones() {
    Wide<N> value;
#pragma GCC unroll 8
    for (int i = 0; i < Wide<N>::words; i++) value.word[i] = ~u64(0);
    return value;
  }
  HZ_FN static Answer answer(const Wide<N>& value) { return value; }
};
template <>
struct ValueTraits<Nothing> {
  using Answer = u32;
  static constexpr int bytes = 0;
  HZ_FN static Nothing of(u64) { return {}; }
  HZ_FN static Nothing ones() { return {}; }
  HZ_FN static Answer answer(Nothing) { return 0; }
};

template <class K, class V, int Align = (alignof(V) > alignof(K) ? alignof(V) : alignof(K))>
struct alignas(Align) PairOf {
  using Key = K;
  using Value = V;
  using Traits = ValueTraits<V>;
  using Answer = typename Traits::Answer;
  static constexpr int value_bytes = Traits::bytes;
  static constexpr K kEmptyKey = ~K(0);
  static constexpr K kErasedKey = ~K(0) - 1;

  K key;
  [[no_unique_address]] V value;

  // Where erased slots are used again they have this single bit pattern, so a
  // compare-and-swap knows what to expect.
  HZ_FN static PairOf empty() { return {kEmptyKey, Traits::ones()}; }
  HZ_FN static PairOf erased() { return {kErasedKey, Traits::ones()}; }
  HZ_FN static bool reserved(K key) { return key >= kErasedKey; }

  // no_answer is the answer of an operation that returns nothing; count is that of one
  // that returns a number.
  HZ_FN static Answer no_answer() { return ValueTraits<Answer>::ones(); }
  HZ_FN static Answer count(u64 n) { return ValueTraits<Answer>::of(n); }

  // either selects a or b, member by member: see choose.
  HZ_FN static PairOf either(bool condition, const PairOf& a, const PairOf& b) {
    return {condition ? a.key : b.key, choose(condition, a.value, b.value)};
  }

  HZ_FN bool is_empty() const { return key == kEmptyKey; }
  HZ_FN bool is_live() const { return key < kErasedKey; }
  HZ_FN bool operator==(const PairOf& other) const { return key == other.key && value == other.value; }
};

template <class K>
using Pair = PairOf<K, K, 2 * sizeof(K)>;

using Pair4 = Pair<u32>;
using Pair8 = Pair<u64>;

// Pairs by the names that appear in kernel names.
using k4v4 = Pair4;
using k8v8 = Pair8;
using k4v0 = PairOf<u32, Nothing>;
using k8v0 = PairOf<u64, Nothing>;
using k4v8 = PairOf<u32, u64>;
using k8v4 = PairOf<u64, u32>;
using k4v16 = PairOf<u32, Wide<16>>;
using k8v16 = PairOf<u64, Wide<16>>;
using k4v32 = PairOf<u32, Wide<32>>;
using k8v32 = PairOf<u64, Wide<32>>;
using k4v64 = PairOf<u32, Wide<64>>;
using k8v64 = PairOf<u64, Wide<64>>;

}  // namespace hz
