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
// Each warp takes its rows from the front of the batch, a piece at a time. Once more than an
// eighth of a piece is left over, it takes no other, and once a quarter of all warps has stopped,
// so do the rest: a few that go on would take as long as if there were no others. The kernel behind
// begins where the last piece ended: at HZ_TAKEN. So neither has to be good at what the other one
// does, and which of them does most of the work depends on the rows.
//
// To find out costs 30 to 100 microseconds, in which each warp carries out eight times 32 rows,
// one after the other. A table with more slots than there are places may have too many keys, so
// there only long batches try.
//
// What partials.h says of partial aggregates holds here as well.
#ifndef HZ_AHEAD_H
#define HZ_AHEAD_H

#include "drive_combine.h"

namespace hz {

// kAheadThreads is the number of threads of a block, and a piece has kAheadPiece rows.
inline constexpr u32 kAheadThreads = 1024, kAheadPiece = 1024;

// Batches of kLongBatch rows try in any table.
inline constexpr u64 kLongBatch = 1 << 27;

// kGoesAhead: the kernel does something for S.
template <class S>
inline constexpr bool kGoesAhead = true;
template <class S>
  requires(!S::goes_ahead)
inline constexpr bool kGoesAhead<S> = false;

// AheadPlaces is for one block on each multiprocessor.
struct AheadPlaces {
  static constexpr u32 bytes = 32 << 10, sets = 2;
  static constexpr bool rows = true;
};

// HZ_TAKEN has the number of rows that were taken, plus kStopped for each warp that has stopped.
// taken_of returns the former.
inline constexpr u64 kStopped = u64(1) << 40;
HZ_FN u64 taken_of(const hz_batch* batch) { return array<u64>(batch->Counters)[HZ_TAKEN] & (kStopped - 1); }

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
        count_(u32(count)) {}

  // all has one place where operations are carried out, because a second one would need as
  // much code again.
  HZ_FN void all() {
    partials_.clear();
    block_sync();
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

  static constexpr u32 kRows = 4, kLook = kRows * kWarp, kTrial = 2 * kLook, kPiece = kAheadPiece;
  static_assert(kPiece % kLook == 0);

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
    at_ += kLook;
    if (at_ <= end_) {
      look();
    } else {
#pragma unroll
      for (u32 r = 0; r < kRows; r++) left_ |= u32(looked_at_ + r * kWarp + lane_in_warp() < end_) << r;
    }
    return true;
  }

  // next_piece takes rows, unless many of the last ones were left over. The first piece is small,
  // and of its first rows all are left over.
  HZ_FN bool next_piece() {
    if (stopped_) return false;
    if (over_ > most_over()) return stop();
    size_ = size_ == 0 ? kTrial : kPiece;
    over_ = 0;
    const u64 state = warp_.fetch_add(batch_.counters() + HZ_TAKEN, u64(size_)), taken = state & (kStopped - 1);
    stopped_ = taken >= count_ || state / kStopped >= threads_in_grid() / kWarp / 4;
    if (taken >= count_) return false;
    at_ = u32(taken);
    end_ = at_ + size_ < count_ ? at_ + size_ : count_;
    return true;
  }
  HZ_FN bool stop() {
    stopped_ = true;
    warp_.add(batch_.counters() + HZ_TAKEN, kStopped);
    return false;
  }
  HZ_FN u32 most_over() const { return size_ == kTrial ? kTrial / 2 + kTrial / 8 : kPiece / 8; }

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
  u32 count_;
  u32 at_ = 0, end_ = 0, size_ = 0, over_ = 0;  // the rest of a piece, its size, and how many rows are left over
  bool stopped_ = false;
  u32 looked_at_ = 0, left_ = 0, queued_ = 0;  // left_ has a bit for each row of this lane
};

// go_ahead is the body of the kernel.
template <class Op, class S>
HZ_FN void go_ahead(const hz_table* table, const hz_batch* block, u64 first, u64 count) {
  if constexpr (kGoesAhead<S>) {
    using A = Ahead<Op, S>;
    const bool tries = table->Capacity <= A::Places::places || count >= kLongBatch;
    if (!tries || block->Ops != 0 || count > ~u32(0) - kAheadPiece) return;
    HZ_BLOCK_SCRATCH(typename A::Memory, memory);
    A ahead(table, block, memory, first, count);
    ahead.all();
    ahead.add_up();
  }
}

}  // namespace hz

#endif
