// partials.h: partial aggregates, which operations that combine values reach before the table.
//
// Idea. The rows of a large group would change one word of the table by as many atomic operations, one after the other,
// and every reader of its bucket would queue behind them. Here the threads of a block, on a CPU a worker, share a small
// table of partial aggregates in fast memory. An operation whose key has a partial aggregate combines its value with
// that and is done. At the end each partial aggregate becomes one operation.
//
//   rows      7=1 3=5 7=4 9=8 7=2     the first of each key goes to the table, which gets
//   partials  7: 4 + 2   3: -  9: -   7=1, 3=5, 9=8; in the end it gets 7=6
//
// A key gets a partial aggregate when an operation on it has succeeded in the table, which no key leaves in a launch
// that only combines. So an operation that finds its key here has replaced a value, and those at the end never fail.
// One that finds no room in the table hands back its own pair.
//
// Linearization. All operations of a launch overlap, and sums, least and greatest values do not depend on their order.
// One that is combined here takes effect with its partial aggregate. Mixed launches do not come here, because an erase
// could take out its key.
//
// A key has a few places, next to each other, and keeps the one that it gets: the keys that come first are likely to be
// the frequent ones. A GPU compares two, and a CPU as many as a vector holds: it goes over a chunk of rows without a
// branch that depends on them.
#ifndef HZ_PARTIALS_H
#define HZ_PARTIALS_H

#include "batch.h"

namespace hz {

// log2_of, rounded down; a constant, which nvcc's counting of zeros is not.
constexpr u32 log2_of(u32 n) { return n < 2 ? 0 : 1 + log2_of(n / 2); }

// by_kind calls f with an operation that combines values as `op` does: a constant, so that f does not look at it for
// each row.
template <class F>
HZ_FN auto by_kind(u8 op, F&& f) {
  if (becomes(op, column::least)) return f(op_min{});
  if (becomes(op, column::most)) return f(op_max{});
  return f(op_add{});
}

// BlockPlaces is the memory for partial aggregates: its bytes, in how many sets of neighboring places a key may be,
// whether rows as they are in a batch may be compared, and whether to combine even if that does not pay.
struct BlockPlaces {
  static constexpr u32 bytes = kBlockBytes, sets = 1;
  static constexpr bool rows = kBlockRows, always = false;
};

template <class P, class R = BlockPlaces>
class Partials {
 public:
  using Key = typename P::Key;
  using Number = typename P::Traits::Number;

  static constexpr u32 bits = log2_of(R::bytes / (sizeof(Key) + sizeof(Number)));
  static constexpr u32 places = u32(1) << bits, ways = kBlockWays<Key>, nowhere = ~u32(0);

  struct alignas(32) Memory {
    Key key[places];
    Number number[places];
  };

  HZ_FN Partials(Memory* memory, u8 op) : memory_(memory), op_(op) {}

  // clear forgets all keys. The whole block calls it.
  HZ_FN void clear() {
    for_each_of_block(places, [&](u32 i) { memory_->key[i] = vacant(i), memory_->number[i] = neutral(); });
  }

  // take combines a pair with the partial aggregate of its key, if there is one.
  HZ_FN bool take(const P& pair) {
    const u32 place = find(pair.key);
    if (place == nowhere) return false;
    const Number given = P::Traits::number(pair.value);
    if constexpr (P::value_bytes > 0) combine(op_, memory_->number + place, given);
    return true;
  }

  // find returns the place of a key, or nowhere.
  HZ_FN u32 find(Key key) const {
    u32 place = nowhere;
#pragma GCC unroll 4
    for (u32 set = 0; set < R::sets; set++) {
      const u32 first = first_of(key, set), mask = share_equal<ways>(memory_->key + first, key);
      place = mask != 0 ? first + lowest_of<ways>(mask) : place;
    }
    return place;
  }

  // combine_each combines numbers with those of places, unless nowhere. Neighbors of one place change it once.
  template <u32 N>
  HZ_FN void combine_each(u32 (&place)[N], Number (&number)[N]) const {
    by_kind(op_, [&](auto op) __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (u32 i = 1; i < N; i++) {
        const bool same = place[i] == place[i - 1];
        number[i] = same ? combined(op.code, number[i], number[i - 1]) : number[i];
        place[i - 1] = same ? nowhere : place[i - 1];
      }
#pragma GCC unroll 4
      for (u32 i = 0; i < N; i++) {
        if (place[i] != nowhere) combine(op.code, memory_->number + place[i], number[i]);
      }
    });
  }

  // take_rows takes a chunk of rows and lists those that are left. The numbers that rows give are `stride` bytes apart.
  // A key that is rejected has no partial aggregate. It has a copy of the object, so that the caller's stays in
  // registers.
  HZ_CALLED static u32 take_rows(Partials self, const Key* keys, u32 count, u8* list, const void* numbers, u64 stride) {
    return by_kind(self.op_, [&](auto op) __attribute__((always_inline)) {
      return self.take_each(op.code, keys, count, list, numbers, stride);
    });
  }

