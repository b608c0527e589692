// slab.h: slab hash, chaining with slabs.
//
// Idea. A list with one pair per node costs a memory access per pair, and half of its
// memory is pointers. A slab is a node as large as a memory access, 128 bytes: 15 pairs,
// or 30 keys, and one pointer. A bucket is a list of slabs, the first of which, the base
// slab, is in an array. On average a bucket has beta = n / (15 B) slabs' worth of pairs,
// and while that is below 0.7 nearly all operations read one slab. The load is unlimited:
// lists grow, and only get slower.
//
//   bucket 0   [ 7=1 | x | 3=9 | 5=0 | ... 15 pairs | o-]--> [ 8=2 | 6=4 | . | . | ... |
//   / ]
//   bucket 1   [ . | . | . | ...                    | / ]
//                        x erased    . never used    / no next slab
//
// On a GPU, four lanes read a slab of 15 pairs or 30 keys, 16 bytes at a time
// (rows.h). The paper gives each word a lane and each slab a warp, so half of a warp's
// lanes look for keys among values. With several whole items in a lane, one instruction
// searches eight slabs, and a key is never seen with another's value, because the 8 bytes
// of an item are read at once.
//
// Insert. The pair goes into the first item of the list that was never used, by a
// compare-and-swap. After a full slab comes the next one. If there is none, a tile claims
// the last slab's pointer by a compare-and-swap, allocates a slab (alloc.h) and links it;
// others that need it wait. So no tile takes a slab that its list does not need: where a
// tile finds none free, all are in lists or about to be. (The paper's warps allocate first,
// and those that lose the race to link give their slabs back. With thousands of tiles at
// the end of few lists, others then find no memory although most of it is free.) A key may
// be inserted many times. Without memory for a slab, the insert fails and changes nothing;
// before reporting that, the host side flushes the table, or adds memory, and tries again.
//
// Upsert (the paper's REPLACE) stops at the first item that has its key or was never
// used, and swaps its pair into it; add, min, max and tally combine their value with the
// key's there. Update stops only at its key. Find (SEARCH) and erase
// (DELETE) take the first item with their key, which is the one inserted first. Erase
// leaves a marker. find_all (SEARCHALL) and erase_all (DELETEALL) continue to the end of
// the list.
//
// Flush. Markers are never overwritten, so lists with many of them get long. A separate
// launch gives each bucket to a tile, which moves the live items to the front, in order,
// and releases the slabs that are left over. It may be for all buckets, or for a few at a
// time (flush=N), as in the paper, so that no launch is long.
//
// erased=reused. Where keys need not be unique, an erase may leave an unused item instead of
// a marker (section III-B.3), and an insert takes the first one of the list. Without upserts
// and their kin nobody depends on where the items in use end. A key with one copy is found
// as below, but which of several copies comes first says nothing about their age.
//
// Linearization. Between flushes an item only goes one way: never used, then a key k with
// one value after another, then erased. Items are taken into use in the order of the
// list: an insert takes the first one that it saw unused, and those before it were in use
// and stay so. Hence (1) the items in use are a prefix of the list; the first unused one
// is its front. And (2) an item that was seen with another key, or erased, will never
// hold k. All other changes than of values are compare-and-swaps on one item:
//
//   insert   takes effect at the swap, always at the front.
//   upsert   of a key that it found: at the swap, which fails if the pair was erased or
//            given another value in the meantime; then it searches again. Of a key that
//            it did not find: at the swap at the front. All items before the front were
//            seen without k, so by (2) k is absent at that moment. Two upserts that do
//            not find k try the same item: one wins, and the other sees k there when it
//            searches again. So upserts alone never insert a key twice.
//   add, min, max and tally  bring a new key in like an upsert. In an item that they saw
//            with k they change the value alone, by an atomic operation that cannot fail,
//            and take effect there; if the pair was erased in the meantime, just before
//            that, for nobody reads the value of a marker.
//   erase    takes effect at the swap to the marker. An upsert of the same key swaps the
//            same item, so one of them is first. If the erase is, the upsert fails,
//            searches again, finds a marker and puts k at the front: it comes after. If
//            the upsert is, the erase searches again and erases the new value. Two
//            erases cannot both win an item. Erased items do not come back.
//   absent   A find, update or erase that reaches the end of the list has seen all items
//            before the front without k. When it saw the front, k was absent:
//            by (2) not before it, by (1) not after it. This requires that the items of
//            a slab are read in order, or at once. A CPU reads them in order; each lane of
//            a GPU tile reads its two rows in order. If they were read out of order, a
//            find could only miss a key of which a second copy is inserted and the
//            first erased while it looks.
//   find_all and erase_all act on each copy at a separate time: a copy that is present
//            throughout is found, and one that is found was present. They are atomic
//            only for keys with one copy.
//
// All of these may run in one batch. With inserts among them, an upsert replaces the
// oldest copy. A lost swap of an item means that another operation has succeeded. Only
// operations that need a new slab wait, for the one tile that is allocating it, which waits
// for nobody.
//
// Limits. Of a slab's 32 words 30 hold items, so at most 94 percent of the memory does.
// Only keys and values of 4 bytes, or keys alone: a 32-bit pointer beside pairs of 8 + 8
// bytes would leave 7 of 8 places, and the paper's layout is of 32-bit lanes.
//
// Paper: Ashkiani, Farach-Colton, Owens: A Dynamic Hash Table for the GPU, 2018.
#pragma once

