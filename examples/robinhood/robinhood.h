// robinhood.h: Robin Hood hashing over buckets.
//
// Idea. Open addressing, but a pair that is far from home takes the place of one that is
// near: an insert that has walked further than a pair it meets puts its own pair there
// and continues with the other one. No pair ends up very far away, and all walks have
// about the same length. That helps finds of absent keys most: a find that has walked
// further than a pair it meets knows that its key would have taken that pair's place.
//
//   H(k) = 0            bucket 0  [ 4][ 9][ 1][ 6]  all at home, and k has not walked
//                                                   yet: it goes on
//                       bucket 1  [ 7][ 2][12][ 3]  7 is at home here, and k is one
//                                   ^-- k           bucket away: k takes its place,
//                       bucket 2  [ 5][  ][  ][  ]  and 7 goes on to bucket 2
//
// Insert. Walk from H(k). In a bucket with a slot that was never used, put the pair
// there. In a full bucket, if one of its pairs is nearer to its home than the pair in
// hand, swap them and continue with the other one. After max_probes buckets, hand back
// the pair in hand, which may not be the one to be inserted.
//
// Find, update, erase. Walk the same way. The walk ends at a bucket with a slot that was
// never used, or with a pair that is nearer to its home than the walk has come. An erased
// slot keeps a marker: its pair may have displaced others. Inserts do not reuse it,
// because a pair near its home in that slot would end walks that have to go on. A flush
// removes markers (host.h).
//
// Linearization. Inserts run alone: between two swaps the pair in hand is in no slot.
// Among concurrent inserts, every change is one compare-and-swap of one slot. A used slot
// stays used, and its pair is only ever replaced by one that is further from home. So
// what an insert saw of a bucket that it left (no unused slot, no pair nearer than its
// own) stays true, and that is what ends the walks of others. Finds, updates and erases
// move nothing, and take effect when they read or swap the slot of their key.
//
// Limits. Keys are inserted once. Pairs move during inserts. To know how far a pair is
// from home its key must be hashed, for every pair of a full bucket, which slows down
// inserts.
//
// Paper: Celis, Larson, Munro: Robin Hood Hashing, FOCS 1985.
#pragma once

#include "drive.h"
#include "hash.h"
#include "look.h"

namespace hz {

template <class P, int B>
class RobinHood {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Slots = Bucket<P, B>;
  using Chunk = Slots;
  static constexpr int width = Slots::width;
  static constexpr Traits traits{};

  // Arg lists the arguments in the order of their declaration.
  enum Arg { kMaxProbes };

  HZ_FN explicit RobinHood(const hz_table* t)
      : slots_(reinterpret_cast<P*>(t->Region[0])),
        hashes_(t),
        buckets_(u32(t->Buckets)),
        max_probes_(t->Arg[kMaxProbes] < t->Buckets ? u32(t->Arg[kMaxProbes]) : u32(t->Buckets)) {}

  HZ_FN P* slots() const { return slots_; }
  HZ_FN u32 first(Key key) const { return hashes_.at(0, key); }
  HZ_FN P* bucket(u32 number) const { return slots_ + u64(number) * B; }

  template <class Tile, class T>
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    const u32 unused = at.unused(tile);
    u32 slots = unused;
    P other = P::empty();
    if (tile.any(unused == 0)) {
      const u32 nearest = nearer(tile, walk, at);
      slots = unused != 0 ? unused : nearest;
      other = at.in(tile, lowest(nearest | u32(1) << (B - 1)));
    }
    const bool won = at.put(tile, slots, walk.pair, tally);
    const bool swapped = won && unused == 0;
    if (swapped) {
      tally.evict();
      walk.step = distance(walk.place, other.key);
      walk.pair = other;
    }
    const bool on = swapped || slots == 0;
    const bool more = next(walk, on);
    Done<P> done = Done<P>::either(on && !more, Done<P>::failed(walk.pair), Done<P>::undecided());
    return Done<P>::either(won && !swapped, Done<P>::ok(), done);
  }

  template <class Tile, class T>
  HZ_FN Done<P> find_in(const Tile& tile, Walk<P>& walk, const Slots& at, T&) const {
    const u32 found = at.find(tile, walk.pair.key);
    const typename P::Value value = at.value(tile, found);
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

  // look_away counts, between batches, how far pairs are from home.
  HZ_FN static void look_away(const void* table, void* look, u64 from, u64 count) {
    look_at_pairs<RobinHood>(table, look, from, count, [](const RobinHood& scheme, u64 slot, const P& pair) {
      return scheme.distance(u32(slot / B), pair.key);
    });
  }

 private:
  // distance returns how many buckets away from its home a key is at a place.
  HZ_FN u32 distance(u32 place, Key key) const {
    const u32 home = first(key);
    return place >= home ? place - home : place + buckets_ - home;
  }

  // nearer returns the slots of the pairs that are nearest to their home, if they are
  // nearer than the walk has come: one slot, several with the same distance, or none.
  template <class Tile>
  HZ_FN CollectiveOf<Tile, u32> nearer(const Tile& tile, const Walk<P>& walk, const Slots& at) const {
    const auto lead = [&](const P& pair) {
      const u32 away = pair.is_live() ? distance(walk.place, pair.key) : walk.step;
      return away < walk.step ? walk.step - away : 0;
    };
    Lanes<u32, width> most;
    tile.each([&](Lane l) { most[l] = 0; });
    at.each(tile, ~u32(0), [&](Lane l, u32, const P& pair) {
      const u32 ahead = lead(pair);
      most[l] = ahead > most[l] ? ahead : most[l];
    });
    const u32 largest = tile.largest(most);
    return at.where(tile, [&](const P& pair) { return largest > 0 && lead(pair) == largest; });
  }

  // next moves a walk to the following bucket if `on` is set, and returns whether the
  // walk has buckets left.
  HZ_FN bool next(Walk<P>& walk, bool on) const {
    const bool may = walk.step + 1 < max_probes_;
    if (on && may) {
      walk.place = walk.place + 1 == buckets_ ? 0 : walk.place + 1;
      walk.step++;
    }
    return may;
  }

  // absent continues after a bucket without the key.
  template <class Tile>
  HZ_FN Done<P> absent(const Tile& tile, Walk<P>& walk, const Slots& at, bool not_here) const {
    bool nowhere = at.unused(tile) != 0;
    if (tile.any(not_here && !nowhere && walk.step > 0)) nowhere |= nearer(tile, walk, at) != 0;
    const bool more = next(walk, not_here && !nowhere);
    return Done<P>::either(nowhere || !more, Done<P>::missing(), Done<P>::undecided());
  }

  // change replaces the pair of a key. After a lost compare-and-swap the walk stays at
  // its bucket.
  template <class Tile, class T>
  HZ_FN Done<P> change(const Tile& tile, Walk<P>& walk, P pair, const Slots& at, T& tally) const {
    const u32 found = at.find(tile, walk.pair.key);
    const bool won = at.put(tile, found, pair, tally);
    Done<P> here = Done<P>::either(won, Done<P>::ok(), Done<P>::undecided());
    return Done<P>::either(found != 0, here, absent(tile, walk, at, found == 0));
  }

  P* slots_;
  Hashes hashes_;
  u32 buckets_, max_probes_;
};

}  // namespace hz
