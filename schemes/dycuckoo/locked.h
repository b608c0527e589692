// locked.h: DyCuckoo with keys and values apart, in buckets with locks. See dycuckoo.h.
#pragma once

#include "keys.h"
#include "resize.h"
#include "subtables.h"

namespace hz {

template <class P>
class Locked : public Resizable<Subtables<P, Apart>> {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Table = Subtables<P, Apart>;
  static constexpr int B = Table::B;
  using Chunk = KeyBucket<Key, B>;
  static constexpr int width = B;
  static constexpr Traits traits{.content = Content::slot, .combine_seen = true};

  HZ_FN explicit Locked(const hz_table* t) : table_(t) {}

  HZ_FN u32 first(Key key) const { return table_.home(key); }
  HZ_FN Key* bucket(u32 place) const { return keys(place); }
  HZ_FN P slot(u64 i) const { return table_.slot(i); }

  template <class Tile, class T>
  HZ_FN void find_of_all(const Tile& tile, u32 todo, Lanes<Walk<P>, B>& walks, Lanes<Outcome, B>& outcomes,
                         T& tally) const {
    while (tile.any(todo != 0)) {
      Lanes<u32, B> slots;
      const u32 found = look(tile, todo, walks, slots, tally);
      tile.each(found, [&](Lane l) { walks[l].pair.value = read_value(l, value_of(walks[l], slots[l])); });
      count_values(found, walks, slots, tally);
      todo = elsewhere(tile, todo, found, found, walks, outcomes);
    }
  }

  // update_of_all writes a word atomically, and a larger value under the lock. A lane
  // that does not get the lock searches again.
  template <class Tile, class T>
  HZ_FN void update_of_all(const Tile& tile, u32 todo, Lanes<Walk<P>, B>& walks, Lanes<Outcome, B>& outcomes,
                           T& tally) const {
    constexpr bool locks = sizeof(Value) > 8;
    auto lock = [&](Lane l) { return table_.lock(walks[l].place); };
    while (tile.any(todo != 0)) {
      Lanes<u32, B> slots;
      const u32 found = look(tile, todo, walks, slots, tally);
      u32 mine = found;
      if constexpr (locks) mine = tile.lock_of(found, lock);
      tile.each(mine, [&](Lane l) { *value_of(walks[l], slots[l]) = walks[l].pair.value; });
      if (locks) tile.unlock_of(mine, lock);
      if (locks) count_swaps(found, mine, sizeof(u32), lock, tally);
      count_values(mine, walks, slots, tally);
      todo = elsewhere(tile, todo, found, mine, walks, outcomes);
    }
  }

  // erase_of_all: a lane that lost a race searches again and finds the key gone.
  template <class Tile, class T>
  HZ_FN void erase_of_all(const Tile& tile, u32 todo, Lanes<Walk<P>, B>& walks, Lanes<Outcome, B>& outcomes,
                          T& tally) const {
    while (tile.any(todo != 0)) {
      Lanes<u32, B> slots;
      const u32 found = look(tile, todo, walks, slots, tally);
      auto at = [&](Lane l) { return keys(walks[l].place) + lowest(slots[l]); };
      const u32 won = tile.ballot_of(found, [&](Lane l) {
        const Key key = walks[l].pair.key;
        return lane_cas(l, at(l), key, P::kEmptyKey) == key;
      });
      count_swaps(found, won, sizeof(Key), at, tally);
      todo = elsewhere(tile, todo, found, won, walks, outcomes);
    }
  }

