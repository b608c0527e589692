// drive_gpu.h: runs a batch on a GPU. See drive.h.
//
// A warp takes 32 neighboring operations, and a tile of W lanes takes W of them. Each
// lane reads one request, coalesced, and computes where its walk begins. Then each tile
// carries out its lanes' operations with all lanes on each. It keeps a few walks in
// flight and loads their buckets before it examines the first, so that latencies overlap.
// The tiles of a warp run in step, whatever their walks look like. Each lane keeps the
// result of its own operation and writes it, coalesced, at the end. Warps stride over the
// batch, so any grid size works. Counters are added up once per warp.
#pragma once

#include "peers.h"

namespace hz {

template <class F>
HZ_FN void for_each_group(u64 first, u64 count, F&& f) {
  Tile<kWarp> warp;
  for (u64 at = thread_in_grid() / kWarp * kWarp; at < count; at += threads_in_grid()) {
    u64 left = count - at;
    f(warp, first + at, left >= kWarp ? ~u32(0) : (u32(1) << left) - 1);
  }
}

template <int W, class F>
HZ_FN void for_each_tile(u64 first, u64 count, F&& f) {
  const Tile<W> tile;
  for (u64 at = thread_in_grid() / W; at < count; at += threads_in_grid() / W) f(tile, first + at);
}

template <class F>
HZ_FN void for_each_warp(u64 first, u64 count, F&& f) {
  for_each_tile<kWarp>(first / kWarp, (count + kWarp - 1) / kWarp, f);
}

// kWalks is the number of operations in flight per tile. Two overlap a little more
// latency than one if each waits for a single bucket. More cost registers, so fewer warps
// are resident, and resident warps hide latency best. Where tiles have one or two lanes, a
// warp has many walks anyway.
template <class S, class Op>
inline constexpr int kWalks = S::width <= 2 || kReadsTwo<S, Op> || listed<Op>(S::traits.one_walk) ? 1 : 2;

// Turns are the operations of one tile in one round: one for each of its lanes. `From` is the batch that they are of,
// or a kernel of somebody else.
template <class Op, class S, class T, class From = Batch<typename S::Pair, Op::code>>
class Turns {
 public:
  using P = typename S::Pair;
  static constexpr int W = S::width, N = kWalks<S, Op>;

  HZ_FN Turns(S& scheme, T& tally, const From& batch, const Request<P>& mine, u64 index)
      : scheme_(scheme), tally_(tally), batch_(batch), mine_(mine.pair), op_(mine.op), outcome_(mine.refused) {
    from_ = index / W * W;
    first_ = scheme_.first(mine_.key);
    todo_ = team().ballot([&](Lane) { return mine.refused == k_ok; });
  }

  // together keeps N walks in flight, in step with the other tiles of the warp, and
  // starts the next turn where a walk ends, until all tiles of the warp are done.
  HZ_FN void together() {
    Walk<P> walk[N];
    int turn[N];
    bool busy[N];
#pragma unroll
    for (int k = 0; k < N; k++) busy[k] = false, turn[k] = 0, walk[k] = {P::empty(), 0};
#pragma unroll 1
    for (;;) {
#pragma unroll
      for (int k = 0; k < N; k++) begin(walk[k], turn[k], busy[k]);
      bool any = busy[0];
#pragma unroll
      for (int k = 1; k < N; k++) any = any || busy[k];
      if (!team().any(any)) return;
      step_all(walk, turn, busy);
    }
  }

  // one_by_one completes the operations in order and counts lane utilization: at every
  // turn the warp waits for the slowest of its tiles. Those that are not of the batch have
  // no length.
  HZ_FN void one_by_one(bool of_batch = true) {
#pragma unroll 1
    for (int turn = 0; turn < W; turn++) {
      const u64 before = tally_.steps();
      const bool mine = (todo_ >> turn & 1) != 0;
      if (mine) finish(turn, carry_out<Op>(scheme_, tile_, walk_of(tile_, turn), tally_), true);
      const u32 steps = u32(tally_.steps() - before);
      if (mine && of_batch) tally_.took(steps);
      tally_.lanes(u64(W) * steps, u64(W) * Tile<kWarp>{}.largest(Lanes<u32, kWarp>{steps}));
    }
  }

