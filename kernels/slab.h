// slab.h: slab hash, chaining with slabs.
//
// The idea. A list with one pair per node costs a memory access for each pair, and
// half of its memory for pointers. A slab is a node as large as a memory access, 128
// bytes: 15 pairs, or 30 keys, and one pointer. A bucket is a list of slabs, the
// first of which, the base slab, is in an array. On average a bucket has
// beta = n / (15 B) slabs' worth of pairs, and while that is below 0.7 nearly all
// operations look at one slab. There is no limit: lists grow, and only get slower.
//
//   bucket 0   [ 7=1 | x | 3=9 | 5=0 | ... 15 pairs | o-]--> [ 8=2 | 6=4 | . | . | ... | / ]
//   bucket 1   [ . | . | . | ...                    | / ]
//                        x erased    . never used    / no next slab
//
// A tile has a lane for every item of a slab: half a warp for pairs, a whole one for
// keys. The paper gives each word a lane and each slab a warp, so half of a warp's
// lanes look for keys among values. With an item in each lane two slabs of pairs are
// searched by one instruction, and a key is never seen with another's value, since a
// lane's 8 bytes are read at once.
//
// Insert. From the head of the list, the first item that was never used gets the
// pair, by a compare-and-swap. If a slab is full, the next one; if there is none, a
// slab is allocated (slab_alloc.h) and linked by a compare-and-swap on the last
// slab's pointer. Whoever loses that gives his slab back and goes on in the
// winner's. A key may be inserted many times. Without memory for a slab, the insert
// fails, and nothing has changed; the host flushes the table, or adds memory, and
// tries again before it reports that (schemes/slab.go).
//
// Upsert (the paper's REPLACE) stops at the first item that has its key or was never
// used, and swaps its pair for that. Update stops at its key only. Find (SEARCH) and
// erase (DELETE) take the first item with their key: the one that was inserted first.
// Erase leaves a marker. find_all (SEARCHALL) and erase_all (DELETEALL) go on to the
// end of the list.
//
// Flush. Markers are never overwritten, so lists with many of them get long. A
// launch of its own gives each bucket to a tile, which moves the live items to the
// front, in order, and returns slabs that are left over.
//
// What makes it linearizable. Between flushes an item goes only one way: never used,
// then a key k with one value after another, then erased. And items are taken into
// use in the order of the list: an insert takes the first that it saw unused, and
// those before it were in use and stay so. So (1) the items in use are a prefix of
// the list, the first unused one is its front; (2) an item that was seen with another
// key, or erased, will never have k. All changes are compare-and-swaps on one item:
//
//   insert   takes effect at the swap, always at the front.
//   upsert   of a key that it found: at the swap, which fails if the pair was erased
//            or given another value meanwhile; it then looks again. Of one that it did
//            not find: at the swap at the front. All items before the front were seen
//            without k, so by (2) k is not there at that moment. Of two upserts
//            that find no k, both try the same item: one wins, the other sees k there
//            when it looks again. So upserts alone never make a key twice.
//   erase    takes effect at the swap to the marker. An upsert of the same key wants to
//            swap the same item: one is first. If the erase is, the upsert fails, looks
//            again, finds a marker and puts k at the front: it comes after. If the
//            upsert is, the erase looks again, and erases the new value. Two erases
//            cannot both win one item. Nothing erased comes back.
//   absent   a find, update or erase that comes to the front, or to the end of the list,
//            has seen all items before it without k. At the moment when it saw the
//            front, k was not there: by (2) not before it, by (1) not behind it.
//            This needs the items of a slab to be seen in order, or at once. A CPU reads
//            them in order; a GPU reads a slab as one access to one line. Were they
//            seen out of order, a find might only miss a key of which a second copy
//            is inserted and the first erased while it looks.
//   find_all and erase_all act on each copy at a time of its own: a copy that is there
//            all the while is found, one that is found was there. They are one step
//            only for keys that are there once.
//
// All of these may run in one batch. With inserts among them, an upsert replaces the
// oldest copy. A swap that is lost means that another operation has succeeded, so
// some operation always does.
//
// Limits. Of a slab's 32 words 30 hold items, so at most 94 percent of the memory
// does. Keys and values of 4 bytes, or keys alone: a pointer of 32 bits beside pairs
// of 8 + 8 bytes would leave 7 of 8 places, and the paper's layout is of 32-bit lanes.
//
// Paper: Ashkiani, Farach-Colton, Owens: A Dynamic Hash Table for the GPU, 2018.
#ifndef HZ_SLAB_H
#define HZ_SLAB_H

#include "drive.h"
#include "hash.h"
#include "slab_list.h"

HZ_OWN_OP(flush)

