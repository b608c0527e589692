// host.h: when a table gets other memory, and how its pairs go there.
#pragma once

#include "host_bulk.h"
#include "host_grow.h"

namespace hz::host {

// LinearTable is a table during an operation.
template <class T>
class LinearTable {
 public:
  explicit LinearTable(T& t) : t_(t) {}

  // add carries out operations that may add pairs, and grows the table for them.
  template <class Op>
  Result add(Op op, const Batch& given) {
    const Batch b = roomy(t_, given);
    const Batch all = remembered(t_, b);
    if (__is_same(Op, op_insert)) ahead(asked(t_, b));
    pieces(op, all);
    done_.batch = b;
    fit();
    return done_;
  }

  Result erase(const Batch& b) {
    const Result done = t_.launch(op_erase{}, b);
    count(done);
    fit();
    return done;
  }

  // resize gives the slots that are asked for, or those that the pairs need.
  void resize(u64 asked) {
    const u64 least = std::max<u64>(1, ceil_of(100 * pairs(), beta()));
    if (asked > 0 && asked < least) t_.note(text(asked, " slots are too few for ", pairs(), " pairs"));
    change(std::max(asked, least));
  }

  // change moves all pairs to a table with other slots. If some find no room there, which only happens if walks are
  // bounded, nothing changes.
  bool change(u64 slots) {
    try {
      const Moved moved = move(t_, slots);
      if (!moved.done)
        t_.note(
            text("not moved to ", slots, " slots: ", moved.left, " pairs would have found no room within max_probes"));
      return moved.done;
    } catch (const NoMemory& e) {
      t_.note(text("no memory for ", slots, " slots: ", e.what()));
      return false;
    }
  }

 private:
  // kErased is where the number of markers of erased pairs is kept, in hz_table.Arg.
  enum Arg { kErased = HZ_MAX_ARGS - 1 };

  // kShortWalk is at how many slots an operation looks while the table may become full. In a table with room nearly all
  // need fewer; the others are repeated.
  static constexpr u64 kShortWalk = 256;

  u64 beta() const { return u64(t_.param.beta); }
  u64 slots() const { return t_.block().Capacity; }
  u64& erased() const { return t_.block().Arg[kErased]; }
  u64 pairs() const { return t_.pairs() + done_.gained(); }
  bool beyond() const { return 100 * pairs() > slots() * beta(); }

  // count adds to the counts of the batch.
  void count(const Result& more) {
    done_ += more;
    erased() += more.removed;
  }

  // enough returns the slots needed for some pairs: the present number, doubled until the load is at most beta.
  u64 enough(u64 pairs) const {
    u64 slots = this->slots();
    while (pairs * 100 > slots * beta()) slots *= 2;
    return slots;
  }

  // fewer returns the slots after erases: half as many while fewer than alpha percent are filled and beta is kept.
  u64 fewer() const {
    u64 slots = this->slots();
    while (slots > 1 && 100 * pairs() < slots * u64(t_.param.alpha) && 200 * pairs() <= slots * beta())
      slots = (slots + 1) / 2;
    return slots;
  }

  // fit brings the table back between its bounds. Only erases make it smaller: it may have been made large on purpose.
  void fit() {
    u64 wanted = enough(pairs());
    if (wanted == slots() && done_.removed > 0) wanted = fewer();
    if (wanted != slots()) change(wanted);
  }

  // ahead grows the table before inserts, or removes markers that take the room of these: all keys are new.
  void ahead(u64 n) {
    const u64 all = pairs() + n, markers = erased() > slots() / 20 ? erased() : 0;
    if (double(all + markers) > 0.95 * double(slots())) change(enough(all));
  }

  // left returns how many slots the batch may still take.
  u64 left() const { return beyond() ? 0 : room_below(double(beta()) / 100, slots(), pairs() + erased()); }

  // room grows the table for the pairs that are expected, or removes markers, and returns what is left then.
  u64 room(u64 expected) {
    const u64 now = pairs(), wanted = enough(std::min(now + expected, kMuch * now));
    if ((left() == 0 || wanted > slots()) && !change(wanted) && beyond()) change(enough(now));
    return left() > 0 ? left() : kAll;
  }

  template <class Op>
  void pieces(Op op, const Batch& b) {
    in_pieces(t_, b, done_, [&](u64 expected) { return room(expected); }, [&](const Batch& next) { piece(op, next); });
  }