#include "drive.h"
#include "hash.h"
#include "list.h"

namespace hz {

template <class P, Addresses A>
class SlabHash {
 public:
  using Pair = P;
  using Chunk = Slab<P>;
  using Set = typename Chunk::Set;
  static constexpr int width = Chunk::width;
  // Finds run best with two walks in 48 registers. A walk that may allocate also needs
  // registers for the resident bitmap.
  static constexpr Traits traits{
      .content = Content::slot,
      .gpu_width = kSlabLanes,
      .mixed = {k_op_insert, k_op_upsert, k_op_find, k_op_find_all, k_op_update, k_op_erase, k_op_erase_all,
                k_op_combine},
      .one_walk = {k_op_insert, k_op_upsert, k_op_combine, k_op_update, k_op_erase, k_op_mix},
      .many_warps = {k_op_find}};
  using Memory = SlabAlloc<width, A>;
  using Alone = Tile<width>;  // a tile that is not in step with others of its warp

  HZ_FN SlabHash(const hz_table* t, const hz_batch* b)
      : memory_(t), hashes_(t), found_(b), reuse_(t->Arg[Memory::kReuse] != 0) {}

  HZ_FN u32 first(typename P::Key key) const { return hashes_.at(0, key); }
  HZ_FN P* bucket(u32 place) const { return reinterpret_cast<P*>(memory_.at(place)); }

  // compact_buckets compacts buckets from the table's next one on, one tile per bucket. It adds the number of
  // released slabs and of markers to the two numbers at Out.
  template <bool Counted>
  HZ_FN static void compact_buckets(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    SlabHash scheme(table, batch);
    Tally<Counted> tally;
    u64 returned = 0, markers = 0;
    for_each_tile<width>(first, count, [&](const Alone& tile, u64 i) {
      returned += scheme.compact(tile, u32(table->Arg[Memory::kNextBucket] + i), markers, tally);
    });
    const Alone tile;
    tile.fetch_add(array<u64>(batch->Out), returned);
    tile.fetch_add(array<u64>(batch->Out) + 1, markers);
    if constexpr (Counted) tally.add_to(tile, tallies_of(batch));
  }

  // slot returns slot i of all slabs; the slots of the pointer hold no item.
  HZ_FN P slot(u64 i) const {
    const u32 item = u32(i % Chunk::slots_of_slab);
    return item < Chunk::items ? bucket(memory_.number(i / Chunk::slots_of_slab))[item] : P::empty();
  }

  template <class Tile, class T>
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) {
    const auto unused = at.unused(tile);
    const bool won = at.put(tile, unused, walk.pair, tally);
    return Done<P>::either(won, Done<P>::ok(), grow(tile, !unused.any(), walk, at, tally));
  }