namespace hz {

template <class P, Addresses A>
class SlabHash {
 public:
  using Pair = P;
  using Chunk = Slab<P>;
  using Mixed = Ops<op_insert, op_upsert, op_find, op_find_all, op_update, op_erase, op_erase_all>;
  using Single = Ops<op_insert, op_upsert>;  // and the units at hand with it
  static constexpr int width = Chunk::width;
  using Alone = Tile<width>;  // a tile by itself, not in step with others of its warp

  HZ_FN SlabHash(const hz_table* t, const hz_batch* b) : memory_(t), hashes_(t), gifts_(b) {}

  HZ_FN u32 first(typename P::Key key) const { return hashes_.at(0, key); }
  HZ_FN P* bucket(u32 place) const { return reinterpret_cast<P*>(memory_.at(place)); }

  // flush compacts buckets, a tile for each. To the two numbers at Out it adds how many
  // slabs that gave back, and how many markers there were.
  template <bool Counted>
  HZ_FN static void flush(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    SlabHash scheme(table, batch);
    Tally<Counted> tally;
    u64 returned = 0, markers = 0;
    for_each_tile<width>(first, count,
                         [&](const Alone& tile, u64 i) { returned += scheme.compact(tile, u32(i), markers, tally); });
    const Alone tile;
    tile.fetch_add(array<u64>(batch->Out), returned);
    tile.fetch_add(array<u64>(batch->Out) + 1, markers);
    if constexpr (Counted) tally.add_to(tile, tallies_of(batch));
  }

  // slot is place i of all slabs, of which some hold no item but the pointer.
  HZ_FN P slot(u64 i) const {
    const u32 item = u32(i % Chunk::slots_of_slab);
    return item < Chunk::items ? bucket(memory_.number(i / Chunk::slots_of_slab))[item] : P::empty();
  }

  template <class Tile, class T>
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) {
    const u32 unused = at.unused(tile);
    const bool won = at.put(tile, unused, walk.pair, tally);
    return Done<P>::either(won, Done<P>::ok(), longer(tile, unused == 0, walk, at, tally));
  }

