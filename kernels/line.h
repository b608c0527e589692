// line.h: a bucket of B slots that few lanes read, each a row of adjacent slots.
//
// A Line is a snapshot like a Bucket (bucket.h), and a change is one compare-and-swap on
// one slot. It is for tables of which a GPU reads one bucket after the other:
//
//   8 slots, 2 lanes    lane 0: slots 0 1 2 3    lane 1: slots 4 5 6 7
//
// A lane reads 16 bytes, two pairs of 8, by one load, and a warp carries out more
// operations at once than with a lane for every slot or two. Queries return a Set, of
// which each lane knows its own slots and all know which lanes have any: one vote,
// however many slots a lane has. Only the lane that changes a slot needs its number.
//
// On one H200, with 50 million pairs of 4+4 bytes in windows of 8 slots at 0.8, two lanes
// of four slots with one operation in flight, instead of four lanes of two slots with two,
// took `double` from 13.9 to 14.8 G/s (insert), 27.6 to 33.5 (find) and 16.9 to 20.9
// (absent). Lanes of a CPU are elements of vectors, and it keeps the layout of a Bucket,
// and so do pairs of 16 bytes, of which a load reads one.
#pragma once

#include "bucket.h"

namespace hz {

// kRows: lanes hold rows of adjacent slots. kGpuLanes is the number of lanes on a GPU: one
// for four slots, and at least two where there are two slots, because a single lane would
// need a request for every 16 bytes.
template <class P>
inline constexpr bool kRows = sizeof(P) == 8;
template <class P, int B>
inline constexpr int kGpuLanes = !kRows<P> ? kLanes<B>
                                 : B >= 8  ? B / 4
                                 : B > 1   ? 2
                                           : 1;

template <class P, int B, bool Rows = HZ_GPU && kRows<P>>
class Line;

#if HZ_GPU

// spread moves bit i of x to bit i * Gap.
template <int Gap>
HZ_FN u32 spread(u32 x) {
  if constexpr (Gap == 4) {
    x = (x | x << 12) & 0x000f000f;
    x = (x | x << 6) & 0x03030303;
    return (x | x << 3) & 0x11111111;
  } else if constexpr (Gap == 2) {
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
  } else {
    static_assert(Gap == 1);
    return x;
  }
}

template <class P, int B>
class Line<P, B, true> {
 public:
  using Key = typename P::Key;
  static constexpr int bytes = sizeof(P) * B, gpu_width = kGpuLanes<P, B>, width = gpu_width, row = B / width;
  static constexpr bool in_pairs = row == 4;  // tiles can read lines together

  // Set is some of the slots: those of this lane, and the lanes that have any.
  struct Set {
    u32 mine, lanes;
    HZ_FN bool any() const& { return lanes != 0; }
    HZ_FN Collective<bool> any() && { return lanes != 0; }
    HZ_FN Set only_if(bool condition) const { return {mine, condition ? lanes : 0}; }
    HZ_FN static Set either(bool c, Set a, Set b) { return {c ? a.mine : b.mine, c ? a.lanes : b.lanes}; }
  };

  HZ_FN Line() {}
  template <class Tile>
  HZ_FN Line(const Tile& tile, P* slots) : slots_(slots) {
    read(tile);
  }
  // Reads the line if `wanted` is set; otherwise all slots look empty.
  template <class Tile>
  HZ_FN Line(const Tile& tile, P* slots, bool wanted) : slots_(slots) {
#pragma unroll
    for (int i = 0; i < row; i++) seen_[i] = bits<Word<P>>(P::empty());
    if (wanted) read(tile);
  }

  // Tiles in step may read their lines together: see read_together.
  template <class Tile>
  HZ_FN Line(const Tile& tile, P* slots, bool wanted, bool together) : slots_(slots) {
#pragma unroll
    for (int i = 0; i < row; i++) seen_[i] = bits<Word<P>>(P::empty());
    if (together) {
      read_together(tile, wanted);
    } else if (wanted) {
      read(tile);
    }
  }

  template <class Tile>
  HZ_FN static Line either(const Tile&, bool condition, const Line& a, const Line& b) {
    Line chosen;
    chosen.slots_ = condition ? a.slots_ : b.slots_;
#pragma unroll
    for (int i = 0; i < row; i++) chosen.seen_[i] = choose(condition, a.seen_[i], b.seen_[i]);
    return chosen;
  }

