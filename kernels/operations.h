// operations.h: the operations on single keys, what each takes and gives, and how
// a scheme's functions for them are called.
#pragma once

#include "pair.h"
#include "tally.h"

namespace hz {

// Done is what became of one operation.
template <class P>
struct Done {
  using Answer = typename P::Answer;

  Outcome outcome;
  Answer answer;  // the value found; all ones if nothing was
  P left;         // a failed insert, or a put that evicted another pair: the pair that is now in no slot

  HZ_FN static Done ok() { return {k_ok, P::no_answer(), P::empty()}; }
  HZ_FN static Done replaced() { return {k_replaced, P::no_answer(), P::empty()}; }
  HZ_FN static Done found(const typename P::Value& v) { return {k_ok, P::Traits::answer(v), P::empty()}; }
  HZ_FN static Done counted(u64 n) { return either(n == 0, missing(), {k_ok, P::count(n), P::empty()}); }
  HZ_FN static Done missing() { return {k_missing, P::no_answer(), P::empty()}; }
  HZ_FN static Done failed(P left) { return {k_failed, P::no_answer(), left}; }
  HZ_FN static Done evicted(P left) { return {k_evicted, P::no_answer(), left}; }
  HZ_FN static Done undecided() { return {k_none, P::no_answer(), P::empty()}; }

  // Of two, by a condition that may differ between tiles that are in step.
  HZ_FN static Done either(bool condition, const Done& a, const Done& b) {
    return {condition ? a.outcome : b.outcome, choose(condition, a.answer, b.answer),
            P::either(condition, a.left, b.left)};
  }
};

// Walk is an operation under way.
template <class P>
struct Walk {
  P pair;               // the key, and the value if the operation takes one; an insert
                        // that evicts goes on with the evicted pair
  u32 place;            // where to look next: the number of a bucket, say
  u32 step = 0;         // the scheme counts
  u32 memo = 0;         // the scheme's own
  u8 op = kOperations;  // which operation it is
  u64 index = 0;        // which of the batch it is

