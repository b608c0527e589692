// partials.h: operations that combine values meet before they reach the table.
//
// Idea. The rows of a large group would change one word of the table by as many atomic
// operations, one after the other, and every reader of its bucket would queue behind them.
// Here the threads of a block, on a CPU a worker, share a small table of partial
// aggregates in fast memory. An operation whose key has a partial aggregate combines its
// value with that and is done. At the end each partial aggregate becomes one operation.
//
//   rows      7=1 3=5 7=4 9=8 7=2     the first of each key goes to the table, which gets
//   partials  7: 4 + 2   3: -  9: -   7=1, 3=5, 9=8; in the end it gets 7=6
//
// A key gets a partial aggregate when an operation on it has succeeded in the table. So
// the key is there when another operation meets it here, and that one's outcome is known:
// replaced. Nothing leaves the table in a launch that only combines, so the operations at
// the end find their keys and never fail. An operation that finds no room is none of
// these, and hands back its own pair.
//
// Linearization. All operations of a launch overlap. One that is combined here takes
// effect with its partial aggregate. Any order of these is right, because sums, least and
// greatest values do not depend on it. Mixed launches do not come here, because an erase
// could take out a key that has a partial aggregate.
//
// A key has a few places, next to each other, and keeps the one that it gets: the keys that
// come first are likely to be the frequent ones. On a GPU there are two of them, and a warp
// also combines equal keys among the operations that are left (peers.h), which is how a block
// begins. A CPU compares as many as one of its vectors holds, and goes over a chunk of rows
// without a branch that depends on them.
//
// Whether this pays depends on the data: it does not if there are many more groups than
// places. Payoff decides by what was saved so far.
#pragma once

#include "batch.h"

namespace hz {

// NumberOf is the type of the number behind a value (pair.h). Combining works on numbers.
template <class V>
struct NumberOf {
  using Type = V;
  HZ_FN static V of(V value) { return value; }
};
template <int N>
struct NumberOf<Wide<N>> {
  using Type = u64;
  HZ_FN static u64 of(const Wide<N>& value) { return value.word[0]; }
};
template <>
struct NumberOf<Nothing> {
  using Type = u32;
  HZ_FN static u32 of(Nothing) { return 0; }
};

// log2_of, rounded down; a constant, which nvcc's counting of zeros is not.
constexpr u32 log2_of(u32 n) { return n < 2 ? 0 : 1 + log2_of(n / 2); }

// share_combine combines a number with one in memory that the block shares. neutral_of changes nothing that it is
// combined with.
template <class Number>
HZ_FN void share_combine(Number* number, u8 op, Number given) {
  if (becomes(op, column::least)) {
    share_least(number, given);
  } else if (becomes(op, column::most)) {
    share_most(number, given);
  } else {
    share_sum(number, given);
  }
}
template <class Number>
HZ_FN Number neutral_of(u8 op) {
  return becomes(op, column::least) ? ~Number(0) : Number(0);
}

// BlockPlaces is the shared-memory layout of a block's partial aggregates: its bytes, the number of sets of neighboring
// places that a key may be in, and whether a batch's rows may be compared as they are.
struct BlockPlaces {
  static constexpr u32 bytes = kBlockBytes, sets = 1;
  static constexpr bool rows = kBlockRows;
};

template <class P, class R = BlockPlaces>
class Partials {
 public:
  using Key = typename P::Key;
  using Of = NumberOf<typename P::Value>;
  using Number = typename Of::Type;

  static constexpr u32 bits = log2_of(R::bytes / (sizeof(Key) + sizeof(Number)));
  static constexpr u32 places = u32(1) << bits, ways = kBlockWays<Key>, nowhere = ~u32(0);

  struct alignas(32) Memory {
    Key key[places];
    Number number[places];
  };

  HZ_FN Partials(Memory* memory, u8 op) : memory_(memory), op_(op) {}

  // clear forgets all keys. The whole block calls it.
  HZ_FN void clear() {
    for_each_of_block(places, [&](u32 i) {
      memory_->key[i] = vacant(i);
      memory_->number[i] = neutral();
    });
  }