  template <class Tile, class T>
  HZ_FN Done<P> upsert_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) {
    const auto found = at.find(tile, walk.pair.key), unused = at.unused(tile);
    const auto where = Set::either(found.any(), found, unused);
    const bool won = at.put(tile, where, walk.pair, tally);
    const Done<P> done = Done<P>::either(found.any(), Done<P>::replaced(), Done<P>::ok());
    return Done<P>::either(won, done, grow(tile, !where.any(), walk, at, tally));
  }

  template <class Tile, class T>
  HZ_FN Done<P> combine_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) {
    const auto found = at.find(tile, walk.pair.key), unused = at.unused(tile);
    at.combine(tile, found, walk, tally);
    const bool won = at.put(tile, unused.only_if(!found.any()), walk.pair, tally);
    const bool full = !found.any() && !unused.any();
    const Done<P> done = Done<P>::either(won, Done<P>::ok(), grow(tile, full, walk, at, tally));
    return Done<P>::either(found.any(), Done<P>::replaced(), done);
  }

  template <class Tile, class T>
  HZ_FN Done<P> find_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T&) const {
    const auto found = at.find(tile, walk.pair.key);
    const typename P::Value value = at.value(tile, found);
    const bool ends = advance(tile, !found.any(), walk, at);
    return Done<P>::either(found.any(), Done<P>::found(value), absent(ends));
  }

  template <class Tile, class T>
  HZ_FN Done<P> update_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    return change(tile, walk, walk.pair, at, tally);
  }

  template <class Tile, class T>
  HZ_FN Done<P> erase_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    return change(tile, walk, erased(), at, tally);
  }

  // walk.memo counts the copies found, or erased, so far.
  template <class Tile, class T>
  HZ_FN Done<P> find_all_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T&) const {
    const u32 seen = at.mask(tile, at.find(tile, walk.pair.key));
    const u32 found = tile.busy() ? seen : 0;  // no verb under a condition
    if (found != 0) {
      const u64 from = found_.reserve(Alone(), walk.index, walk.memo, u32(popcount(found)));
      at.each(tile, found, [&](Lane, u32 slot, const P& item) {
        found_.write(from + u32(popcount(found & ((u32(1) << slot) - 1))), walk.index, item.value);
      });
    }
    walk.memo += u32(popcount(found));
    const bool ends = advance(tile, true, walk, at);
    return Done<P>::either(ends, Done<P>::counted(walk.memo), Done<P>::undecided());
  }

  // After a lost swap of any copy the walk stays at its slab.
  template <class Tile, class T>
  HZ_FN Done<P> erase_all_in(const Tile& tile, Walk<P>& walk, const Chunk& at, T& tally) const {
    const auto found = at.find(tile, walk.pair.key);
    const u32 won = at.put_each(tile, found, erased(), tally), all = at.mask(tile, found);
    walk.memo += u32(popcount(won));
    const bool ends = advance(tile, won == all, walk, at);
    return Done<P>::either(ends, Done<P>::counted(walk.memo), Done<P>::undecided());
  }

 private:
  // change replaces the first pair of a key. After a lost swap the walk stays at its
  // slab.
  template <class Tile, class T>
  HZ_FN Done<P> change(const Tile& tile, Walk<P>& walk, P pair, const Chunk& at, T& tally) const {
    const auto found = at.find(tile, walk.pair.key);
    const bool won = at.put(tile, found, pair, tally);
    const bool ends = advance(tile, !found.any(), walk, at);
    return Done<P>::either(won, Done<P>::ok(), absent(ends));
  }

  // erased returns what an erase leaves.
  HZ_FN P erased() const { return P::either(reuse_, P::empty(), P::erased()); }

  HZ_FN static Done<P> absent(bool ends) { return Done<P>::either(ends, Done<P>::missing(), Done<P>::undecided()); }

  // advance moves a walk to the next slab if `leave` is set, and returns whether the
  // search has ended. Only full slabs have a next one, so a search need not look for
  // unused items.
  template <class Tile>
  HZ_FN bool advance(const Tile& tile, bool leave, Walk<P>& walk, const Chunk& at) const {
    if (!tile.any(leave)) return false;
    const u32 next = at.next(tile);
    const bool ends = next >= kPending;
    if (leave && !ends) walk.place = next;
    return leave && ends;
  }

  // grow moves a walk that leaves a full slab to the next one, which is appended if there
  // is none. While another tile appends it, the walk stays.
  template <class Tile, class T>
  HZ_FN Done<P> grow(const Tile& tile, bool leave, Walk<P>& walk, const Chunk& at, T& tally) {
    leave = leave && tile.busy();
    if (!tile.any(leave)) return Done<P>::undecided();
    const u32 linked = at.next(tile), next = append(tile, leave && linked == kNoSlab, linked, walk, at, tally);
    memory_.look_if(tile, leave && next == kPending);
    walk.place = leave && next < kPending ? next : walk.place;
    return Done<P>::either(leave && next == kNoSlab, Done<P>::failed(walk.pair), Done<P>::undecided());
  }

  // append links a new slab after the last one, if `wanted` is set, and returns what the
  // link then is: an address, kPending if another tile is about to link a slab, kNoSlab if
  // there is no memory. Without `wanted` it returns `linked`.
  template <class Tile, class T>
  HZ_FN u32 append(const Tile& tile, bool wanted, u32 linked, const Walk<P>& walk, const Chunk& last, T& tally) {
    if (!tile.any(wanted)) return linked;
    const bool may = !memory_.full();
    Lanes<u32, width> seen;
    tile.each([&](Lane l) { seen[l] = linked; });
    tile.each(wanted ? 1 : 0,
              [&](Lane l) { seen[l] = may ? lane_cas(l, last.link(), kNoSlab, kPending) : lane_read(l, last.link()); });
    const u32 before = tile.pick(seen, 0);
    const bool claimed = wanted && may && before == kNoSlab;
    if (wanted) tally.swap(last.link(), sizeof before, claimed);
    const u32 fresh = memory_.allocate(tile, claimed, mix32(u32(walk.pair.key)), tally);
    tile.each(claimed ? 1 : 0, [&](Lane l) { lane_write(l, last.link(), fresh); });
    if (claimed) tally.touch(last.link(), sizeof fresh);
    return claimed ? fresh : before;
  }

  // compact moves the live items of a bucket to the front of its list, in order, and
  // returns the number of released slabs. Lists without erased items are not changed: in a
  // slab that has a next one, each item that is not live was erased.
  template <class T>
  HZ_FN u32 compact(const Alone& tile, u32 number, u64& markers, T& tally) {
    u32 to = number, filled = 0;  // where the next item goes
    const u64 before = markers;
    bool idle = false;  // the last slab holds nothing
    for (u32 from = number; from != kNoSlab;) {
      const Chunk slab(tile, bucket(from));
      tally.probe(slab.slots(), Chunk::bytes);
      const u32 live = slab.mask(tile, slab.live(tile)), unused = slab.mask(tile, slab.unused(tile));
      const u32 rest = slab.next(tile), after = filled + u32(popcount(live));
      const bool over = after > Chunk::items;
      const u32 next = over ? tile.read(Chunk::link_of(bucket(to))) : to;
      markers += u32(popcount(Chunk::kItems & ~live & ~(rest == kNoSlab ? unused : 0)));
      if (markers != before) scatter(tile, slab, live, bucket(to), bucket(next), filled);
      to = next;
      filled = over ? after - Chunk::items : after;
      idle = from != number && live == 0;
      from = rest;
    }
    return markers != before || idle ? truncate(tile, to, filled, tally) : 0;
  }

  // scatter writes live items to a slab, starting at item `filled`, and the rest to the
  // slab after it.
  HZ_FN static void scatter(const Alone& tile, const Chunk& slab, u32 live, P* to, P* next, u32 filled) {
    slab.each(tile, live, [&](Lane, u32 slot, const P& item) {
      const u32 n = filled + u32(popcount(live & ((u32(1) << slot) - 1)));
      *(n < Chunk::items ? to + n : next + (n - Chunk::items)) = item;
    });
  }

  // truncate ends a list after `filled` items of a slab, and releases the slabs after it.
  template <class T>
  HZ_FN u32 truncate(const Alone& tile, u32 last, u32 filled, T& tally) {
    u32 rest = wipe(tile, last, filled), returned = 0;
    while (rest != kNoSlab) {
      const u32 next = wipe(tile, rest, 0);
      memory_.release(rest, tally);
      rest = next;
      returned++;
    }
    return returned;
  }

  // wipe sets a slab to all ones from an item on, and returns its successor.
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

  Memory memory_;
  Hashes hashes_;
  FoundList<P> found_;
  bool reuse_;  // erased items are used again
};

}  // namespace hz