  // insert_of_all tries to lock the buckets of some lanes, then serves those that got their
  // locks. The other lanes try again in a later round, as do those that continue with an
  // evicted pair.
  template <class Tile, class T>
  HZ_FN void insert_of_all(const Tile& tile, u32 todo, Lanes<Walk<P>, B>& walks, Lanes<Outcome, B>& outcomes,
                           T& tally) const {
    const bool together = table_.coordination() == Table::kTogether;
    u32 leader = 0;
    for (u32 round = 1; tile.any(todo != 0); round++) {
      const u32 some = together ? todo : elect(todo, leader);
      Lanes<u32, B> at;
      tile.each([&](Lane l) { at[l] = walks[l].place; });
      if constexpr (T::observed) {
        tile.each(some, [&](Lane l) { tally.visit(walks[l], keys(at[l])); });
      }
      auto lock = [&](Lane l) { return table_.lock(at[l]); };
      const u32 mine = tile.lock_of(some, lock);
      count_swaps(some, mine, sizeof(u32), lock, tally);
      if (together || kServed == 1) {
        for (u32 left = mine; tile.any(left != 0);) serve_some<kServed>(tile, left, walks, outcomes, tally);
      } else {
        u32 left = mine;
        serve_some<1>(tile, left, walks, outcomes, tally);
      }
      tile.unlock_of(mine, lock);
      if (round % kPatience == 0) give_up(tile, todo & ~mine, walks, outcomes, tally);
      todo = tile.ballot_of(todo, [&](Lane l) { return outcomes[l] == k_none; });
      leader = mine != 0 && table_.coordination() == Table::kSpin ? 0 : some;
    }
  }

  template <class InStep, class T>
  HZ_FN Done<P> upsert_at(const InStep& tile, Walk<P>& walk, Key*, T& tally) const {
    return put_or_make_room<false>(tile, walk, tally);
  }

  template <class InStep, class T>
  HZ_FN Done<P> combine_at(const InStep& tile, Walk<P>& walk, Key*, T& tally) const {
    return put_or_make_room<true>(tile, walk, tally);
  }

  // combine_seen combines the values of those lanes in `todo` whose keys are at one of their
  // places, while nothing moves, and returns these lanes. It needs no lock: a key stays where
  // it is, and its value was written before it. In a fresh table, whose values are all ones, a
  // lane whose key is absent claims the first open slot, and its value begins there.
  template <class Tile, class T>
  HZ_FN u32 combine_seen(const Tile& tile, u32 todo, Lanes<Walk<P>, B>& walks, Lanes<Outcome, B>& outcomes,
                         T& tally) const {
    u32 done = 0;
    if constexpr (sizeof(Value) <= 8) {
      const bool claims = table_.fresh();
      u32 left = table_.still() ? todo : 0;
      while (tile.any(left != 0)) {
        Lanes<u32, B> slots, open;
        const u32 found = look(tile, left, walks, slots, tally, &open);
        auto at = [&](Lane l) { return keys(walks[l].place) + lowest(open[l]); };
        auto value = [&](Lane l) { return value_of(walks[l], slots[l]); };
        const u32 tries = tile.ballot_of(left & ~found, [&](Lane l) { return claims && open[l] != 0; });
        const u32 won = tile.ballot_of(
            tries, [&](Lane l) { return lane_cas(l, at(l), P::kEmptyKey, walks[l].pair.key) == P::kEmptyKey; });
        count_swaps(tries, won, sizeof(Key), at, tally);
        tile.each(found, [&](Lane l) { lane_combine(l, value(l), walks[l].op, walks[l].pair.value); });
        tile.each(won, [&](Lane l) { slots[l] = open[l]; });
        tile.each(won, [&](Lane l) { lane_begin(l, value(l), walks[l].op, walks[l].pair.value); });
        tile.each(found | won, [&](Lane l) { outcomes[l] = (won >> l.index() & 1) != 0 ? k_ok : k_replaced; });
        count_values(found | won, walks, slots, tally);
        done |= found | won;
        const u32 on = left & ~(done | tries);  // who lost a slot looks again
        tile.each(on, [&](Lane l) { walks[l].place = table_.next(walks[l].place, walks[l].pair.key); });
        left = (tries & ~won) | tile.ballot_of(on, [&](Lane l) { return ++walks[l].step < table_.places(); });
      }
    }
    return done;
  }

 private:
  static constexpr int kServed = kOverlapped < 4 ? kOverlapped : 4;  // lanes whose buckets inserts read together
  static constexpr int kLooked = kOverlapped;                        // the same for searches
  static constexpr u32 kPatience = 16;             // rounds after which an insert looks whether its key is there
  static constexpr u32 kLast = u32(1) << (B - 1);  // a slot or lane to use where none is meant
  enum { kPutting, kMakingRoom };                  // values of walk.memo

