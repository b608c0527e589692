// drive_cpu.h: runs a batch on a CPU thread. It keeps several walks in flight and
// prefetches a walk's next bucket as soon as it is known. See drive.h.
#pragma once

#include "partials.h"

namespace hz {

// kWalks is the number of operations in flight per thread: enough to cover a cache miss
// with other work, and few enough for the line-fill buffers and the first-level cache.
inline constexpr u32 kWalks = 16;

// for_each_group calls f(tile, base, valid) for groups of 32 neighboring indices of
// [first, first + count). The last group may be partly valid.
template <class F>
HZ_FN void for_each_group(u64 first, u64 count, F&& f) {
  Tile<kWarp> tile;
  for (u64 at = 0; at < count; at += kWarp) {
    u64 left = count - at;
    f(tile, first + at, left >= kWarp ? ~u32(0) : (u32(1) << left) - 1);
  }
}

// for_each_tile calls f(tile, i) for every index of [first, first + count), with a tile
// of W lanes that does not run in step.
template <int W, class F>
HZ_FN void for_each_tile(u64 first, u64 count, F&& f) {
  const Tile<W> tile;
  for (u64 i = 0; i < count; i++) f(tile, first + i);
}

// for_each_warp calls f(tile, i), with the tile of a whole warp, for each i whose item
// kWarp * i is in [first, first + count). A GPU starts a thread for each item, so a launch
// for n tiles counts n * kWarp items.
template <class F>
HZ_FN void for_each_warp(u64 first, u64 count, F&& f) {
  const Tile<kWarp> tile;
  for (u64 i = (first + kWarp - 1) / kWarp; i * kWarp < first + count; i++) f(tile, i);
}

// Lockstep computes the lane utilization of a warp: 32/W tiles carry out their j-th
// operations together, and the warp continues when its slowest tile is done. A GPU
// measures the same figure at run time (drive_gpu.h).
template <int W, class T>
class Lockstep {
 public:
  // note records the steps of operation i. Operations come in order; refused ones are not
  // recorded.
  HZ_FN void note(u64 i, u64 steps, T& tally) {
    if (i / kWarp != warp_) flush(tally);
    warp_ = i / kWarp;
    u64 turn = i % W;
    active_ += steps * W;
    slowest_[turn] = steps > slowest_[turn] ? steps : slowest_[turn];
  }
  HZ_FN void flush(T& tally) {
    u64 issued = 0;
    for (u64& s : slowest_) issued += s * kWarp, s = 0;
    tally.lanes(active_, issued);
    active_ = 0;
  }

 private:
  u64 warp_ = 0, active_ = 0;
  u64 slowest_[W] = {};
};

// Gathering is what a worker keeps of operations that combine values (partials.h).
template <class Op, class P>
struct Gathering {};
template <class P>
struct Gathering<op_combine, P> {
  static constexpr u32 chunk = 256;  // operations that are looked at together

  // The worker itself has no pointer to a part of it, so that the compiler knows that what
  // it writes to a table does not change the worker.
  struct Memory {
    typename Partials<P>::Memory partials;
    u8 list[chunk];
  };

  HZ_FN Gathering(Memory* memory, u8 op) : partials(&memory->partials, op), list(memory->list) { partials.clear(); }

  Partials<P> partials;
  Payoff<4 * chunk, 4 * chunk> payoff;
  bool listed = false, ends = false;  // what next_ counts: the listed operations, or partial aggregates
  u32 taken = 0;                      // of a chunk
  u64 base = 0;                       // what the list counts from
  u8* list;                           // operations of a chunk whose keys have no partial aggregate
};

// Worker is one thread's part of a batch.
template <class Op, class S, class T>
class Worker {
 public:
  using P = typename S::Pair;

  HZ_FN Worker(const hz_table* table, const hz_batch* block, u64 first, u64 count, const Gathering<Op, P>& gathering)
      : scheme_(scheme_of<S>(table, block)),
        batch_(block),
        outcomes_(self_),
        next_(first),
        end_(first + count),
        gathering_(gathering) {}

