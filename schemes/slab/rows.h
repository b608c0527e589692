// rows.h: a bucket of B slots that few lanes read, 16 bytes at a time.
//
// Rows is a snapshot like a Bucket (bucket.h), and a change is one compare-and-swap on one
// slot. On a GPU, W lanes read rows of 16 bytes, two pairs of 8 or four keys of 4:
//
//   16 pairs, 4 lanes    lane 0: slots 0 1 and 8 9      lane 1: slots 2 3 and 10 11
//                        lane 2: slots 4 5 and 12 13    lane 3: slots 6 7 and 14 15
//
// So each load of the tile covers whole sectors, and a warp carries out twice as many
// operations at once as with a lane for every two slots. Queries return a Set, of which
// each lane knows its own slots and all know the rows that have any: a vote for every W
// rows, however many slots these have. Only the first `Searched` slots are looked at.
//
// Lanes of a CPU are elements of vectors, and it keeps the layout of a Bucket.
#pragma once

#include "bucket.h"

namespace hz {

template <class P, int B, int W, int Searched = B, bool Threads = kLanesAreThreads>
class Rows;

template <class P, int B, int W, int Searched>
class Rows<P, B, W, Searched, true> {
 public:
  using Key = typename P::Key;
  using Value = typename P::Value;
  static constexpr int bytes = sizeof(P) * B, width = W;

  struct Set {
    u32 mine, rows;
    HZ_FN bool any() const& { return rows != 0; }
    HZ_FN Collective<bool> any() && { return rows != 0; }
    HZ_FN Set only_if(bool condition) const { return {mine, condition ? rows : 0}; }
    HZ_FN static Set either(bool c, Set a, Set b) { return {c ? a.mine : b.mine, c ? a.rows : b.rows}; }
  };

  HZ_FN Rows() {}
  template <class Tile>
  HZ_FN Rows(const Tile& tile, P* slots) : slots_(slots) {
    read(tile);
  }
  // Reads the bucket if `wanted` is set; otherwise all slots look empty.
  template <class Tile>
  HZ_FN Rows(const Tile& tile, P* slots, bool wanted) : slots_(slots) {
#pragma GCC unroll 16
    for (int i = 0; i < own; i++) word(i) = ~Word<P>(0);
    if (wanted) read(tile);
  }

  HZ_FN P* slots() const { return slots_; }

  // where returns the searched slots for which a predicate holds.
  template <class Tile, class F>
  HZ_FN Set where(const Tile& tile, F&& holds) const {
    Set set{0, 0};
    tile.each([&](Lane l) {
#pragma GCC unroll 16
      for (int i = 0; i < own; i++) {
        const bool searched = slot_of(W - 1, i) < Searched || slot_of(int(l.index()), i) < Searched;
        set.mine |= u32(searched && holds(held(i))) << i;
      }
    });
#pragma GCC unroll 16
    for (int part = 0; part < parts; part++) {
      set.rows |= tile.ballot([&](Lane) { return row_in(set.mine, part) != 0; }) << part * W;
    }
    return set;
  }
  template <class Tile>
  HZ_FN Set find(const Tile& tile, Key key) const {
    return where(tile, [&](const P& pair) { return pair.key == key; });
  }
  template <class Tile>
  HZ_FN Set unused(const Tile& tile) const {
    return where(tile, [](const P& pair) { return pair.is_empty(); });
  }
  template <class Tile>
  HZ_FN Set live(const Tile& tile) const {
    return where(tile, [](const P& pair) { return pair.is_live(); });
  }

  // mask returns the slots of a set as bits, in order.
  template <class Tile>
  HZ_FN CollectiveOf<Tile, u32> mask(const Tile& tile, Set set) const {
    u32 mine = 0, slots = 0;
    tile.each([&](Lane l) {
#pragma GCC unroll 16
      for (int part = 0; part < parts; part++) {
        mine |= row_in(set.mine, part) << slot_of(int(l.index()), part * row);
      }
    });
#pragma GCC unroll 16
    for (int lane = 0; lane < W; lane++) slots |= tile.pick(Lanes<u32, W>{mine}, lane);
    return slots;
  }

  // value returns the value in the lowest slot of a set.
  template <class Tile>
  HZ_FN CollectiveOf<Tile, Value> value(const Tile& tile, Set set) const {
    if constexpr (P::value_bytes == 0) {
      return Value{};
    } else {
      const Value mine = lowest_of(set.mine).value;
      return tile.pick_of(lane_of(set), [&](Lane) { return mine; });
    }
  }

  // of_last returns f(pair in the last slot).
  template <class Tile, class F>
  HZ_FN auto of_last(const Tile& tile, F&& f) const {
    return tile.pick_of(W - 1, [&](Lane) { return f(held(own - 1)); });
  }

  // put writes a pair to the lowest slot of a set. It fails if the set is empty or the
  // slot has changed since it was read.
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, bool> put(const Tile& tile, Set set, P pair, T& tally) const {
    const P before = lowest_of(set.mine);
    const bool won = tile.done_by(set.any(), lane_of(set),
                                  [&](Lane l) { return lane_cas(l, lowest_slot(set, l), before, pair) == before; });
    if (set.any()) tally.swap(slots_ + row_of(set) * row, sizeof(P), won);
    return won;
  }