  HZ_FN P* slots() const { return slots_; }

  template <class Tile, class F>
  HZ_FN Set where(const Tile& tile, F&& holds) const {
    u32 mine = 0;
#pragma unroll
    for (int i = 0; i < row; i++) mine |= u32(holds(bits<P>(seen_[i]))) << i;
    return {mine, tile.ballot([&](Lane) { return mine != 0; })};
  }
  template <class Tile>
  HZ_FN Set find(const Tile& tile, Key key) const {
    return where(tile, [&](const P& pair) { return pair.key == key; });
  }
  template <class Tile>
  HZ_FN Set open(const Tile& tile) const {
    return where(tile, [](const P& pair) { return !pair.is_live(); });
  }
  template <class Tile>
  HZ_FN Set unused(const Tile& tile) const {
    return where(tile, [](const P& pair) { return pair.is_empty(); });
  }

  // mask returns the slots of a set as bits, in order; count says how many they are.
  template <class Tile>
  HZ_FN CollectiveOf<Tile, u32> mask(const Tile& tile, Set set) const {
    u32 slots = 0;
#pragma unroll
    for (int i = 0; i < row; i++) slots |= spread<row>(tile.ballot([&](Lane) { return set.mine >> i & 1; })) << i;
    return slots;
  }
  template <class Tile>
  HZ_FN CollectiveOf<Tile, int> count(const Tile& tile, Set set) const {
    int slots = 0;
#pragma unroll
    for (int i = 0; i < row; i++) slots += popcount(tile.ballot([&](Lane) { return set.mine >> i & 1; }));
    return slots;
  }

  // value returns the value in the lowest slot of a set.
  template <class Tile>
  HZ_FN CollectiveOf<Tile, typename P::Value> value(const Tile& tile, Set set) const {
    const typename P::Value mine = lowest_of(set.mine).value;
    return tile.pick_of(lane_of(set), [&](Lane) { return mine; });
  }

  // put writes a pair to the lowest slot of a set. It fails if the set is empty or the
  // slot has changed since it was read.
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, bool> put(const Tile& tile, Set set, P pair, T& tally) const {
    const P before = lowest_of(set.mine);
    const bool won = tile.done_by(set.any(), lane_of(set),
                                  [&](Lane l) { return lane_cas(l, slot_of(l, set), before, pair) == before; });
    if (set.any()) tally.swap(slots_, sizeof(P), won);
    return won;
  }

  // combine is that of a Bucket.
  template <class Tile, class T>
  HZ_FN void combine(const Tile& tile, Set set, const Walk<P>& walk, T& tally) const {
    tile.each(set.any() && tile.busy() ? u32(1) << lane_of(set) : 0,
              [&](Lane l) { lane_combine(l, &slot_of(l, set)->value, walk.op, walk.pair.value); });
    if (set.any()) tally.touch(slots_, sizeof(P));
  }

 private:
  template <class Tile>
  HZ_FN void read(const Tile& tile) {
    static_assert(Tile::width == width, "tiles that read a line have Line::width lanes");
    tile.each([&](Lane l) { read_row(slots_ + l.index() * row, seen_); });
  }

  // read_together reads the lines of a pair of tiles, each by the lanes of both: one load of 16 bytes for each lane
  // covers a line, which then is one request. Every lane loads a half of its own row, and the same part of the row that
  // the lane with its number has in the other tile; these two lanes exchange what they read for each other.
  template <class Tile>
  HZ_FN void read_together(const Tile& tile, bool wanted) {
    tile.each([&](Lane l) {
      const u64 own = wanted ? reinterpret_cast<u64>(slots_) : 0, others = tile.neighbor(own);
      const bool second = tile.second();
      const u64 one = choose(second, others, own), two = choose(second, own, others);
      const u64 at = sizeof(P) * (l.index() * row + (second ? 2 : 0));
      Word<P> a[2] = {seen_[0], seen_[1]}, b[2] = {seen_[0], seen_[1]};
      read_two(one ? one + at : 0, a);
      read_two(two ? two + at : 0, b);
#pragma unroll
      for (int i = 0; i < 2; i++) {
        const Word<P> got = tile.neighbor(choose(second, a[i], b[i]));
        seen_[i] = choose(second, got, a[i]);
        seen_[2 + i] = choose(second, b[i], got);
      }
    });
  }