  // take combines a pair with the partial aggregate of its key, if there is one.
  HZ_FN bool take(const P& pair) {
    const u32 place = find(pair.key);
    if (place == nowhere) return false;
    if constexpr (P::value_bytes > 0) combine(op_, place, Of::of(pair.value));
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

  // combine_each combines numbers with those of places, unless nowhere. Neighbors of one place
  // change it once.
  template <u32 N>
  HZ_FN void combine_each(u32 (&place)[N], Number (&number)[N]) const {
    if (becomes(op_, column::least)) return combine_each_as<k_op_min>(place, number);
    if (becomes(op_, column::most)) return combine_each_as<k_op_max>(place, number);
    combine_each_as<k_op_add>(place, number);
  }

  // take_rows takes a chunk of rows and lists those that are left. The numbers that rows
  // give are `stride` bytes apart. A key that is rejected has no partial aggregate. It has a
  // copy of the object, so that the caller's stays in registers.
  HZ_CALLED static u32 take_rows(Partials self, const Key* keys, u32 count, u8* list, const void* numbers, u64 stride) {
    if (becomes(self.op_, column::least))
      return self.take_each(keys, count, list, numbers, stride, [](Number* at, Number n) { share_least(at, n); });
    if (becomes(self.op_, column::most))
      return self.take_each(keys, count, list, numbers, stride, [](Number* at, Number n) { share_most(at, n); });
    return self.take_each(keys, count, list, numbers, stride, [](Number* at, Number n) { share_sum(at, n); });
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

  // pending returns the operation for a partial aggregate, refused if there is nothing to
  // do, and empties it.
  HZ_FN Request<P> pending(u32 place) {
    Request<P> request{{memory_->key[place], P::Traits::of(memory_->number[place])}, op_, k_none};
    if (P::value_bytes == 0 || memory_->number[place] == neutral()) return request;
    memory_->number[place] = neutral();
    request.refused = k_ok;
    return request;
  }

 private:
  template <u8 op, u32 N>
  HZ_FN void combine_each_as(u32 (&place)[N], Number (&number)[N]) const {
#pragma GCC unroll 4
    for (u32 i = 1; i < N; i++) {
      const bool same = place[i] == place[i - 1];
      number[i] = same ? combined(op, number[i], number[i - 1]) : number[i];
      place[i - 1] = same ? nowhere : place[i - 1];
    }
#pragma GCC unroll 4
    for (u32 i = 0; i < N; i++) {
      if (place[i] != nowhere) combine(op, place[i], number[i]);
    }
  }

  HZ_FN void combine(u8 op, u32 place, Number given) const { share_combine(memory_->number + place, op, given); }
  HZ_FN Number neutral() const { return neutral_of<Number>(op_); }

  // first_of returns the first place of a key in one of its sets.
  HZ_FN static constexpr u32 first_of(Key key, u32 set = 0) {
    const u32 mixed = u32(key ^ key >> sizeof(Key) * 4) * 0x9e3779b9u;
    return (set == 0 ? mixed : (mixed ^ mixed >> 15) * 0x85ebca6bu) >> (32 - bits) & ~(ways - 1);
  }

  // take_each has rows that are left give what changes nothing.
  template <class F>
  HZ_FN u32 take_each(const Key* keys, u32 count, u8* list, const void* numbers, u64 stride, F&& change) const {
    u32 listed = 0;
    Memory* const memory = memory_;
    const Number nothing = neutral();
    for (u32 i = 0; i < count; i++) {
      const Key row = keys[i];
      const u32 first = first_of(row), mask = share_equal<ways>(memory->key + first, row);
      if constexpr (P::value_bytes > 0) {
        Number n = *reinterpret_cast<const Number*>(static_cast<const char*>(numbers) + i * stride);
        asm("" : "+r"(n));  // or the compiler branches around the read of a value
        change(memory->number + first + lowest(mask | u32(1) << (ways - 1)), mask != 0 ? n : nothing);
      }
      list[listed] = u8(i);
      listed += mask == 0;
    }
    return listed;
  }

  // vacant is the key of a place that has none: no key, or for rows, whose keys may be such, one
  // whose places are elsewhere.
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

// Payoff says whether to combine, from what was seen: after a window in which fewer than
// an eighth of the operations were combined it pauses, each time for four times as long,
// and then looks again. A window has `operations` operations; what it is measured in is
// the driver's choice.
template <u32 window, u32 operations>
class Payoff {
 public:
  static constexpr u32 shortest = 4 * window, longest = 64 * window;

  HZ_FN bool on() const { return on_; }

  // left is what is left of the window or pause.
  HZ_FN u32 left() const { return left_; }

  // note counts some of them, with the operations that were combined, and returns whether
  // a pause begins.
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
  u32 left_ = window, combined_ = 0, pause_ = shortest;
  bool on_ = true;
};

}  // namespace hz
