// swapped.h: DyCuckoo with pairs that are swapped whole. See dycuckoo.h.
#pragma once

#include "resize.h"
#include "subtables.h"

namespace hz {

// A walk needs many registers if pairs have 16 bytes, and so does an upsert.
template <class P>
class Swapped : public Resizable<Subtables<P, Whole>> {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Table = Subtables<P, Whole>;
  static constexpr int B = Table::B;
  using Chunk = Bucket<P, B>;
  static constexpr int width = Chunk::width;
  static constexpr Traits traits{.content = Content::slot,
                                 .one_walk = sizeof(P) < 16 ? Ops{k_op_upsert, k_op_combine}
                                                            : Ops{k_op_insert, k_op_upsert, k_op_combine, k_op_find}};

  HZ_FN explicit Swapped(const hz_table* t) : table_(t) {}

  HZ_FN u32 first(Key key) const { return table_.home(key); }
  HZ_FN P* bucket(u32 place) const { return table_.at(place).pairs; }
  HZ_FN P slot(u64 i) const { return table_.slot(i); }

  template <class Tile, class T>
  HZ_FN Done<P> find_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T&) const {
    const u32 found = at.find(tile, walk.pair.key);
    const auto value = at.value(tile, found);
    return Done<P>::either(found != 0, Done<P>::found(value), absent(tile, walk, found == 0));
  }

