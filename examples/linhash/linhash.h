// linhash.h: linear hashing, whose buckets overflow into each other.
//
// Idea. A table that doubles copies all its pairs at once. Linear hashing grows by one bucket
// at a time: bucket S is split into S and n + S, where n is the number of buckets at the
// beginning of the level, and S goes on to the next. A key's bucket is h mod n, or h mod 2n
// where that bucket exists already. After n splits a new level begins, with 2n buckets.
//
//   n = 2, S = 1        bucket 0  [ 8][ 4][  ][  ]  split: h mod 4
//                       bucket 1  [ 1][ 3][ 5][ 7]  <- S; not split: h mod 2
//                       bucket 2  [ 2][ 6][  ][  ]  new: the other half of bucket 0
//
// Memory. Nothing of the table is ever copied to larger memory: each level adds a segment
// (address.h). One launch splits as many buckets as a batch of inserts needs (host.h).
//
// Overflow. Buckets that are not split yet get twice as many keys as others. In a table that is
// 80 percent full they overflow, half of the table side by side, so probing of the following
// buckets would take long walks; and with overflow elsewhere, a split would have to collect
// the pairs of its bucket. Here a key has two buckets (or more), each by its own function, all
// with linear addresses, and an insert that finds all full evicts, as in a cuckoo table. Then
// every pair is in a bucket to which a function sends it, and splits of different buckets
// have nothing to do with each other.
//
// Split. Each slot is looked at by itself. The pair in it is there by the first function that
// sends it there, and the next bit of that function says whether it stays or goes to the new
// bucket, into the same slot, where there always is room. A slot that it leaves gets
// the marker of an erased pair, and so does its slot in the new bucket if it stays: either
// bucket may have turned away keys when it was one, so finds must not end there. Slots that
// were never used are so in both.
//
// Insert. Try the functions in order until a bucket has an open slot: put the pair there with a
// compare-and-swap. If all are full, exchange it with a random pair of the last one, which
// continues at the bucket of its next function. After max_chain exchanges, hand back the pair
// in hand, which may not be the one to be inserted.
//
// Find, update, erase. Read the buckets in the order of functions. The walk ends at a bucket
// with a slot that was never used, which never turned a key away.
//
// Linearization. Every change is one compare-and-swap or exchange of one slot. Between two
// exchanges the pair in hand is in no slot, so inserts have a launch of their own. Splits are
// launches of their own, too. An update or erase that loses a race reads its bucket again.
//
// Limits. Keys are inserted once. Pairs move. Once a table has been split, nearly all finds of
// absent keys read all buckets of their key. A segment is allocated whole, for its first
// bucket. Tables of 15 segments, 16384 times as large as at first, are moved.
//
// Paper: Litwin, Linear Hashing: A New Tool for File and Table Addressing, VLDB 1980. The
// overflow is that of cuckoo hashing (Pagh, Rodler, 2004) with buckets.
#pragma once

#include "address.h"
#include "look.h"

namespace hz {

template <class P, int B>
class Linhash {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Slots = Bucket<P, B>;
  using Chunk = Slots;
  static constexpr int width = Slots::width;
  // Lanes read the addresses of different segments.
  static constexpr Traits traits{.content = Content::slot, .divergent_constants = true};

  HZ_FN explicit Linhash(const hz_table* t)
      : address_(t), max_chain_(u32(t->Arg[LinearArgs::kMaxChain])), seed_(u32(t->Seed)) {}

  HZ_FN u32 first(Key key) const { return address_.place(0, key); }
  HZ_FN P* bucket(u32 place) const { return address_.at(place); }
  HZ_FN P slot(u64 i) const { return address_.at(address_.place_of(u32(i / B)))[i % B]; }

  template <class Tile, class T>
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    const u32 open = at.open(tile);
    const bool won = at.put(tile, open, walk.pair, tally), full = open == 0;
    if (tile.branch(won)) return Done<P>::ok();
    // walk.memo counts the full buckets that the pair in hand has seen.
    const bool further = walk.memo + 1 < address_.functions();
    const bool last = full && !further && walk.step == max_chain_;
    const Done<P> done = Done<P>::either(last, Done<P>::failed(walk.pair), Done<P>::undecided());
    if (tile.any(full)) {
      evict(tile, full && !further && !last, walk, tally);
      walk.memo = full && further ? walk.memo + 1 : walk.memo;
      if (full && !last) walk.place = address_.after(walk.place, walk.pair.key);
    }
    return Done<P>::either(won, Done<P>::ok(), done);
  }