  // all carries out everything.
  HZ_FN void all() {
    if constexpr (kCombining<Op>) {
      combine();
    } else {
      run();
    }
    end_of(scheme_);
    hand_back();
    outcomes_.add_to(self_, batch_.tallies());
    tally_.add_to(self_, batch_.tallies());
  }

 private:
  // run carries out operations next_ to end_.
  HZ_FN void run() {
    if constexpr (T::counted) {
      one_by_one();
    } else {
      together();
    }
  }

  // together keeps kWalks operations in flight and advances them in turn.
  HZ_FN void together() {
    u32 walks = 0;
    while (walks < kWalks && begin(in_flight_[walks])) walks++;
    while (walks > 0) {
      for (u32 k = 0; k < walks;) {
        Walk<P>& walk = in_flight_[k];
        Done<P> done = step<Op>(scheme_, tile_, walk, tally_);
        if (done.outcome == k_none) {
          fetch(walk);
        } else {
          finish(walk, done);
          if (!begin(walk)) {
            walk = in_flight_[--walks];
            continue;
          }
        }
        k++;
      }
    }
  }

  // one_by_one completes operations in order, as the tiles of a warp would in step, and
  // counts lane utilization.
  HZ_FN void one_by_one() {
    Lockstep<S::traits.gpu_width != 0 ? S::traits.gpu_width : S::width, T> lockstep;
    for (Walk<P> walk; begin(walk);) {
      u64 before = tally_.steps();
      finish(walk, carry_out<Op>(scheme_, tile_, walk, tally_));
      const u64 steps = tally_.steps() - before;
      lockstep.note(walk.index, steps, tally_);
      if (of_batch()) tally_.took(steps);
    }
    lockstep.flush(tally_);
  }

  // combine carries out a batch in windows. While that pays, operations on keys with a
  // partial aggregate are taken out of a chunk, and the others are listed and carried out.
  // When it does not, and in the end, the partial aggregates are, and their keys are
  // forgotten: after a pause others may be frequent.
  HZ_FN void combine() {
    Gathering<Op, P>& g = gathering_;
    const u64 end = end_;
    for (u64 at = next_; at < end || g.ends;) {
      const u64 count = prepare(at, end);
      run();
      if (g.ends) {
        g.ends = false;
        g.partials.clear();
      } else {
        at += count;
        g.ends = g.payoff.note(u32(count), g.taken) || at == end;
      }
    }
  }

  // prepare says what to carry out next, and returns how many operations of the batch that
  // completes.
  HZ_FN u64 prepare(u64 at, u64 end) {
    Gathering<Op, P>& g = gathering_;
    g.listed = !g.ends && g.payoff.on();
    const u64 most = g.listed ? g.chunk : g.payoff.left(), count = end - at < most ? end - at : most;
    g.taken = g.listed ? take(at, u32(count)) : 0;
    next_ = g.ends || g.listed ? 0 : at;
    end_ = g.ends ? Partials<P>::places : g.listed ? count - g.taken : at + count;
    return count;
  }

  // take combines those of a chunk of operations whose keys have a partial aggregate, lists
  // the others, and returns how many it took. The outcome of those that are listed is written
  // over later.
  HZ_FN u32 take(u64 base, u32 count) {
    Gathering<Op, P>& g = gathering_;
    g.base = base;
    const u32 listed = batch_.whole() ? take_rows(base, count) : take_selected(base, count);
    outcomes_.note_replaced(Lane{0}, count - listed);
    if constexpr (T::counted) {
      for (u32 j = listed; j < count; j++) tally_.combined(self_, 1);
    }
    return count - listed;
  }

  HZ_FN u32 take_rows(u64 base, u32 count) {
    Gathering<Op, P>& g = gathering_;
    const typename P::Key* keys = batch_.keys() + base;
    batch_.mark(base, count, k_replaced);
    const typename Partials<P>::Number one = 1;
    const bool given = takes_value(batch_.op());
    const void* numbers = given ? static_cast<const void*>(batch_.values() + base) : &one;
    return Partials<P>::take_rows(g.partials, keys, count, g.list, numbers, given ? sizeof(typename P::Value) : 0);
  }

