// host.h: when a table gets other memory, and how its pairs go there.
#ifndef HZ_LINEAR_HOST_H
#define HZ_LINEAR_HOST_H

#include "host_side.h"

namespace hz::host {

struct LinearHost {
  template <class P>
  static double max_load(const P& p) {
    return p.resize == p.resize_auto ? double(p.beta) / 100 : p.bucket == 1 ? 0.9 : 0.95;
  }

  template <class P>
  static Layout layout(const P& p, const Shape& s) {
    return in_buckets(s, u64(p.bucket));
  }

  template <class P>
  static void arguments(const P& p, const Layout& l, u64* arg) {
    if (p.max_probes == 0) arg[P::max_probes_arg] = usual_probes(l);
  }

  // kErased is where the number of markers of erased pairs is kept, in hz_table.Arg.
  enum Arg { kErased = HZ_MAX_ARGS - 1 };

  template <class T, class Op>
    requires(__is_same(Op, op_insert) || __is_same(Op, op_upsert) || __is_same(Op, op_combine) || __is_same(Op, op_mix))
  static Result run(T& t, Op op, const Batch& b) {
    if (t.param.resize == t.param.resize_manual) return t.launch(op, b);
    if (__is_same(Op, op_insert)) ahead(t, b.n);
    Result done = grown(t, op, roomy(t, b));
    fit(t, done);
    return done;
  }

  template <class T>
  static Result run(T& t, op_erase op, const Batch& b) {
    const Result done = t.launch(op, b);
    if (t.param.resize == t.param.resize_auto) fit(t, done);
    return done;
  }

  // A flush makes room of what was erased.
  template <class T>
  static Result run(T& t, op_flush, const Batch&) {
    change(t, t.block().Capacity);
    return {};
  }

  // A resize gives the slots that are asked for, or those that the pairs need.
  template <class T>
  static Result run(T& t, op_resize, const Batch& asked) {
    const u64 beta = t.param.beta, least = std::max<u64>(1, (100 * t.pairs() + beta - 1) / beta);
    if (asked.n > 0 && asked.n < least) t.note(text(asked.n, " slots are too few for ", t.pairs(), " pairs"));
    change(t, std::max(asked.n, least));
    return {};
  }

 private:
  // change moves all pairs to a table with other slots. If some find no room there, which only happens if walks are
  // bounded, nothing changes.
  template <class T>
  static bool change(T& t, u64 slots) {
    try {
      const Moved moved = move(t, slots);
      if (!moved.done)
        t.note(
            text("not moved to ", slots, " slots: ", moved.left, " pairs would have found no room within max_probes"));
      return moved.done;
    } catch (const NoMemory& e) {
      t.note(text("no memory for ", slots, " slots: ", e.what()));
      return false;
    }
  }

  // enough returns the slots needed for some pairs: the present number, doubled until the load is below beta.
  template <class T>
  static u64 enough(T& t, u64 pairs) {
    u64 slots = t.block().Capacity;
    while (pairs * 100 > slots * u64(t.param.beta)) slots *= 2;
    return slots;
  }

  // fewer returns the slots after erases: half as many while fewer than alpha percent are filled and beta is kept.
  template <class T>
  static u64 fewer(T& t, u64 pairs) {
    u64 slots = t.block().Capacity;
    while (slots > 1 && 100 * pairs < slots * u64(t.param.alpha) && 200 * pairs <= slots * u64(t.param.beta))
      slots = (slots + 1) / 2;
    return slots;
  }

  // fit brings the table back between its bounds. Only erases make it smaller: it may have been made large on purpose.
  template <class T>
  static void fit(T& t, const Result& done) {
    const u64 pairs = t.pairs() + done.gained();
    t.block().Arg[kErased] += done.removed;
    u64 slots = enough(t, pairs);
    if (slots == t.block().Capacity && done.removed > 0) slots = fewer(t, pairs);
    if (slots != t.block().Capacity) change(t, slots);
  }

  // grown carries out a batch. What fails makes the table grow, and is tried again. The first time the present slots
  // may do: markers of erased pairs have taken them. A table that is nearly empty then is not doubled: its keys want
  // the same slots, and more do not help.
  template <class T, class Op>
  static Result grown(T& t, Op op, const Batch& b) {
    u64 slots = t.block().Capacity, moves = 0;
    return repeat(t, op, b, [&](const Result& done) {
      const u64 out = absent(t, done), pairs = t.pairs() + done.gained() + out;
      if (out == 0 || (moves++ > 0 && pairs * 10 < slots)) return false;
      slots = std::max(slots, enough(t, pairs));
      const bool moved = change(t, slots);
      slots *= 2;
      return moved;
    });
  }

  // ahead grows the table before inserts, or removes markers that take the room of these: each insert that finds no
  // room would look at max_probes buckets first. How many keys of upserts and mixed batches are new shows only when
  // they are in.
  template <class T>
  static void ahead(T& t, u64 n) {
    const u64 slots = t.block().Capacity, pairs = t.pairs() + n, erased = t.block().Arg[kErased];
    const u64 markers = erased > slots / 20 ? erased : 0;
    if (double(pairs + markers) > 0.95 * double(slots)) change(t, enough(t, pairs));
  }
};

}  // namespace hz::host

#endif
