// host_stadium.h: inserts into a table behind a board of tickets (stadium.h).
#pragma once

#include "host_side.h"
#include "stadium.h"

namespace hz::host {

// with_tickets is the layout of a table with tickets of so many bits.
inline Layout with_tickets(const Shape& s, u64 bits) {
  Layout l{};
  l.buckets = l.capacity = prime(s.slots);
  add(l, {"tickets", sizeof(u32) * ceil_of(l.capacity, 32 / bits), 0xff});
  add(l, {"slots", l.capacity * s.slot(), 0xff, true});
  add(l, {"state", 64});
  return l;
}

// state_word is the address of a word of a table's state.
u64 state_word(auto& t, u64 word) { return t.block().Region[StadiumTable::kState] + sizeof(u32) * word; }

// fill_to carries out a batch after which the table has at most `pairs` pairs. If it may become full, the first insert
// that finds no room tells the others.
template <class T, class Op>
Result fill_to(T& t, Op op, const Batch& b, u64 pairs) {
  if (pairs <= t.block().Capacity) return t.launch(op, b);
  t.fill(state_word(t, StadiumTable::kFullIn), 0, sizeof(u32));
  u64& stays = t.block().Arg[StadiumTable::kBatch];  // 1 while a full table stays full
  stays = 1;
  const Result done = t.launch(op, b);
  stays = 0;
  return done;
}
template <class T, class Op>
Result until_full(T& t, Op op, const Batch& b) {
  return fill_to(t, op, b, t.pairs() + b.n);
}

}  // namespace hz::host