  // put_or_make_room either tries to put the walk's pair into a place of its key or makes
  // room, as walk.memo says. The tile leaves the warp's step here: which of the two it
  // does, and how far it gets, depends on locks. (In step, two tiles of 16 lanes ended in
  // an illegal instruction on an H200, driver 580.)
  template <bool Combines, class InStep, class T>
  HZ_FN Done<P> put_or_make_room(const InStep& tile, Walk<P>& walk, T& tally) const {
    if (!tile.busy()) return Done<P>::undecided();
    const Tile<B> own;
    if constexpr (Combines && sizeof(Value) <= 8) {
      if (table_.still() && combine_there(own, walk, tally)) return Done<P>::replaced();
    }
    if (walk.memo == kPutting) return put<Combines>(own, walk, tally);
    make_room(own, walk, tally);
    return Done<P>::undecided();
  }

  // combine_there combines the walk's value with that of its key, if the key is at one of its
  // places, while nothing moves. It needs no lock: the key stays where it is, and its value
  // was written before it.
  template <class Tile, class T>
  HZ_FN bool combine_there(const Tile& tile, const Walk<P>& walk, T& tally) const {
    u32 place = table_.home(walk.pair.key);
    for (u32 i = 0; i < table_.places(); i++, place = table_.next(place, walk.pair.key)) {
      const Chunk here(tile, keys(place));
      tally.probe(keys(place), Chunk::bytes);
      const u32 found = here.find(tile, walk.pair.key);
      if (found == 0) continue;
      Value* at = values(place) + lowest(found);
      tile.each(found & -found, [&](Lane l) { lane_combine(l, at, walk.op, walk.pair.value); });
      tally.touch(at, sizeof(Value));
      return true;
    }
    return false;
  }

  // elect chooses the lane that leads the tile: the one after the last leader, or that
  // again if the tile spins until it has the leader's lock.
  HZ_FN u32 elect(u32 todo, u32 last) const {
    const u32 kept = todo & last, later = todo & ~((last << 1) - 1) & -u32(last != 0);
    const u32 from = later != 0 ? later : todo;
    return table_.coordination() == Table::kSpin && kept != 0 ? kept : from & -from;
  }

  // give_up ends the inserts of lanes that did not get the lock of a bucket and whose key
  // is there already: of many inserts of one key, most would only wait for each other.
  template <class Tile, class T>
  HZ_FN void give_up(const Tile& tile, u32 lanes, Lanes<Walk<P>, B>& walks, Lanes<Outcome, B>& outcomes,
                     T& tally) const {
    Lanes<u32, B> slots;
    const u32 present = look(tile, lanes, walks, slots, tally);
    tile.each(present, [&](Lane l) { outcomes[l] = k_failed; });
  }

  // serve_some removes N lanes that hold their locks from `left`, reads all their buckets,
  // and then inserts the pair of each.
  template <int N, class Tile, class T>
  HZ_FN void serve_some(const Tile& tile, u32& left, Lanes<Walk<P>, B>& walks, Lanes<Outcome, B>& outcomes,
                        T& tally) const {
    Chunk bucket[N];
    u32 lane[N], place[N];
#pragma GCC unroll 8
    for (int k = 0; k < N; k++) {
      lane[k] = left & -left;
      left &= ~lane[k];
      place[k] = tile.pick_of(lowest(lane[k] | kLast), [&](Lane l) { return walks[l].place; });
      bucket[k] = Chunk(tile, keys(place[k]), lane[k] != 0);
      if (lane[k] != 0) tally.probe(keys(place[k]), Chunk::bytes);
    }
#pragma GCC unroll 8
    for (int k = 0; k < N; k++) serve(tile, lane[k], place[k], bucket[k], walks, outcomes, tally);
  }

