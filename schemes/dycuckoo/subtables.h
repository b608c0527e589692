// subtables.h: a table made of d subtables of different sizes, and where a key belongs.
//
// A subtable has n buckets of B slots, in memory that holds pairs whole or keys and values
// apart (Whole and Apart below). A bucket has 8 whole pairs, or 128 bytes of keys. They are
// contiguous, so a tile reads them in one access. Every bucket has a lock.
//
//   Region[2 i]      subtable i: n * B pairs; or n * B keys, then n * B values
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
#pragma once

#include "drive.h"
#include "hash.h"

namespace hz {

// The size of a bucket of whole pairs, and of one with its keys apart. A GPU reads more
// buckets of 8 pairs of 4+4 bytes per second than of 16, and 8 slots fill as well.
inline constexpr int kBucketPairs = 8;
inline constexpr int kBucketKeyBytes = 128;

// Whole is memory for pairs that are swapped whole: slot after slot.
template <class P>
struct Whole {
  static constexpr int bucket = kBucketPairs;
  P* pairs;

  HZ_FN Whole(u64 memory, u64 /* slots */) : pairs(reinterpret_cast<P*>(memory)) {}
  HZ_FN Whole from(u64 first) const { return Whole(pairs + first); }

  HZ_FN typename P::Key key(u64 i) const { return pairs[i].key; }
  HZ_FN P get(u64 i) const { return pairs[i]; }
  HZ_FN void move(u64 i, const Whole& other, u64 from) const { pairs[i] = other.pairs[from]; }
  HZ_FN void clear(u64 i) const { pairs[i] = P::empty(); }

 private:
  HZ_FN explicit Whole(P* first) : pairs(first) {}
};

// Apart is memory for all keys and then all values, which may be large. Most accesses do
// not need them.
template <class P>
struct Apart {
  using Key = typename P::Key;
  using Value = typename P::Value;
  static constexpr int bucket = kBucketKeyBytes / sizeof(Key);
  Key* keys;
  Value* values;

  HZ_FN Apart(u64 memory, u64 slots)
      : keys(reinterpret_cast<Key*>(memory)), values(reinterpret_cast<Value*>(keys + slots)) {}
  HZ_FN Apart from(u64 first) const { return Apart(keys + first, values + first); }

  HZ_FN Key key(u64 i) const { return keys[i]; }
  HZ_FN P get(u64 i) const {
    P pair{keys[i], P::Traits::ones()};
    if (pair.is_live()) pair.value = values[i];
    return pair;
  }
  HZ_FN void move(u64 i, const Apart& other, u64 from) const {
    keys[i] = other.keys[from];
    values[i] = other.values[from];
  }
  HZ_FN void clear(u64 i) const { keys[i] = P::kEmptyKey; }

 private:
  HZ_FN Apart(Key* first, Value* of_first) : keys(first), values(of_first) {}
};

// Memory is Whole or Apart.
template <class P, template <class> class Memory>
class Subtables {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Slots = Memory<P>;
  static constexpr int B = Slots::bucket;
  static constexpr u32 most = 5;                            // the maximum number of subtables
  static constexpr u32 kBits = 29, kOne = u32(1) << kBits;  // of a place: its bucket

  // Arg indexes the table block's arguments; the host side of the scheme writes those from
  // kBase on. kWeighed is its own.
  enum Arg {
    kMaxChain,
    kPlaces,
    kCoordination,
    kDuplicates,
    kBase,
    kLevel,
    kWeight = kLevel + most,
    kWeighed = kWeight + most
  };
  static constexpr u32 kFresh = 4294967295u;  // a value of kMaxChain
  enum { kTwo, kAll };                        // the values of kPlaces
  enum { kTogether, kVoter, kSpin };          // of kCoordination
  enum { kRefused, kUpdated };                // of kDuplicates

  HZ_FN explicit Subtables(const hz_table* t) : table_(t), each_(array<const hz_table>(t->Here)) {}

  HZ_FN u32 count() const { return table_->Hashes; }
  HZ_FN u32 places() const { return table_->Arg[kPlaces] == kTwo ? 2 : count(); }
  HZ_FN u32 coordination() const { return u32(table_->Arg[kCoordination]); }
  HZ_FN bool updates() const { return table_->Arg[kDuplicates] == kUpdated; }
  HZ_FN u32 max_chain() const { return u32(table_->Arg[kMaxChain]); }
  // still: no pair moves during this launch. fresh: and none did, or was erased, since the
  // table was empty, so a key is at a place only if those before it are full.
  HZ_FN bool still() const { return max_chain() == 0 || fresh(); }
  HZ_FN bool fresh() const { return max_chain() == kFresh; }
  HZ_FN u32 buckets(u32 subtable) const { return u32(table_->Arg[kBase]) << each_->Arg[kLevel + subtable]; }
  HZ_FN u64 slots(u32 subtable) const { return u64(buckets(subtable)) * B; }

  // A place encodes a subtable and a bucket in one number; at returns its slots, and of
  // those of a subtable.
  HZ_FN Slots of(u32 subtable) const { return Slots(each_->Region[2 * subtable], slots(subtable)); }
  HZ_FN Slots at(u32 place) const { return of(place >> kBits).from(u64(place % kOne) * B); }
  HZ_FN u32* lock(u32 place) const {
    return reinterpret_cast<u32*>(each_->Region[2 * (place >> kBits) + 1]) + place % kOne;
  }

  // slot returns slot i of the whole table, in the order of the subtables.
  HZ_FN P slot(u64 i) const {
    u32 subtable = 0;
    for (; i >= slots(subtable); subtable++) i -= slots(subtable);
    return of(subtable).get(i);
  }

  // bucket returns the bucket of a key in a subtable.
  HZ_FN u32 bucket(u32 subtable, Key key) const {
    const u32 h = hash(each_->Hash[subtable], key);
    if (table_->Family == HZ_UNIVERSAL) return h % buckets(subtable);
    const u32 base = u32(table_->Arg[kBase]), low = (u32(1) << each_->Arg[kLevel + subtable]) - 1;
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

  // victim selects a slot to empty at random, differently at every step.
  HZ_FN u32 victim(const Walk<P>& walk) const {
    return mix32(u32(walk.pair.key) ^ (u32(table_->Seed) + walk.step * 0x9e3779b9u)) % B;
  }

 private:
  // Layer is the first hash function's result for a key: two different subtables, and the
  // remaining random bits.
  struct Layer {
    u32 one, other, chance;
  };
  HZ_FN Layer first_layer(Key key) const {
    const u64 first = u64(hash(table_->Hash[HZ_MAX_HASHES - 1], key)) * count();
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

  HZ_FN u32 hash(const hz_hash& h, Key key) const {
    return table_->Family == HZ_UNIVERSAL ? universal_hash(h, key) : fast_hash(h, key);
  }
  HZ_FN u32 weight(u32 subtable) const { return u32(each_->Arg[kWeight + subtable]); }
  HZ_FN u32 place(u32 subtable, Key key) const { return subtable << kBits | bucket(subtable, key); }

  // Both are the table block, which is read when needed: it is cached, and registers are
  // scarce. Lanes look up different subtables at the same time, and divergent reads of
  // constant memory are serialized, so they use the copy of the block in device memory.
  const hz_table *table_, *each_;
};

}  // namespace hz
