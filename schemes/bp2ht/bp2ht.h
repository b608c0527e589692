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
// Insert. Look at all buckets of the key, and take an unused slot of the one with the
// fewest pairs; ties go to the first function. If all are full, the insert fails and its
// pair is handed back. In the paper an insert reads its buckets (room=buckets). Here it
// reads a word for each, on a board that shows which slots are taken (room=board), and
// writes one slot: 15 G/s instead of 5.6 on an H200, at every load factor (stable.h).
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
// Limits. Finds of absent keys read up to twice as much memory as those of a cuckoo table
// (bcht.h), and without the board, inserts do. With two functions it fills to 0.63, 0.82 and
// 0.91 for B = 8, 16 and 32. More functions fill it further, and each costs a read per
// insert.
//
// Paper: Awad, Ashkiani, Porumbescu, Farach-Colton, Owens: Better GPU Hash Tables,
// sections III-B and V-C.
#pragma once

#include "stable.h"

namespace hz {

template <class P, int B, Room R, bool Alone = false>
class Bp2ht : public Stable<P, B, R, false, Alone> {
 public:
  using Base = Stable<P, B, R, false, Alone>;
  using typename Base::Chunk;
  template <class Op>
  using For = Bp2ht<P, B, R, Base::on_board&& __is_same(Op, op_insert)>;
  static constexpr Traits traits =
      Base::traits.with([](Traits& t) { t.class_per_op = true, t.second_bucket = {k_op_insert, k_op_mix}; });

  HZ_FN explicit Bp2ht(const hz_table* t) : Base(t) {}

  HZ_FN u32 second_bucket(op_insert, const Walk<P>& walk) const {
    const u32 next = Base::step_of(walk) + 1;
    return next < this->hashes_.count() ? this->hashes_.at(next, walk.pair.key) : kNoBucket;
  }
  HZ_FN u32 second_bucket(op_mix, const Walk<P>& walk) const {
    return !Base::on_board && walk.op == k_op_insert ? second_bucket(op_insert{}, walk) : kNoBucket;
  }

  template <class Tile, class A, class T>
    requires(Base::on_board)
  HZ_FN Done<P> insert_at(const Tile& tile, Walk<P>& walk, A*, T& tally) const {
    const auto emptiest = [&](auto& counts) {
      auto best = this->look(tile, walk.place, counts);
      for (u32 i = 1; i < this->hashes_.count(); i++) {
        const auto other = this->look(tile, this->hashes_.at(i, walk.pair.key), counts);
        best = decltype(best)::either(other.load() < best.load(), other, best);
      }
      return best;
    };
    return this->place(tile, walk, emptiest, tally);
  }

  template <class Tile, class T>
    requires(!Base::on_board)
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    const u32 step = Base::step_of(walk), count = this->hashes_.count();
    const u32 one = at.mask(tile, at.unused(tile)), other = at.second().mask(tile, at.second().unused(tile));
    const Offer first = Base::offer(one, Base::load_of(one), step);
    const Offer second = Base::offer(step + 1 < count ? other : 0, Base::load_of(other), step + 1);
    return this->settle(tile, walk, at, first, second, step + 2 < count ? step + 2 : 0, tally);
  }

  template <class Tile, class T>
  HZ_FN Done<P> erase_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    return this->erase(tile, walk, P::empty(), at, tally);
  }
};

}  // namespace hz