  // admit gives a key that is in the table a partial aggregate, if it finds a place.
  HZ_FN void admit(Key key) {
#pragma GCC unroll 4
    for (u32 set = 0; set < R::sets; set++) {
      const u32 first = first_of(key, set);
      const Key* keys = memory_->key + first;
      for (u32 may = share_equal<ways>(keys, key) | share_equal<ways>(keys, vacant(first)); may != 0; may &= may - 1) {
        if (claim(first + lowest(may), key)) return;
      }
    }
  }

  // pending returns the operation for a partial aggregate, refused if there is nothing to do, and empties it.
  HZ_FN Request<P> pending(u32 place) {
    Request<P> request{{memory_->key[place], P::Traits::of(memory_->number[place])}, op_, k_none};
    if (P::value_bytes == 0 || memory_->number[place] == neutral()) return request;
    memory_->number[place] = neutral();
    request.refused = k_ok;
    return request;
  }

 private:
  // combine combines a number with that of a place.
  HZ_FN static void combine(u8 op, Number* at, Number given) {
    if (becomes(op, column::least)) return share_least(at, given);
    if (becomes(op, column::most)) return share_most(at, given);
    share_sum(at, given);
  }

  // neutral changes nothing that it is combined with.
  HZ_FN Number neutral() const { return becomes(op_, column::least) ? ~Number(0) : Number(0); }

  // first_of returns the first place of a key in one of its sets.
  HZ_FN static constexpr u32 first_of(Key key, u32 set = 0) {
    const u32 mixed = u32(key ^ key >> sizeof(Key) * 4) * 0x9e3779b9u;
    return (set == 0 ? mixed : (mixed ^ mixed >> 15) * 0x85ebca6bu) >> (32 - bits) & ~(ways - 1);
  }

  // take_each has rows that are left give what changes nothing.
  HZ_FN u32 take_each(u8 op, const Key* keys, u32 count, u8* list, const void* numbers, u64 stride) const {
    u32 listed = 0;
    Memory* const memory = memory_;
    const Number nothing = neutral();
    for (u32 i = 0; i < count; i++) {
      const Key row = keys[i];
      const u32 first = first_of(row), mask = share_equal<ways>(memory->key + first, row);
      if constexpr (P::value_bytes > 0) {
        Number n = *reinterpret_cast<const Number*>(static_cast<const char*>(numbers) + i * stride);
        asm("" : "+r"(n));  // or the compiler branches around the read of a value
        combine(op, memory->number + first + lowest(mask | u32(1) << (ways - 1)), mask != 0 ? n : nothing);
      }
      list[listed] = u8(i);
      listed += mask == 0;
    }
    return listed;
  }

  // vacant is the key of a place that has none: no key, or for rows, whose keys may be such, one whose places are
  // elsewhere.
  HZ_FN static Key vacant(u32 place) {
    static_assert(!R::rows || (first_of(Key(1)) >= ways && first_of(Key(1), 1) >= ways));
    return R::rows ? Key(place < ways) : P::kEmptyKey;
  }

  // claim returns whether the place is the key's now.
  HZ_FN bool claim(u32 place, Key key) const {
    const Key seen = share_read(memory_->key + place);
    if (seen != vacant(place)) return seen == key;
    const Key was = share_cas(memory_->key + place, vacant(place), key);
    return was == vacant(place) || was == key;
  }

  Memory* memory_;
  u8 op_;
};

// Payoff says whether to combine, which does not pay if groups are many more than places: after a window in which fewer
// than an eighth of the operations were combined it pauses, each time for four times as long, and then looks again. A
// window has `operations` operations; what it is measured in is the driver's choice.
template <u32 window, u32 operations>
class Payoff {
 public:
  HZ_FN bool on() const { return on_; }

  // left is what is left of the window or pause.
  HZ_FN u32 left() const { return left_; }

  // note counts some of them, with the operations that were combined, and returns whether a pause begins.
  HZ_FN bool note(u32 passed, u32 combined) {
    left_ -= passed;
    combined_ += combined;
    if (left_ != 0) return false;
    const bool pays = on_ && combined_ >= operations / 8, pauses = on_ && !pays;
    left_ = pauses ? pause_ : window;
    pause_ = pays ? shortest : pauses && pause_ < longest ? 4 * pause_ : pause_;
    on_ = !pauses;
    combined_ = 0;
    return pauses;
  }

 private:
  static constexpr u32 shortest = 4 * window, longest = 64 * window;

  u32 left_ = window, combined_ = 0, pause_ = shortest;
  bool on_ = true;
};

}  // namespace hz

#endif