  // piece carries out a piece. What fails in a full table is carried out in pieces of its own after that has grown.
  template <class Op>
  void piece(Op op, const Batch& given) {
    Batch b = given;
    leave_after(t_, b.block, done_.pairs);
    const bool brief = !__is_same(Op, op_mix) && left() > 0 && b.n > left();
    Result failed = launch(op, b, brief);
    count(completed(failed));
    if (failed.failed == 0) return;
    const u64 before = slots();
    const bool many = failed.failed > room(0), grown = slots() > before;
    if (!many || !grown || !failed_in_pieces(op, given)) count(tried_again(op, b, failed, brief || grown));
  }

  // launch looks only for a short while, if that is enough. Finds of mixed batches would miss keys.
  template <class Op>
  Result launch(Op op, const Batch& b, bool brief) {
    u64& most = t_.block().Arg[T::Param::max_probes_arg];
    const u64 usual = most;
    if (brief) most = std::min(usual, std::max<u64>(1, kShortWalk / u64(t_.param.bucket)));
    const Result done = t_.launch(op, b);
    most = usual;
    return done;
  }

  // completed takes the completed operations out of a result, which keeps those that failed.
  static Result completed(Result& done) {
    Result rest = done;
    rest.failed = rest.pairs = 0;
    static_cast<Counts&>(done) = {.failed = done.failed, .pairs = done.pairs};
    return rest;
  }

  template <class Op>
  bool failed_in_pieces(Op op, const Batch& b) {
    Batch failed;
    try {
      failed = only_failed(t_, b);
    } catch (const NoMemory&) {
      return false;
    }
    pieces(op, failed);
    return true;
  }

  // tried_again repeats what failed, after the table has grown. The first time the present slots may do: markers of
  // erased pairs have taken them. A table that is nearly empty then is not doubled: its keys want the same slots, and
  // more do not help.
  template <class Op>
  Result tried_again(Op op, const Batch& b, Result failed, bool at_once) {
    u64 wanted = slots(), moves = 0;
    repeat_failed(t_, op, b, failed, [&](const Result& done) {
      if (std::exchange(at_once, false)) return true;
      const u64 out = absent(t_, done), all = pairs() + done.gained() + out;
      if (out == 0 || (moves++ > 0 && all * 10 < wanted)) return false;
      wanted = std::max(wanted, enough(all));
      const bool moved = change(wanted);
      wanted *= 2;
      return moved;
    });
    return failed;
  }

  T& t_;
  Result done_;
};

struct LinearHost {
  static double max_load(const auto& p) {
    return p.resize == p.resize_auto ? double(p.beta) / 100 : p.bucket == 1 ? 0.9 : 0.95;
  }

  static Layout layout(const auto& p, const Shape& s) { return in_buckets(s, u64(p.bucket)); }

  static void arguments(const auto& p, const Layout& l, u64* arg) {
    arg[p.max_probes_arg] = std::min(p.max_probes == 0 ? usual_probes(l) : u64(p.max_probes), l.buckets);
  }

  template <class T, class Op>
    requires(__is_same(Op, op_insert) || __is_same(Op, op_upsert) || __is_same(Op, op_combine) || __is_same(Op, op_mix))
  static Result run(T& t, Op op, const Batch& b) {
    if (grows(t)) return LinearTable(t).add(op, b);
    if constexpr (__is_same(Op, op_insert) || __is_same(Op, op_combine))
      return part_by_part(t, op, b,
                          {.bucket = u64(t.param.bucket),
                           .reach = t.block().Arg[T::Param::max_probes_arg],
                           .search = true,
                           .most = 0.85});
    return t.launch(op, b);
  }
  static Result run(auto& t, op_erase op, const Batch& b) {
    return grows(t) ? LinearTable(t).erase(b) : t.launch(op, b);
  }

  // A flush makes room of what was erased.
  static Result run(auto& t, op_flush, const Batch&) {
    LinearTable(t).change(t.block().Capacity);
    return {};
  }
  static Result run(auto& t, op_resize, const Batch& b) {
    LinearTable(t).resize(b.n);
    return {};
  }

 private:
  static bool grows(auto& t) { return t.param.resize == t.param.resize_auto; }
};

}  // namespace hz::host
