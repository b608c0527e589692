// drive_combine.h: drives operations that combine values, on a GPU. See drive.h and partials.h.
#pragma once

#include "peers.h"

namespace hz {

// hand_back_rows hands back the pair of every row that failed, as the batch has it. Each lane has
// the index of its row.
template <class B>
HZ_FN void hand_back_rows(const Tile<kWarp>& warp, const B& batch, u64 index, const Lanes<Outcome, kWarp>& outcome) {
  const u32 failed = warp.ballot([&](Lane l) { return outcome[l] == k_failed; });
  if (failed == 0) return;
  const u64 at = warp.fetch_add(batch.counters() + kCount_pairs, u64(popcount(failed)));
  warp.each(failed, [&](Lane l) { batch.put(at + warp.rank(failed, l), batch.request(index).pair); });
}

// Combining carries out operations that combine values: first among themselves, then in
// the table (partials.h).
template <class Op, class S, class T, class R = BlockPlaces>
class Combining {
 public:
  using P = typename S::Pair;
  using Memory = typename Partials<P, R>::Memory;

  HZ_FN Combining(const hz_table* table, const hz_batch* block, Memory* memory)
      : scheme_(scheme_of<S>(table, block)), batch_(block), outcomes_(warp_), partials_(memory, batch_.op()) {}

  // all carries out the batch. The block then waits until none of its warps combines
  // any more, and its partial aggregates become operations: rounds of one loop, because
  // a second one would need as much code again.
  HZ_FN void all(u64 first, u64 count) {
    partials_.clear();
    block_sync();
    u64 at = thread_in_grid() / kWarp * kWarp;
    u32 place = ~u32(0);
#pragma unroll 1
    for (;;) {
      if (place == ~u32(0) && at >= count) {
        block_sync();
        place = thread_in_block() / kWarp * kWarp;
      }
      const bool of_batch = at < count;
      if (!of_batch && place >= Partials<P, R>::places) return;
      const u64 mine = at + lane_in_warp();
      const u32 saved = round(of_batch, payoff_.on(), first + mine, of_batch && mine < count, place + lane_in_warp());
      if (of_batch) {
        payoff_.note(1, u32(popcount(saved)));
        at += threads_in_grid();
      } else {
        place += threads_in_block();
      }
    }
  }

  HZ_FN void add_up() {
    end_of(scheme_);
    outcomes_.add_to(warp_, batch_.tallies());
    if constexpr (T::counted) tally_.add_to(Tile<S::width>{}, batch_.tallies());
  }

 protected:
  // round carries out an operation for each lane, the row `index` of the batch or that of the
  // partial aggregate at `place`, and returns the lanes whose rows were combined.
  HZ_FN u32 round(bool of_batch, bool pays, u64 index, bool here, u32 place) {
    const Lane me{lane_in_warp()};
    Lanes<Request<P>, kWarp> mine{here       ? batch_.request(index)
                                  : of_batch ? Request<P>::none()
                                             : partials_.pending(place)};
    if (!of_batch && !warp_.any(mine[me].refused == k_ok)) return 0;

    Peers<P> peers;
    const bool combines = of_batch && pays;
    u32 saved = 0;
    if (combines) {
      saved = take(mine);
      saved |= peers.lead(batch_.op(), mine);
    }
    const bool seen = look_first(of_batch, index, mine[me]);
    Request<P> left = mine[me];
    if (seen) left.refused = k_none;
    Turns<Op, S, T> turns(scheme_, tally_, batch_, left, index);
    if constexpr (T::counted) {
      turns.one_by_one(of_batch);
    } else {
      turns.together();
    }
    if (!of_batch) return 0;
    Lanes<Outcome, kWarp> outcome{seen ? mine[me].refused : turns.outcome()};
    if (combines) {
      const bool there = seen || (mine[me].refused == k_ok && outcome[me] != k_failed);
      if (there) partials_.admit(mine[me].pair.key);
      peers.follow(outcome);
      const u32 from = me.index() / S::width * S::width;
      tally_.combined(Tile<S::width>{}, saved >> from & Tile<S::width>::all);
    }
    hand_back_rows(warp_, batch_, index, outcome);
    if (here) batch_.answer(index, batch_.op(), outcome[me], P::no_answer());
    outcomes_.note(me, batch_.op(), outcome[me], P::no_answer());
    return saved;
  }

