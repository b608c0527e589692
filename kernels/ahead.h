// ahead.h: on a GPU, a kernel that goes ahead of one that combines values, while nearly all rows meet.
//
// Idea. If there are fewer groups than a block has places for partial aggregates, next to no row reaches the table.
// Then memory could give rows several times as fast as the kernel behind this one takes them, because that reads one
// row at a time and keeps registers for walks. Here a lane reads a few rows before it looks at the first, and there is
// one large block on each multiprocessor, with twice the places.
//
//   rows of a lane    7=1  3=5  7=4  9=8       9 has no partial aggregate: into the queue
//   combines          7+1  3+5  7+4
//   queue of a warp   .. 9                     32 of them are carried out as Combining does
//
// If there are more groups, rows can first be put into the order of parts that have few (sort.h). Each block carries
// out those of its rows that are of one part before it goes on to the next. The engine decides whether that is worth it
// (runtime/engine/ahead.go).
#ifndef HZ_AHEAD_H
#define HZ_AHEAD_H

#include "drive_combine.h"
#include "sort_abi.h"

namespace hz {

inline constexpr u32 kAheadThreads = 1024;  // of a block

// AheadPlaces is for one block on each multiprocessor.
struct AheadPlaces {
  static constexpr u32 bytes = HZ_AHEAD_BYTES, sets = 2;
  static constexpr bool rows = true, always = true;
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
class Ahead : public Combining<Op, S, Tally<false>, AheadPlaces> {
 public:
  using Base = Combining<Op, S, Tally<false>, AheadPlaces>;
  using typename Base::P, typename Base::Places;
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

  HZ_FN void all() {
    place_ = Places::places;
    this->rounds(*this);
  }

  // next gives lanes the rows of the queue when there are enough, or no others of the part.
  HZ_FN bool next(u64& index, bool& here) {
    while (queued_ < kWarp && queue_more()) {
    }
    const bool any = queued_ != 0;
    const u32 number = queued_ < kWarp ? queued_ : kWarp;
    queued_ -= number;
    here = lane_in_warp() < number;
    index = first_ + (here ? queue_[queued_ + lane_in_warp()] : 0);
    warp_.sync();
    return any;
  }

  // more has the block begin with the next of its rows and those behind it of the same part.
  HZ_FN bool more() {
    if (next_ >= last_) return false;
    this->clear();
    place_ = Places::nowhere;
    at_ = next_ + thread_in_block() / kWarp * kLook;
    const u32 of_part = parts_ == 1 ? last_ : starts_[part_of(next_) + 1];
    next_ = end_ = of_part < last_ ? of_part : last_;
    return true;
  }

 private:
  using Base::batch_, Base::outcomes_, Base::partials_, Base::place_, Base::warp_, Base::me;

  static constexpr u32 kRows = 4, kLook = kRows * kWarp;

  template <class F>
  HZ_FN static void each_row(F&& f) {
    each_number<0, kRows>(f);
  }

  // queue_more queues rows that are left over, at most one of each lane, or looks at further ones. It returns false if
  // there are no more.
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

  // part_of returns the part of a row.
  HZ_FN u32 part_of(u32 row) const {
    u32 part = 0;
    for (u32 step = HZ_SORT_PARTS / 2; step > 0; step /= 2) {
      if (starts_[part + step] <= row) part += step;
    }
    return part;
  }

  // look combines a few rows of each lane, and leaves those that have no partial aggregate. All of them are read before
  // it looks at the first.
  HZ_FN void look() {
    const u64 from = first_ + looked_at_ + lane_in_warp();
    typename P::Key key[kRows];
    Number number[kRows];
    u32 place[kRows];
    each_row([&](auto r) { key[r] = batch_.keys()[from + r * kWarp]; });
    if (P::value_bytes > 0 && takes_value(batch_.op())) {
      each_row([&](auto r) { number[r] = P::Traits::number(batch_.values()[from + r * kWarp]); });
    } else {
      each_row([&](auto r) { number[r] = 1; });
    }
    each_row([&](auto r) { place[r] = partials_.find(key[r]); });
    each_row([&](auto r) { left_ |= u32(place[r] == Places::nowhere) << r; });
    if constexpr (P::value_bytes > 0) partials_.combine_each(place, number);
    if (batch_.marks()) {
      each_row([&](auto r) {
        if ((left_ >> r & 1) == 0) batch_.mark(from + r * kWarp, 1, k_replaced);
      });
    }
    outcomes_.note_replaced(me(), kRows - u32(popcount(left_)));
  }

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

#endif
