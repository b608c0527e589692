// parted.h: values wider than a word, read and written in parts.
#pragma once

#include "tile.h"

namespace hz {

// read_parts and write_parts access what is wider than a word in parts of 4 or 8 bytes.
template <class V>
HZ_FN auto parts_of() {
  if constexpr (alignof(V) < 8) {
    return u32(0);
  } else {
    return u64(0);
  }
}
template <class V>
struct Parts {
  using Part = decltype(parts_of<V>());
  static constexpr u32 count = sizeof(V) / sizeof(Part);
  Part part[count];
};
template <class V>
HZ_FN V read_parts(const V* at) {
  Parts<V> all;
#pragma GCC unroll 9
  for (u32 i = 0; i < Parts<V>::count; i++) {
    all.part[i] = lane_read(Lane{0}, reinterpret_cast<const typename Parts<V>::Part*>(at) + i);
  }
  return bits<V>(all);
}
template <class V>
HZ_FN void write_parts(V* at, const V& value) {
  const Parts<V> all = bits<Parts<V>>(value);
#pragma GCC unroll 9
  for (u32 i = 0; i < Parts<V>::count; i++) {
    lane_write(Lane{0}, reinterpret_cast<typename Parts<V>::Part*>(at) + i, all.part[i]);
  }
}

}  // namespace hz
