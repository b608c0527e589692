// drive_combine.h: drives operations that combine values, on a GPU. See drive.h and partials.h.
#ifndef HZ_DRIVE_COMBINE_H
#define HZ_DRIVE_COMBINE_H

#include "partials.h"

namespace hz {

// Peers are lanes of a warp with operations on one key. The lowest of them, the leader, carries out its operation with
// the values of all.
//
//   keys     7 3 7 7 3 9      peers of 7: lanes 0, 2, 3      leader 0 adds 1 + 4 + 2
//   values   1 5 4 2 6 8      peers of 3: lanes 1, 4         leader 1 adds 5 + 6
//
// The others follow: their key was there when the leader was done. If it found no room, neither did they, and every
// lane hands back its own pair.
template <class P>
class Peers {
 public:
  static constexpr int W = kWarp;
  using Number = typename P::Traits::Number;

  // lead refuses the operations of followers, gives leaders the values of all, and returns the followers.
  HZ_FN u32 lead(u8 op, Lanes<Request<P>, W>& mine) {
    Lanes<typename P::Key, W> keys;
    warp_.each([&](Lane l) { keys[l] = mine[l].pair.key, leader_[l] = l.index(); });
    const u32 active = warp_.ballot([&](Lane l) { return mine[l].refused == k_ok; });
    const Lanes<u32, W> peers = warp_.peers(keys);
    warp_.each(active, [&](Lane l) { leader_[l] = u32(lowest(peers[l] & active)); });
    followers_ = warp_.ballot([&](Lane l) { return leader_[l] != l.index(); });
    if (followers_ == 0) return 0;
    if constexpr (P::value_bytes > 0) total(op, mine, peers, active);
    warp_.each(followers_, [&](Lane l) { mine[l].refused = k_none; });
    return followers_;
  }

  // follow gives followers the outcome that follows from their leader's.
  HZ_FN void follow(Lanes<Outcome, W>& outcomes) const {
    if (followers_ == 0) return;
    const Lanes<Outcome, W> of_leader = warp_.gather(outcomes, leader_);
    warp_.each(followers_, [&](Lane l) { outcomes[l] = of_leader[l] == k_failed ? k_failed : k_replaced; });
  }

 private:
  // total has each lane combine, in its value, those of its peers above it: in step after step, every second of the
  // peers that are left takes the value of the next.
  HZ_FN void total(u8 op, Lanes<Request<P>, W>& mine, const Lanes<u32, W>& peers, u32 active) const {
    Lanes<u32, W> rest, rank, next;
    Lanes<Number, W> number;
    warp_.each([&](Lane l) {
      const u32 same = (active >> l.index() & 1) != 0 ? peers[l] & active : 0;
      rest[l] = same & ~u32(1) << l.index();
      rank[l] = u32(popcount(same & ((u32(1) << l.index()) - 1)));
      number[l] = P::Traits::number(mine[l].pair.value);
    });
    while (warp_.ballot([&](Lane l) { return rest[l] != 0; }) != 0) {
      warp_.each([&](Lane l) { next[l] = rest[l] != 0 ? u32(lowest(rest[l])) : l.index(); });
      const Lanes<Number, W> other = warp_.gather(number, next);
      const u32 done = warp_.ballot([&](Lane l) { return (rank[l] & 1) != 0; });
      warp_.each([&](Lane l) {
        if (rest[l] != 0) number[l] = combined(op, number[l], other[l]);
        rest[l] = (rank[l] & 1) != 0 ? 0 : rest[l] & ~done;
        rank[l] >>= 1;
      });
    }
    warp_.each([&](Lane l) { mine[l].pair.value = P::Traits::of(number[l]); });
  }

  Tile<W> warp_;
  Lanes<u32, W> leader_;
  u32 followers_ = 0;
};

// Combining carries out operations that combine values: first among themselves, in partial aggregates and between the
// lanes of a warp, then in the table.
template <class Op, class S, class T, class R = BlockPlaces>
class Combining {
 public:
  using P = typename S::Pair;
  using Places = Partials<P, R>;
  using Memory = typename Places::Memory;

  HZ_FN Combining(const hz_table* table, const hz_batch* block, Memory* memory)
      : scheme_(scheme_of<S>(table, block)), batch_(block), outcomes_(warp_), partials_(memory, batch_.op()) {}

  HZ_FN void all(u64 first, u64 count) {
    clear();
    first_ = first, count_ = count, at_ = thread_in_grid() / kWarp * kWarp;
    rounds(*this);
  }

  // next gives each lane a row, if it has one, and returns whether the warp has.
  HZ_FN bool next(u64& index, bool& here) {
    const bool any = at_ < count_;
    index = first_ + at_ + lane_in_warp(), here = at_ + lane_in_warp() < count_;
    at_ += threads_in_grid();
    return any;
  }
  // more begins another part of the rows, if there is one.
  HZ_FN bool more() const { return false; }

  HZ_FN void add_up() {
    end_of(scheme_);
    outcomes_.add_to(warp_, batch_.tallies());
    if constexpr (T::counted) tally_.add_to(Tile<S::width>{}, batch_.tallies());
  }

 protected:
  using Rows = Lanes<Request<P>, kWarp>;

  HZ_FN void clear() {
    partials_.clear();
    block_sync();
  }