  HZ_FN Outcome outcome() const { return outcome_; }
  HZ_FN const typename P::Answer& given() const { return answer_; }
  HZ_FN const P& left() const { return left_; }

 private:
  HZ_FN Tile<W, true> team(bool busy = true) const { return tile_.in_step(busy); }

  // begin gives an idle walk the next turn, if one is left.
  HZ_FN void begin(Walk<P>& walk, int& turn, bool& busy) {
    const bool take = !busy && todo_ != 0;
    if (!team().any(take)) return;  // in most rounds no tile of the warp has an idle walk
    const int next = take ? lowest(todo_) : 0;
    Walk<P> fresh = walk_of(team(), next);
    todo_ &= take ? todo_ - 1 : ~u32(0);
    walk = Walk<P>::either(take, fresh, walk);
    turn = take ? next : turn;
    busy = busy || take;
  }

  // step_all reads the buckets of all walks, then advances each walk.
  HZ_FN void step_all(Walk<P> (&walk)[N], const int (&turn)[N], bool (&busy)[N]) {
    BucketOf<S> bucket[N];
    if constexpr (kReads<S, Op, T>) {
#pragma unroll
      for (int k = 0; k < N; k++) {
        if constexpr (may_read_in_pairs<S, Tile<W, true>>()) {
          bucket[k] = read_chunk<Op>(scheme_, team(busy[k]), walk[k], busy[k]);
        } else {
          bucket[k] = read_chunk<Op>(scheme_, tile_, walk[k], busy[k]);
        }
      }
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
      Done<P> done = step_one(busy[k], walk[k], bucket[k]);
      const bool ends = busy[k] && done.outcome != k_none;
      finish(turn[k], done, ends);
      busy[k] = busy[k] && !ends;
    }
  }

  HZ_FN Done<P> step_one(bool busy, Walk<P>& walk, const BucketOf<S>& bucket) {
    if constexpr (S::traits.single_lane) {
      return busy ? act<Op>(scheme_, tile_, walk, bucket, tally_) : Done<P>::undecided();
    } else {
      return act<Op>(scheme_, team(busy), walk, bucket, tally_);
    }
  }

  // walk_of returns the walk of a turn at its beginning. It fetches from the turn's lane
  // only what the operation needs.
  template <class Tile>
  HZ_FN Walk<P> walk_of(const Tile& tile, int turn) const {
    Walk<P> walk{{tile.pick(Lanes<typename P::Key, W>{mine_.key}, turn), P::Traits::of(0)},
                 tile.pick(Lanes<u32, W>{first_}, turn)};
    walk.op = batch_.op();
    walk.index = from_ + u32(turn);
    if constexpr (takes_value(Op::code) && P::value_bytes > 0) {
      walk.pair.value = tile.pick(Lanes<typename P::Value, W>{mine_.value}, turn);
    }
    if constexpr (Op::code == k_op_mix) walk.op = tile.pick(Lanes<u8, W>{op_}, turn);
    return walk;
  }

  // finish stores a result in the lane that owns the turn. The pair of one that combines
  // values may have those of others, so Combining hands back. Pairs of evictions are many: those of a warp are handed
  // back together, at the end of a round. For those of the few inserts that fail, this would cost registers.
  HZ_FN void finish(int turn, const Done<P>& done, bool ends) {
    if (!kCombining<Op> && !may_be(Op::code, k_evicted) && ends && done.outcome == k_failed) {
      batch_.hand_back(tile_, done.left);
    }
    const bool own = ends && lane_in_warp() % W == u32(turn);
    outcome_ = own ? done.outcome : outcome_;
    answer_ = choose(own, done.answer, answer_);
    left_ = P::either(own, done.left, left_);
  }

