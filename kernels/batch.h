// batch.h: a batch as kernels see it: requests in, answers out.
#ifndef HZ_BATCH_H
#define HZ_BATCH_H

#include "operations.h"

namespace hz {

template <class E>
HZ_FN E* array(u64 address) {
  return reinterpret_cast<E*>(address);
}

// Request is operation i of a batch as it arrives: taking part or not, with a
// key that may be reserved.
template <class P>
struct Request {
  P pair;
  u8 op;
  Outcome refused;  // k_ok if it is to be carried out

  HZ_FN static Request none() { return {P::empty(), kOperations, k_none}; }
};

// Gifts is where find_all puts the values that it finds: all of them are counted,
// and written as far as there is room, with the index of the operation. A scheme
// that has find_all is made from a table and a batch, and keeps one.
template <class P>
class Gifts {
 public:
  HZ_FN explicit Gifts(const hz_batch* b) : block_(b) {}

  // take returns where to give as many as a mask has, give hands out one there.
  template <class Tile>
  HZ_FN u64 take(const Tile& tile, u32 mask) const {
    return tile.fetch_add(array<u64>(block_->Counters) + kCount_found, u64(popcount(mask)));
  }
  HZ_FN void give(u64 to, u64 index, typename P::Value value) const {
    if (to >= block_->FoundLimit) return;
    array<u32>(block_->FoundOf)[to] = u32(index);
    if constexpr (P::value_bytes > 0) array<typename P::Value>(block_->FoundValues)[to] = value;
  }

 private:
  const hz_batch* block_;
};

// tallies_of is the set of counters that a warp adds to at its end.
HZ_FN u64* tallies_of(const hz_batch* b) {
  return array<u64>(b->Counters) + spread(HZ_COUNTER_SETS) * HZ_COUNTER_STRIDE;
}

// Batch reads requests and writes results.
template <class P, u8 Op>
class Batch {
 public:
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Answer = typename P::Answer;

  HZ_FN explicit Batch(const hz_batch* b) : block_(b) {}

  HZ_FN Request<P> request(u64 i) const {
    Request<P> r{{array<Key>(block_->Keys)[i], P::Traits::of(0)}, Op, k_ok};
    if (P::reserved(r.pair.key)) r.refused = k_rejected;
    if (block_->Ops != 0) {
      r.op = array<u8>(block_->Ops)[i];
      if (r.op >= kOperations || (block_->Select >> r.op & 1) == 0) r.refused = k_none;
    }
    if constexpr (takes_value(Op) && P::value_bytes > 0) r.pair.value = array<Value>(block_->Values)[i];
    return r;
  }

  // answer writes what became of operation i. One that took no part has its
  // answer written by the launch in which it does.
  HZ_FN void answer(u64 i, u8 op, Outcome outcome, const Answer& answer) const {
    if (outcome == k_none) return;
    const u8 kind = Op == k_op_mix ? op : Op;  // of a batch of one kind, nothing need be kept
    if (gives_answer(kind)) array<Answer>(block_->Out)[i] = answer;
    if (block_->Status != 0) array<u8>(block_->Status)[i] = outcome;
  }

  // counters are those that hand out places, tallies those that are only added to.
  HZ_FN u64* counters() const { return array<u64>(block_->Counters); }
  HZ_FN u64* tallies() const { return tallies_of(block_); }

  // hand_back gives the caller a pair that is no longer in the table.
  template <int W>
  HZ_FN void hand_back(const Tile<W>& tile, const P& pair) const {
    u64 at = tile.fetch_add(counters() + kCount_pairs, 1);
    tile.each(1, [&](Lane) { put(at, pair); });
  }

  // put writes a pair to a place among those that leave the table, if there is room.
  HZ_FN void put(u64 at, const P& pair) const {
    if (at >= block_->PairLimit) return;
    array<Key>(block_->PairKeys)[at] = pair.key;
    if constexpr (P::value_bytes > 0) array<Value>(block_->PairValues)[at] = pair.value;
  }

 private:
  const hz_batch* block_;  // read anew each time: it is in the cache, and registers are scarce
};

}  // namespace hz

#endif