  HZ_FN static Walk either(bool c, const Walk& a, const Walk& b) {
    return {P::either(c, a.pair, b.pair), c ? a.place : b.place, c ? a.step : b.step,
            c ? a.memo : b.memo,          c ? a.op : b.op,       c ? a.index : b.index};
  }
};

// The words in the columns of HZ_OPS (abi.h).
namespace column {
enum Answer : u32 { nothing, value, number, values, rows };
enum Removes : u32 { answer = 2 };
enum Becomes : u32 { kept, given, sum, least, most };
#define HZ_AS_BIT(name) inline constexpr u32 name = 1u << k_##name;
HZ_OUTCOMES(HZ_AS_BIT)
#undef HZ_AS_BIT
}  // namespace column

// The columns as functions. Each is a chain of comparisons, which costs nothing where the
// operation is known to the compiler.
#define HZ_TAKES(name, kind, value, ...) || (value != 0 && op == k_op_##name)
#define HZ_GIVES(name, kind, value, answer, ...) || (column::answer != column::nothing && op == k_op_##name)
#define HZ_ADDS(name, kind, value, answer, adds, ...) || (adds != 0 && op == k_op_##name)
#define HZ_REMOVES(name, kind, value, answer, adds, removes, ...) || (u32(removes) == pairs && op == k_op_##name)
#define HZ_MAY(name, kind, value, answer, adds, removes, outcomes, ...) \
  || (((outcomes) >> outcome & 1) != 0 && op == k_op_##name)
HZ_BOTH constexpr bool takes_value(u8 op) { return false HZ_OPS(HZ_TAKES); }
HZ_BOTH constexpr bool gives_answer(u8 op) { return false HZ_OPS(HZ_GIVES); }
HZ_BOTH constexpr bool adds(u8 op) { return false HZ_OPS(HZ_ADDS); }
HZ_BOTH constexpr bool removes(u8 op, u32 pairs) {
  using column::answer;
  return false HZ_OPS(HZ_REMOVES);
}
HZ_BOTH constexpr bool may_be(u8 op, Outcome outcome) {
  using namespace column;
  return false HZ_OPS(HZ_MAY);
}

// hands_back: may op leave a pair in no slot, and does it with this outcome?
HZ_BOTH constexpr bool hands_back(u8 op) { return may_be(op, k_failed) || may_be(op, k_evicted); }
HZ_FN bool leaves(Outcome outcome) { return outcome == k_failed || outcome == k_evicted; }

// becomes: does op make this of the value of a key that is there? combines: does it make
// one of both values?
#define HZ_BECOMES(name, kind, value, answer, adds, removes, outcomes, becomes, ...) \
  || (column::becomes == what && op == k_op_##name)
HZ_BOTH constexpr bool becomes(u8 op, column::Becomes what) { return false HZ_OPS(HZ_BECOMES); }
HZ_BOTH constexpr bool combines(u8 op) {
  return becomes(op, column::sum) || becomes(op, column::least) || becomes(op, column::most);
}
#undef HZ_BECOMES
#undef HZ_TAKES
#undef HZ_GIVES
#undef HZ_ADDS
#undef HZ_REMOVES
#undef HZ_MAY

// all_that_combine has the bits of those operations, as in hz_batch.Select.
#define HZ_BIT(name, ...) | u64(combines(k_op_##name)) << k_op_##name
HZ_BOTH constexpr u64 all_that_combine() { return 0 HZ_OPS(HZ_BIT); }
#undef HZ_BIT

// combined returns the value that op makes of the one that is there and the one given.
HZ_FN u32 combined(u8 op, u32 there, u32 given) {
  const u32 less = given < there ? given : there, more = given < there ? there : given;
  return becomes(op, column::least) ? less : becomes(op, column::most) ? more : there + given;
}
HZ_FN u64 combined(u8 op, u64 there, u64 given) {
  const u64 less = given < there ? given : there, more = given < there ? there : given;
  return becomes(op, column::least) ? less : becomes(op, column::most) ? more : there + given;
}
template <int N>
HZ_FN Wide<N> combined(u8 op, const Wide<N>& there, const Wide<N>& given) {
  return ValueTraits<Wide<N>>::of(combined(op, there.word[0], given.word[0]));
}
HZ_FN Nothing combined(u8, Nothing, Nothing) { return {}; }

// lane_combine does that to a value in the table, as one atomic operation on the value
// alone, and does not wait for it.
template <class V>
HZ_FN void lane_combine(Lane l, V* value, u8 op, V given) {
  if (becomes(op, column::least)) {
    lane_least(l, value, given);
  } else if (becomes(op, column::most)) {
    lane_most(l, value, given);
  } else {
    lane_sum(l, value, given);
  }
}
HZ_FN void lane_combine(Lane, Nothing*, u8, Nothing) {}

// lane_begin makes a value of ones what op makes of none and the value given. Others may combine
// theirs with it before. Greatest values cannot begin so.
template <class V>
HZ_FN void lane_begin(Lane l, V* value, u8 op, V given) {
  lane_combine(l, value, op, becomes(op, column::sum) ? V(given + 1) : given);
}

// An operation as a type: its name, its number, and for one on keys how the scheme's function is
// called. is: would this function carry out op? That of a family does so for any of it,
// by walk.op. Those on the whole table are carried out on the host (host_side.h).
#define HZ_OP(name, kind, ...) HZ_OP_##kind(name)
#define HZ_OP_slots(name)
#define HZ_OP_host(which)                       \
  struct op_##which {                           \
    static constexpr const char* name = #which; \
  };
#define HZ_OP_mixed(which)                      \
  struct op_##which {                           \
    static constexpr const char* name = #which; \
    static constexpr u8 code = k_op_##which;    \
  };
#define HZ_OP_keys(name) HZ_OP_WALK(name, op == k_op_##name)
#define HZ_OP_family(name) HZ_OP_WALK(name, combines(op))
#define HZ_OP_WALK(which, of_it)                                                           \
  struct op_##which {                                                                      \
    static constexpr const char* name = #which;                                            \
    static constexpr u8 code = k_op_##which;                                               \
    HZ_FN static constexpr bool is(u8 op) { return of_it; }                                \
    template <class S, class Tile, class P, class B, class T>                              \
    HZ_FN static auto in(S& s, const Tile& tile, Walk<P>& walk, const B& bucket, T& tally) \
        -> decltype(s.which##_in(tile, walk, bucket, tally)) {                             \
      return s.which##_in(tile, walk, bucket, tally);                                      \
    }                                                                                      \
    template <class S, class Tile, class P, class A, class T>                              \
    HZ_FN static auto at(S& s, const Tile& tile, Walk<P>& walk, A* at, T& tally)           \
        -> decltype(s.which##_at(tile, walk, at, tally)) {                                 \
      return s.which##_at(tile, walk, at, tally);                                          \
    }                                                                                      \
    template <class S, class Tile, class L, class O, class T>                              \
    HZ_FN static auto all(S& s, const Tile& tile, u32 todo, L& walks, O& became, T& tally) \
        -> decltype(s.which##_of_all(tile, todo, walks, became, tally)) {                  \
      return s.which##_of_all(tile, todo, walks, became, tally);                           \
    }                                                                                      \
  };                                                                                       \
  template <>                                                                              \
  struct OpOf<k_op_##which> {                                                              \
    using Type = op_##which;                                                               \
  };

