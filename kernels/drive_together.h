// drive_together.h: batches whose lanes help each other out. See drive.h.
//
// Of operations that each lane carries out by itself, in attempts, some take many
// times as many as others, and a warp that waits for its slowest lane is idle most
// of the time. Here lanes do not wait: what is unfinished after an attempt is put
// aside and all lanes take fresh work, as long as there is room aside; when there
// is none, lanes that are done take from there (queue.h), and all try again. Only at
// the end of a warp's part of the batch are there fewer attempts than lanes.
//
//   attempt   a b c d e f g h    b, e and h are not done: there is room, put aside
//   attempt   i j k l m n o p    j, k, l, n, o, p are not: no room for six in eight
//   attempt   b j k l e n o p    the others take b and e, and all try again
//
// A scheme of which each lane works alone says for which operations:
//
//   using Together = Ops<op_insert, ...>
//
// The source is the same on both machines: on a CPU a thread has 32 lanes, whose first
// places are fetched before the first attempt.
#ifndef HZ_DRIVE_TOGETHER_H
#define HZ_DRIVE_TOGETHER_H

#include "batch.h"
#include "queue.h"

namespace hz {

// Work is an operation under way; instrumented kernels keep with it how many probes it
// took, as its attempts are not one after the other.
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
      : scheme_(scheme_of<S>(table, block)), batch_(block), outcomes_(tile_), aside_(scratch) {}

  // group takes on 32 neighbouring operations, the valid ones of them.
  HZ_FN void group(u64 base, u32 valid) {
    begin(base, valid);
    attempt();
    while (u32(popcount(busy_)) > aside_.room()) help();
    aside_.push(tile_, busy_, work_);
    busy_ = 0;
  }

  // rest finishes what is left aside.
  HZ_FN void rest() {
    while (busy_ != 0 || aside_.size() != 0) help();
  }

  HZ_FN void add_up() {
    outcomes_.add_to(tile_, batch_.tallies());
    if constexpr (T::counted) {
      tally_.add_to(Tile<1>{}, batch_.tallies());
      lanes_.add_to(tile_, batch_.tallies());
    }
  }

 private:
  // begin gives every lane an operation that is to be carried out, if it has one.
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

  // attempt takes each walk a step. The lanes of finished ones are idle.
  HZ_FN void attempt() {
    lanes_.lanes(u64(popcount(busy_)), W);
    busy_ = tile_.ballot_of(busy_, [&](Lane l) {
      const u64 before = tally_.steps();
      const Done<P> done = step<Op>(scheme_, Tile<1>{}, work_[l].walk, tally_);
      work_[l].add(tally_.steps() - before);
      if (done.outcome == k_none) {
        fetch(l);
        return true;
      }
      finish(l, done);
      return false;
    });
  }

  // help gives idle lanes what was put aside.
  HZ_FN void help() {
    busy_ |= aside_.pop(tile_, ~busy_, work_);
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
  T tally_;  // of a lane
  T lanes_;  // of all
  Queue<Item, W> aside_;
  Lanes<Item, W> work_;
  u32 busy_ = 0;
};

template <class Op, class S, class T>
HZ_FN void drive_together(const hz_table* table, const hz_batch* block, u64 first, u64 count) {
  using Item = typename Together<Op, S, T>::Item;
  static_assert(sizeof(Item) % sizeof(u64) == 0);
  HZ_SCRATCH(u64, memory, kWarp * sizeof(Item) / sizeof(u64), kWarp);
  Together<Op, S, T> together(table, block, reinterpret_cast<Item*>(memory));
  for_each_group(first, count, [&](const Tile<kWarp>&, u64 base, u32 valid) { together.group(base, valid); });
  together.rest();
  together.add_up();
}

// kTogether: do the lanes of S help each other out with Op?
template <class S, class Op>
inline constexpr bool kTogether = false;
template <class S, class Op>
  requires requires { typename S::Together; }
inline constexpr bool kTogether<S, Op> = kListed<Op, typename S::Together>;

}  // namespace hz

#endif
