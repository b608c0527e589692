// dycuckoo.h: DyCuckoo, the cuckoo table that grows and shrinks.
//
// The idea. A table that doubles or halves as a whole is half empty most of the time,
// and moves every pair. DyCuckoo is d subtables, and a key may be in two of them
// (subtables.h). To grow, it doubles the smallest subtable, to shrink, it halves the
// largest: at most one d-th of the pairs is moved, all but the moved ones stay where
// they are, and the share of slots in use, the filled factor, stays within bounds
// [alpha, beta] after every batch. No subtable is ever more than twice another.
//
//   subtable 0  [ 8 buckets        ]        grow: 1 doubles. Bucket j of it splits
//   subtable 1  [ 4      ]  -->  [ 8        into j and j + 4; no bucket gets keys
//   subtable 2  [ 4      ]                  from two, so no tile waits for another.
//
// Buckets have B = 32 keys that a tile reads at once, 16 where keys have 8 bytes. A
// value may have up to 64 bytes, so a pair cannot be swapped by one atomic. Instead,
// who changes a bucket holds its lock.
//
// Insert. Every lane of a tile has a pair of its own, and tries to take the lock of the
// bucket that is its key's home. Then the tile serves the lanes that got their locks, one
// after the other: all lanes read the keys of the bucket. Into an open slot goes the
// pair; if there is none, it takes the place of a random pair, which goes on to its other
// place as the lane's next one. When all are served, the locks are released together, and
// the lanes that are not done try again. So a lane whose bucket is locked never keeps the
// others waiting, which is what the paper's voters are for; taking many locks at once
// and releasing them at once has their cost shared by all. A lane holds one lock at most,
// and none while it waits. After max_chain moves the pair in hand is handed back, so that
// none is lost.
//
// Which subtable. Conflicts are fewest when C(m_i, 2) / n_i is the same for all
// subtables, with m_i pairs in n_i slots. So a pair goes to subtable i in proportion
// to n_i / C(m_i, 2), by weights that the host side computes before a batch, from
// `weigh`. In the paper the choice is drawn for every insert; here it is drawn from
// the key's hash, so that a find knows as well where to look first, and finds keys
// that never moved at its first probe, whatever the number of subtables.
//
// Find reads the keys of at most two buckets, and the one value. All lanes of a tile have
// a find of their own, and share out the work: where a key belongs, where it goes on and
// what its value is, each lane finds out for itself, all at the same time; at the bucket
// of each looks the whole tile. Erase and update go about it the same way. Erase makes
// the slot unused again by a compare-and-swap on its key, without a lock. Nothing needs
// to mark it, as finds always look at all places of a key.
//
// Upsert has to know that a key is nowhere before it puts it somewhere, while others
// move keys. So it takes the locks of all the key's places, and a pair is moved by
// who holds the locks of both buckets, the one it leaves and the one it comes to: it
// is never out of the table. An upsert that finds its places full makes room: it
// tries to move a random pair of one to its other place; where that is full, it tries
// to make room there first. Then it tries again. It takes what locks it needs one by
// one, and if it fails to get one, gives back those it has.
//
// What makes it linearizable: an insert takes effect when it writes its pair, under a
// lock. Between two moves of a chain, the pair in hand is in no slot, and an erase
// and a find do not look at locks; therefore batches have one kind of operation. Of
// two erases of a key one wins the compare-and-swap; two updates write one word, or one
// after the other under the lock, and so do two upserts. Keys are inserted once: an
// insert does not look for its key. An upsert takes effect when it writes the value.
//
// Resizing is in resize.h, and its decisions are in schemes/dycuckoo_host.go.
//
// Limits. Pairs move. Without resizing it fills to 0.97. Two places are enough for
// that, as buckets are large; places=all is the table as the paper first had it, in
// which finds of absent keys read a bucket of every subtable.
//
// Paper: Li, Zhu, Lyu, Huang, Sun: DyCuckoo: Dynamic Hash Tables on GPUs.
#ifndef HZ_DYCUCKOO_H
#define HZ_DYCUCKOO_H

#include "drive.h"
#include "resize.h"