  template <class Tile, class T>
  HZ_FN Done<P> update_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    const u32 found = at.find(tile, walk.pair.key);
    const bool won = replace(tile, tile.busy() && found != 0, walk.pair, at, found, tally);
    const Done<P> here = Done<P>::either(won, Done<P>::ok(), Done<P>::undecided());
    return Done<P>::either(found != 0, here, absent(tile, walk, found == 0));
  }

  template <class Tile, class T>
  HZ_FN Done<P> erase_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    const u32 found = at.find(tile, walk.pair.key);
    const bool won = at.put(tile, found, P::empty(), tally);
    const Done<P> here = Done<P>::either(won, Done<P>::ok(), Done<P>::undecided());
    return Done<P>::either(found != 0, here, absent(tile, walk, found == 0));
  }

  template <class Tile, class T>
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    const u32 open = at.open(tile);
    const bool won = at.put(tile, open, walk.pair, tally);
    const bool full = open == 0;
    bool stuck = full && walk.step == table_.max_chain();
    if (tile.any(full)) {
      const bool meets = at.find(tile, walk.pair.key) != 0;
      stuck = full && (stuck || meets);
      evict(tile, full && !stuck, walk, at, tally);
    }
    const Done<P> done = Done<P>::either(stuck, Done<P>::failed(walk.pair), Done<P>::undecided());
    return Done<P>::either(won, Done<P>::ok(), done);
  }

  template <class Tile, class T>
  HZ_FN Done<P> upsert_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    return change_or_add<false>(tile, walk, at, tally);
  }

  template <class Tile, class T>
  HZ_FN Done<P> combine_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    return change_or_add<true>(tile, walk, at, tally);
  }

 private:
  static constexpr u32 kMakingRoom = 16;           // a value of walk.memo
  static constexpr u32 kRoom = 16;                 // times a slot plus 1, in walk.memo while nothing moves
  static constexpr u32 kLast = u32(1) << (B - 1);  // a slot to use where none is meant

  // change_or_claim is an upsert, or one that combines values, while nothing moves. It looks
  // for the key at its places, one after the other; walk.memo counts them. It changes what it
  // finds: a value alone if it combines, as the pair stays where it is. If the key is at none
  // of them, the pair goes to the first open slot that the walk passed: walk.step is its
  // bucket. If another pair took that, the walk begins anew.
  template <bool Combines, class Tile, class T>
  HZ_FN Done<P> change_or_claim(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    const u32 seen = at.find(tile, walk.pair.key), open = at.open(tile), found = tile.busy() ? seen : 0;
    if constexpr (Combines) {
      at.combine(tile, found, walk, tally);
    } else {
      replace(tile, found != 0, walk.pair, at, found, tally);
    }
    const bool absent = tile.busy() && found == 0;
    const Done<P> done = Done<P>::either(found != 0, Done<P>::replaced(), Done<P>::undecided());
    if (!tile.any(absent)) return done;
    const bool first = absent && open != 0 && walk.memo < kRoom;
    walk.memo += absent + (first ? kRoom * (1 + u32(lowest(open))) : 0);
    walk.step = first ? walk.place : walk.step;
    const u32 next = table_.next(walk.place, walk.pair.key);  // after the last place, home again
    walk.place = absent ? next : walk.place;
    const bool last = walk.memo % kRoom == table_.places() || (table_.fresh() && walk.memo >= kRoom);
    const bool nowhere = absent && last, fits = nowhere && walk.memo >= kRoom;
    if (!tile.any(nowhere)) return done;
    P* slot = bucket(fits ? walk.step : walk.place) + (fits ? walk.memo / kRoom - 1 : 0);
    const bool won = claim(tile, fits, slot, walk.pair, tally);
    walk.place = nowhere && table_.fresh() ? walk.step : walk.place;  // those before are full still
    walk.memo = nowhere ? 0 : walk.memo;
    const Done<P> added = Done<P>::either(won, Done<P>::ok(), done);
    return Done<P>::either(nowhere && !fits, Done<P>::failed(walk.pair), added);
  }

  // change_or_add looks for the key at its places, one after the other; walk.memo counts
  // them. It changes the pair it finds. If the key is at none of them, the walk adds its
  // pair, under the key's lock. If they are all full, it makes room first.
  template <bool Combines, class Tile, class T>
  HZ_FN Done<P> change_or_add(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    if (table_.still()) return change_or_claim<Combines>(tile, walk, at, tally);
    const bool looks = tile.busy() && walk.memo != kMakingRoom, makes_room = tile.busy() && !looks;
    const u32 seen = at.find(tile, walk.pair.key), found = looks ? seen : 0;
    bool won;
    if constexpr (Combines) {
      won = amend(tile, found != 0, walk, at, found, tally);
    } else {
      won = replace(tile, found != 0, walk.pair, at, found, tally);
    }
    if (tile.any(makes_room)) make_room<Combines>(tile, makes_room, walk, at, tally);
    const bool absent = looks && found == 0;
    const Done<P> done = Done<P>::either(won, Done<P>::replaced(), Done<P>::undecided());
    if (!tile.any(absent)) return done;
    const u32 next = table_.next(walk.place, walk.pair.key);  // after the last place, home again
    walk.place = absent ? next : walk.place;
    walk.memo += absent;
    const bool nowhere = absent && walk.memo == table_.places();
    if (!tile.any(nowhere)) return done;
    return Done<P>::either(nowhere, add(tile, nowhere, walk, tally), done);
  }

  // replace writes a pair over that of its key. If another operation of the batch has
  // replaced the value since the bucket was read, this one counts as carried out right
  // before it. So many operations on one key do not wait for each other.
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, bool> replace(const Tile& tile, bool wanted, const P& pair, const Chunk& at, u32 found,
                                         T& tally) const {
    const int slot = lowest(found | kLast);
    const P seen = at.in(tile, slot);
    const bool done =
        tile.done_by(wanted, 0, [&](Lane l) { return lane_cas(l, at.slots() + slot, seen, pair).key == pair.key; });
    if (wanted) tally.swap(at.slots() + slot, sizeof(P), done);
    return done;
  }

  // amend combines the value of the walk with that of its key. The whole pair is swapped,
  // because it may have moved since the bucket was read: then the walk looks again.
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, bool> amend(const Tile& tile, bool wanted, const Walk<P>& walk, const Chunk& at, u32 found,
                                       T& tally) const {
    const int slot = lowest(found | kLast);
    const P seen = at.in(tile, slot);
    const bool done = tile.done_by(wanted, 0, [&](Lane l) { return lane_amend(l, at.slots() + slot, seen, walk); });
    if (wanted) tally.swap(at.slots() + slot, sizeof(P), done);
    return done;
  }

  // lane_amend tries as long as others change the value. Each time one of them succeeds.
  HZ_FN static bool lane_amend(Lane l, P* slot, P seen, const Walk<P>& walk) {
    while (seen.key == walk.pair.key) {
      const P before = lane_cas(l, slot, seen, P{seen.key, combined(walk.op, seen.value, walk.pair.value)});
      if (before == seen) return true;
      seen = before;
    }
    return false;
  }

  // absent continues after a bucket without the key: at the key's next place, if one is
  // left.
  template <class Tile>
  HZ_FN Done<P> absent(const Tile& tile, Walk<P>& walk, bool not_here) const {
    const bool stop = walk.step + 1 == table_.places();
    if (tile.any(tile.busy() && not_here && !stop)) {
      const u32 next = table_.next(walk.place, walk.pair.key);
      if (not_here && !stop) walk.place = next, walk.step++;
    }
    return Done<P>::either(stop, Done<P>::missing(), Done<P>::undecided());
  }

  // evict exchanges the walk's pair with one of a full bucket, and the walk continues with
  // that pair, at its next place.
  template <class Tile, class T>
  HZ_FN void evict(const Tile& tile, bool full, Walk<P>& walk, const Chunk& at, T& tally) const {
    P* slot = at.slots() + table_.victim(walk);
    walk.pair = tile.exchange_if(full, slot, walk.pair);
    if (!full) return;
    tally.touch(slot, sizeof(P));
    tally.evict();
    walk.place = table_.next(walk.place, walk.pair.key);
    walk.step++;
  }

  // add puts a new pair into an open slot of one of its places, preferring home. Nobody
  // else adds or moves the key meanwhile, since the walk holds its lock; but others may
  // have added it before, or take the slot. Then the walk begins anew, and so it does if
  // it does not get the lock.
  template <class Tile, class T>
  HZ_FN Done<P> add(const Tile& tile, bool wanted, Walk<P>& walk, T& tally) const {
    const Key key = walk.pair.key;
    const u32 home = table_.home(key);
    const bool mine = take(tile, wanted, home, tally);
    bool here = false;
    u32 place = home, room = home, open = 0;
    const auto look = [&](const Chunk& at) {
      if (mine) tally.probe(at.slots(), Chunk::bytes);
      const u32 found = at.find(tile, key), unused = at.open(tile);
      here = here || found != 0;
      room = open == 0 ? place : room;
      open = open == 0 ? unused : open;
      place = table_.next(place, key);
    };
    // Two places at a time: a GPU waits once for both.
    for (u32 i = 0; i < table_.places(); i += 2) {
      const bool two = i + 1 < table_.places();
      const Chunk one(tile, bucket(place), mine), other(tile, bucket(table_.next(place, key)), mine && two);
      look(one);
      if (two) look(other);
    }
    const bool adds = mine && !here, full = adds && open == 0, last = walk.step >= table_.max_chain();
    const bool won = claim(tile, adds && open != 0, bucket(room) + lowest(open | kLast), walk.pair, tally);
    give(tile, mine, home);
    walk.memo = wanted ? (full ? kMakingRoom : 0) : walk.memo;
    walk.place = wanted ? (full ? room : home) : walk.place;  // `room` is the last place now
    const Done<P> stuck = Done<P>::either(full && last, Done<P>::failed(walk.pair), Done<P>::undecided());
    return Done<P>::either(won, Done<P>::ok(), stuck);
  }

  // make_room moves a random pair of a full bucket to its next place. If that is full too,
  // the walk continues there. Once there is room, or after too many steps, the walk looks
  // for its key again.
  template <bool Combines, class Tile, class T>
  HZ_FN void make_room(const Tile& tile, bool wanted, Walk<P>& walk, const Chunk& at, T& tally) const {
    const u32 unused = at.open(tile), slot = table_.victim(walk);
    const bool full = wanted && unused == 0;
    const P victim = at.in(tile, int(slot));
    const Key key = victim.key;
    const u32 to = table_.next(walk.place, key), lock = table_.home(key);
    const Chunk there(tile, bucket(to), full);
    if (full) tally.probe(there.slots(), Chunk::bytes);
    const u32 open = there.open(tile);
    const bool fits = full && open != 0, mine = take(tile, fits, lock, tally);
    P *from = at.slots() + slot, *into = there.slots() + lowest(open | kLast);
    const bool moved = move<Combines>(tile, mine, key, walk.op, from, into, tally);
    give(tile, mine, lock);
    walk.step += full;
    const bool again = (wanted && !full) || moved || (full && walk.step >= table_.max_chain());
    const u32 home = table_.home(walk.pair.key);
    walk.memo = again ? 0 : walk.memo;
    walk.place = again ? home : full && !fits ? to : walk.place;
  }

  // move moves the pair of a key whose lock is held from a slot to an open one, unless one
  // of the two has changed. It is in both for a moment, and upserts may replace its value
  // in either. A value that was replaced in the old slot is carried over, unless the new
  // one was replaced too: any of the values of a batch may stay. What was combined with
  // the old slot's value is combined with the new slot's too.
  template <bool Combines, class Tile, class T>
  HZ_FN CollectiveOf<Tile, bool> move(const Tile& tile, bool wanted, Key key, u8 op, P* from, P* to, T& tally) const {
    P pair = P::empty();
    tile.done_by(wanted, 0, [&](Lane l) { return pair = lane_read(l, from), true; });
    pair = tile.pick_of(0, [&](Lane) { return pair; });
    const bool moved = claim(tile, wanted && pair.key == key, to, pair, tally);
    for (bool both = moved; tile.any(both);) {
      P now = pair;
      tile.done_by(both, 0, [&](Lane l) { return now = lane_cas(l, from, pair, P::empty()), true; });
      now = tile.pick_of(0, [&](Lane) { return now; });
      both = both && !(now == pair);
      if constexpr (Combines) {
        tile.each(both ? 1 : 0, [&](Lane l) { lane_combine(l, &to->value, op, since(op, pair.value, now.value)); });
      } else {
        tile.done_by(both, 0, [&](Lane l) { return lane_cas(l, to, pair, now) == pair; });
      }
      pair = now;
    }
    if (moved) tally.swap(from, sizeof(P), true);
    if (moved) tally.evict();
    return moved;
  }

  // since returns what operations combined with a value that was `before` and is `now`.
  HZ_FN static Value since(u8 op, Value before, Value now) { return becomes(op, column::sum) ? now - before : now; }

  // claim writes a pair to a slot if that is open still.
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, bool> claim(const Tile& tile, bool wanted, P* slot, const P& pair, T& tally) const {
    const bool won = tile.done_by(wanted, 0, [&](Lane l) { return lane_cas(l, slot, P::empty(), pair) == P::empty(); });
    if (wanted) tally.swap(slot, sizeof(P), won);
    return won;
  }

  // The lock of a key is that of its home.
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, bool> take(const Tile& tile, bool wanted, u32 home, T& tally) const {
    u32* lock = table_.lock(home);
    const bool mine = tile.lock_of(wanted ? 1 : 0, [&](Lane) { return lock; }) != 0;
    if (wanted) tally.swap(lock, sizeof(u32), mine);
    return mine;
  }
  template <class Tile>
  HZ_FN void give(const Tile& tile, bool mine, u32 home) const {
    tile.unlock_of(mine ? 1 : 0, [&](Lane) { return table_.lock(home); });
  }

  Table table_;
};

}  // namespace hz