  template <class Tile, class T>
  HZ_FN Done<P> find_in(const Tile& tile, Walk<P>& walk, const Slots& at, T&) const {
    const u32 found = at.find(tile, walk.pair.key);
    const typename P::Value value = at.value(tile, found);
    if (tile.branch(found != 0)) return Done<P>::found(value);
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

  // split splits the buckets from number Batch.Select on; `count` is the number of their slots.
  // The table block is that after the split, but for the level, which is not over yet.
  template <bool>
  HZ_FN static void split(const hz_table* t, const hz_batch* b, u64 first, u64 count) {
    const Linhash scheme = scheme_of<Linhash>(t, b);
    P* fresh = scheme.address_.segment(u32(t->Arg[LinearArgs::kLevel]) + 1);
    for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
      tile.each(valid, [&](Lane l) {
        const u64 i = b->Select * B + base + l.index();
        scheme.split_slot(u32(i / B), u32(i % B), fresh + i);
      });
    });
  }

  // look_fill counts buckets by the pairs they hold.
  HZ_FN static void look_fill(const void* table, void* look, u64 from, u64 count) {
    const Linhash scheme(static_cast<const hz_table*>(table));
    Bins bins(static_cast<hz_look*>(look));
    Lanes<u32, kWarp> pairs;
    for_each_group(from, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
      tile.each(valid, [&](Lane l) {
        pairs[l] = 0;
        for (int i = 0; i < B; i++) pairs[l] += scheme.slot((base + l.index()) * B + u64(i)).is_live();
      });
      for (u32 n = 0; n <= B; n++)
        bins.add(n, u32(popcount(tile.ballot_of(valid, [&](Lane l) { return pairs[l] == n; }))));
    });
    bins.add_up();
  }

  // look_function counts pairs by the function that sends them where they are.
  HZ_FN static void look_function(const void* table, void* look, u64 from, u64 count) {
    look_at_pairs<Linhash>(table, look, from, count, [](const Linhash& scheme, u64 slot, const P& pair) {
      return scheme.address_.function(scheme.address_.place_of(u32(slot / B)), pair.key);
    });
  }

 private:
  // evict exchanges the walk's pair with one of a full bucket, chosen at random.
  template <class Tile, class T>
  HZ_FN void evict(const Tile& tile, bool wanted, Walk<P>& walk, T& tally) const {
    P* at = bucket(walk.place) + mix32(u32(walk.pair.key) ^ (seed_ + walk.step * 0x9e3779b9u)) % B;
    walk.pair = tile.exchange_if(wanted, at, walk.pair);
    if (!wanted) return;
    tally.touch(at, sizeof(P));
    tally.evict();
    walk.step++;
    walk.memo = 1;  // the bucket that it leaves is full
  }

  // absent continues after a bucket without the key.
  template <class Tile>
  HZ_FN Done<P> absent(const Tile& tile, Walk<P>& walk, const Slots& at, bool not_here) const {
    const u32 unused = at.unused(tile);
    const bool ends = unused != 0 || walk.step + 1 == address_.functions();
    if (not_here && !ends) walk.place = address_.place(++walk.step, walk.pair.key);
    return Done<P>::either(ends, Done<P>::missing(), Done<P>::undecided());
  }

  // change replaces the pair of a key. After a lost compare-and-swap the walk stays at
  // its bucket.
  template <class Tile, class T>
  HZ_FN Done<P> change(const Tile& tile, Walk<P>& walk, P pair, const Slots& at, T& tally) const {
    const u32 found = at.find(tile, walk.pair.key);
    const bool won = at.put(tile, found, pair, tally);
    if (tile.branch(won)) return Done<P>::ok();
    const Done<P> here = Done<P>::either(won, Done<P>::ok(), Done<P>::undecided());
    return Done<P>::either(found != 0, here, absent(tile, walk, at, found == 0));
  }

  // split_slot splits slot `slot` of a bucket; `fresh` is its slot in the new one.
  HZ_FN void split_slot(u32 number, u32 slot, P* fresh) const {
    P* old = address_.at(address_.place_of(number)) + slot;
    const P pair = *old;
    const bool live = pair.is_live(), moves = live && goes(number, pair.key);
    *fresh = P::either(live && !moves, P::erased(), pair);
    if (moves) *old = P::erased();
  }

  // goes returns whether a key of a bucket that is being split belongs into the new one. The
  // first function that sent it here sends it to one of both.
  HZ_FN bool goes(u32 number, Key key) const {
    const u32 fresh = number + address_.begun();
    for (u32 i = 0; i < address_.functions(); i++) {
      const u32 to = address_.number(i, key);
      if (to == number || to == fresh) return to == fresh;
    }
    return false;
  }

  Address<P, B> address_;
  u32 max_chain_, seed_;
};

}  // namespace hz
