// bucket.h: a bucket of B slots, which a tile reads in one access.
//
// A Bucket is a snapshot: the tile's lanes hold the slots as they were when the bucket
// was read. Queries (where is this key, is there room) use the snapshot. A change is one
// compare-and-swap on one slot of the table, which fails if the slot no longer matches
// the snapshot. Everything here may be used in step.
//
// A tile may have fewer lanes than the bucket has slots. Lane l then holds slot l of each
// part of the bucket:
//
//   32 slots, 16 lanes    part 0: slots  0 .. 15    part 1: slots 16 .. 31
//
// A part is still one contiguous access. A warp then holds twice as many tiles, so the
// work per operation, which is most of the work, is done for twice as many operations at
// once.
#pragma once

#include "operations.h"

namespace hz {

// kLanes is the number of lanes of a tile that reads buckets of B slots.
template <int B>
inline constexpr int kLanes = B > 4 ? B / 2 : B;

template <class P, int B>
class Bucket {
 public:
  using Key = typename P::Key;
  static constexpr int bytes = sizeof(P) * B, width = kLanes<B>, parts = B / width;

  HZ_FN Bucket() {}
  template <class Tile>
  HZ_FN Bucket(const Tile& tile, P* slots) : slots_(slots) {
    read(tile);
  }

  // Reads the bucket if `wanted` is set; otherwise all slots look empty.
  template <class Tile>
  HZ_FN Bucket(const Tile& tile, P* slots, bool wanted) : slots_(slots) {
    tile.each([&](Lane l) {
      for (int part = 0; part < parts; part++) seen_[part][l] = P::empty();
    });
    if (wanted) read(tile);
  }

  // either selects a or b by a condition that may differ between tiles in step.
  template <class Tile>
  HZ_FN static Bucket either(const Tile& tile, bool condition, const Bucket& a, const Bucket& b) {
    Bucket chosen;
    chosen.slots_ = condition ? a.slots_ : b.slots_;
    tile.each([&](Lane l) {
      for (int part = 0; part < parts; part++) {
        chosen.seen_[part][l] = P::either(condition, a.seen_[part][l], b.seen_[part][l]);
      }
    });
    return chosen;
  }

  HZ_FN P* slots() const { return slots_; }

  // where returns the slots for which a predicate holds.
  template <class Tile, class F>
  HZ_FN CollectiveOf<Tile, u32> where(const Tile& tile, F&& holds) const {
    return in_parts([&](int part) { return tile.ballot([&](Lane l) { return holds(seen_[part][l]); }); });
  }

  // find returns the slots that hold the key: at most one, for unique keys.
  template <class Tile>
  HZ_FN CollectiveOf<Tile, u32> find(const Tile& tile, Key key) const {
    return in_parts([&](int part) { return tile.ballot_key(seen_[part], key); });
  }
  // open returns the slots that can take a pair: unused or erased ones.
  template <class Tile>
  HZ_FN CollectiveOf<Tile, u32> open(const Tile& tile) const {
    return in_parts([&](int part) { return tile.ballot_key_from(seen_[part], P::kErasedKey); });
  }
  // unused returns the slots that never held a pair. While a bucket has one, no insert
  // ever skipped the bucket because it was full, so a find may stop here.
  template <class Tile>
  HZ_FN CollectiveOf<Tile, u32> unused(const Tile& tile) const {
    return find(tile, P::kEmptyKey);
  }
  // live returns the slots that hold a pair.
  template <class Tile>
  HZ_FN CollectiveOf<Tile, u32> live(const Tile& tile) const {
    return where(tile, [](const P& pair) { return pair.is_live(); });
  }
  // in returns the pair in a slot. value returns the value in the lowest of a mask of
  // slots.
  template <class Tile>
  HZ_FN CollectiveOf<Tile, P> in(const Tile& tile, int slot) const {
    return tile.pick_of(slot % width, [&](Lane l) { return at(slot, l); });
  }
  template <class Tile>
  HZ_FN CollectiveOf<Tile, typename P::Value> value(const Tile& tile, u32 slots) const {
    const int slot = first_of(slots);
    return tile.pick_of(slot % width, [&](Lane l) { return at(slot, l).value; });
  }

  // put writes a pair to the lowest of a mask of slots. It fails if the mask is empty or
  // the slot has changed since it was read.
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, bool> put(const Tile& tile, u32 slots, P pair, T& tally) const {
    const int slot = first_of(slots);
    const bool won = tile.done_by(slots != 0, slot % width, [&](Lane l) {
      const P before = at(slot, l);
      return lane_cas(l, slots_ + slot, before, pair) == before;
    });
    if (slots != 0) tally.swap(slots_ + slot, sizeof(P), won);
    return won;
  }

  // put_each writes a pair to every slot of a mask that has not changed since it was
  // read, and returns those slots.
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, u32> put_each(const Tile& tile, u32 slots, P pair, T& tally) const {
    u32 won = 0;
    for (int part = 0; part < parts; part++) {
      P* from = slots_ + part * width;
      won |= tile.ballot_of(slots >> part * width & Tile::all, [&](Lane l) {
        const P seen = seen_[part][l];
        return lane_cas(l, from + l.index(), seen, pair) == seen;
      }) << part * width;
    }
    if constexpr (T::counted) {
      for_each_pending(slots, [&](int i) { tally.swap(slots_ + i, sizeof(P), won >> i & 1); });
    }
    return won;
  }

  // combine has the walk's operation combine its value with that in the lowest of a mask
  // of slots, whatever that is by now, and touches nothing else of the pair. If the pair
  // was erased since it was read, the operation took effect before that: a marker may
  // have any value.
  template <class Tile, class T>
  HZ_FN void combine(const Tile& tile, u32 slots, const Walk<P>& walk, T& tally) const {
    P* at = slots_ + first_of(slots);
    const u32 lane = u32(first_of(slots) % width);
    tile.each(slots != 0 && tile.busy() ? u32(1) << lane : 0,
              [&](Lane l) { lane_combine(l, &at->value, walk.op, walk.pair.value); });
    if (slots != 0) tally.touch(at, sizeof(P));
  }

  // each calls f(lane, slot, pair) for a mask of slots, in the lanes that hold them.
  template <class Tile, class F>
  HZ_FN void each(const Tile& tile, u32 slots, F&& f) const {
    for (int part = 0; part < parts; part++) {
      tile.each(slots >> part * width & Tile::all,
                [&](Lane l) { f(l, u32(part * width) + l.index(), seen_[part][l]); });
    }
  }

 private:
  // in_parts puts the slots of all parts together.
  template <class F>
  HZ_FN static u32 in_parts(F&& slots_of) {
    u32 slots = 0;
    for (int part = 0; part < parts; part++) slots |= slots_of(part) << part * width;
    return slots;
  }

  template <class Tile>
  HZ_FN void read(const Tile& tile) {
    static_assert(Tile::width == width, "tiles that read a bucket have Bucket::width lanes, not one for each slot");
    for (int part = 0; part < parts; part++) seen_[part] = tile.load(slots_ + part * width);
  }

  // first_of returns the lowest slot of a mask, or the last slot if the mask is empty.
  HZ_FN static int first_of(u32 slots) { return lowest(slots | u32(1) << (B - 1)); }

  // at returns the pair in a slot of the snapshot, in the lane that holds it.
  HZ_FN P at(int slot, Lane l) const {
    P pair = seen_[0][l];
    for (int part = 1; part < parts; part++) pair = P::either(slot / width == part, seen_[part][l], pair);
    return pair;
  }

  P* slots_;
  Lanes<P, width> seen_[parts];
};

}  // namespace hz
