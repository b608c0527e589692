// ahead.h: on a GPU, a kernel that goes ahead of one that combines values, while nearly all rows meet.
//
// Idea. If there are fewer groups than a block has places for partial aggregates, next to
// no row reaches the table. Then memory could give rows several times as fast as the kernel
// behind this one takes them, because that kernel reads one row at a time and keeps registers
// for walks. This one is made for that case: a lane reads a few rows before it looks at the
// first, and there is one large block on each multiprocessor, with twice the places.
//
//   rows of a lane    7=1  3=5  7=4  9=8       9 has no partial aggregate: into the queue
//   combines          7+1  3+5  7+4
//   queue of a warp   .. 9                     32 of them are carried out as Combining does
//
// Each warp takes its rows from the front of the batch, a piece at a time. Once it sees that
// many rows of a piece are left over, it takes no other. The kernel behind begins where
// the last piece ended: at HZ_TAKEN. So neither has to be good at what the other one does, and
// which of them does most of the work depends on the rows alone.
//
// What partials.h says of partial aggregates holds here as well.
#ifndef HZ_AHEAD_H
#define HZ_AHEAD_H

#include "drive_combine.h"

namespace hz {

inline constexpr u32 kAheadThreads = 1024;

// AheadPlaces is for one block on each multiprocessor.
struct AheadPlaces {
  static constexpr u32 bytes = 32 << 10, sets = 2;
  static constexpr bool rows = true;
};

// taken_of returns how many rows were taken by a kernel that went ahead.
HZ_FN u64 taken_of(const hz_batch* batch) { return array<u64>(batch->Counters)[HZ_TAKEN]; }

template <class Op, class S>
class Ahead : Combining<Op, S, Tally<false>, AheadPlaces> {
 public:
  using Base = Combining<Op, S, Tally<false>, AheadPlaces>;
  using P = typename S::Pair;
  using Places = Partials<P, AheadPlaces>;
  using Number = typename Places::Number;

  struct Memory {
    typename Places::Memory partials;
    u32 queue[kAheadThreads / kWarp][2 * kWarp];
  };

  HZ_FN Ahead(const hz_table* table, const hz_batch* block, Memory* memory, u64 first, u64 count)
      : Base(table, block, &memory->partials),
        queue_(memory->queue[thread_in_block() / kWarp]),
        first_(first),
        count_(count < kMost ? u32(count) : kMost) {}

  // all has one place where operations are carried out, because a second one would need as
  // much code again.
  HZ_FN void all() {
    partials_.clear();
    block_sync();
    next_ = take_piece();
    u32 place = Places::nowhere;
#pragma unroll 1
    for (;;) {
      while (queued_ < kWarp && queue_more()) {
      }
      const bool of_batch = queued_ != 0;
      if (!of_batch) {
        if (place == Places::nowhere) block_sync();
        place = place == Places::nowhere ? thread_in_block() : place + threads_in_block();
        if (place >= Places::places) return;
      }
      const u32 number = queued_ < kWarp ? queued_ : kWarp;
      queued_ -= number;
      const bool here = lane_in_warp() < number;
      const u64 index = first_ + (here ? queue_[queued_ + lane_in_warp()] : 0);
      warp_.sync();
      this->round(of_batch, true, index, here, place);
    }
  }

  using Base::add_up;

 private:
  using Base::batch_, Base::outcomes_, Base::partials_, Base::warp_;

  static constexpr u32 kRows = 4, kPiece = 1024, kMost = ~u32(0) - kPiece;
  static_assert(kPiece % (kRows * kWarp) == 0);

  // queue_more queues rows that are left over, at most one of each lane, or looks at further ones.
  // It returns false if there are no more.
  HZ_FN bool queue_more() {
    const u32 lanes = warp_.ballot([&](Lane) { return left_ != 0; });
    if (lanes == 0) return look_at_more();
    if (left_ != 0) {
      const u32 row = u32(lowest(left_));
      queue_[queued_ + warp_.rank(lanes, me())] = looked_at_ + row * kWarp + lane_in_warp();
      left_ &= left_ - 1;
    }
    queued_ += u32(popcount(lanes));
    over_ += u32(popcount(lanes));
    warp_.sync();
    return true;
  }

  HZ_FN bool look_at_more() {
    if (at_ >= end_ && !next_piece()) return false;
    looked_at_ = at_;
    at_ += kRows * kWarp;
    if (at_ <= end_) {
      look();
    } else {
#pragma unroll
      for (u32 r = 0; r < kRows; r++) left_ |= u32(looked_at_ + r * kWarp + lane_in_warp() < end_) << r;
    }
    return true;
  }

  // next_piece takes one ahead, so that no warp waits for it.
  HZ_FN bool next_piece() {
    if (next_ >= count_) return false;
    const bool pays = over_ <= kPiece / 4;
    at_ = next_;
    end_ = at_ + kPiece < count_ ? at_ + kPiece : count_;
    next_ = pays ? take_piece() : count_;
    over_ = 0;
    return true;
  }
  HZ_FN u32 take_piece() {
    const u64 taken = warp_.fetch_add(batch_.counters() + HZ_TAKEN, u64(kPiece));
    return taken < count_ ? u32(taken) : count_;
  }

  // look combines a few rows of each lane, and leaves those that have no partial aggregate. All of
  // them are read before it looks at the first.
  HZ_FN void look() {
    const u64 from = first_ + looked_at_ + lane_in_warp();
    typename P::Key key[kRows];
    Number number[kRows];
    u32 place[kRows];
#pragma unroll
    for (u32 r = 0; r < kRows; r++) key[r] = batch_.keys()[from + r * kWarp];
    read_numbers(from, number);
#pragma unroll
    for (u32 r = 0; r < kRows; r++) place[r] = partials_.find(key[r]);
#pragma unroll
    for (u32 r = 0; r < kRows; r++) left_ |= u32(place[r] == Places::nowhere) << r;
    if constexpr (P::value_bytes > 0) partials_.combine_each(place, number);
    if (batch_.marks()) {
#pragma unroll
      for (u32 r = 0; r < kRows; r++) {
        if ((left_ >> r & 1) == 0) batch_.mark(from + r * kWarp, 1, k_replaced);
      }
    }
    outcomes_.note_replaced(me(), kRows - u32(popcount(left_)));
  }

  HZ_FN void read_numbers(u64 from, Number (&number)[kRows]) const {
    if (P::value_bytes > 0 && takes_value(batch_.op())) {
#pragma unroll
      for (u32 r = 0; r < kRows; r++) number[r] = Places::Of::of(batch_.values()[from + r * kWarp]);
    } else {
#pragma unroll
      for (u32 r = 0; r < kRows; r++) number[r] = 1;
    }
  }

  HZ_FN static Lane me() { return {lane_in_warp()}; }

  u32* queue_;
  u64 first_;
  u32 count_, next_ = 0;                       // rows of the batch, and the next piece
  u32 at_ = 0, end_ = 0, over_ = 0;            // the rest of this piece, and how many rows were left over
  u32 looked_at_ = 0, left_ = 0, queued_ = 0;  // a bit for each row of this lane
};

// go_ahead is the body of the kernel.
template <class Op, class S>
HZ_FN void go_ahead(const hz_table* table, const hz_batch* block, u64 first, u64 count) {
  if (block->Ops != 0) return;
  using A = Ahead<Op, S>;
  HZ_BLOCK_SCRATCH(typename A::Memory, memory);
  A ahead(table, block, memory, first, count);
  ahead.all();
  ahead.add_up();
}

}  // namespace hz

#endif