// OpOf is the type of an operation on keys.
template <Operation>
struct OpOf;
HZ_OPS(HZ_OP)
#undef HZ_OP
#undef HZ_OP_keys
#undef HZ_OP_family
#undef HZ_OP_WALK
#undef HZ_OP_slots
#undef HZ_OP_host
#undef HZ_OP_mixed

// kCombining: Op makes one of the value that is there and the one given.
template <class Op>
inline constexpr bool kCombining = __is_same(Op, op_combine);

// Ops is a list of operations: Ops{k_op_insert, k_op_find}.
struct Ops {
  template <class... Op>
  HZ_BOTH constexpr Ops(Op... op) : count(sizeof...(Op)), at{op...} {}

  int count;
  Operation at[kOperations];
};

// listed: is Op one of a list? Operations on the whole table never are.
template <class Op>
HZ_BOTH constexpr bool listed([[maybe_unused]] const Ops& list) {
  if constexpr (requires { Op::code; }) {
    for (int i = 0; i < list.count; i++) {
      if (list.at[i] == Op::code) return true;
    }
  }
  return false;
}

// Outcomes counts what became of operations, per lane: each lane has its own.
template <int W, u8 Op>
class Outcomes {
 public:
  // Of one kind of operation, what was added or removed is what was ok.
  static constexpr bool varied = Op == k_op_mix || removes(Op, column::answer) || may_be(Op, k_evicted);

  HZ_FN Outcomes(const Tile<W>& tile) {
    tile.each([&](Lane l) {
      ok_[l] = failed_[l] = missing_[l] = rejected_[l] = replaced_[l] = evicted_[l] = 0;
      added_[l] = removed_[l] = 0;
    });
  }
  template <class Answer>
  HZ_FN void note(Lane l, u8 op, Outcome o, const Answer& answer) {
    ok_[l] += o == k_ok;
    failed_[l] += o == k_failed;
    missing_[l] += o == k_missing;
    rejected_[l] += o == k_rejected;
    replaced_[l] += o == k_replaced;
    evicted_[l] += o == k_evicted;
    if constexpr (varied) {
      added_[l] += (o == k_ok && adds(op)) + (o == k_evicted);
      removed_[l] += o == k_evicted;
      removed_[l] += o == k_ok && removes(op, 1);
      if (o == k_ok && removes(op, column::answer)) removed_[l] += count_of(answer);
    }
  }
  // note_replaced counts n operations that replaced a value.
  HZ_FN void note_replaced(Lane l, u32 n) { replaced_[l] += n; }
  HZ_FN void add_to(const Tile<W>& tile, u64* counters) const {
    add(tile, counters + kCount_ok, ok_);
    add(tile, counters + kCount_failed, failed_);
    add(tile, counters + kCount_missing, missing_);
    add(tile, counters + kCount_rejected, rejected_);
    if constexpr (may_be(Op, k_replaced)) add(tile, counters + kCount_replaced, replaced_);
    if constexpr (may_be(Op, k_evicted)) add(tile, counters + kCount_evicted, evicted_);
    if constexpr (varied || adds(Op)) add(tile, counters + kCount_added, varied ? added_ : ok_);
    if constexpr (varied || removes(Op, 1)) add(tile, counters + kCount_removed, varied ? removed_ : ok_);
  }

 private:
  HZ_FN static u32 count_of(u64 answer) { return u32(answer); }
  template <int N>
  HZ_FN static u32 count_of(const Wide<N>& answer) {
    return u32(answer.word[0]);
  }
  HZ_FN static void add(const Tile<W>& tile, u64* counter, const Lanes<u32, W>& lanes) {
    Lanes<u64, W> wide;
    tile.each([&](Lane l) { wide[l] = lanes[l]; });
    u64 sum = tile.total(wide);
    if (sum != 0) tile.add(counter, sum);
  }
  // A lane has fewer than 2^32 operations.
  Lanes<u32, W> ok_, failed_, missing_, rejected_, replaced_, evicted_, added_, removed_;
};

}  // namespace hz
