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
// between, so the search starts over: each round that fails means that some
// other operation succeeded. Two erases of one key cannot both succeed.
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
  HZ_FN P* bucket(u32 number) const { return slots_ + u64(number) * B; }
  HZ_FN P* home(Key key) const { return bucket(hashes_.first(key)); }
  HZ_FN u32 number_of(const P* bucket) const { return u32(u64(bucket - slots_) / B); }

  template <class T>
  HZ_FN Done<P> find(const Tile<B>& tile, Key key, T& tally, Slots at) const {
    u32 slot_mask = search(tile, key, tally, at);
    if (slot_mask == 0) return Done<P>::missing();
    return Done<P>::found(at.at(tile, lowest(slot_mask)).value);
  }

  template <class T>
  HZ_FN Done<P> update(const Tile<B>& tile, P pair, T& tally, Slots at) const {
    return change(tile, pair.key, pair, tally, at);
  }

  template <class T>
  HZ_FN Done<P> erase(const Tile<B>& tile, Key key, T& tally, Slots at) const {
    return change(tile, key, P::erased(), tally, at);
  }

 protected:
  // search looks for a key, starting with its first bucket in hand, and leaves
  // `at` at the bucket that has it; it returns the slots with the key.
  template <class T>
  HZ_FN u32 search(const Tile<B>& tile, Key key, T& tally, Slots& at) const {
    for (u32 i = 1;; i++) {
      u32 found = at.find(tile, key);
      if (found != 0 || i == hashes_.count()) return found;
      if (early_exit_ && at.unused(tile) != 0) return 0;
      at = read(tile, hashes_.at(i, key), tally);
    }
  }

  // change replaces the pair of a key that is there.
  template <class T>
  HZ_FN Done<P> change(const Tile<B>& tile, Key key, P pair, T& tally, Slots at) const {
    for (;;) {
      u32 found = search(tile, key, tally, at);
      if (found == 0) return Done<P>::missing();
      int slot = lowest(found);
      if (at.replace(tile, slot, at.at(tile, slot), pair, tally)) return Done<P>::ok();
      at = read(tile, hashes_.first(key), tally);
    }
  }

  template <class T>
  HZ_FN Slots read(const Tile<B>& tile, u32 number, T& tally) const {
    P* slots = bucket(number);
    tally.probe(slots, Slots::bytes);
    return Slots(tile, slots);
  }

  // victim chooses the slot whose pair has to go, at random, differently for
  // every pair and every step of its chain.
  HZ_FN int victim(Key key, u32 step) const { return int(mix32(u32(key) ^ (seed_ + step * 0x9e3779b9u)) % B); }

  P* slots_;
  u32 seed_;
  Hashes hashes_;
  bool early_exit_;
};

}  // namespace hz

#endif