namespace hz {

template <class P>
class DyCuckoo {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Value = typename P::Value;
  static constexpr int B = 128 / sizeof(Key);
  using Table = Subtables<P, B>;
  using Chunk = KeyBucket<Key, B>;
  static constexpr int width = B;
  enum Arg { kMaxChain };
  static constexpr bool lanes_differ = true;  // each looks at another subtable

  HZ_FN explicit DyCuckoo(const hz_table* t) : table_(t), seed_(u32(t->Seed)), max_chain_(u32(t->Arg[kMaxChain])) {}

  HZ_FN u32 first(Key key) const { return table_.home(key); }
  HZ_FN Key* bucket(u32 place) const { return table_.keys(place); }
  HZ_FN P slot(u64 i) const { return table_.slot(i); }

  template <class Tile, class T>
  HZ_FN void find_of_all(const Tile& tile, u32 todo, Lanes<Walk<P>, B>& walks, Lanes<Outcome, B>& became,
                         T& tally) const {
    while (tile.any(todo != 0)) {
      Lanes<u32, B> slots;
      const u32 found = look(tile, todo, walks, slots, tally);
      tile.each(found, [&](Lane l) { walks[l].pair.value = read_value(l, value_of(walks[l], slots[l])); });
      count_values(found, tally);
      todo = elsewhere(tile, todo, found, found, walks, became);
    }
  }

  // update: a word is written whole; a larger value under the lock. A lane that does not
  // get it looks again.
  template <class Tile, class T>
  HZ_FN void update_of_all(const Tile& tile, u32 todo, Lanes<Walk<P>, B>& walks, Lanes<Outcome, B>& became,
                           T& tally) const {
    constexpr bool locks = sizeof(Value) > 8;
    auto lock = [&](Lane l) { return table_.lock(walks[l].place); };
    while (tile.any(todo != 0)) {
      Lanes<u32, B> slots;
      const u32 found = look(tile, todo, walks, slots, tally);
      const u32 mine = locks ? tile.lock_of(found, lock) : found;
      tile.each(mine, [&](Lane l) { *value_of(walks[l], slots[l]) = walks[l].pair.value; });
      if (locks) tile.unlock_of(mine, lock);
      if (locks) count_swaps(found, mine, sizeof(u32), tally);
      count_values(mine, tally);
      todo = elsewhere(tile, todo, found, mine, walks, became);
    }
  }

  // erase: a lane that lost a race looks again, to find the key gone.
  template <class Tile, class T>
  HZ_FN void erase_of_all(const Tile& tile, u32 todo, Lanes<Walk<P>, B>& walks, Lanes<Outcome, B>& became,
                          T& tally) const {
    while (tile.any(todo != 0)) {
      Lanes<u32, B> slots;
      const u32 found = look(tile, todo, walks, slots, tally);
      const u32 won = tile.ballot_of(found, [&](Lane l) {
        const Key key = walks[l].pair.key;
        return lane_cas(l, table_.keys(walks[l].place) + lowest(slots[l]), key, P::kEmptyKey) == key;
      });
      count_swaps(found, won, sizeof(Key), tally);
      todo = elsewhere(tile, todo, found, won, walks, became);
    }
  }

  // insert_of_all: every lane asks for the lock of its bucket, then the tile serves the
  // lanes that got theirs, a few at a time. Lanes that did not ask again in the next
  // round, and so do those that go on with a pair that was in their way.
  template <class Tile, class T>
  HZ_FN void insert_of_all(const Tile& tile, u32 todo, Lanes<Walk<P>, B>& walks, Lanes<Outcome, B>& became,
                           T& tally) const {
    while (tile.any(todo != 0)) {
      Lanes<u32, B> at;
      tile.each([&](Lane l) { at[l] = walks[l].place; });
      auto lock = [&](Lane l) { return table_.lock(at[l]); };
      const u32 mine = tile.lock_of(todo, lock);
      count_swaps(todo, mine, sizeof(u32), tally);
      for (u32 left = mine; tile.any(left != 0);) serve_some(tile, left, walks, became, tally);
      tile.unlock_of(mine, lock);
      todo &= ~(mine & tile.ballot([&](Lane l) { return became[l] != k_none; }));
    }
  }