  // serve inserts the pair of one lane, unless the mask is empty. In a full bucket it
  // replaces another pair, with which the lane continues; but if the lane's key is there,
  // the insert fails. It also fails if it updates the key, and hands back the old pair.
  template <class Tile, class T>
  HZ_FN void serve(const Tile& tile, u32 served, u32 place, const Chunk& bucket, Lanes<Walk<P>, B>& walks,
                   Lanes<Outcome, B>& outcomes, T& tally) const {
    const u32 open = bucket.open(tile);
    const bool full = served != 0 && open == 0, updates = table_.updates();
    u32 slot = u32(lowest(open | kLast));
    Key out = P::kEmptyKey;
    bool meets = false, fails = false;
    if (tile.any(updates || full)) {
      const int lane = lowest(served | kLast);
      const u32 chosen = tile.pick_of(lane, [&](Lane l) { return table_.victim(walks[l]); });
      const u32 step = tile.pick_of(lane, [&](Lane l) { return walks[l].step; });
      const u32 same = bucket.find(tile, tile.pick_of(lane, [&](Lane l) { return walks[l].pair.key; }));
      meets = served != 0 && same != 0 && (full || updates);
      fails = meets ? !updates : full && step == table_.max_chain();
      slot = meets ? u32(lowest(same)) : full ? chosen : slot;
      out = bucket.key(tile, slot);
    }
    Key* key = keys(place) + slot;
    Value* value = values(place) + slot;
    tile.each(served, [&](Lane l) {
      if constexpr (T::counted) walks[l].memo++;
      const Walk<P> walk = walks[l];
      outcomes[l] = meets || fails ? k_failed : full ? k_none : k_ok;
      if (fails) return;
      if (full || meets) walks[l] = {{out, read_value(l, value)}, table_.next(place, out), walk.step + 1, walk.memo};
      *key = walk.pair.key;
      *value = walk.pair.value;
    });
    if (served == 0 || fails) return;
    tally.touch(key, sizeof(Key));
    tally.touch(value, sizeof(Value));
    if (full && !meets) tally.evict();
  }

  // look searches the buckets of the lanes in `todo` for their keys, one lane after the
  // other, with the whole tile. It returns the lanes whose keys were found, and sets the
  // slots of each, and those that are open, if that is asked for.
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, u32> look(const Tile& tile, u32 todo, Lanes<Walk<P>, B>& walks, Lanes<u32, B>& slots,
                                     T& tally, Lanes<u32, B>* open = nullptr) const {
    Lanes<Key*, B> at;
    Lanes<Key, B> key;
    tile.each([&](Lane l) { at[l] = nullptr, key[l] = P::kEmptyKey, slots[l] = 0; });
    tile.each(todo, [&](Lane l) { at[l] = keys(walks[l].place), key[l] = walks[l].pair.key; });
    if constexpr (T::counted) tile.each(todo, [&](Lane l) { walks[l].memo++; });
    if constexpr (T::observed) tile.each(todo, [&](Lane l) { tally.visit(walks[l], at[l]); });
#pragma GCC unroll 1
    for (int from = 0; from < B; from += kLooked) {
      const u32 some = todo >> from & ((u32(1) << kLooked) - 1);
      if (tile.any(some != 0)) look_for(tile, from, some, at, key, slots, tally, open);
    }
    return tile.ballot_of(todo, [&](Lane l) { return slots[l] != 0; });
  }

  // look_for reads the buckets of some lanes, starting at lane `from`, before it searches
  // the first.
  template <class Tile, class T>
  HZ_FN void look_for(const Tile& tile, int from, u32 some, const Lanes<Key*, B>& at, const Lanes<Key, B>& key,
                      Lanes<u32, B>& slots, T& tally, Lanes<u32, B>* open) const {
    Chunk bucket[kLooked];
#pragma GCC unroll 8
    for (int k = 0; k < kLooked; k++) {
      const Key* place = tile.pick(at, from + k);
      bucket[k] = Chunk(tile, place, some >> k & 1);
      if (some >> k & 1) tally.probe(T::observed ? place : keys(0), Chunk::bytes);
    }
#pragma GCC unroll 8
    for (int k = 0; k < kLooked; k++) {
      const u32 found = bucket[k].find(tile, tile.pick(key, from + k));
      tile.each((some >> k & 1) << (from + k), [&](Lane l) { slots[l] = found; });
      if (open == nullptr) continue;
      const u32 unused = bucket[k].open(tile);
      tile.each((some >> k & 1) << (from + k), [&](Lane l) { (*open)[l] = unused; });
    }
  }