  // slot_of returns a lane's lowest slot of a set, or its last slot if it has none.
  HZ_FN P* slot_of(Lane l, Set set) const { return slots_ + l.index() * row + lowest(set.mine | u32(1) << (row - 1)); }

  // lane_of returns the lowest lane of a set, or the last one if the set is empty.
  HZ_FN static int lane_of(Set set) { return lowest(set.lanes | u32(1) << (width - 1)); }

  // lowest_of returns the pair in this lane's lowest slot of a mask. The choice is kept
  // out of the compiler's sight: it would put all slots into local memory to index them.
  HZ_FN P lowest_of(u32 mine) const {
    Word<P> pair = seen_[row - 1];
#pragma unroll
    for (int i = row - 2; i >= 0; i--) {
      Word<P> other = seen_[i];
      keep_in_register(other);
      keep_in_register(pair);
      pair = choose((mine >> i & 1) != 0, other, pair);
    }
    return bits<P>(pair);
  }

  P* slots_;
  Word<P> seen_[row];
};

#endif

template <class P, int B>
class Line<P, B, false> : public Bucket<P, B> {
 public:
  using Base = Bucket<P, B>;
  using Key = typename P::Key;
  static constexpr int gpu_width = kGpuLanes<P, B>;
  static constexpr bool in_pairs = false;

  struct Set {
    u32 slots;
    HZ_FN bool any() const& { return slots != 0; }
    HZ_FN Collective<bool> any() && { return slots != 0; }
    HZ_FN Set only_if(bool condition) const { return {condition ? slots : 0}; }
    HZ_FN static Set either(bool c, Set a, Set b) { return c ? a : b; }
  };

  using Base::Base;
  HZ_FN Line(const Base& base) : Base(base) {}

  template <class Tile>
  HZ_FN static Line either(const Tile& tile, bool condition, const Line& a, const Line& b) {
    return Base::either(tile, condition, a, b);
  }
  template <class Tile, class F>
  HZ_FN Set where(const Tile& tile, F&& holds) const {
    return {Base::where(tile, holds)};
  }
  template <class Tile>
  HZ_FN Set find(const Tile& tile, Key key) const {
    return {Base::find(tile, key)};
  }
  template <class Tile>
  HZ_FN Set open(const Tile& tile) const {
    return {Base::open(tile)};
  }
  template <class Tile>
  HZ_FN Set unused(const Tile& tile) const {
    return {Base::unused(tile)};
  }
  template <class Tile>
  HZ_FN CollectiveOf<Tile, u32> mask(const Tile&, Set set) const {
    return set.slots;
  }
  template <class Tile>
  HZ_FN CollectiveOf<Tile, int> count(const Tile&, Set set) const {
    return popcount(set.slots);
  }
  template <class Tile>
  HZ_FN CollectiveOf<Tile, typename P::Value> value(const Tile& tile, Set set) const {
    return Base::value(tile, set.slots);
  }
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, bool> put(const Tile& tile, Set set, P pair, T& tally) const {
    return Base::put(tile, set.slots, pair, tally);
  }
  template <class Tile, class T>
  HZ_FN void combine(const Tile& tile, Set set, const Walk<P>& walk, T& tally) const {
    Base::combine(tile, set.slots, walk, tally);
  }
};

// TwoLines is a line and, for operations that need it, a second one read at the same time.
template <class P, int B>
class TwoLines : public Line<P, B> {
 public:
  using One = Line<P, B>;

  HZ_FN TwoLines() {}
  template <class Tile>
  HZ_FN TwoLines(const Tile& tile, P* slots) : One(tile, slots) {}
  template <class Tile>
  HZ_FN TwoLines(const Tile& tile, P* slots, bool read) : One(tile, slots, read) {}
  template <class Tile>
  HZ_FN TwoLines(const Tile& tile, P* slots, bool read, P* others, bool read_other)
      : One(tile, slots, read), second_(tile, others, read_other) {}

  HZ_FN const One& second() const { return second_; }

 private:
  One second_;
};

}  // namespace hz