  // put_each writes a pair to every slot of a set that has not changed since it was read,
  // and returns those slots as bits.
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, u32> put_each(const Tile& tile, Set set, P pair, T& tally) const {
    Set won{0, 0};
    tile.each([&](Lane l) {
#pragma GCC unroll 16
      for (int i = 0; i < own; i++) {
        const P seen = held(i);
        const bool swaps = tile.busy() && (set.mine >> i & 1) != 0;
        won.mine |= u32(swaps && lane_cas(l, slots_ + slot_of(int(l.index()), i), seen, pair) == seen) << i;
      }
    });
    const u32 slots = mask(tile, won);
    if constexpr (T::counted) {
      for_each_pending(mask(tile, set), [&](int i) { tally.swap(slots_ + i, sizeof(P), slots >> i & 1); });
    }
    return slots;
  }

  // combine: see Bucket::combine.
  template <class Tile, class T>
  HZ_FN void combine(const Tile& tile, Set set, const Walk<P>& walk, T& tally) const {
    tile.each(set.any() && tile.busy() ? u32(1) << lane_of(set) : 0,
              [&](Lane l) { lane_combine(l, &lowest_slot(set, l)->value, walk.op, walk.pair.value); });
    if (set.any()) tally.touch(slots_ + row_of(set) * row, sizeof(P));
  }

  // each calls f(lane, slot, pair) for slots given as bits, in the lanes that hold them.
  template <class Tile, class F>
  HZ_FN void each(const Tile& tile, u32 slots, F&& f) const {
    tile.each([&](Lane l) {
#pragma GCC unroll 16
      for (int i = 0; i < own; i++) {
        const u32 slot = u32(slot_of(int(l.index()), i));
        if (slots >> slot & 1) f(l, slot, held(i));
      }
    });
  }

 private:
  // A row has `row` slots; a lane has one row of each part, `own` slots in all.
  static constexpr int row = 16 / sizeof(P), rows = B / row, parts = rows / W, own = parts * row;

  HZ_FN Word<P>& word(int i) { return seen_[i / row][i % row]; }
  HZ_FN const Word<P>& word(int i) const { return seen_[i / row][i % row]; }
  HZ_FN P held(int i) const { return bits<P>(word(i)); }

  HZ_FN static constexpr int slot_of(int lane, int i) { return (i / row * W + lane) * row + i % row; }
  HZ_FN static u32 row_in(u32 mine, int part) { return mine >> part * row & ((u32(1) << row) - 1); }
  // row_of and lane_of return where the lowest slot of a set is, or the last row or lane if
  // the set is empty.
  HZ_FN static int row_of(Set set) { return lowest(set.rows | u32(1) << (rows - 1)); }
  HZ_FN static int lane_of(Set set) { return row_of(set) % W; }

  HZ_FN P* lowest_slot(Set set, Lane l) const {
    return slots_ + slot_of(int(l.index()), lowest(set.mine | u32(1) << (own - 1)));
  }

  // lowest_of returns the pair in this lane's lowest slot of a set. Clang would put all
  // slots into local memory to choose one.
  HZ_FN P lowest_of(u32 mine) const {
    Word<P> pair = word(own - 1);
#pragma GCC unroll 16
    for (int i = own - 2; i >= 0; i--) {
      Word<P> other = word(i);
      keep_in_register(other);
      keep_in_register(pair);
      pair = choose((mine >> i & 1) != 0, other, pair);
    }
    return bits<P>(pair);
  }

  template <class Tile>
  HZ_FN void read(const Tile& tile) {
    static_assert(Tile::width == W);
    tile.each([&](Lane l) {
#pragma GCC unroll 16
      for (int part = 0; part < parts; part++) {
        read_row(slots_ + slot_of(int(l.index()), part * row), seen_[part]);
      }
    });
  }

  P* slots_;
  Word<P> seen_[parts][row];
};

template <class P, int B, int W, int Searched>
class Rows<P, B, W, Searched, false> : public Bucket<P, B> {
 public:
  using Base = Bucket<P, B>;
  using Key = typename P::Key;
  static constexpr u32 kSearched = Searched == 32 ? ~u32(0) : (u32(1) << Searched % 32) - 1;

  struct Set {
    u32 slots;
    HZ_FN bool any() const& { return slots != 0; }
    HZ_FN Collective<bool> any() && { return slots != 0; }
    HZ_FN Set only_if(bool condition) const { return {condition ? slots : 0}; }
    HZ_FN static Set either(bool c, Set a, Set b) { return c ? a : b; }
  };

  using Base::Base;

  template <class Tile>
  HZ_FN Set find(const Tile& tile, Key key) const {
    return {Base::find(tile, key) & kSearched};
  }
  template <class Tile>
  HZ_FN Set unused(const Tile& tile) const {
    return {Base::unused(tile) & kSearched};
  }
  template <class Tile>
  HZ_FN Set live(const Tile& tile) const {
    return {Base::live(tile) & kSearched};
  }
  template <class Tile>
  HZ_FN CollectiveOf<Tile, u32> mask(const Tile&, Set set) const {
    return set.slots;
  }
  template <class Tile>
  HZ_FN CollectiveOf<Tile, typename P::Value> value(const Tile& tile, Set set) const {
    if constexpr (P::value_bytes == 0) {
      return typename P::Value{};
    } else {
      return Base::value(tile, set.slots);
    }
  }
  template <class Tile, class F>
  HZ_FN auto of_last(const Tile& tile, F&& f) const {
    return f(this->in(tile, B - 1));
  }
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, bool> put(const Tile& tile, Set set, P pair, T& tally) const {
    return Base::put(tile, set.slots, pair, tally);
  }
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, u32> put_each(const Tile& tile, Set set, P pair, T& tally) const {
    return Base::put_each(tile, set.slots, pair, tally);
  }
  template <class Tile, class T>
  HZ_FN void combine(const Tile& tile, Set set, const Walk<P>& walk, T& tally) const {
    Base::combine(tile, set.slots, walk, tally);
  }
};

}  // namespace hz
