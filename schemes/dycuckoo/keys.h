// keys.h: the keys of a bucket that has its values apart. See locked.h.
#pragma once

#include "drive.h"

namespace hz {

// KeyBucket is a snapshot of the keys of a bucket.
template <class K, int B>
class KeyBucket {
 public:
  static constexpr int bytes = sizeof(K) * B;
  static constexpr K empty = ~K(0);

  HZ_FN KeyBucket() {}
  template <class Tile>
  HZ_FN KeyBucket(const Tile& tile, const K* keys) : seen_(tile.load(keys)) {}
  // Reads the keys if `read` is set; otherwise all slots look empty.
  template <class Tile>
  HZ_FN KeyBucket(const Tile& tile, const K* keys, bool read) {
    tile.each([&](Lane l) { seen_[l] = empty; });
    if (read) seen_ = tile.load(keys);
  }

  // find returns the slots that hold a key, open those that hold none.
  template <class Tile>
  HZ_FN CollectiveOf<Tile, u32> find(const Tile& tile, K key) const {
    return tile.ballot_equal(seen_, key);
  }
  template <class Tile>
  HZ_FN CollectiveOf<Tile, u32> open(const Tile& tile) const {
    return tile.ballot_equal(seen_, empty);
  }
  template <class Tile>
  HZ_FN CollectiveOf<Tile, K> key(const Tile& tile, u32 slot) const {
    return tile.pick(seen_, int(slot));
  }

 private:
  Lanes<K, B> seen_;
};

// read_value reads a value that another tile may have written during this launch.
template <class V>
HZ_FN V read_value(Lane l, const V* at) {
  if constexpr (sizeof(V) <= 8) {
    return lane_read(l, at);
  } else {
    V value;
#pragma GCC unroll 8
    for (int i = 0; i < V::words; i++) value.word[i] = lane_read(l, &at->word[i]);
    return value;
  }
}

}  // namespace hz