  // upsert: a walk either tries to put its pair into a place of its key, or makes
  // room; walk.memo says which. A tile goes its own way here, out of step with the warp's
  // others: which of the two it does, and how far it gets, depends on locks. (In step, two
  // tiles of 16 lanes ended in an illegal instruction on an H200, driver 580.)
  template <class InStep, class T>
  HZ_FN Done<P> upsert_at(const InStep& tile, Walk<P>& walk, Key*, T& tally) const {
    if (!tile.busy()) return Done<P>::undecided();
    const Tile<B> own;
    if (walk.memo == kPutting) return put(own, walk, tally);
    make_room(own, walk, tally);
    return Done<P>::undecided();
  }

  template <bool>
  HZ_FN static void split(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    split_buckets<P, B>(table, batch, first, count);
  }
  template <bool>
  HZ_FN static void merge(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    merge_buckets<P, B>(table, batch, first, count);
  }
  template <bool>
  HZ_FN static void weigh(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    weigh_subtables<P, B>(table, batch, first, count);
  }

 private:
  static constexpr int kServed = 4;                // lanes whose buckets are read together, to insert
  static constexpr int kLooked = HZ_GPU ? 8 : 1;   // the same, to look for keys; a CPU has them in its cache
  static constexpr u32 kLast = u32(1) << (B - 1);  // a slot or lane to name where there is none
  enum { kPutting, kMakingRoom };                  // walk.memo

  // serve_some takes a few lanes that hold their locks out of `left`, reads the buckets
  // of all of them, and then inserts the pair of each.
  template <class Tile, class T>
  HZ_FN void serve_some(const Tile& tile, u32& left, Lanes<Walk<P>, B>& walks, Lanes<Outcome, B>& became,
                        T& tally) const {
    Chunk bucket[kServed];
    u32 lane[kServed], place[kServed];
#pragma GCC unroll 8
    for (int k = 0; k < kServed; k++) {
      lane[k] = left & -left;
      left &= ~lane[k];
      place[k] = tile.pick_of(lowest(lane[k] | kLast), [&](Lane l) { return walks[l].place; });
      bucket[k] = Chunk(tile, table_.keys(place[k]), lane[k] != 0);
      if (lane[k] != 0) tally.probe(table_.keys(place[k]), Chunk::bytes);
    }
#pragma GCC unroll 8
    for (int k = 0; k < kServed; k++) serve(tile, lane[k], place[k], bucket[k], walks, became, tally);
  }

  // serve inserts the pair of one lane, if there is one in the mask. In a full bucket
  // it takes the place of another pair, with which the lane goes on.
  template <class Tile, class T>
  HZ_FN void serve(const Tile& tile, u32 lane, u32 place, const Chunk& bucket, Lanes<Walk<P>, B>& walks,
                   Lanes<Outcome, B>& became, T& tally) const {
    const u32 open = bucket.open(tile);
    const bool full = lane != 0 && open == 0;
    u32 slot = u32(lowest(open | kLast));
    Key out = P::kEmptyKey;
    bool last = false;
    if (tile.any(full)) {
      const u32 chosen = tile.pick_of(lowest(lane | kLast), [&](Lane l) { return victim(walks[l]); });
      const u32 step = tile.pick_of(lowest(lane | kLast), [&](Lane l) { return walks[l].step; });
      slot = full ? chosen : slot;
      last = full && step == max_chain_;
      out = bucket.key(tile, slot);
    }
    Key* key = table_.keys(place) + slot;
    Value* value = table_.values(place) + slot;
    tile.each(lane, [&](Lane l) {
      if constexpr (T::counted) walks[l].memo++;
      const Walk<P> walk = walks[l];
      became[l] = !full ? k_ok : last ? k_failed : k_none;
      if (last) return;
      if (full) walks[l] = {{out, read_value(l, value)}, table_.next(place, out), walk.step + 1, walk.memo};
      *key = walk.pair.key;
      *value = walk.pair.value;
    });
    if (lane == 0 || last) return;
    tally.touch(key, sizeof(Key));
    tally.touch(value, sizeof(Value));
    if (full) tally.evict();
  }

