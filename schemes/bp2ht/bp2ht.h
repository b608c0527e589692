// bp2ht.h: BP2HT, the bucketed power-of-two-choices hash table.
//
// Idea. If balls are thrown into bins at random, some bins get far more than the average.
// If each ball goes to the emptier of two random bins, the fullest bin has hardly more
// than the others. So each key has two buckets, and a pair goes to the one with more
// room. Buckets fill evenly, and hardly any is full before most of the table is. No pair
// ever has to move.
//
//   H_0(k) = 0, H_1(k) = 1
//   bucket 0  [ 3][ 6][  ][  ] <-- k = 7     two pairs: k goes here
//   bucket 1  [ 1][15][10][  ]               three pairs
//   bucket 2  [13][ 8][11][ 1]
//
// Insert. Read all buckets of the key, two at a time, and take an unused slot of the one
// with the fewest pairs; ties go to the first function (stable.h). If all are full, the
// insert fails and its pair is handed back.
//
// Find, update, erase. The key may be in any of its buckets, however much room the others
// have, so a walk stops early only where it finds the key. Because the first function
// wins ties, two of three keys are in their first bucket. An erased slot becomes unused
// again.
//
// Linearization. Pairs do not move, so finds that run concurrently with inserts and
// updates miss nothing. stable.h has the argument for all operations. Erases run in their
// own batch.
//
// Limits. Inserts read twice as much memory as those of a cuckoo table (bcht.h), and
// finds of absent keys up to twice as much. With two functions it fills to 0.63, 0.82 and
// 0.91 for B = 8, 16 and 32. More functions fill it further, and each costs a read per
// insert.
//
// Paper: Awad, Ashkiani, Porumbescu, Farach-Colton, Owens: Better GPU Hash Tables,
// sections III-B and V-C.
#ifndef HZ_BP2HT_H
#define HZ_BP2HT_H

#include "stable.h"

namespace hz {

template <class P, int B>
class Bp2ht : public Stable<P, B> {
 public:
  using Base = Stable<P, B>;
  using typename Base::Chunk;

  HZ_FN explicit Bp2ht(const hz_table* t) : Base(t) {}

  HZ_FN u32 second_bucket(op_insert, const Walk<P>& walk) const {
    const u32 next = Base::step_of(walk) + 1;
    return next < this->hashes_.count() ? this->hashes_.at(next, walk.pair.key) : kNoBucket;
  }
  HZ_FN u32 second_bucket(op_mix, const Walk<P>& walk) const {
    return walk.op == k_op_insert ? second_bucket(op_insert{}, walk) : kNoBucket;
  }

  template <class Tile, class T>
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    const u32 step = Base::step_of(walk), count = this->hashes_.count();
    const u32 one = at.unused(tile), other = at.second().unused(tile);
    const Offer first = Base::offer(one, Base::load_of(one), step);
    const Offer second = Base::offer(step + 1 < count ? other : 0, Base::load_of(other), step + 1);
    return this->settle(tile, walk, at, first, second, step + 2 < count ? step + 2 : 0, tally);
  }
};

}  // namespace hz

#endif
