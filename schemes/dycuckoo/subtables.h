// subtables.h: a table made of d subtables of different sizes, and where a key belongs.
//
// A subtable has n buckets of B slots. The keys of a bucket are contiguous, so a tile
// reads them in one access. The values are in an array after all keys: they may be large,
// and most accesses do not need them. Every bucket has a lock.
//
//   Region[2 i]      subtable i: n * B keys, then n * B values
//   Region[2 i + 1]  its locks: n words
//
// Sizes. The number of buckets of a subtable is `base`, which all subtables share, times
// the subtable's own power of two, so each can be doubled and halved. Doubling n buckets
// splits the keys of bucket j between j and j + n; halving n buckets merges j and j + n/2
// into j. `base` may be any number, so a table can have nearly any size.
//
// Two layers. A first hash function selects the two subtables a key may be in, whatever
// their sizes. The function of a subtable then selects the bucket. So a key has two
// places, however many subtables exist. Without the first layer (places=all) a key has a
// place in every subtable.
//
// Home. An insert begins at one of the key's places, its home. As long as the weights do
// not change, all other operations begin there too and find nearly all keys. The home is
// chosen at random (by the key's hash) in proportion to the weights of the subtables,
// which say how many keys each should get.
#ifndef HZ_SUBTABLES_H
#define HZ_SUBTABLES_H

#include "hash.h"
#include "pair.h"
#include "tally.h"

namespace hz {

template <class P, int B>
class Subtables {
 public:
  using Key = typename P::Key;
  using Value = typename P::Value;
  static constexpr u32 most = 5;  // the maximum number of subtables

  // Arg indexes the table block's arguments; the host side of the scheme writes them.
  enum Arg { kPlaces = 1, kBase, kLevel, kWeight = kLevel + most };
  enum { kTwo, kAll };  // the values of kPlaces

  HZ_FN explicit Subtables(const hz_table* t) : table_(t) {}

  HZ_FN u32 count() const { return table_->Hashes; }
  HZ_FN u32 places() const { return table_->Arg[kPlaces] == kTwo ? 2 : count(); }
  HZ_FN u32 buckets(u32 subtable) const { return u32(table_->Arg[kBase]) << table_->Arg[kLevel + subtable]; }
  HZ_FN u64 slots(u32 subtable) const { return u64(buckets(subtable)) * B; }

  // A place encodes a subtable and a bucket in one number.
  HZ_FN Key* keys(u32 place) const { return keys_of(place >> kBits) + first_slot(place); }
  HZ_FN Value* values(u32 place) const { return values_of(place >> kBits) + first_slot(place); }
  HZ_FN u32* lock(u32 place) const {
    return reinterpret_cast<u32*>(table_->Region[2 * (place >> kBits) + 1]) + place % kOne;
  }
  HZ_FN Key* keys_of(u32 subtable) const { return reinterpret_cast<Key*>(table_->Region[2 * subtable]); }
  HZ_FN Value* values_of(u32 subtable) const { return reinterpret_cast<Value*>(keys_of(subtable) + slots(subtable)); }

  // slot returns slot i of the whole table, in the order of the subtables.
  HZ_FN P slot(u64 i) const {
    u32 subtable = 0;
    for (; i >= slots(subtable); subtable++) i -= slots(subtable);
    P pair{keys_of(subtable)[i], P::Traits::ones()};
    if (pair.is_live()) pair.value = values_of(subtable)[i];
    return pair;
  }

  // bucket returns the bucket of a key in a subtable.
  HZ_FN u32 bucket(u32 subtable, Key key) const {
    const u32 h = hash(subtable, key);
    if (table_->Family == HZ_UNIVERSAL) return h % buckets(subtable);
    const u32 base = u32(table_->Arg[kBase]), low = (u32(1) << table_->Arg[kLevel + subtable]) - 1;
    return multiply_high(h, base) + base * (h & low);
  }

  HZ_FN u32 home(Key key) const {
    const Layer layer = first_layer(key);
    u32 subtable = layer.one;
    if (table_->Arg[kPlaces] == kTwo) {
      const u32 one = weight(layer.one);
      subtable = multiply_high(layer.chance, one + weight(layer.other)) < one ? layer.one : layer.other;
    } else {
      subtable = one_of_all(layer.chance);
    }
    return place(subtable, key);
  }

  // lowest returns the place of a key in the lowest-numbered of its subtables. next
  // continues from there in the order of subtables.
  HZ_FN u32 lowest(Key key) const {
    const Layer layer = first_layer(key);
    const u32 of_two = layer.one < layer.other ? layer.one : layer.other;
    return place(table_->Arg[kPlaces] == kTwo ? of_two : 0, key);
  }

  // next returns the key's next place; after the last it returns to the first.
  HZ_FN u32 next(u32 here, Key key) const {
    const u32 subtable = here >> kBits;
    const Layer layer = first_layer(key);
    const u32 two = layer.one == subtable ? layer.other : layer.one;
    const u32 all = subtable + 1 == count() ? 0 : subtable + 1;
    return place(table_->Arg[kPlaces] == kTwo ? two : all, key);
  }

 private:
  static constexpr u32 kBits = 29, kOne = u32(1) << kBits;

  // Layer is the first hash function's result for a key: two different subtables, and the
  // remaining random bits.
  struct Layer {
    u32 one, other, chance;
  };
  HZ_FN Layer first_layer(Key key) const {
    const u64 first = u64(hash(HZ_MAX_HASHES - 1, key)) * count();
    const u64 second = u64(u32(first)) * (count() - 1);
    const u32 one = u32(first >> 32), other = one + 1 + u32(second >> 32);
    return {one, other < count() ? other : other - count(), u32(second)};
  }

  HZ_FN u32 one_of_all(u32 chance) const {
    u32 sum = 0, subtable = 0;
    for (u32 i = 0; i < count(); i++) sum += weight(i);
    u32 left = multiply_high(chance, sum);
    for (; subtable + 1 < count() && left >= weight(subtable); subtable++) left -= weight(subtable);
    return subtable;
  }

  HZ_FN u32 hash(u32 function, Key key) const {
    const hz_hash& h = table_->Hash[function];
    return table_->Family == HZ_UNIVERSAL ? universal_hash(h, key) : fast_hash(h, key);
  }
  HZ_FN u32 weight(u32 subtable) const { return u32(table_->Arg[kWeight + subtable]); }
  HZ_FN u32 place(u32 subtable, Key key) const { return subtable << kBits | bucket(subtable, key); }
  HZ_FN static u64 first_slot(u32 place) { return u64(place % kOne) * B; }

  const hz_table* table_;  // read when needed: it is cached, and registers are scarce
};

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
  HZ_FN u32 find(const Tile& tile, K key) const {
    return tile.ballot_equal(seen_, key);
  }
  template <class Tile>
  HZ_FN u32 open(const Tile& tile) const {
    return tile.ballot_equal(seen_, empty);
  }
  template <class Tile>
  HZ_FN K key(const Tile& tile, u32 slot) const {
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

#endif
