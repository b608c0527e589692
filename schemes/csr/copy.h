// copy.h: writes the values of many keys side by side.
//
// A lookup has noted where the values of each operation are, and a prefix sum where they go.
//
//   operation   0    1  2     3  4        its values begin at   7  .  0    2  .
//   output      [0 0 0 2 2 3 3 3 3]       its output begins at  0  3  3    5  9
//
// A piece of the output is a warp's, whatever the operations: a key with a million values is
// shared out among many warps. The warp searches the operation of its first output, with 32
// places in each step. Then it moves a window of 32 operations along its piece, one in each
// lane, and each output finds its operation in there. An operation with many values needs no
// such search: the warp copies a run of neighbors.
#pragma once

#include "drive.h"

namespace hz {

// FoundRuns is the batch of find_all and of the copy: the values of operation i begin at begins[i] of the table's.
template <class B>
struct FoundRuns {
  Field<B> begins, rows;
  HZ_BOTH explicit FoundRuns(B& b) : begins(b.Values), rows(b.PairLimit) {}
};

template <class Value>
class Copy {
 public:
  static constexpr u32 kPiece = 2048;  // outputs of a warp
  using Warp = Tile<kWarp>;

  HZ_FN Copy(const hz_batch* b, const Value* values)
      : places_(array<const u64>(b->FoundAt)),
        begins_(array<const u32>(FoundRuns(*b).begins)),
        of_(array<u32>(b->FoundOf)),
        to_(array<Value>(b->FoundValues)),
        values_(values),
        rows_(FoundRuns(*b).rows),
        outputs_(b->FoundLimit) {}

  HZ_FN void piece(const Warp& warp, u64 number) const {
    const u64 base = number * kPiece, left = outputs_ - base;
    const u32 end = left < kPiece ? u32(left) : kPiece;
    u32 at = 0;
    for (u64 row = row_of(warp, base); at < end; row += kWarp - 1) {
      const Window window = window_at(warp, base, row);
      const u32 next = warp.pick(window.starts, kWarp - 1), to = next < end ? next : end;
      while (at < to) at = copy(warp, window, at, to);
    }
  }

 private:
  static constexpr u32 kAtOnce = 8, kRun = kAtOnce * kWarp;  // outputs of a lane, and of a warp, that are read together

  // Window is operations from `row` on, one in each lane, by where their outputs start, counted
  // from the piece's first. A value is as far behind its output as `shift` says, modulo 2^32.
  struct Window {
    u64 base, row;
    Lanes<u32, kWarp> starts, shift;
  };

  HZ_FN Window window_at(const Warp& warp, u64 base, u64 row) const {
    Window window{base, row, {}, {}};
    warp.each([&](Lane l) {
      const u64 i = row + l.index();
      window.starts[l] = kPiece;
      window.shift[l] = 0;
      if (i >= rows_) return;
      const u64 place = places_[i], away = place - base;
      window.starts[l] = place <= base ? 0 : away < kPiece ? u32(away) : kPiece;
      window.shift[l] = begins_[i] - u32(place);
    });
    return window;
  }

  // row_of returns the operation that an output belongs to: the last one that starts there or
  // before.
  HZ_FN u64 row_of(const Warp& warp, u64 output) const {
    u64 from = 0;
    for (u64 to = rows_; to - from > 1;) {
      const u64 step = (to - from + kWarp - 1) / kWarp;
      const u32 before = warp.ballot([&](Lane l) {
        const u64 i = from + l.index() * step;
        return i < to && places_[i] <= output;
      });
      from += u32(popcount(before) - 1) * step;
      to = from + step < to ? from + step : to;
    }
    return from;
  }

  // copy writes outputs from `at` on, at most kRun and none from `to` on, and returns the next.
  HZ_FN u32 copy(const Warp& warp, const Window& window, u32 at, u32 to) const {
    const u32 before = warp.ballot([&](Lane l) { return window.starts[l] <= at; });
    const u32 within = warp.ballot([&](Lane l) { return window.starts[l] < at + kRun; });
    if (before == within && at + kRun <= to) {
      run(warp, window, u32(popcount(before) - 1), at);
      return at + kRun;
    }
    return mixed(warp, window, at, to);
  }

  // run writes kRun outputs of a single operation.
  HZ_FN void run(const Warp& warp, const Window& window, u32 lane, u32 at) const {
    const u32 row = u32(window.row) + lane;
    const u64 output = window.base + at;
    const Value* from = values_ + u32(warp.pick(window.shift, int(lane)) + u32(output));
    Lanes<Value, kWarp> value[kAtOnce];
#pragma GCC unroll 8
    for (u32 k = 0; k < kAtOnce; k++) warp.each([&](Lane l) { value[k][l] = from[k * kWarp + l.index()]; });
#pragma GCC unroll 8
    for (u32 k = 0; k < kAtOnce; k++) {
      warp.each([&](Lane l) {
        of_[output + k * kWarp + l.index()] = row;
        to_[output + k * kWarp + l.index()] = value[k][l];
      });
    }
  }

  HZ_FN u32 mixed(const Warp& warp, const Window& window, u32 at, u32 to) const {
    Lanes<Value, kWarp> value[kAtOnce];
    Lanes<u32, kWarp> lane[kAtOnce];
#pragma GCC unroll 8
    for (u32 k = 0; k < kAtOnce; k++) {
      Lanes<u32, kWarp> output;
      warp.each([&](Lane l) { output[l] = at + k * kWarp + l.index(); });
      if (at + k * kWarp >= to) break;
      lane[k] = warp.upto(window.starts, output);
      const Lanes<u32, kWarp> shift = warp.gather(window.shift, lane[k]);
      warp.each([&](Lane l) {
        if (output[l] < to) value[k][l] = values_[u32(shift[l] + u32(window.base) + output[l])];
      });
    }
#pragma GCC unroll 8
    for (u32 k = 0; k < kAtOnce; k++) {
      warp.each([&](Lane l) {
        const u32 output = at + k * kWarp + l.index();
        if (output >= to) return;
        of_[window.base + output] = u32(window.row) + lane[k][l];
        to_[window.base + output] = value[k][l];
      });
    }
    return at + kRun < to ? at + kRun : to;
  }

  const u64* places_;
  const u32* begins_;
  u32* of_;
  Value* to_;
  const Value* values_;
  u64 rows_, outputs_;
};

}  // namespace hz
