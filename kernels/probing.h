// probing.h: what all open-addressing tables of this zoo share: every operation,
// given the sequence of buckets in which a key may be.
//
// Each key has a sequence of buckets, of which the first max_probes count. Taken in
// order, with the slots of each bucket from the first to the last, they are the
// key's slots. An insert puts its pair into the first of them that was never used.
//
//   key k   [ a ][ b ][ x ][ c ]  [ d ][ k ][   ][   ]  ...
//             used, by others      ^    ^    ^-- unused: no key of this sequence
//             or erased (x)        used here     is here or behind
//
// What makes it linearizable, with all operations at the same time. In its life a
// slot is unused, then holds one key, with any number of values, then is erased. It
// never goes back: inserts do not use erased slots again. A slot changes only by a
// compare-and-swap of the whole pair. So of a slot that was once seen to be used,
// but not by key k, it is certain that it will never hold k; and one that is unused
// makes it certain that no slot behind it in the sequence of k holds k.
//
//   Insert and upsert put a pair of key k into the slot s at the instant of their
//   compare-and-swap. They have seen all slots before s used, by others than k, so k
//   is not there then; it is not behind s, as s was unused until this instant. So k
//   is in the table once at most, whatever runs at the same time. If the swap is
//   lost, someone else won s, perhaps with the same key: the bucket is looked at again.
//   Update, erase, and an upsert that finds k, take effect at their compare-and-swap
//   on the slot that holds k. If it is lost, another update, upsert or erase of k won.
//   A find that gives a value takes effect when it reads the slot.
//   An operation that misses k has read all slots up to an unused one, u, or up to
//   the last that counts. When it read u, k was not in u or behind. If k was in a
//   slot s before u at that instant, s was read later, as erased: then the operation
//   takes effect right after that erase; if not, when it read u. Without such a u,
//   none of the slots can hold k from the last read on.
//
// This needs nothing of the order in which a processor's reads of different slots
// happen: only that one slot never goes backwards, which every memory model grants.
// Each round that loses a race means that some other operation won it (lock-free).
//
// A key is in the table once. An insert of a key that is there fails, and its pair is
// handed back; an upsert of such a key replaces the value.
#ifndef HZ_PROBING_H
#define HZ_PROBING_H

#include "drive.h"
#include "hash.h"

namespace hz {

// A Sequence is made from the table block, and says where the walk of a key begins,
// first(key), and where it goes after a bucket, next(place, key).
template <class P, int B, class Sequence>
class Probing {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Slots = Bucket<P, B>;
  using Chunk = Slots;
  using Single = Ops<op_insert>;
  static constexpr int width = Slots::width;
  using Mixed = Ops<op_insert, op_upsert, op_find, op_update, op_erase>;
  enum Arg { kMaxProbes };

  HZ_FN explicit Probing(const hz_table* t)
      : slots_(reinterpret_cast<P*>(t->Region[0])),
        sequence_(t),
        max_probes_(t->Arg[kMaxProbes] < t->Buckets ? u32(t->Arg[kMaxProbes]) : u32(t->Buckets)) {}

  HZ_FN P* slots() const { return slots_; }
  HZ_FN u32 first(Key key) const { return sequence_.first(key); }
  HZ_FN P* bucket(u32 number) const { return slots_ + u64(number) * B; }

  template <class Tile, class T>
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    u32 found = at.find(tile, walk.pair.key), unused = at.unused(tile);
    bool won = at.put(tile, found != 0 ? 0 : unused, walk.pair, tally);
    Done<P> done = Done<P>::either(won, Done<P>::ok(), full(walk, (found | unused) == 0));
    return Done<P>::either(found != 0, Done<P>::failed(walk.pair), done);
  }

  template <class Tile, class T>
  HZ_FN Done<P> upsert_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    u32 found = at.find(tile, walk.pair.key), unused = at.unused(tile);
    bool won = at.put(tile, found != 0 ? found : unused, walk.pair, tally);
    Done<P> done = Done<P>::either(found != 0, Done<P>::replaced(), Done<P>::ok());
    return Done<P>::either(won, done, full(walk, (found | unused) == 0));
  }

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

 private:
  // advance takes a walk to its next bucket, if it has to go on and there is one.
  HZ_FN bool advance(Walk<P>& walk, bool on) const {
    bool may = walk.step + 1 < max_probes_;
    if (on && may) {
      walk.place = sequence_.next(walk.place, walk.pair.key);
      walk.step++;
    }
    return may;
  }

  // full is what follows if a bucket has no room for the walk's pair.
  HZ_FN Done<P> full(Walk<P>& walk, bool is_full) const {
    bool more = advance(walk, is_full);
    return Done<P>::either(is_full && !more, Done<P>::failed(walk.pair), Done<P>::undecided());
  }

  // absent is what follows if a bucket does not have the key.
  template <class Tile>
  HZ_FN Done<P> absent(const Tile& tile, Walk<P>& walk, const Slots& at, bool not_here) const {
    bool unused = at.unused(tile) != 0;
    bool more = advance(walk, not_here && !unused);
    return Done<P>::either(unused || !more, Done<P>::missing(), Done<P>::undecided());
  }

  // change replaces the pair of a key. A lost race leaves the walk where it is.
  template <class Tile, class T>
  HZ_FN Done<P> change(const Tile& tile, Walk<P>& walk, P pair, const Slots& at, T& tally) const {
    u32 found = at.find(tile, walk.pair.key);
    bool won = at.put(tile, found, pair, tally);
    Done<P> here = Done<P>::either(won, Done<P>::ok(), Done<P>::undecided());
    return Done<P>::either(found != 0, here, absent(tile, walk, at, found == 0));
  }

  P* slots_;
  Sequence sequence_;
  u32 max_probes_;
};

}  // namespace hz

#endif
