// host_grow.h: tables that grow while a batch is carried out. How many keys of a batch are new shows only when they are
// in, and operations that find no room cost the most, so a batch that is large beside its table is carried out in
// pieces for which there is room.
#pragma once

#include <cmath>
#include <limits>

#include "host_side.h"

namespace hz::host {

// asked returns how many operations of a batch the launch is for.
u64 asked(auto& t, const Batch& b) {
  if (b.block.Ops == 0) return b.n;
  u64 n = 0;
  for (const u8 op : values<u8>(t, b.block.Ops, b.n)) n += b.block.Select >> op & 1;
  return n;
}

// kAll is the room of a table that takes all operations at once: one that cannot grow. A few operations that look for
// room where there is none leave a device idle.
inline constexpr u64 kAll = std::numeric_limits<u64>::max();

// room_below returns how many slots a piece may take in a table that grows when more than a share `most` is filled: up
// to there or, for a moment, half of the slots above; otherwise pieces would be small when all keys are present
// already.
inline u64 room_below(double most, u64 slots, u64 taken) {
  const double below = most * double(slots) - double(taken), above = (1 - most) / 2 * double(slots);
  return u64(std::ceil(std::max({0.0, below, std::min(above, below + above)})));
}

// Pieces says how many operations the next piece of a batch has, by what the last one brought.
class Pieces {
 public:
  // next returns a size for which there is room. A few pieces, each at most 16 times as large as the one before, are
  // enough for a batch that brings few keys, and what begins to bring others is noticed soon.
  u64 next(u64 room) const {
    if (room == kAll || last_ == 0) return room;
    const double most = 16 * double(last_);
    return std::max(room, u64(std::min(most, double(room) / std::max(share(), 1 / most))));
  }

  // expected returns how many pairs n more operations bring at least: fewer and fewer of their keys are new, unless all
  // were.
  u64 expected(u64 n) const { return u64(share() * double(n) * std::max(0.5, 2 * share() - 1)); }

  void was(u64 n, u64 added) { last_ = n, added_ = added; }

 private:
  double share() const { return last_ == 0 ? 0 : double(added_) / double(last_); }

  u64 last_ = 0, added_ = 0;
};

// kMuch is how many times as large a table becomes at most for pairs that are expected.
inline constexpr u64 kMuch = 16;

// in_pieces carries out a batch in pieces. Before each, room(expected) grows the table if the expected number of new
// pairs needs it, and returns the number that may be added. carry_out(next) adds the counts of a piece to `all`.
void in_pieces(auto& t, const Batch& b, const Result& all, auto&& room, auto&& carry_out) {
  Pieces pieces;
  for (u64 at = 0, n; at < b.n; at += n) {
    n = std::min(b.n - at, pieces.next(room(pieces.expected(b.n - at))));
    Batch next = rest(t, b, at);
    next.n = n;
    const u64 before = all.added;
    carry_out(next);
    pieces.was(n, all.added - before);
  }
}

}  // namespace hz::host