  // look_first has the scheme carry out, for all lanes of a tile together, what needs no walk, and returns whether that
  // of this lane is done.
  HZ_FN bool look_first(bool of_batch, u64 index, Request<P>& mine) {
    bool done = false;
    if constexpr (S::traits.combine_seen) {
      constexpr int W = S::width;
      const auto tile = Tile<W>{}.in_step(true);
      Lanes<Walk<P>, W> walks;
      Lanes<Outcome, W> outcomes{mine.refused};
      const u32 todo = tile.ballot([&](Lane) { return mine.refused == k_ok; });
      tile.each([&](Lane l) { walks[l] = {mine.pair, scheme_.first(mine.pair.key), 0, 0, mine.op, index}; });
      const u32 seen = scheme_.combine_seen(tile, todo, walks, outcomes, tally_);
      if (of_batch) tally_.took_of(tile, seen, [&](Lane l) { return walks[l].memo; });
      tile.each(seen, [&](Lane l) { done = true, mine.refused = outcomes[l]; });
    }
    return done;
  }

  // take combines operations with partial aggregates, and returns their lanes.
  HZ_FN u32 take(Lanes<Request<P>, kWarp>& mine) {
    return warp_.ballot([&](Lane l) {
      if (mine[l].refused != k_ok || !partials_.take(mine[l].pair)) return false;
      mine[l].refused = k_replaced;
      return true;
    });
  }

  Tile<kWarp> warp_;
  S scheme_;
  T tally_;
  Batch<P, Op::code> batch_;
  Outcomes<kWarp, Op::code> outcomes_;
  Partials<P, R> partials_;

 private:
  Payoff<2, 2 * kWarp> payoff_;  // in rounds
};

// CombiningLanes does so where lanes carry out operations by themselves, with walks of
// different lengths, and take new operations when they are done (kRefilled). While combining
// pays, a warp takes 32 rows at a time. In a pause rows need not meet, and lanes are refilled.
template <class Op, class S, class T>
class CombiningLanes {
 public:
  using P = typename S::Pair;
  using Memory = typename Partials<P>::Memory;

  HZ_FN CombiningLanes(const hz_table* table, const hz_batch* block, Memory* memory)
      : scheme_(scheme_of<S>(table, block)), batch_(block), outcomes_(warp_), partials_(memory, batch_.op()) {}

  HZ_FN void all(u64 first, u64 count) {
    partials_.clear();
    block_sync();
    next_ = first + thread_in_grid() / kWarp * kPiece;
    end_ = next_ + kPiece;
    last_ = first + count;
#pragma unroll 1
    for (;;) {
      const u32 idle = warp_.ballot([&](Lane) { return !busy_; });
      if (paused_ != 0 && more()) {
        if (popcount(idle) >= (kWarp / 4)) refill(idle);
      } else if (idle == ~u32(0) && !next()) {
        return;
      }
      if (busy_) advance();
    }
  }

  HZ_FN void add_up() {
    end_of(scheme_);
    outcomes_.add_to(warp_, batch_.tallies());
  }

 private:
  // next has all lanes begin something else, and returns whether anything is left.
  HZ_FN bool next() {
    if (mode_ == kGroup) settle();
    mode_ = kPause;
    if (!more()) return rest();
    if (payoff_.on()) {
      group();
    } else {
      paused_ = payoff_.left() * kWarp;
    }
    return true;
  }

  // more returns whether rows are left. A warp has one piece after the other, as far apart as there are
  // warps: so those that run at the same time have neighboring rows, which may be of the same part (sort.h).
  HZ_FN bool more() {
    if (next_ >= end_) {
      next_ = end_ + threads_in_grid() / kWarp * kPiece - kPiece;
      end_ = next_ + kPiece;
    }
    return next_ < last_;
  }
  HZ_FN bool is_mine(u64 index) const { return index < end_ && index < last_; }

