// host.h: inserts that may fill the table, and the board after rows that were combined.
#pragma once

#include "host_stadium.h"

namespace hz::host {

// kManyRows are worth a launch that makes the board.
inline constexpr u64 kManyRows = 1 << 20;

struct StashHost {
  // A walk reaches every slot because their number is prime. With an access bit, a ticket has at least two bits.
  static Layout layout(const auto& p, const Shape& s) {
    return with_tickets(s, p.access == p.access_on ? std::max<u64>(u64(p.ticket), 2) : u64(p.ticket));
  }

  template <class T, class Op>
    requires(__is_same(Op, op_insert) || __is_same(Op, op_upsert))
  static Result run(T& t, Op op, const Batch& b) {
    return until_full(t, op, b);
  }

  // The board costs operations that combine values reads and atomics, in memory if it is larger than caches, so many
  // of them leave it alone, and it is made from the slots, which are read in order, in the end.
  static Result run(auto& t, op_combine op, const Batch& b) {
    if (!by_slots(t, b)) return t.launch(op, b);
    u64& mode = t.block().Arg[StadiumTable::kBySlots];
    mode = 1;
    const Result done = t.launch(op, b);
    mode = 0;
    Batch board;
    board.n = t.layout().region[StadiumTable::kTickets].bytes / sizeof(u32);
    t.launch(op_board{}, board);
    return done;
  }

 private:
  // by_slots: may a batch go by the slots, and does it gain by it?
  static bool by_slots(auto& t, const Batch& b) {
    const auto how = t.param.board;
    const bool large = b.n >= std::max(kManyRows, t.block().Capacity / 4) && t.block().Host == 0;
    if (how == t.param.board_kept || (how == t.param.board_auto && !large)) return false;
    if (b.block.Ops != 0 || b.n == 0 || t.key_bytes() != t.value_bytes()) return false;
    return value<u32>(t, state_word(t, StadiumTable::kAnyErased)) == 0;
  }
};

}  // namespace hz::host