  S& scheme_;
  T& tally_;
  const From& batch_;
  Tile<W> tile_;
  P mine_, left_ = P::empty();
  u64 from_;  // the batch index of the tile's first operation
  u32 first_, todo_;
  u8 op_;
  Outcome outcome_;
  typename P::Answer answer_ = P::no_answer();
};

// kRefilled: lanes that are done with Op take new operations.
template <class S, class Op>
inline constexpr bool kRefilled = listed<Op>(S::traits.refilled);

// step_alone takes a step of an operation of a single lane.
template <class Op, class S, class T>
HZ_FN Done<typename S::Pair> step_alone(S& scheme, const Tile<1>& self, Walk<typename S::Pair>& walk, T& tally) {
  if constexpr (kReads<S, Op, T>) {
    return act<Op>(scheme, self, walk, read_chunk<Op>(scheme, self, walk, true), tally);
  } else {
    return act<Op>(scheme, self, walk, BucketOf<S>(), tally);
  }
}

// Refilled carries out operations of single lanes whose number of steps differs widely. A
// warp has its own part of the batch. As soon as a quarter of its lanes are done, they
// take the next operations of that part; with fewer, the rest would stand still too often
// while requests are read.
template <class Op, class S, class T>
class Refilled {
 public:
  using P = typename S::Pair;
  static_assert(S::width == 1 && S::traits.single_lane, "lanes take new operations by themselves: see traits.h");

  HZ_FN Refilled(const hz_table* table, const hz_batch* block, u64 first, u64 count)
      : scheme_(scheme_of<S>(table, block)), batch_(block), outcomes_(warp_) {
    const u64 warps = threads_in_grid() / kWarp, share = (count + warps - 1) / warps,
              before = thread_in_grid() / kWarp * share;
    end_ = first + (before + share < count ? before + share : count);
    next_ = first + (before < count ? before : count);
  }

  HZ_FN void all() {
#pragma unroll 1
    for (;;) {
      const u32 idle = warp_.ballot([&](Lane) { return !busy_; });
      if (next_ < end_ && popcount(idle) >= kWarp / 4) refill(idle);
      if (idle == ~u32(0) && next_ >= end_ && !warp_.any(busy_)) return;
      if (busy_) advance();
    }
  }
  HZ_FN void add_up() { outcomes_.add_to(warp_, batch_.tallies()); }

 private:
  HZ_FN void refill(u32 idle) {
    const Lane me{lane_in_warp()};
    const u64 index = next_ + warp_.rank(idle, me);
    next_ += u32(popcount(idle));
    if (busy_ || index >= end_) return;
    const Request<P> mine = batch_.request(index);
    walk_ = {mine.pair, scheme_.first(mine.pair.key), 0, 0, mine.op, index};
    busy_ = mine.refused == k_ok;
    if (!busy_) answer(mine.refused, P::no_answer());
  }

  HZ_FN void advance() {
    const Done<P> done = step_alone<Op>(scheme_, self_, walk_, tally_);
    if (done.outcome == k_none) return;
    busy_ = false;
    batch_.hand_back(done.outcome, done.left);
    answer(done.outcome, done.answer);
  }

  HZ_FN void answer(Outcome outcome, const typename P::Answer& answer) {
    batch_.answer(walk_.index, walk_.op, outcome, answer);
    outcomes_.note(Lane{lane_in_warp()}, walk_.op, outcome, answer);
  }

  Tile<kWarp> warp_;
  Tile<1> self_;
  S scheme_;
  T tally_;
  Batch<P, Op::code> batch_;
  Outcomes<kWarp, Op::code> outcomes_;
  Walk<P> walk_{P::empty(), 0};
  bool busy_ = false;
  u64 next_, end_;  // the rest of the warp's part
};

}  // namespace hz

#include "ahead.h"