  // group begins the next rows, which meet before they reach the table.
  HZ_FN void group() {
    const u64 index = next_ + me().index();
    Lanes<Request<P>, kWarp> mine{is_mine(index) ? batch_.request(index) : Request<P>::none()};
    saved_ = warp_.ballot([&](Lane l) {
      if (mine[l].refused != k_ok || !partials_.take(mine[l].pair)) return false;
      mine[l].refused = k_replaced;
      return true;
    });
    saved_ |= peers_.lead(batch_.op(), mine);
    start(mine[me()], index);
    next_ += kWarp;
    mode_ = kGroup;
  }

  // settle ends such rows.
  HZ_FN void settle() {
    Lanes<Outcome, kWarp> outcome{outcome_};
    if (asked_ && outcome_ != k_failed) partials_.admit(walk_.pair.key);
    peers_.follow(outcome);
    payoff_.note(1, u32(popcount(saved_)));
    hand_back_rows(warp_, batch_, next_ - kWarp + me().index(), outcome);
    answer(next_ - kWarp + me().index(), outcome[me()]);
  }

  // refill gives rows to lanes that are idle.
  HZ_FN void refill(u32 idle) {
    const u64 index = next_ + warp_.rank(idle, me());
    const u32 given = u32(popcount(idle));
    next_ += given;
    paused_ -= given < paused_ ? given : paused_;
    if (paused_ == 0) payoff_.note(payoff_.left(), 0);
    if (busy_ || !is_mine(index)) return;
    const Request<P> mine = batch_.request(index);
    start(mine, index);
    if (!busy_) answer(index, mine.refused);
  }

  // rest begins operations for partial aggregates, after the last row of the block.
  HZ_FN bool rest() {
    mode_ = kRest;
    if (place_ == ~u32(0)) {
      block_sync();
      place_ = thread_in_block() / kWarp * kWarp;
    }
    for (bool any = false; !any; place_ += threads_in_block()) {
      if (place_ >= Partials<P>::places) return false;
      start(partials_.pending(place_ + me().index()), 0);
      any = warp_.any(busy_);
    }
    return true;
  }

  HZ_FN void start(const Request<P>& mine, u64 index) {
    busy_ = asked_ = mine.refused == k_ok;
    outcome_ = mine.refused;
    walk_ = {mine.pair, busy_ ? scheme_.first(mine.pair.key) : 0, 0, 0, mine.op, index};
  }

  HZ_FN void advance() {
    const Done<P> done = step_alone<Op>(scheme_, self_, walk_, tally_);
    if (done.outcome == k_none) return;
    busy_ = false;
    outcome_ = done.outcome;
    if (mode_ != kPause) return;
    if (outcome_ == k_failed) batch_.hand_back(self_, done.left);
    answer(walk_.index, outcome_);
  }

  HZ_FN void answer(u64 index, Outcome outcome) {
    batch_.answer(index, batch_.op(), outcome, P::no_answer());
    outcomes_.note(me(), batch_.op(), outcome, P::no_answer());
  }

  HZ_FN static Lane me() { return {lane_in_warp()}; }

  enum Mode : u32 { kPause, kGroup, kRest };
  static constexpr u32 kPiece = 256;

  Tile<kWarp> warp_;
  Tile<1> self_;
  S scheme_;
  T tally_;
  Batch<P, Op::code> batch_;
  Outcomes<kWarp, Op::code> outcomes_;
  Partials<P> partials_;
  Peers<P> peers_;
  Payoff<2, 2 * kWarp> payoff_;  // in rounds
  Walk<P> walk_{P::empty(), 0};
  bool busy_ = false, asked_ = false;
  Outcome outcome_ = k_none;
  u32 mode_ = kPause, saved_ = 0, paused_ = 0, place_ = ~u32(0);
  u64 next_ = 0, end_ = 0, last_ = 0;  // the rest of the warp's piece, and the end of the batch
};

template <class Op, class S, class T, bool = kRefilled<S, Op> && !T::counted>
struct CombiningFor {
  using Type = Combining<Op, S, T>;
};
template <class Op, class S, class T>
struct CombiningFor<Op, S, T, true> {
  using Type = CombiningLanes<Op, S, T>;
};
template <class Op, class S, class T>
using CombiningOf = typename CombiningFor<Op, S, T>::Type;

}  // namespace hz