  // elsewhere updates the lanes that have searched. Lanes in `done` are finished; lanes
  // that did not find their key move to the key's next place, or end as missing. It
  // returns the lanes that have to search again.
  template <class Tile>
  HZ_FN CollectiveOf<Tile, u32> elsewhere(const Tile& tile, u32 todo, u32 found, u32 done, Lanes<Walk<P>, B>& walks,
                                          Lanes<Outcome, B>& outcomes) const {
    tile.each(done, [&](Lane l) { outcomes[l] = k_ok; });
    tile.each(todo & ~found, [&](Lane l) {
      Walk<P>& walk = walks[l];
      if (++walk.step == table_.places()) {
        outcomes[l] = k_missing;
        return;
      }
      walk.place = table_.next(walk.place, walk.pair.key);
      prefetch(keys(walk.place), Chunk::bytes);
    });
    return tile.ballot_of(todo, [&](Lane l) { return outcomes[l] == k_none; });
  }

  HZ_FN Value* value_of(const Walk<P>& walk, u32 slots) const { return values(walk.place) + lowest(slots); }

  // Counts per tile what lanes do by themselves. All buckets have the same alignment. Only a CPU's tile, which has no
  // others beside it, is asked for addresses.
  template <class T>
  HZ_FN void count_values(u32 lanes, const Lanes<Walk<P>, B>& walks, const Lanes<u32, B>& slots, T& tally) const {
    for_each_pending(lanes, [&](int i) {
      const void* at = values(0);
      if constexpr (T::observed) at = Tile<B>{}.pick_of(i, [&](Lane l) { return value_of(walks[l], slots[l]); });
      tally.touch(at, sizeof(Value));
    });
  }
  template <class F, class T>
  HZ_FN void count_swaps(u32 lanes, u32 won, int bytes, F&& where, T& tally) const {
    for_each_pending(lanes, [&](int i) {
      const void* at = table_.lock(0);
      if constexpr (T::observed) at = Tile<B>{}.pick_of(i, where);
      tally.swap(at, bytes, won >> i & 1);
    });
  }

  // put locks all places of the key. Then it replaces the key's value, or combines its
  // own with it, or puts the pair into an open slot, preferring home; if there is none, the walk makes room at one of
  // the places. Locks are taken in the order of subtables, so of tiles that repeatedly
  // want the same locks, one gets all of them.
  template <bool Combines, class Tile, class T>
  HZ_FN Done<P> put(const Tile& tile, Walk<P>& walk, T& tally) const {
    const Key key = walk.pair.key;
    const u32 home = table_.home(key), first = table_.lowest(key);
    u32 held = 0, place = first, there = home, room = home;
    u32 found = 0, open = 0;
    bool all = tile.busy();
    for (u32 i = 0; i < table_.places(); i++, place = table_.next(place, key)) {
      all = take(tile, all, place, tally);
      held += all;
      const Chunk here(tile, keys(place), all);
      tally.probe(keys(place), Chunk::bytes);
      const u32 seen = here.find(tile, key), unused = here.open(tile);
      if (all && seen != 0) found = seen, there = place;
      if (all && unused != 0 && (open == 0 || place == home)) open = unused, room = place;
    }
    const bool replace = all && found != 0, add = all && found == 0 && open != 0;
    if constexpr (Combines && sizeof(Value) <= 8) {
      // Others may combine with it without a lock (combine_there).
      Value* at = values(there) + lowest(found | kLast);
      tile.each(replace ? found & -found : 0, [&](Lane l) { lane_combine(l, at, walk.op, walk.pair.value); });
      if (replace) tally.touch(at, sizeof(Value));
    } else {
      Value value = walk.pair.value;
      if constexpr (Combines) {
        value = combined(walk.op, value_at(tile, replace, there, lowest(found | kLast), tally), value);
      }
      write_value(tile, replace, there, lowest(found | kLast), value, tally);
    }
    if constexpr (Combines) {
      show_pair(tile, add, room, lowest(open | kLast), walk.pair, tally);
    } else {
      write_pair(tile, add, room, lowest(open | kLast), walk.pair, tally);
    }
    place = first;
    for (u32 i = 0; i < table_.places(); i++, place = table_.next(place, key)) give(tile, i < held, place);

    const bool full = all && !replace && !add, last = table_.still() || walk.step >= table_.max_chain();
    if (full) walk.memo = kMakingRoom, walk.place = walk.step % 2 == 0 ? home : table_.next(home, key);
    const Done<P> stuck = Done<P>::either(full && last, Done<P>::failed(walk.pair), Done<P>::undecided());
    return Done<P>::either(replace, Done<P>::replaced(), Done<P>::either(add, Done<P>::ok(), stuck));
  }

