// pair.h: a key and its value, side by side in one word.
//
// A pair is 4+4 or 8+8 bytes and is always read, compared and swapped whole, so
// no reader ever sees a key with another key's value. 16-byte words need
// cmpxchg16b (x86-64), casp (arm64) or atom.b128 (sm_90 and later).
//
// Two keys are reserved: all ones marks a slot that was never used, one less a
// slot whose pair was erased. They are refused as input (drive.h), so they never
// need to be told apart from data.
#ifndef HZ_PAIR_H
#define HZ_PAIR_H

#include "tile.h"

namespace hz {

template <class K, class V = K>
struct alignas(sizeof(K) + sizeof(V)) Pair {
  using Key = K;
  using Value = V;
  static constexpr K kEmptyKey = ~K(0);
  static constexpr K kErasedKey = ~K(0) - 1;

  K key;
  V value;

  // The marker of an erased slot is one bit pattern, so that a compare-and-swap
  // that reuses it knows what to expect.
  HZ_FN static Pair empty() { return {kEmptyKey, ~V(0)}; }
  HZ_FN static Pair erased() { return {kErasedKey, ~V(0)}; }
  HZ_FN static bool reserved(K key) { return key >= kErasedKey; }

  // Of two, member by member: a choice between wholes would be made in memory.
  HZ_FN static Pair either(bool condition, const Pair& a, const Pair& b) {
    return {condition ? a.key : b.key, condition ? a.value : b.value};
  }

  HZ_FN bool is_empty() const { return key == kEmptyKey; }
  HZ_FN bool is_live() const { return key < kErasedKey; }
  HZ_FN bool operator==(const Pair& other) const { return key == other.key && value == other.value; }
};

using Pair4 = Pair<u32>;
using Pair8 = Pair<u64>;

}  // namespace hz

#endif
