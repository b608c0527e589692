// linear.h: linear probing, the oldest open addressing.
//
// Idea. Each key has one home bucket, H(k). If that is full, the pair goes to the next
// bucket with room; the first bucket follows the last. Sequential reads are what memory
// does best: the next bucket is often in the same cache line, or in one that is being
// fetched.
//
//   H(k) = 1, full      bucket 0  [ 9][  ][  ][  ]
//                       bucket 1  [ 3][ 6][ 1][ 4]  <-- k is not here,
//                       bucket 2  [ 7][ k][  ][  ]  <-- but in the next one
//
// With buckets of one slot this is the textbook table, with a thread per key. With larger
// ones a tile reads B slots at once, and walks get shorter by more than a factor of B: a
// bucket averages over how many keys want each of its slots.
//
// Insert. Walk from H(k) until a bucket has a slot that was never used, and put the pair
// there with a compare-and-swap. After max_probes buckets, hand the pair back. Upsert
// searches for its key on the way and replaces its value, or combines it with its own:
// add, min, max, tally. Find, update and erase walk the
// same way and stop at a bucket with an unused slot. An erased slot keeps a marker and is
// not reused, which makes all operations safe to run concurrently (probing.h has the
// argument).
//
// Limits. Full stretches grow together (clustering): with one slot per bucket, an absent
// key costs about 1/2 (1 + 1/(1 - load)^2) probes, 50 at 0.9, and max_probes has to be in
// the thousands there. Markers lengthen walks like pairs do, and take room until the
// table is cleared or flushed. Pairs do not move.
//
// Paper: Knuth, The Art of Computer Programming, volume 3, section 6.4; measured as
// "Linear" in Li, Zhu, Lyu, Huang, Sun: DyCuckoo: Dynamic Hash Tables on GPUs.
#pragma once

#include "probing.h"

namespace hz {

// NextBucket is the probe sequence of adjacent buckets.
class NextBucket {
 public:
  HZ_FN explicit NextBucket(const hz_table* t) : hashes_(t), buckets_(u32(t->Buckets)) {}

  template <class K>
  HZ_FN u32 first(K key) const {
    return hashes_.at(0, key);
  }
  template <class K>
  HZ_FN u32 next(u32 place, K) const {
    return place + 1 == buckets_ ? 0 : place + 1;
  }

 private:
  Hashes hashes_;
  u32 buckets_;
};

template <class P, int B>
using Linear = Probing<P, B, NextBucket>;

}  // namespace hz