  // make_room moves a random pair of a full bucket to its next place, under both locks.
  // If that is full too, the walk continues there to make room first. Once there is room,
  // or after too many steps, the walk tries again to put its pair.
  template <class Tile, class T>
  HZ_FN void make_room(const Tile& tile, Walk<P>& walk, T& tally) const {
    const u32 from = walk.place;
    const bool mine = take(tile, true, from, tally);
    const Chunk here(tile, keys(from), mine);
    const bool full = mine && here.open(tile) == 0;
    const u32 slot = table_.victim(walk);
    P pair{here.key(tile, slot), P::Traits::ones()};
    const u32 to = full ? table_.next(from, pair.key) : from;
    const bool both = take(tile, full, to, tally);
    const Chunk there(tile, keys(to), both);
    tally.probe(keys(to), Chunk::bytes);
    const u32 open = there.open(tile);
    const bool move = both && open != 0;
    pair.value = value_at(tile, move, from, slot, tally);
    write_pair(tile, move, to, lowest(open | kLast), pair, tally);
    write_key(tile, move, from, slot, P::kEmptyKey);
    give(tile, both, to);
    give(tile, mine, from);
    if (move) tally.evict();
    if (both) walk.place = to;
    // If the second lock was lost, the next attempt tries another pair: two tiles may
    // each hold what the other wants.
    if (both || full) walk.step++;
    if ((mine && !full) || move || walk.step >= table_.max_chain()) walk.memo = kPutting;
  }

  template <class Tile, class T>
  HZ_FN bool take(const Tile& tile, bool condition, u32 place, T& tally) const {
    u32* lock = table_.lock(place);
    const bool mine = tile.lock_of(condition ? 1 : 0, [&](Lane) { return lock; }) != 0;
    if (condition) tally.swap(lock, sizeof(u32), mine);
    return mine;
  }
  template <class Tile>
  HZ_FN void give(const Tile& tile, bool condition, u32 place) const {
    tile.unlock_of(condition ? 1 : 0, [&](Lane) { return table_.lock(place); });
  }

  template <class Tile, class T>
  HZ_FN Value value_at(const Tile& tile, bool condition, u32 place, u32 slot, T& tally) const {
    const Value* at = values(place) + slot;
    if (condition) tally.touch(at, sizeof(Value));
    return tile.pick_of(int(slot),
                        [&](Lane l) { return condition && l.index() == slot ? read_value(l, at) : P::Traits::ones(); });
  }
  template <class Tile>
  HZ_FN void write_key(const Tile& tile, bool condition, u32 place, u32 slot, Key key) const {
    tile.each(condition ? u32(1) << slot : 0, [&](Lane) { keys(place)[slot] = key; });
  }
  template <class Tile, class T>
  HZ_FN void write_value(const Tile& tile, bool condition, u32 place, u32 slot, const Value& value, T& tally) const {
    Value* at = values(place) + slot;
    tile.each(condition ? u32(1) << slot : 0, [&](Lane) { *at = value; });
    if (condition) tally.touch(at, sizeof(Value));
  }
  template <class Tile, class T>
  HZ_FN void write_pair(const Tile& tile, bool condition, u32 place, u32 slot, const P& pair, T& tally) const {
    write_key(tile, condition, place, slot, pair.key);
    write_value(tile, condition, place, slot, pair.value, tally);
  }

  // show_pair writes the value first, for those that look for the key without a lock.
  template <class Tile, class T>
  HZ_FN void show_pair(const Tile& tile, bool condition, u32 place, u32 slot, const P& pair, T& tally) const {
    Value* at = values(place) + slot;
    tile.each(condition ? u32(1) << slot : 0, [&](Lane l) {
      *at = pair.value;
      lane_fence(l);
    });
    write_key(tile, condition, place, slot, pair.key);
    if (condition) tally.touch(at, sizeof(Value));
  }

  HZ_FN Key* keys(u32 place) const { return table_.at(place).keys; }
  HZ_FN Value* values(u32 place) const { return table_.at(place).values; }

  Table table_;
};

}  // namespace hz
