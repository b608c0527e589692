// bp2ht.h: BP2HT, the bucketed power-of-two-choices hash table.
//
// The idea. Throw balls into bins at random, and some bins get far more than the
// average. Look at two bins and take the emptier one, and the fullest has hardly
// more than the others. So with two buckets per key, each pair put into the one with
// more room, buckets fill evenly, and hardly any is full before most of the table
// is. No pair ever has to move.
//
//   H_0(k) = 0, H_1(k) = 1
//   bucket 0  [ 3][ 6][  ][  ] <-- k = 7     two pairs: here
//   bucket 1  [ 1][15][10][  ]               three
//   bucket 2  [13][ 8][11][ 1]
//
// Insert. Read all buckets of the key, two at a time, and take an unused slot
// of the one with the fewest pairs, that of the first function if they are equal
// (stable.h has how). If all are full, the insert fails and hands its pair back.
//
// Find, update, erase. The key may be in any of its buckets, whatever room the
// others have: a walk stops early only where it finds the key. As the first function
// wins ties, two of three keys are in their first bucket. A slot that was erased is
// unused again.
//
// What makes it linearizable: pairs do not move, so a find that runs while others
// insert and update misses nothing. stable.h goes through all operations; erases
// run in a batch of their own.
//
// Limits. Inserts read twice as much memory as those of a cuckoo table (bcht.h),
// finds of absent keys up to twice. It fills to 0.63, 0.82 and 0.91 for B = 8, 16 and
// 32 with two functions, and further with more of them, each of which costs a read
// per insert.
//
// Paper: Awad, Ashkiani, Porumbescu, Farach-Colton, Owens: Better GPU Hash
// Tables, sections III-B and V-C.
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

  HZ_FN u32 also(op_insert, const Walk<P>& walk) const {
    const u32 next = Base::step_of(walk) + 1;
    return next < this->hashes_.count() ? this->hashes_.at(next, walk.pair.key) : kNowhere;
  }
  HZ_FN u32 also(op_mix, const Walk<P>& walk) const {
    return walk.op == k_op_insert ? also(op_insert{}, walk) : kNowhere;
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
