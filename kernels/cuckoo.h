// cuckoo.h: what all cuckoo tables of this zoo share: everything but the insert.
//
// A pair of key k is in one of the buckets H_0(k), ..., H_{h-1}(k), so a find
// reads at most h buckets. Inserts try the functions in order, and a pair only
// leaves H_i for H_{i+1}, so a pair in H_i was once turned away by the buckets
// before it: they were full. A slot that was used is never unused again (an
// erase leaves a marker), so as long as inserts follow that order, a find may
// stop at the first bucket with an unused slot (early exit).
//
// Linearization, with inserts, erases and finds in batches of their own: an
// update or an erase takes effect at the compare-and-swap on the slot in which
// it saw the key. If that fails, another update or erase of the same key won in
// between, and the bucket is looked at again: each round that fails means that
// some other operation succeeded. Two erases of one key cannot both succeed. Pairs
// move only while inserts run, so a bucket that was passed need not be revisited.
#ifndef HZ_CUCKOO_H
#define HZ_CUCKOO_H

#include "drive.h"
#include "hash.h"

namespace hz {

template <class P, int B>
class Cuckoo {
 public:
  using Pair = P;
  using Key = typename P::Key;
  static constexpr int width = B;
  using Slots = Bucket<P, B>;

  HZ_FN Cuckoo(const hz_table* t, bool early_exit)
      : slots_(reinterpret_cast<P*>(t->Region[0])), seed_(u32(t->Seed)), hashes_(t), early_exit_(early_exit) {}

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
    return change(tile, walk, P::erased(), at, tally);
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
    bool stop = early_exit_ && at.unused(tile) != 0;
    if (tile.any(not_here && !stop)) {
      stop = stop || walk.step + 1 == hashes_.count();
      if (not_here && !stop) walk.place = hashes_.at(++walk.step, walk.pair.key);
    }
    return Done<P>::either(stop, Done<P>::missing(), Done<P>::undecided());
  }

  // evict puts the walk's pair into a full bucket, in the place of another one,
  // which it goes on with, unless that was the last step that it may take. The
  // victim is chosen at random, differently at every step.
  template <class Tile, class T>
  HZ_FN void evict(const Tile& tile, bool full, Walk<P>& walk, T& tally) const {
    P* slots = bucket(walk.place);
    u32 slot = mix32(u32(walk.pair.key) ^ (seed_ + walk.step * 0x9e3779b9u)) % B;
    walk.pair = tile.exchange_if(full, slots + slot, walk.pair);
    if (!full) return;
    tally.touch(slots + slot, sizeof(P));
    tally.evict();
    walk.place = hashes_.after(walk.place, walk.pair.key);
    walk.step++;
  }

  P* slots_;
  u32 seed_;
  Hashes hashes_;
  bool early_exit_;
};

}  // namespace hz

#endif
