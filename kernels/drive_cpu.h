// drive_cpu.h: batches on a CPU thread, one operation after the other, with the
// first buckets of the next kAhead operations being prefetched. See drive.h.
#ifndef HZ_DRIVE_CPU_H
#define HZ_DRIVE_CPU_H

namespace hz {

// kAhead operations between the prefetch of a bucket and its use: enough to
// cover a miss to memory, few enough to fit the processor's line-fill buffers
// and the first-level cache.
inline constexpr u64 kAhead = 16;

// for_each_group calls f(tile, base, valid) for groups of 32 neighbouring
// indices of [first, first + count); the last group may be partly valid.
template <class F>
HZ_FN void for_each_group(u64 first, u64 count, F&& f) {
  Tile<kWarp> tile;
  for (u64 at = 0; at < count; at += kWarp) {
    u64 left = count - at;
    f(tile, first + at, left >= kWarp ? ~u32(0) : (u32(1) << left) - 1);
  }
}

// Lockstep computes how busy the lanes of a warp would be: 32/W tiles carry out
// their j-th operations together, and the warp moves on when its slowest tile
// is done. A GPU measures the same figure as it runs (drive_gpu.h).
template <int W, class T>
class Lockstep {
 public:
  HZ_FN void note(u64 i, u64 steps, T& tally) {
    if constexpr (!T::counted) return;
    u64 turn = i % W;
    active_ += steps * W;
    slowest_[turn] = steps > slowest_[turn] ? steps : slowest_[turn];
    if (i % kWarp == kWarp - 1) flush(tally);
  }
  HZ_FN void flush(T& tally) {
    if constexpr (!T::counted) return;
    u64 issued = 0;
    for (u64& s : slowest_) issued += s * kWarp, s = 0;
    tally.lanes(active_, issued);
    active_ = 0;
  }

 private:
  u64 active_ = 0;
  u64 slowest_[W] = {};
};

template <class Op, class S, class T>
HZ_FN void drive(const hz_table* table, const hz_batch* block, u64 first, u64 count) {
  using P = typename S::Pair;
  S scheme(table);
  T tally;
  Batch<P, Op> batch(block);
  Tile<S::width> tile;
  Tile<1> self;
  Outcomes<1> outcomes(self);
  Lockstep<S::width, T> lockstep;
  const u64 end = first + count;

  auto fetch = [&](u64 i) {
    if constexpr (requires { scheme.home(batch.key(i)); }) prefetch(scheme.home(batch.key(i)), BucketOf<S>::bytes);
  };
  auto carry_out = [&](P pair) {
    if constexpr (kStartsAtHome<S, Op, T>) {
      P* home = scheme.home(pair.key);
      tally.probe(home, BucketOf<S>::bytes);
      return Op::run(scheme, tile, pair, tally, BucketOf<S>(tile, home));
    } else {
      return Op::run(scheme, tile, pair, tally);
    }
  };

  for (u64 i = first; i < end && i < first + kAhead; i++) fetch(i);
  for (u64 i = first; i < end; i++) {
    if (i + kAhead < end) fetch(i + kAhead);
    Request<P> request = batch.request(i);
    Outcome outcome = request.refused;
    typename P::Value value = ~typename P::Value(0);
    u64 before = tally.steps();
    if (outcome == k_ok) {
      Done<P> done = carry_out(request.pair);
      outcome = done.outcome;
      value = done.value;
      if (outcome == k_failed) batch.hand_back(tile, done.left);
    }
    lockstep.note(i, tally.steps() - before, tally);
    batch.answer(i, outcome, value);
    outcomes.note(Lane{0}, outcome);
  }
  lockstep.flush(tally);
  outcomes.add_to(self, batch.counters());
  tally.add_to(self, batch.counters());
}

}  // namespace hz

#endif
