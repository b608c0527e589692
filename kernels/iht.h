// iht.h: IHT, the iceberg hash table.
//
// The idea. Nearly all of an iceberg is under water, and nearly all pairs can go
// where it is cheapest: to the first bucket of their key, as long as that is not too
// full. The few that remain, the tip, are distributed with care, each to the emptier
// one of two other buckets, as in bp2ht.h. So most inserts and finds look at one
// bucket, and the table still fills evenly.
//
//   threshold 50 percent, H_p(k) = 1, H_s0(k) = 0, H_s1(k) = 2
//   bucket 0  [ 3][ 6][  ][  ] <-- k = 7     two pairs: here
//   bucket 1  [ 1][15][10][  ]               three of four, more than 50 percent
//   bucket 2  [13][ 8][11][  ]               three pairs
//
// Insert. Read the primary bucket H_p(k). If it is filled to no more than the
// threshold, put the pair there. If it is fuller, read both secondary buckets and
// take the one with fewer pairs, H_s1(k) if they are equal. If both are full, the
// primary one serves after all, if it has room. If it has not, the insert fails and
// hands its pair back. (stable.h has how a slot is chosen and taken.)
//
// What decides, published in two ways. The paper's text puts a pair into a primary
// bucket with fewer than t pairs; its listing 6, with no more than t, so that t + 1
// pairs get there, and t is the percentage rounded down. Ties of the secondary
// buckets go to H_s0 in the listing, to H_s1 in the authors' implementation. Their
// measured probes (schemes/published/iht.csv) are those of no more than t and of
// H_s1, so both are as here.
//
// Find, update, erase. Primary bucket, then H_s0, then H_s1, and no early stop but
// at the key: erases may have made room in a primary bucket after pairs were turned
// away from it. An absent key costs three reads. A slot that was erased is unused
// again.
//
// With marks, which the paper does not have, an absent key mostly costs one. Call a slot
// used if it holds a pair or a marker. An erase in a bucket with more than t used slots
// leaves a marker, so a bucket that once had more than t always will; inserts count
// pairs, and take marked slots like unused ones. So a key that was turned away from its
// primary bucket, which then had more than t pairs, still finds more than t used slots
// there, and a find that sees no more than that may stop:
//
//   bucket 1  [ 1][15][10][  ]  t = 2   9 not here: it may be elsewhere
//   bucket 1  [ 1][xx][10][  ]          15 erased: 9 may be elsewhere still
//   bucket 0  [ 3][ 6][  ][  ]          7 not here: it is nowhere
//
// The fewer buckets are filled past t, the more that gains: at a load factor of t, little.
// An erase that sees t used slots beside one that sees t + 1 is in order, whichever is
// first: the count falls only from t and below.
//
// What makes it linearizable: pairs do not move, so a find that runs while others
// insert and update misses nothing. stable.h goes through all operations; erases
// run in a batch of their own.
//
// Limits. With a threshold of 80 percent it fills to 0.67, 0.82 and 0.91 for B = 8, 16
// and 32. A lower threshold costs reads; a higher one leaves too little room for the
// tip.
//
// Paper: Awad, Ashkiani, Porumbescu, Farach-Colton, Owens: Better GPU Hash
// Tables, sections III-C and V-D.
#ifndef HZ_IHT_H
#define HZ_IHT_H

#include "stable.h"

namespace hz {

enum class Erased { unused, marked };

template <class P, int B, Erased E>
class Iht : public Stable<P, B, E == Erased::marked> {
 public:
  static constexpr bool marks = E == Erased::marked;
  using Base = Stable<P, B, marks>;
  using typename Base::Chunk;
  using Roomy = Ops<op_insert>;
  enum Arg { kThreshold };
  enum Step : u32 { primary, secondary0, secondary1 };  // and the functions, in the order in which a walk goes

  HZ_FN explicit Iht(const hz_table* t) : Iht(t, most_of(u32(t->Arg[kThreshold]))) {}

  template <class Tile, class T>
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    const u32 step = Base::step_of(walk);
    const u32 unused = at.unused(tile), open = marks ? at.open(tile) : unused, load = Base::load_of(open);
    const bool at_primary = step == primary;
    const bool enough = step == secondary1 || (at_primary && load <= most_ && open != 0);
    // What is left of a primary bucket above the threshold comes after all else.
    const Offer offer = Base::offer(open, at_primary ? B : load, secondary1 - step, open & ~unused);
    return this->settle(tile, walk, at, offer, kNoOffer, enough ? 0 : step + 1, tally);
  }

  template <class Tile, class T>
  HZ_FN Done<P> erase_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    const bool mark = marks && Base::load_of(at.unused(tile)) > most_;
    return this->change(tile, walk, P::either(mark, P::erased(), P::empty()), at, tally);
  }

 private:
  // most_of is below B, so that a bucket that is full is one with more, whatever the threshold.
  HZ_FN static u32 most_of(u32 percent) { return percent * B / 100 < B ? percent * B / 100 : B - 1; }
  HZ_FN Iht(const hz_table* t, u32 most) : Base(t, marks ? int(most) : -1), most_(most) {}

  u32 most_;  // pairs in a primary bucket to which one more is added without looking further
};

}  // namespace hz

#endif
