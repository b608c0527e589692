// hash.h: the two families of hash functions.
//
//   universal  h(k; a, b) = ((a k + b) mod p) mod L with p = 4294967291, as in the
//              papers. An 8-byte key is two 4-byte halves, each with its own
//              multiplier: ((a lo + c hi + b) mod p) mod L. With one multiplier, keys
//              that are equal modulo p would share all their buckets for every seed.
//   fast       No division: a seeded multiply and add, two rounds of xorshift and
//              multiply, and the upper half of the product with L as the range.
//              About a third of the instructions of universal.
//
// A table has up to HZ_MAX_HASHES functions of one family. Their constants derive from
// the seed (schemes/config.go) and are part of every result.
#pragma once

#include "tile.h"

namespace hz {

inline constexpr u64 kPrime = 4294967291;  // 2^32 - 5

// mod_prime is x mod p without a division: 2^32 = 5 (mod p).
HZ_FN u32 mod_prime(u64 x) {
  x = (x >> 32) * 5 + u32(x);  // below 2^35
  x = (x >> 32) * 5 + u32(x);  // below 2^32 + 35
  return u32(x >= kPrime ? x - kPrime : x);
}

HZ_FN u32 universal_hash(const hz_hash& h, u32 key) { return mod_prime(h.A * key + h.B); }
HZ_FN u32 universal_hash(const hz_hash& h, u64 key) {
  u64 low = mod_prime(h.A * u32(key) + h.B);
  return mod_prime(h.C * (key >> 32) + low);
}

HZ_FN u32 fast_hash(const hz_hash& h, u32 key) {
  u32 x = key * u32(h.A) + u32(h.B);
  x = (x ^ x >> 16) * 0x21f0aaadu;
  return (x ^ x >> 15) * 0x735a2d97u;
}
HZ_FN u32 fast_hash(const hz_hash& h, u64 key) {
  u64 x = key * h.A + h.B;
  x = (x ^ x >> 32) * 0xe9846af9b1a615ddull;
  return u32((x ^ x >> 28) * 0x9e3779b97f4a7c15ull >> 32);
}

// hash_of is the hash of a key, and bucket_of maps it to one of `range` buckets.
template <class K>
HZ_FN u32 hash_of(const hz_hash& h, u32 family, K key) {
  return family == HZ_UNIVERSAL ? universal_hash(h, key) : fast_hash(h, key);
}
HZ_FN u32 bucket_of(u32 hash, u32 family, u32 range) {
  return family == HZ_UNIVERSAL ? hash % range : multiply_high(hash, range);
}
template <class K>
HZ_FN u32 hash_to(const hz_hash& h, u32 family, K key, u32 range) {
  return bucket_of(hash_of(h, family, key), family, range);
}

// mix64 turns a number into one that looks random (the finalizer of splitmix64).
HZ_FN u64 mix64(u64 x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

// mix32 is the 32-bit version of mix64, for choices that need few bits.
HZ_FN u32 mix32(u32 x) {
  x = (x ^ x >> 16) * 0x21f0aaadu;
  x = (x ^ x >> 15) * 0x735a2d97u;
  return x ^ x >> 15;
}

// Paged: one of the functions of a key maps it to the page of its bucket by the function before, or to that bucket
// itself where the last page is cut off. Which one, or 0 for none, and how many buckets a page has, a power of two, are
// words of the table that its host side sets. NoPages: each function maps keys to any bucket.
template <int Second, int Buckets>
class Paged {
 public:
  HZ_FN explicit Paged(const hz_table* t) : second_(u32(t->Arg[Second])), page_(u32(t->Arg[Buckets])) {}

  HZ_FN bool are_of(u32 i) const { return i == second_; }
  HZ_FN u32 near(u32 bucket, u32 hash, u32 buckets) const {
    const u32 other = (bucket & ~(page_ - 1)) | (hash & (page_ - 1));
    return other < buckets ? other : bucket;
  }
  // cut_off: is a bucket of the last page, if that is smaller than others?
  HZ_FN bool cut_off(u32 bucket, u32 buckets) const { return second_ != 0 && bucket >= (buckets & ~(page_ - 1)); }

 private:
  u32 second_, page_;
};
struct NoPages {
  HZ_FN explicit NoPages(const hz_table*) {}
  HZ_FN static bool are_of(u32) { return false; }
  HZ_FN static u32 near(u32 bucket, u32, u32) { return bucket; }
  HZ_FN static bool cut_off(u32, u32) { return false; }
};

// Hashes are the hash functions of one table. Their constants stay in the table block:
// they are cached there, and walks need the registers.
template <class Pages>
class HashesOf {
 public:
  HZ_FN explicit HashesOf(const hz_table* t) : table_(t), range_(u32(t->Buckets)), family_(t->Family), pages_(t) {}

  HZ_FN u32 count() const { return table_->Hashes; }

  template <class K>
  HZ_FN u32 at(u32 i, K key) const {
    if (i > 0 && pages_.are_of(i)) return at(i, key, hash_to(table_->Hash[i - 1], family_, key, range_));
    return hash_to(table_->Hash[i], family_, key, range_);
  }
  // Here the bucket by the function before is known.
  template <class K>
  HZ_FN u32 at(u32 i, K key, u32 before) const {
    const u32 hash = hash_of(table_->Hash[i], family_, key), far = bucket_of(hash, family_, range_);
    return pages_.are_of(i) ? pages_.near(before, hash, range_) : far;
  }

  HZ_FN bool cut_off(u32 bucket) const { return pages_.cut_off(bucket, range_); }

  // after returns the bucket that a key moves to when it has to leave `bucket`: that of
  // the function after the one that placed it there. If several functions map the key to
  // `bucket`, the lowest counts, because finds try it first; but a pair that has to leave does
  // not go to the same bucket again, as long as there is another one.
  template <class K>
  HZ_FN u32 after(u32 bucket, K key) const {
    const u32 first = at(0, key);
    u32 here = first;
    for (u32 i = 1; i < count(); i++) {
      u32 next = at(i, key, here);
      if (here == bucket && next != bucket) return next;
      here = next;
    }
    return first;
  }

 private:
  const hz_table* table_;
  u32 range_, family_;
  [[no_unique_address]] Pages pages_;
};
using Hashes = HashesOf<NoPages>;

}  // namespace hz