  // look looks for the keys of some lanes in their buckets: for one lane after the other,
  // the whole tile. It returns the lanes whose keys are there, and the slots of each.
  template <class Tile, class T>
  HZ_FN u32 look(const Tile& tile, u32 todo, Lanes<Walk<P>, B>& walks, Lanes<u32, B>& slots, T& tally) const {
    Lanes<Key*, B> at;
    Lanes<Key, B> key;
    tile.each([&](Lane l) { at[l] = nullptr, key[l] = P::kEmptyKey, slots[l] = 0; });
    tile.each(todo, [&](Lane l) { at[l] = table_.keys(walks[l].place), key[l] = walks[l].pair.key; });
    if constexpr (T::counted) tile.each(todo, [&](Lane l) { walks[l].memo++; });
#pragma GCC unroll 1
    for (int from = 0; from < B; from += kLooked) {
      const u32 some = todo >> from & ((u32(1) << kLooked) - 1);
      if (tile.any(some != 0)) look_for(tile, from, some, at, key, slots, tally);
    }
    return tile.ballot_of(todo, [&](Lane l) { return slots[l] != 0; });
  }

  // look_for reads the buckets of some lanes, of those from `from` on, before it looks
  // into the first.
  template <class Tile, class T>
  HZ_FN void look_for(const Tile& tile, int from, u32 some, const Lanes<Key*, B>& at, const Lanes<Key, B>& key,
                      Lanes<u32, B>& slots, T& tally) const {
    Chunk bucket[kLooked];
#pragma GCC unroll 8
    for (int k = 0; k < kLooked; k++) {
      bucket[k] = Chunk(tile, tile.pick(at, from + k), some >> k & 1);
      if (some >> k & 1) tally.probe(table_.keys(0), Chunk::bytes);
    }
#pragma GCC unroll 8
    for (int k = 0; k < kLooked; k++) {
      const u32 found = bucket[k].find(tile, tile.pick(key, from + k));
      tile.each((some >> k & 1) << (from + k), [&](Lane l) { slots[l] = found; });
    }
  }

  // elsewhere says what became of lanes that looked: some are done, and those that did
  // not find their key go on to the next of its places, if there is one. It returns the
  // lanes that are to look again.
  template <class Tile>
  HZ_FN u32 elsewhere(const Tile& tile, u32 todo, u32 found, u32 done, Lanes<Walk<P>, B>& walks,
                      Lanes<Outcome, B>& became) const {
    tile.each(done, [&](Lane l) { became[l] = k_ok; });
    tile.each(todo & ~found, [&](Lane l) {
      Walk<P>& walk = walks[l];
      if (++walk.step == table_.places()) {
        became[l] = k_missing;
        return;
      }
      walk.place = table_.next(walk.place, walk.pair.key);
      prefetch(table_.keys(walk.place), Chunk::bytes);
    });
    return tile.ballot_of(todo, [&](Lane l) { return became[l] == k_none; });
  }

  HZ_FN Value* value_of(const Walk<P>& walk, u32 slots) const { return table_.values(walk.place) + lowest(slots); }

  // What lanes do each for itself is counted for the tile. All buckets are aligned alike.
  template <class T>
  HZ_FN void count_values(u32 lanes, T& tally) const {
    for_each_pending(lanes, [&](int) { tally.touch(table_.values(0), sizeof(Value)); });
  }
  template <class T>
  HZ_FN void count_swaps(u32 lanes, u32 won, int bytes, T& tally) const {
    for_each_pending(lanes, [&](int i) { tally.swap(table_.lock(0), bytes, won >> i & 1); });
  }

  // victim is chosen at random, differently at every step.
  HZ_FN u32 victim(const Walk<P>& walk) const {
    return mix32(u32(walk.pair.key) ^ (seed_ + walk.step * 0x9e3779b9u)) % B;
  }