  // take_selected does so if some operations of the batch are not to be carried out.
  HZ_FN u32 take_selected(u64 base, u32 count) {
    Gathering<Op, P>& g = gathering_;
    u32 listed = 0;
    for (u32 j = 0; j < count; j++) {
      const Request<P> request = batch_.request(base + j);
      if (request.refused == k_ok && g.partials.take(request.pair)) {
        batch_.answer(base + j, request.op, k_replaced, P::no_answer());
      } else {
        g.list[listed++] = u8(j);
      }
    }
    return listed;
  }

  // of_batch: what is carried out are operations of the batch, and not partial aggregates.
  HZ_FN bool of_batch() const {
    if constexpr (kCombining<Op>) return !gathering_.ends;
    return true;
  }

  HZ_FN u64 index_of(u64 n) const {
    if constexpr (kCombining<Op>) return gathering_.listed ? gathering_.base + gathering_.list[n] : n;
    return n;
  }

  HZ_FN Request<P> request(u64 index) {
    if constexpr (kCombining<Op>) {
      if (gathering_.ends) return gathering_.partials.pending(u32(index));
    }
    return batch_.request(index);
  }

  // begin starts the next operation that was not refused, if one is left.
  HZ_FN bool begin(Walk<P>& walk) {
    while (next_ < end_) {
      const u64 i = index_of(next_++);
      Request<P> request = this->request(i);
      if (request.refused == k_ok) {
        walk = {request.pair, scheme_.first(request.pair.key), 0, 0, request.op, i};
        fetch(walk);
        return true;
      }
      answer(i, request.op, request.refused, P::no_answer());
    }
    return false;
  }

  HZ_FN void fetch(const Walk<P>& walk) {
    prefetch(scheme_.bucket(walk.place), kFetched<S>);
    if constexpr (listed<Op>(S::traits.beside)) prefetch(scheme_.beside(Op{}, walk.place), 1);
    const u32 other = second_bucket_of<Op>(scheme_, walk);
    if (other != kNoBucket) prefetch(scheme_.bucket(other), kFetched<S>);
  }

  // hand_back is for several pairs at a time: threads that count them wait for each other.
  HZ_FN void hand_back() {
    const Tile<kWarp> kept;
    batch_.hand_back(kept, [&](Lane l) { return l.index() < lefts_; }, [&](Lane l) { return left_[l.index()]; });
    lefts_ = 0;
  }

  HZ_FN void finish(const Walk<P>& walk, const Done<P>& done) {
    if (!of_batch()) return;
    if (hands_back(Op::code) && leaves(done.outcome)) {
      left_[lefts_++] = done.left;
      if (lefts_ == kWarp) hand_back();
    }
    answer(walk.index, walk.op, done.outcome, done.answer);
    if constexpr (kCombining<Op>) {
      if (gathering_.listed && done.outcome != k_failed) gathering_.partials.admit(walk.pair.key);
    }
  }

  HZ_FN void answer(u64 i, u8 op, Outcome outcome, const typename P::Answer& answer) {
    batch_.answer(i, op, outcome, answer);
    outcomes_.note(Lane{0}, op, outcome, answer);
  }

  S scheme_;
  T tally_;
  Batch<P, Op::code> batch_;
  Tile<S::width, !S::traits.single_lane> tile_;  // in step as on a GPU, so that the same code compiles
  Tile<1> self_;
  Outcomes<1, Op::code> outcomes_;
  u64 next_, end_;
  [[no_unique_address]] Gathering<Op, P> gathering_;
  Walk<P> in_flight_[kWalks];
  u32 lefts_ = 0;
  P left_[kWarp];
};

template <class Op, class S, class T>
HZ_FN void drive(const hz_table* table, const hz_batch* block, u64 first, u64 count) {
  Worker<Op, S, T>(table, block, first, count, {}).all();
}

template <class Op, class S, class T>
  requires(kCombining<Op>)
HZ_FN void drive(const hz_table* table, const hz_batch* block, u64 first, u64 count) {
  using G = Gathering<Op, typename S::Pair>;
  typename G::Memory memory;
  Worker<Op, S, T>(table, block, first, count, G(&memory, u8(block->Op))).all();
}

}  // namespace hz
