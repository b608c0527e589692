// drive_together.h: drives operations whose lanes share unfinished work. See drive.h.
//
// When each lane carries out its own operation in attempts, some operations take many
// more attempts than others, and a warp that waits for its slowest lane is mostly idle.
// Here no lane waits. What is unfinished after an attempt goes into a queue (queue.h),
// and all lanes take new operations, as long as the queue has room. When it has none, the
// lanes that are done take operations from the queue, and all lanes try again. Only at
// the end of a warp's part of the batch are lanes left without work.
//
//   attempt   a b c d e f g h    b, e and h are unfinished: they go into the queue
//   attempt   i j k l m n o p    6 are unfinished, and the queue has room for 5
//   attempt   b j k l e n o p    idle lanes take b and e, and all lanes try again
//
// A scheme with single_lane lists the operations to drive this way in `queued` (traits.h).
//
// Both backends share this source. On a CPU a thread has 32 lanes, and their first places
// are prefetched before the first attempt.
#pragma once

#include "batch.h"
#include "queue.h"

namespace hz {

// Work is an operation in flight. Instrumented kernels count its probes here, because its
// attempts are not consecutive.
template <class P, class T>
struct Work {
  Walk<P> walk;
  HZ_FN void add(u64) {}
  HZ_FN u64 probes() const { return 0; }
};
template <class P>
struct Work<P, Tally<true>> {
  Walk<P> walk;
  u64 probes_ = 0;
  HZ_FN void add(u64 probes) { probes_ += probes; }
  HZ_FN u64 probes() const { return probes_; }
};

template <class Op, class S, class T>
class Together {
 public:
  using P = typename S::Pair;
  using Item = Work<P, T>;
  static constexpr int W = kWarp;

  HZ_FN Together(const hz_table* table, const hz_batch* block, Item* scratch)
      : scheme_(scheme_of<S>(table, block)), batch_(block), outcomes_(tile_), queue_(scratch) {}

  // group starts the valid ones of 32 neighboring operations.
  HZ_FN void group(u64 base, u32 valid) {
    begin(base, valid);
    attempt();
    while (u32(popcount(busy_)) > queue_.room()) help();
    queue_.push(tile_, busy_, work_);
    busy_ = 0;
  }

  // rest completes what is left in the queue.
  HZ_FN void rest() {
    while (busy_ != 0 || queue_.size() != 0) help();
  }

  HZ_FN void add_up() {
    outcomes_.add_to(tile_, batch_.tallies());
    if constexpr (T::counted) {
      tally_.add_to(Tile<1>{}, batch_.tallies());
      lanes_.add_to(tile_, batch_.tallies());
    }
  }

 private:
  // begin gives every lane its operation, unless it was refused.
  HZ_FN void begin(u64 base, u32 valid) {
    busy_ = tile_.ballot_of(valid, [&](Lane l) {
      const u64 i = base + l.index();
      const Request<P> request = batch_.request(i);
      if (request.refused != k_ok) {
        answer(l, i, request.op, request.refused, P::no_answer());
        return false;
      }
      work_[l] = {{request.pair, scheme_.first(request.pair.key), 0, 0, request.op, i}};
      fetch(l);
      return true;
    });
  }

  // attempt advances each walk by one step. Lanes whose operations finish become idle.
  HZ_FN void attempt() {
    lanes_.lanes(u64(popcount(busy_)), W);
    busy_ = tile_.ballot_of(busy_, [&](Lane l) {
      const u64 before = tally_.steps();
      const Done<P> done = step<Op>(scheme_, Tile<1>{}, work_[l].walk, tally_);
      tally_.stepped();
      work_[l].add(tally_.steps() - before);
      if (done.outcome == k_none) {
        fetch(l);
        return true;
      }
      finish(l, done);
      return false;
    });
  }

  // help gives queued operations to idle lanes, then makes an attempt.
  HZ_FN void help() {
    busy_ |= queue_.pop(tile_, ~busy_, work_);
    attempt();
  }

  HZ_FN void fetch(Lane l) { prefetch(scheme_.bucket(work_[l].walk.place), kFetched<S>); }

  HZ_FN void finish(Lane l, const Done<P>& done) {
    if (done.outcome == k_failed) batch_.put(lane_add(l, batch_.counters() + kCount_pairs, u64(1)), done.left);
    tally_.took(work_[l].probes());
    answer(l, work_[l].walk.index, work_[l].walk.op, done.outcome, done.answer);
  }

  HZ_FN void answer(Lane l, u64 i, u8 op, Outcome outcome, const typename P::Answer& answer) {
    batch_.answer(i, op, outcome, answer);
    outcomes_.note(l, op, outcome, answer);
  }

  Tile<W> tile_;
  S scheme_;
  Batch<P, Op::code> batch_;
  Outcomes<W, Op::code> outcomes_;
  T tally_;  // of one lane
  T lanes_;  // of all lanes
  Queue<Item, W> queue_;
  Lanes<Item, W> work_;
  u32 busy_ = 0;
};

template <class Op, class S, class T>
HZ_FN void drive_together(const hz_table* table, const hz_batch* block, u64 first, u64 count) {
  using Item = typename Together<Op, S, T>::Item;
  static_assert(sizeof(Item) % sizeof(u64) == 0);
  HZ_SCRATCH(u64, memory, kWarp * sizeof(Item) / sizeof(u64), kWarp);
  Together<Op, S, T> together(table, block, reinterpret_cast<Item*>(memory));
  // Clang finds this body too large to inline unless it is told to, and the lanes would be in memory.
  for_each_group(first, count, [&](const Tile<kWarp>&, u64 base, u32 valid) __attribute__((always_inline)) {
    together.group(base, valid);
  });
  together.rest();
  together.add_up();
}

}  // namespace hz
