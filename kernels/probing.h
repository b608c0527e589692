// probing.h: the base of open-addressing tables. It has every operation; a table supplies
// the probe sequence.
//
// Each key has a sequence of buckets, of which the first max_probes count. Their slots,
// bucket by bucket and from first to last, are the key's slots. An insert puts its pair
// into the first of them that was never used.
//
//   key k   [ a ][ b ][ x ][ c ]  [ d ][ k ][   ][   ]  ...
//             used by others       ^    ^    ^-- unused: no key of this sequence
//             or erased (x)        used k        is here or later
//
// Linearization, with all operations running concurrently. A slot is first unused, then
// holds one key with any number of values, then is erased. It never goes back, because
// inserts do not reuse erased slots, and its key changes only by a compare-and-swap of the
// whole pair. Hence a slot that was once seen used, but not by key k, will never hold k.
// And while a slot is unused, no later slot in the sequence of k holds k.
//
//   - Insert and upsert put a pair of key k into slot s at their compare-and-swap. They
//     have seen all slots before s used by keys other than k, so k is in none of them. It
//     is not after s either, because s was unused until now. So k is in the table at most
//     once, whatever runs concurrently. If the swap is lost, another operation won s,
//     perhaps with the same key, and the bucket is read again.
//   - Update, erase, and an upsert that finds k take effect at their compare-and-swap on
//     the slot that holds k. If it is lost, another update, upsert or erase of k won.
//   - Operations that combine values (add, min, max, tally) bring an absent k in like an
//     upsert. Otherwise they change the value in the slot where they saw k, by an atomic
//     operation on the value alone, which cannot fail, and take effect there. If k was
//     erased in between, they take effect just before the erase, whose marker then has
//     some other value, which nobody reads; k was in that slot when they saw it.
//   - A find that returns a value takes effect when it reads the slot.
//   - An operation that misses k has read all slots up to an unused one, u, or up to the
//     last that counts. When it read u, k was neither in u nor later. If k was in a slot
//     s before u at that moment, s was read after that, as erased, so the operation takes
//     effect right after that erase. Otherwise it takes effect when it read u. Without
//     such a u, none of the slots can hold k after the last read.
//
// The argument does not depend on the order in which a processor reads different slots.
// It only needs that a single slot never goes backwards, which every memory model
// guarantees. Every lost race means that another operation succeeded (lock freedom).
//
// A key is in the table at most once. An insert of a present key fails and its pair is
// handed back; an upsert of a present key replaces the value.
#pragma once

#include "drive.h"
#include "hash.h"
#include "line.h"

namespace hz {

// A Sequence is constructed from the table block. first(key) is the bucket where the walk
// of a key begins, and next(place, key) the one after a bucket.
template <class P, int B, class Sequence>
class Probing {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Slots = Line<P, B>;
  using Chunk = Slots;
  static constexpr int width = Slots::width;
  // Finds take few registers in a tile with one walk in flight.
  static constexpr Traits traits{.gpu_width = Slots::gpu_width,
                                 .mixed = {k_op_insert, k_op_upsert, k_op_find, k_op_update, k_op_erase, k_op_combine},
                                 .one_walk = {k_op_insert},
                                 .most_warps = width <= 2 ? Ops{k_op_find} : Ops{}};
  enum Arg { kMaxProbes };

  HZ_FN explicit Probing(const hz_table* t)
      : slots_(reinterpret_cast<P*>(t->Region[0])), sequence_(t), max_probes_(u32(t->Arg[kMaxProbes])) {}

  HZ_FN P* slots() const { return slots_; }
  HZ_FN u32 first(Key key) const { return sequence_.first(key); }
  HZ_FN P* bucket(u32 number) const { return slots_ + u64(number) * B; }

  template <class Tile, class T>
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    const auto found = at.find(tile, walk.pair.key), unused = at.unused(tile);
    bool won = at.put(tile, unused.only_if(!found.any()), walk.pair, tally);
    Done<P> done = Done<P>::either(won, Done<P>::ok(), full(walk, !found.any() && !unused.any()));
    return Done<P>::either(found.any(), Done<P>::failed(walk.pair), done);
  }

  template <class Tile, class T>
  HZ_FN Done<P> upsert_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    const auto found = at.find(tile, walk.pair.key), unused = at.unused(tile);
    bool won = at.put(tile, Slots::Set::either(found.any(), found, unused), walk.pair, tally);
    Done<P> done = Done<P>::either(found.any(), Done<P>::replaced(), Done<P>::ok());
    return Done<P>::either(won, done, full(walk, !found.any() && !unused.any()));
  }

  template <class Tile, class T>
  HZ_FN Done<P> combine_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    const auto found = at.find(tile, walk.pair.key), unused = at.unused(tile);
    at.combine(tile, found, walk, tally);
    bool won = at.put(tile, unused.only_if(!found.any()), walk.pair, tally);
    Done<P> done = Done<P>::either(won, Done<P>::ok(), full(walk, !found.any() && !unused.any()));
    return Done<P>::either(found.any(), Done<P>::replaced(), done);
  }

  template <class Tile, class T>
  HZ_FN Done<P> find_in(const Tile& tile, Walk<P>& walk, const Slots& at, T&) const {
    const auto found = at.find(tile, walk.pair.key);
    const bool here = found.any();
    typename P::Value value = at.value(tile, found);
    return Done<P>::either(here, Done<P>::found(value), absent(tile, walk, at, !here));
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
  // advance moves a walk to its next bucket if `on` is set, and returns whether the walk
  // has buckets left.
  HZ_FN bool advance(Walk<P>& walk, bool on) const {
    bool may = walk.step + 1 < max_probes_;
    if (on && may) {
      walk.place = sequence_.next(walk.place, walk.pair.key);
      walk.step++;
    }
    return may;
  }

  // full continues after a bucket: if it has no room, the walk moves on or fails.
  HZ_FN Done<P> full(Walk<P>& walk, bool is_full) const {
    bool more = advance(walk, is_full);
    return Done<P>::either(is_full && !more, Done<P>::failed(walk.pair), Done<P>::undecided());
  }

  // absent continues after a bucket without the key.
  template <class Tile>
  HZ_FN Done<P> absent(const Tile& tile, Walk<P>& walk, const Slots& at, bool not_here) const {
    bool unused = at.unused(tile).any();
    bool more = advance(walk, not_here && !unused);
    return Done<P>::either(unused || !more, Done<P>::missing(), Done<P>::undecided());
  }

  // change replaces the pair of a key. After a lost compare-and-swap the walk stays at
  // its bucket.
  template <class Tile, class T>
  HZ_FN Done<P> change(const Tile& tile, Walk<P>& walk, P pair, const Slots& at, T& tally) const {
    const auto found = at.find(tile, walk.pair.key);
    bool won = at.put(tile, found, pair, tally);
    Done<P> here = Done<P>::either(won, Done<P>::ok(), Done<P>::undecided());
    return Done<P>::either(found.any(), here, absent(tile, walk, at, !found.any()));
  }

  P* slots_;
  Sequence sequence_;
  u32 max_probes_;
};

}  // namespace hz
