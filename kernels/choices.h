// choices.h: what tables share in which a pair may be in a few buckets of its key.
//
// A pair of key k is in one of the buckets H_0(k), ..., H_{h-1}(k), so finds,
// updates and erases look at those in turn, h at most, until they see the key.
//
// Early exit. If inserts fill the buckets of a key in order, a pair in H_i was
// once turned away by the buckets before it: they were full. Where a slot that was
// used is never unused again (an erase leaves a marker), a walk may stop at the
// first bucket with an unused slot. Where inserts choose among the buckets, nothing
// may be concluded from an unused slot, and an erase just makes one. In between are
// inserts that leave H_0 only once it holds more than so many slots that were used:
// a walk may stop there, and nowhere else, while it does not.
//
// Linearization: an update or an erase takes effect at the compare-and-swap on the
// slot in which it saw the key. If that fails, another update or erase of the same
// key won in between, and the bucket is looked at again: each round that fails means
// that some other operation succeeded. Two erases of one key cannot both succeed.
// What may run at the same time is for each scheme to say: a walk does not look
// again at buckets that it has passed.
#ifndef HZ_CHOICES_H
#define HZ_CHOICES_H

#include "drive.h"
#include "hash.h"

namespace hz {

template <class P, int B>
class Choices {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Slots = Bucket<P, B>;
  using Chunk = Slots;
  static constexpr int width = Slots::width;

  HZ_FN Choices(const hz_table* t, bool early_exit, int most_in_first = -1)
      : slots_(reinterpret_cast<P*>(t->Region[0])), hashes_(t), early_exit_(early_exit), most_(most_in_first) {}

  HZ_FN P* slots() const { return slots_; }
  HZ_FN u32 first(Key key) const { return hashes_.at(0, key); }
  HZ_FN P* bucket(u32 number) const { return slots_ + u64(number) * B; }

  template <class Tile, class T>
  HZ_FN Done<P> find_in(const Tile& tile, Walk<P>& walk, const Slots& at, T&) const {
    u32 found = at.find(tile, walk.pair.key);
    typename P::Value value = at.value(tile, found);
    return Done<P>::either(found != 0, Done<P>::found(value), absent(tile, walk, at, found == 0));
  }

  template <class Tile, class T>
  HZ_FN Done<P> update_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    return change(tile, walk, walk.pair, at, tally);
  }

  template <class Tile, class T>
  HZ_FN Done<P> erase_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    return change(tile, walk, early_exit_ ? P::erased() : P::empty(), at, tally);
  }

 protected:
  // change replaces the pair of a key. A lost race leaves the walk where it is.
  template <class Tile, class T>
  HZ_FN Done<P> change(const Tile& tile, Walk<P>& walk, P pair, const Slots& at, T& tally) const {
    u32 found = at.find(tile, walk.pair.key);
    bool won = at.put(tile, found, pair, tally);
    Done<P> here = Done<P>::either(won, Done<P>::ok(), Done<P>::undecided());
    return Done<P>::either(found != 0, here, absent(tile, walk, at, found == 0));
  }

  // absent is what follows if a bucket does not have the key: the search stops,
  // or the walk goes on to the next one.
  template <class Tile>
  HZ_FN Done<P> absent(const Tile& tile, Walk<P>& walk, const Slots& at, bool not_here) const {
    bool stop = ends(tile, walk, at);
    if (tile.any(not_here && !stop)) {
      stop = stop || walk.step + 1 == hashes_.count();
      if (not_here && !stop) walk.place = hashes_.at(++walk.step, walk.pair.key);
    }
    return Done<P>::either(stop, Done<P>::missing(), Done<P>::undecided());
  }

  // ends says whether a key that is not in a bucket cannot be in those after it.
  template <class Tile>
  HZ_FN bool ends(const Tile& tile, const Walk<P>& walk, const Slots& at) const {
    if (!early_exit_ && most_ < 0) return false;
    const int used = B - popcount(at.unused(tile));  // asked by all tiles, wherever their walks are
    return early_exit_ ? used < B : walk.step == 0 && used <= most_;
  }

  P* slots_;
  Hashes hashes_;
  bool early_exit_;
  int most_;  // slots used in the first bucket of a key while inserts put it nowhere else; -1 if they choose
};

}  // namespace hz

#endif