  // put takes the locks of all places of the key, and then either replaces its value,
  // or puts the pair into an open slot, at home if there is one; if there is none, the
  // walk is to make room at one of the places. Locks are taken in the order of subtables:
  // of tiles that want the same ones, at the same time and again and again, one gets all.
  template <class Tile, class T>
  HZ_FN Done<P> put(const Tile& tile, Walk<P>& walk, T& tally) const {
    const Key key = walk.pair.key;
    const u32 home = table_.home(key), first = table_.lowest(key);
    u32 held = 0, place = first, there = home, room = home;
    u32 found = 0, open = 0;
    bool all = tile.busy();
    for (u32 i = 0; i < table_.places(); i++, place = table_.next(place, key)) {
      all = take(tile, all, place, tally);
      held += all;
      const Chunk here(tile, table_.keys(place), all);
      tally.probe(table_.keys(place), Chunk::bytes);
      const u32 seen = here.find(tile, key), unused = here.open(tile);
      if (all && seen != 0) found = seen, there = place;
      if (all && unused != 0 && (open == 0 || place == home)) open = unused, room = place;
    }
    const bool replace = all && found != 0, add = all && found == 0 && open != 0;
    write_value(tile, replace, there, lowest(found | kLast), walk.pair.value, tally);
    write_pair(tile, add, room, lowest(open | kLast), walk.pair, tally);
    place = first;
    for (u32 i = 0; i < table_.places(); i++, place = table_.next(place, key)) give(tile, i < held, place);

    const bool full = all && !replace && !add, last = walk.step >= max_chain_;
    if (full) walk.memo = kMakingRoom, walk.place = walk.step % 2 == 0 ? home : table_.next(home, key);
    const Done<P> stuck = Done<P>::either(full && last, Done<P>::failed(walk.pair), Done<P>::undecided());
    return Done<P>::either(replace, Done<P>::replaced(), Done<P>::either(add, Done<P>::ok(), stuck));
  }

  // make_room moves a random pair of a full bucket to its next place, under both
  // locks. If that is full too, room is to be made there. With room made, the walk
  // tries again to put its pair, and so it does when it has tried often enough.
  template <class Tile, class T>
  HZ_FN void make_room(const Tile& tile, Walk<P>& walk, T& tally) const {
    const u32 from = walk.place;
    const bool mine = take(tile, true, from, tally);
    const Chunk here(tile, table_.keys(from), mine);
    const bool full = mine && here.open(tile) == 0;
    const u32 slot = victim(walk);
    P pair{here.key(tile, slot), P::Traits::ones()};
    const u32 to = full ? table_.next(from, pair.key) : from;
    const bool both = take(tile, full, to, tally);
    const Chunk there(tile, table_.keys(to), both);
    tally.probe(table_.keys(to), Chunk::bytes);
    const u32 open = there.open(tile);
    const bool move = both && open != 0;
    pair.value = value_at(tile, move, from, slot, tally);
    write_pair(tile, move, to, lowest(open | kLast), pair, tally);
    write_key(tile, move, from, slot, P::kEmptyKey);
    give(tile, both, to);
    give(tile, mine, from);
    if (move) tally.evict();
    if (both) walk.place = to;
    // Where the second lock was lost, another pair is tried next time, for two tiles
    // may each hold what the other one wants.
    if (both || full) walk.step++;
    if ((mine && !full) || move || walk.step >= max_chain_) walk.memo = kPutting;
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
    const Value* at = table_.values(place) + slot;
    if (condition) tally.touch(at, sizeof(Value));
    return tile.pick_of(int(slot),
                        [&](Lane l) { return condition && l.index() == slot ? read_value(l, at) : P::Traits::ones(); });
  }
  template <class Tile>
  HZ_FN void write_key(const Tile& tile, bool condition, u32 place, u32 slot, Key key) const {
    tile.each(condition ? u32(1) << slot : 0, [&](Lane) { table_.keys(place)[slot] = key; });
  }
  template <class Tile, class T>
  HZ_FN void write_value(const Tile& tile, bool condition, u32 place, u32 slot, const Value& value, T& tally) const {
    Value* at = table_.values(place) + slot;
    if (condition) tally.touch(at, sizeof(Value));
    tile.each(condition ? u32(1) << slot : 0, [&](Lane) { *at = value; });
  }
  template <class Tile, class T>
  HZ_FN void write_pair(const Tile& tile, bool condition, u32 place, u32 slot, const P& pair, T& tally) const {
    write_key(tile, condition, place, slot, pair.key);
    write_value(tile, condition, place, slot, pair.value, tally);
  }

  Table table_;
  u32 seed_, max_chain_;
};

}  // namespace hz

#endif