  // rounds carries out rows and then partial aggregates: in one loop, because a second one would need as much code
  // again.
  template <class Source>
  HZ_FN void rounds(Source& rows) {
#pragma unroll 1
    for (;;) {
      u64 index;
      bool here;
      const bool of_batch = rows.next(index, here);
      if (!of_batch) wait();
      if (!of_batch && place_ >= Places::places) {
        if (!rows.more()) return;
        continue;
      }
      const u32 saved = round(of_batch, R::always || payoff_.on(), index, here, place_ + lane_in_warp());
      if (!of_batch) {
        place_ += threads_in_block();
      } else if constexpr (!R::always) {
        payoff_.note(1, u32(popcount(saved)));
      }
    }
  }

  // round carries out an operation for each lane, the row `index` of the batch or that of the partial aggregate at
  // `place`, and returns the lanes whose rows were combined.
  HZ_FN u32 round(bool of_batch, bool pays, u64 index, bool here, u32 place) {
    const Lane me{lane_in_warp()};
    Rows mine{here ? batch_.request(index) : of_batch ? Request<P>::none() : partials_.pending(place)};
    if (!of_batch && !warp_.any(mine[me].refused == k_ok)) return 0;

    Peers<P> peers;
    const bool combines = of_batch && pays;
    const u32 saved = combines ? combine(peers, mine) : 0;
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
      tally_.combined(Tile<S::width>{}, saved >> me.index() / S::width * S::width & Tile<S::width>::all);
    }
    settle(index, outcome);
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

  // combine refuses rows that are combined with others, and returns their lanes.
  HZ_FN u32 combine(Peers<P>& peers, Rows& mine) {
    const u32 taken = warp_.ballot([&](Lane l) {
      if (mine[l].refused != k_ok || !partials_.take(mine[l].pair)) return false;
      mine[l].refused = k_replaced;
      return true;
    });
    return taken | peers.lead(batch_.op(), mine);
  }

  // settle ends rows. The pair of one that failed is handed back as the batch has it.
  HZ_FN void settle(u64 index, const Lanes<Outcome, kWarp>& outcome) {
    const u32 failed = warp_.ballot([&](Lane l) { return outcome[l] == k_failed; });
    if (failed != 0) {
      const u64 at = warp_.fetch_add(batch_.counters() + kCount_pairs, u64(popcount(failed)));
      warp_.each(failed, [&](Lane l) { batch_.put(at + warp_.rank(failed, l), batch_.request(index).pair); });
    }
    answer(index, outcome[me()]);
  }

  HZ_FN void answer(u64 index, Outcome outcome) {
    batch_.answer(index, batch_.op(), outcome, P::no_answer());
    outcomes_.note(me(), batch_.op(), outcome, P::no_answer());
  }

  // wait waits, once, until no warp of the block combines any more. Then the warp's next partial aggregates are at
  // place_.
  HZ_FN void wait() {
    if (place_ != Places::nowhere) return;
    block_sync();
    place_ = thread_in_block() / kWarp * kWarp;
  }

  HZ_FN static Lane me() { return {lane_in_warp()}; }

  Tile<kWarp> warp_;
  S scheme_;
  T tally_;
  Batch<P, Op::code> batch_;
  Outcomes<kWarp, Op::code> outcomes_;
  Places partials_;
  Payoff<2, 2 * kWarp> payoff_;  // in rounds
  u32 place_ = Places::nowhere;

 private:
  u64 first_, count_, at_;
};

// CombiningLanes does so where lanes carry out operations by themselves, with walks of different lengths, and take new
// operations when they are done (kRefilled). While combining pays, a warp takes 32 rows at a time. In a pause rows need
// not meet, and lanes are refilled.
template <class Op, class S, class T>
class CombiningLanes : public Combining<Op, S, T> {
 public:
  using Base = Combining<Op, S, T>;
  using typename Base::P;

  HZ_FN CombiningLanes(const hz_table* table, const hz_batch* block, typename Base::Memory* memory)
      : Base(table, block, memory) {}

  HZ_FN void all(u64 first, u64 count) {
    this->clear();
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

 private:
  using Base::batch_, Base::partials_, Base::payoff_, Base::place_, Base::scheme_, Base::tally_, Base::warp_, Base::me;

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

  // more returns whether rows are left. A warp has one piece after the other, as far apart as there are warps: so those
  // that run at the same time have neighboring rows, which may be of the same part (sort.h).
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
    typename Base::Rows mine{is_mine(index) ? batch_.request(index) : Request<P>::none()};
    saved_ = this->combine(peers_, mine);
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
    Base::settle(next_ - kWarp + me().index(), outcome);
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
    if (!busy_) this->answer(index, mine.refused);
  }

  // rest begins operations for partial aggregates, after the last row of the block.
  HZ_FN bool rest() {
    mode_ = kRest;
    this->wait();
    for (bool any = false; !any; place_ += threads_in_block()) {
      if (place_ >= Base::Places::places) return false;
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
    this->answer(walk_.index, outcome_);
  }

  enum Mode : u32 { kPause, kGroup, kRest };
  static constexpr u32 kPiece = 256;

  Tile<1> self_;
  Peers<P> peers_;
  Walk<P> walk_{P::empty(), 0};
  bool busy_ = false, asked_ = false;
  Outcome outcome_ = k_none;
  u32 mode_ = kPause, saved_ = 0, paused_ = 0;
  u64 next_ = 0, end_ = 0, last_ = 0;  // the rest of the warp's piece, and the end of the batch
};

}  // namespace hz

#endif
