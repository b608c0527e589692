// drive_cpu.h: runs a batch on a CPU thread. It keeps several walks in flight and
// prefetches a walk's next bucket as soon as it is known. See drive.h.
#ifndef HZ_DRIVE_CPU_H
#define HZ_DRIVE_CPU_H

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

// Worker is one thread's part of a batch.
template <class Op, class S, class T>
class Worker {
 public:
  using P = typename S::Pair;

  HZ_FN Worker(const hz_table* table, const hz_batch* block, u64 first, u64 count)
      : scheme_(scheme_of<S>(table, block)), batch_(block), outcomes_(self_), next_(first), end_(first + count) {}

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
    Lockstep<kGpuWidth<S>, T> lockstep;
    for (Walk<P> walk; begin(walk);) {
      u64 before = tally_.steps();
      finish(walk, carry_out<Op>(scheme_, tile_, walk, tally_));
      const u64 steps = tally_.steps() - before;
      lockstep.note(walk.index, steps, tally_);
      tally_.took(steps);
    }
    lockstep.flush(tally_);
  }

  HZ_FN void add_up() {
    outcomes_.add_to(self_, batch_.tallies());
    tally_.add_to(self_, batch_.tallies());
  }

 private:
  // begin starts the next operation that was not refused, if one is left.
  HZ_FN bool begin(Walk<P>& walk) {
    while (next_ < end_) {
      const u64 i = next_++;
      Request<P> request = batch_.request(i);
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
    const u32 other = second_bucket_of<Op>(scheme_, walk);
    if (other != kNoBucket) prefetch(scheme_.bucket(other), kFetched<S>);
  }

  HZ_FN void finish(const Walk<P>& walk, const Done<P>& done) {
    if (done.outcome == k_failed) batch_.hand_back(tile_, done.left);
    answer(walk.index, walk.op, done.outcome, done.answer);
  }

  HZ_FN void answer(u64 i, u8 op, Outcome outcome, const typename P::Answer& answer) {
    batch_.answer(i, op, outcome, answer);
    outcomes_.note(Lane{0}, op, outcome, answer);
  }

  S scheme_;
  T tally_;
  Batch<P, Op::code> batch_;
  Tile<S::width> tile_;
  Tile<1> self_;
  Outcomes<1, Op::code> outcomes_;
  u64 next_, end_;
  Walk<P> in_flight_[kWalks];
};

template <class Op, class S, class T>
HZ_FN void drive(const hz_table* table, const hz_batch* block, u64 first, u64 count) {
  Worker<Op, S, T> worker(table, block, first, count);
  if constexpr (T::counted) {
    worker.one_by_one();
  } else {
    worker.together();
  }
  worker.add_up();
}

}  // namespace hz

#endif
