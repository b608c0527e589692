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
// If there are more groups, rows can first be put into the order of parts that have few
// (sort.h). Each block has its share of the rows, and carries out those of one part before it
// goes on to the next. The engine decides whether that is worth it (runtime/engine/preaggregate.go).
//
// What partials.h says of partial aggregates holds here as well.
#pragma once

#include "drive_combine.h"
#include "sort_abi.h"

namespace hz {

// kAheadThreads is the number of threads of a block.
inline constexpr u32 kAheadThreads = 1024;

// AheadPlaces is for one block on each multiprocessor.
struct AheadPlaces {
  static constexpr u32 bytes = HZ_AHEAD_BYTES, sets = 2;
  static constexpr bool rows = true;
};

// SortedParts is the batch of rows in the order of parts (sort.h): the number of parts, and where each begins if they
// are several.
template <class B>
struct SortedParts {
  Field<B> count, starts;
  HZ_BOTH explicit SortedParts(B& b) : count(b.FoundLimit), starts(b.FoundAt) {}
};

// taken_of returns how many rows were carried out by the kernel that went ahead: all or none.
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
        starts_(array<const u32>(SortedParts(*block).starts)),
        parts_(u32(SortedParts(*block).count)) {
    const u64 blocks = threads_in_grid() / threads_in_block(), share = (count / blocks / kLook + 1) * kLook,
              from = thread_in_grid() / threads_in_block() * share;
    next_ = u32(from < count ? from : count);
    last_ = u32(from + share < count ? from + share : count);
  }

  // all has one place where operations are carried out, because a second one would need as
  // much code again. After the last row of a part its partial aggregates become operations.
  HZ_FN void all() {
    u32 place = Places::places;
#pragma unroll 1
    for (;;) {
      while (queued_ < kWarp && queue_more()) {
      }
      const bool of_batch = queued_ != 0;
      if (!of_batch) {
        if (place == Places::nowhere) block_sync();
        place = place == Places::nowhere ? thread_in_block() : place + threads_in_block();
        if (place >= Places::places) {
          if (next_ >= last_) return;
          partials_.clear();
          block_sync();
          begin();
          place = Places::nowhere;
          continue;
        }
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

  static constexpr u32 kRows = 4, kLook = kRows * kWarp;

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
    warp_.sync();
    return true;
  }

  HZ_FN bool look_at_more() {
    if (at_ >= end_) return false;
    looked_at_ = at_;
    at_ += kRows * kAheadThreads;
    if (looked_at_ + kLook <= end_) {
      look();
    } else {
#pragma unroll
      for (u32 r = 0; r < kRows; r++) left_ |= u32(looked_at_ + r * kWarp + lane_in_warp() < end_) << r;
    }
    return true;
  }

  // begin has the block begin with the next of its rows and those behind it of the same part.
  HZ_FN void begin() {
    at_ = next_ + thread_in_block() / kWarp * kLook;
    const u32 of_part = parts_ == 1 ? last_ : starts_[part_of(next_) + 1];
    next_ = end_ = of_part < last_ ? of_part : last_;
  }

  // part_of returns the part of a row.
  HZ_FN u32 part_of(u32 row) const {
    u32 part = 0;
    for (u32 step = HZ_SORT_PARTS / 2; step > 0; step /= 2) {
      if (starts_[part + step] <= row) part += step;
    }
    return part;
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
  const u32* starts_;
  u32 parts_, next_, last_;                    // what is left of the rows of the block
  u32 at_ = 0, end_ = 0;                       // what is left of a part
  u32 looked_at_ = 0, left_ = 0, queued_ = 0;  // left_ has a bit for each row of this lane
};

// go_ahead is the body of the kernel. It does nothing if the rows have no parts.
template <class Op, class S>
HZ_FN void go_ahead(const hz_table* table, const hz_batch* block, u64 first, u64 count) {
  using A = Ahead<Op, S>;
  HZ_BLOCK_SCRATCH(typename A::Memory, memory);
  A ahead(table, block, memory, first, count);
  ahead.all();
  ahead.add_up();
  if (thread_in_grid() == 0) array<u64>(block->Counters)[HZ_TAKEN] = count;
}

}  // namespace hz
