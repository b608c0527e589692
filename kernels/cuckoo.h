// cuckoo.h: the base of cuckoo tables.
//
// Finds, updates and erases are those of choices.h, with early exit: inserts try the
// functions in order, and a pair only leaves H_i for H_{i+1}, so a pair in H_i was once
// turned away by the full buckets before it. (A table that places pairs in the least
// loaded bucket has no early exit.) This header adds the eviction.
//
// Inserts, erases and finds run in separate batches. Pairs move only during inserts, so
// finds, updates and erases need not return to a bucket that they have passed.
#pragma once

#include "choices.h"

namespace hz {

template <class P, int B, class Pages = NoPages>
class Cuckoo : public Choices<P, B, Pages> {
 public:
  using Base = Choices<P, B, Pages>;
  static constexpr Traits traits = Base::traits.with([](Traits& t) {
    t.one_walk = {k_op_insert};
    if (Base::width <= 2) t.most_warps = {k_op_find};
  });

  HZ_FN Cuckoo(const hz_table* t, bool early_exit) : Base(t, early_exit), seed_(u32(t->Seed)) {}

 protected:
  // go_on moves the walk to the bucket after its place, of those of its pair.
  HZ_FN void go_on(Walk<P>& walk, bool on) const {
    if (on) walk.place = this->hashes_.after(walk.place, walk.pair.key);
  }

  // evict writes the walk's pair over a pair of a full bucket, and the walk continues
  // with the evicted pair. The victim is chosen at random, differently at every step. The
  // caller moves the walk on: see go_on.
  template <class Tile, class T>
  HZ_FN void evict(const Tile& tile, bool full, Walk<P>& walk, T& tally) const {
    P* slots = this->bucket(walk.place);
    u32 slot = mix32(u32(walk.pair.key) ^ (seed_ + walk.step * 0x9e3779b9u)) % B;
    walk.pair = tile.exchange_if(full, slots + slot, walk.pair);
    if (!full) return;
    tally.touch(slots + slot, sizeof(P));
    tally.evict();
    walk.step++;
  }

  u32 seed_;
};

}  // namespace hz