namespace hz {

// Voted counts outcomes as Outcomes does, where all lanes of a warp note theirs together: lane i has counter i. That
// takes one register, and a bulk find must do with 32 to have as many warps as fit.
template <u8 Op, bool = Outcomes<kWarp, Op>::varied>
class Voted {
 public:
  HZ_FN explicit Voted(const Tile<kWarp>& warp) : warp_(warp) {}
  template <class Answer>
  HZ_FN void note(Lane me, u8, Outcome outcome, const Answer&) {
    constexpr Counter also = adds(Op) ? kCount_added : removes(Op, 1) ? kCount_removed : kCount_ok;
    count(me, outcome == k_ok, kCount_ok, also);
    count(me, outcome == k_rejected, kCount_rejected);
    if constexpr (may_be(Op, k_failed)) count(me, outcome == k_failed, kCount_failed);
    if constexpr (may_be(Op, k_missing)) count(me, outcome == k_missing, kCount_missing);
    if constexpr (may_be(Op, k_replaced)) count(me, outcome == k_replaced, kCount_replaced);
  }
  HZ_FN void add_to(const Tile<kWarp>&, u64* counters) const {
    if (counted_ != 0) Tile<1>{}.add(counters + lane_now(), u64(counted_));
  }

 private:
  HZ_FN void count(Lane me, bool mine, Counter counter, Counter also = kCounters) {
    const int lanes = popcount(warp_.ballot([&](Lane) { return mine; }));
    if (me.index() == u32(counter) || me.index() == u32(also)) counted_ += lanes;
  }
  Tile<kWarp> warp_;
  u32 counted_ = 0;
};
template <u8 Op>
class Voted<Op, true> : public Outcomes<kWarp, Op> {
 public:
  using Outcomes<kWarp, Op>::Outcomes;
};

template <class Op, class S, class T>
  requires(kCombining<Op>)
HZ_FN void drive(const hz_table* table, const hz_batch* block, u64 first, u64 count) {
  const u64 taken = taken_of(block);
  if (taken >= count) return;
  HZ_BLOCK_SCRATCH(typename Partials<typename S::Pair>::Memory, memory);
  CombiningOf<Op, S, T> combining(table, block, memory);
  combining.all(first + taken, count - taken);
  combining.add_up();
}

// of_lane returns this lane's operation of a group of 32.
HZ_FN u64 of_lane(u32 group) { return u64(group) * kWarp + lane_now(); }

template <class Op, class S, class T>
HZ_FN void drive(const hz_table* table, const hz_batch* block, u64 first, u64 count) {
  if constexpr (kRefilled<S, Op> && !T::counted) {
    Refilled<Op, S, T> refilled(table, block, first, count);
    refilled.all();
    refilled.add_up();
    return;
  }
  using P = typename S::Pair;
  S scheme = scheme_of<S>(table, block);
  T tally;
  Batch<P, Op::code> batch(block);
  Voted<Op::code> outcomes(Tile<kWarp>{});

  const auto round = [&](u32 group) {
    const Request<P> mine = of_lane(group) < count ? batch.request(first + of_lane(group)) : Request<P>::none();
    Turns<Op, S, T> turns(scheme, tally, batch, mine, first + of_lane(group));
    if constexpr (T::counted) {
      turns.one_by_one();
    } else {
      turns.together();
    }
    keep_in_register(group);
    if constexpr (may_be(Op::code, k_evicted)) {
      batch.hand_back(Tile<kWarp>{}, [&](Lane) { return leaves(turns.outcome()); }, [&](Lane) { return turns.left(); });
    }
    if (of_lane(group) < count) batch.answer(first + of_lane(group), mine.op, turns.outcome(), turns.given());
    outcomes.note(Lane{lane_now()}, mine.op, turns.outcome(), turns.given());
  };
  // Of operations that run faster with few warps, one in four carries out a large batch. That bounds them because no
  // more than 32 blocks fit on a multiprocessor; another warp takes the place of one that ends at once.
  const u32 fewer = listed<Op>(S::traits.few_warps) && count >= u64(1) << 22 ? 2 : 0;
  const u32 warp = u32(thread_in_grid() / kWarp);
  u32 group = warp % (1u << fewer) != 0 ? ~u32(0) : warp >> fewer;
  for (; u64(group) * kWarp < count; group += warps_now() >> fewer) {
    round(group);
  }
  end_of(scheme);
  outcomes.add_to(Tile<kWarp>{}, batch.tallies());
  if constexpr (T::counted) tally.add_to(Tile<S::width>{}, batch.tallies());
}

}  // namespace hz