  template <class Tile, class T>
  HZ_FN Done<P> upsert_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) {
    const u32 found = at.find(tile, walk.pair.key), unused = at.unused(tile);
    const u32 where = found != 0 ? found : unused;
    const bool won = at.put(tile, where, walk.pair, tally);
    const Done<P> done = Done<P>::either(found != 0, Done<P>::replaced(), Done<P>::ok());
    return Done<P>::either(won, done, longer(tile, where == 0, walk, at, tally));
  }

  template <class Tile, class T>
  HZ_FN Done<P> find_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T&) const {
    const u32 found = at.find(tile, walk.pair.key);
    const typename P::Value value = at.value(tile, found);
    const bool ends = onward(tile, found == 0, walk, at);
    return Done<P>::either(found != 0, Done<P>::found(value), absent(ends));
  }

  template <class Tile, class T>
  HZ_FN Done<P> update_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    return change(tile, walk, walk.pair, at, tally);
  }

  template <class Tile, class T>
  HZ_FN Done<P> erase_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    return change(tile, walk, P::erased(), at, tally);
  }

  // The memo of a walk is how many copies were found, or erased, so far.
  template <class Tile, class T>
  HZ_FN Done<P> find_all_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T&) const {
    const u32 seen = at.find(tile, walk.pair.key), found = tile.busy() ? seen : 0;  // no verb under a condition
    if (found != 0) {
      const u64 from = gifts_.take(Alone(), found);
      at.each(tile, found, [&](Lane, u32 slot, const P& item) {
        gifts_.give(from + u32(popcount(found & ((u32(1) << slot) - 1))), walk.index, item.value);
      });
    }
    walk.memo += u32(popcount(found));
    const bool ends = onward(tile, true, walk, at);
    return Done<P>::either(ends, Done<P>::counted(walk.memo), Done<P>::undecided());
  }

  // A copy whose swap was lost keeps the walk where it is.
  template <class Tile, class T>
  HZ_FN Done<P> erase_all_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    const u32 found = at.find(tile, walk.pair.key);
    const u32 won = at.put_each(tile, found, P::erased(), tally);
    walk.memo += u32(popcount(won));
    const bool ends = onward(tile, won == found, walk, at);
    return Done<P>::either(ends, Done<P>::counted(walk.memo), Done<P>::undecided());
  }

 private:
  // change replaces the first pair of a key. A lost swap leaves the walk where it is.
  template <class Tile, class T>
  HZ_FN Done<P> change(const Tile& tile, Walk<P>& walk, P pair, const Chunk& at, T& tally) const {
    const u32 found = at.find(tile, walk.pair.key);
    const bool won = at.put(tile, found, pair, tally);
    const bool ends = onward(tile, found == 0, walk, at);
    return Done<P>::either(won, Done<P>::ok(), absent(ends));
  }

  HZ_FN static Done<P> absent(bool ends) { return Done<P>::either(ends, Done<P>::missing(), Done<P>::undecided()); }

  // onward takes a walk to the next slab, if it wants to leave this one, and returns
  // whether there is nothing to look at any more.
  template <class Tile>
  HZ_FN bool onward(const Tile& tile, bool leave, Walk<P>& walk, const Chunk& at) const {
    if (!tile.any(leave)) return false;
    const u32 next = at.next(tile);
    const bool ends = at.unused(tile) != 0 || next == kNoSlab;
    if (leave && !ends) walk.place = next;
    return leave && ends;
  }

  // longer takes a walk that leaves a full slab to the next one, which is made if
  // there is none.
  template <class Tile, class T>
  HZ_FN Done<P> longer(const Tile& tile, bool leave, Walk<P>& walk, const Chunk& at, T& tally) {
    leave = leave && tile.busy();
    if (!tile.any(leave)) return Done<P>::undecided();
    u32 next = at.next(tile);
    if (leave && next == kNoSlab) next = append(walk, at, tally);
    walk.place = leave && next != kNoSlab ? next : walk.place;
    return Done<P>::either(leave && next == kNoSlab, Done<P>::failed(walk.pair), Done<P>::undecided());
  }

  // append links a new slab to the last one and returns its address, or that of the
  // slab which others have linked meanwhile. A tile does this by itself.
  template <class T>
  HZ_FN u32 append(const Walk<P>& walk, const Chunk& last, T& tally) {
    const Alone tile;
    const u32 fresh = memory_.allocate(mix32(u32(walk.pair.key)), tally);
    if (fresh == kNoSlab) return tile.read(last.link());
    const u32 next = tile.cas(last.link(), kNoSlab, fresh);
    tally.swap(last.link(), sizeof next, next == kNoSlab);
    if (next == kNoSlab) return fresh;
    memory_.release(fresh, tally);
    return next;
  }

  // compact moves the live items of a bucket to the front of its list, in order, and
  // returns how many slabs it gave back. Lists without markers stay as they are.
  template <class T>
  HZ_FN u32 compact(const Alone& tile, u32 number, u64& markers, T& tally) {
    u32 to = number, filled = 0;  // where the next item goes
    const u64 before = markers;
    for (u32 from = number; from != kNoSlab;) {
      const Chunk slab(tile, bucket(from));
      tally.probe(slab.slots(), Chunk::bytes);
      const u32 live = slab.live(tile), after = filled + u32(popcount(live));
      const bool over = after > Chunk::items;
      const u32 next = over ? tile.read(Chunk::link_of(bucket(to))) : to;
      markers += u32(popcount(Chunk::kItems & ~live & ~slab.unused(tile)));
      if (markers != before) spread(tile, slab, live, bucket(to), bucket(next), filled);
      to = next;
      filled = over ? after - Chunk::items : after;
      from = slab.next(tile);
    }
    return markers != before ? cut(tile, to, filled, tally) : 0;
  }

  // spread writes live items to a slab from a place on, and what does not fit there
  // to the slab after it.
  HZ_FN static void spread(const Alone& tile, const Chunk& slab, u32 live, P* to, P* next, u32 filled) {
    slab.each(tile, live, [&](Lane, u32 slot, const P& item) {
      const u32 n = filled + u32(popcount(live & ((u32(1) << slot) - 1)));
      *(n < Chunk::items ? to + n : next + (n - Chunk::items)) = item;
    });
  }

  // cut ends a list in a slab behind so many items, and gives back the slabs that
  // came after it.
  template <class T>
  HZ_FN u32 cut(const Alone& tile, u32 last, u32 filled, T& tally) {
    u32 rest = wipe(tile, last, filled), returned = 0;
    while (rest != kNoSlab) {
      const u32 next = wipe(tile, rest, 0);
      memory_.release(rest, tally);
      rest = next;
      returned++;
    }
    return returned;
  }

  // wipe makes a slab all ones from an item on, and returns what came after it.
  HZ_FN u32 wipe(const Alone& tile, u32 place, u32 from) const {
    P* at = bucket(place);
    const u32 next = tile.read(Chunk::link_of(at));
    tile.each([&](Lane l) {
      for (u32 slot = l.index(); slot < Chunk::slots_of_slab; slot += width) {
        if (slot >= from) at[slot] = P::empty();
      }
    });
    return next;
  }

  SlabAlloc<width, A> memory_;
  Hashes hashes_;
  Gifts<P> gifts_;
};

}  // namespace hz

#endif
