// batch.h: a batch as kernels see it, requests in and answers out.
#pragma once

#include "operations.h"

namespace hz {

// array points to global memory, where all addresses of a batch and its table lie.
template <class E>
HZ_FN E* array(u64 address) {
  return (E*)reinterpret_cast<HZ_GLOBAL E*>(address);
}

// Field refers to a field of a block. A kernel that uses fields of hz_batch for something else names them in a view:
//
//   template <class B>
//   struct Sample {
//     Field<B> marks;
//     HZ_BOTH explicit Sample(B& b) : marks(b.FoundAt) {}
//   };
//
// A host side writes Sample(block).marks, and the kernel reads it.
template <class B>
using Field = decltype((static_cast<B*>(nullptr)->Keys));

// Request is operation i of a batch as it arrives: it may be excluded from this launch,
// and its key may be reserved.
template <class P>
struct Request {
  P pair;
  u8 op;
  Outcome refused;  // k_ok if the operation is to be carried out

  HZ_FN static Request none() { return {P::empty(), kOperations, k_none}; }
};

// FoundList is where find_all writes the values it finds, with the index of their
// operation. A scheme with find_all is constructed from a table and a batch and holds a
// FoundList. A batch with FoundAt says where the values of each operation begin. Without
// it they take places as they come: all are counted, and written as long as there is
// room. A batch without FoundOf wants only the answers.
template <class P>
class FoundList {
 public:
  HZ_FN explicit FoundList(const hz_batch* b) : block_(b) {}

  // reserve claims places for n values of an operation that had `before` others, and returns
  // the first; write stores one value to a place.
  template <class Tile>
  HZ_FN u64 reserve(const Tile& tile, u64 index, u64 before, u32 n) const {
    if (block_->FoundAt != 0) return array<u64>(block_->FoundAt)[index] + before;
    if (block_->FoundOf == 0) return 0;
    return tile.fetch_add(array<u64>(block_->Counters) + kCount_found, u64(n));
  }
  HZ_FN void write(u64 to, u64 index, typename P::Value value) const {
    if (to >= block_->FoundLimit) return;
    array<u32>(block_->FoundOf)[to] = u32(index);
    if constexpr (P::value_bytes > 0) array<typename P::Value>(block_->FoundValues)[to] = value;
  }

 private:
  const hz_batch* block_;
};

// tallies_of returns the set of counters that a warp adds to when it ends.
HZ_FN u64* tallies_of(const hz_batch* b) {
  return array<u64>(b->Counters) + counter_set(HZ_COUNTER_SETS) * HZ_COUNTER_STRIDE;
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
    Request<P> r{{array<Key>(block_->Keys)[i], P::Traits::of(Op == k_op_combine)}, op(), k_ok};
    if (P::reserved(r.pair.key)) r.refused = k_rejected;
    if (block_->Ops != 0) {
      r.op = array<u8>(block_->Ops)[i];
      if (r.op >= kOperations || (block_->Select >> r.op & 1) == 0) r.refused = k_none;
      if constexpr (Op == k_op_combine) r.op = op();
    }
    if constexpr (takes_value(Op) && P::value_bytes > 0) {
      if (Op != k_op_combine || takes_value(op())) r.pair.value = array<Value>(block_->Values)[i];
    }
    return r;
  }

  // whole: all operations of the batch are of this launch. Then keys and values are theirs.
  HZ_FN bool whole() const { return block_->Ops == 0; }
  HZ_FN const Key* keys() const { return array<Key>(block_->Keys); }
  HZ_FN const Value* values() const { return array<Value>(block_->Values); }

  // mark sets the outcome of n operations, which give no answer, if the batch wants outcomes.
  HZ_FN bool marks() const { return block_->Status != 0; }
  HZ_FN void mark(u64 first, u32 n, Outcome outcome) const {
    if (!marks()) return;
    for (u32 i = 0; i < n; i++) array<u8>(block_->Status)[first + i] = outcome;
  }

  // op returns the operation that the kernel carries out; a mixed batch has several.
  HZ_FN u8 op() const {
    if constexpr (Op == k_op_combine) return u8(block_->Op);
    return Op;
  }

  // answer writes the result of operation i. An operation excluded from this launch gets
  // its answer from the launch that includes it.
  HZ_FN void answer(u64 i, u8 op, Outcome outcome, const Answer& answer) const {
    if (outcome == k_none) return;
    const u8 kind = Op == k_op_mix ? op : Op;  // in a batch of one operation, `op` is a constant and takes no register
    if (gives_answer(kind)) array<Answer>(block_->Out)[i] = answer;
    if (block_->Status != 0) array<u8>(block_->Status)[i] = gives_answer(kind) ? told(outcome) : u8(outcome);
  }

  // told returns the byte for Status of an operation that answers: with Truths, whether it is ok.
  HZ_FN u8 told(Outcome outcome) const { return block_->Truths != 0 ? u8(outcome == k_ok) : u8(outcome); }

  // counters are the counters that assign positions; tallies are those that are only
  // added to.
  HZ_FN u64* counters() const { return array<u64>(block_->Counters); }
  HZ_FN u64* tallies() const { return tallies_of(block_); }

  // hand_back writes a pair that is no longer in the table to the batch, or those of the lanes for which left_over(l)
  // holds.
  template <int W>
  HZ_FN void hand_back(const Tile<W>& tile, const P& pair) const {
    u64 at = tile.fetch_add(counters() + kCount_pairs, 1);
    tile.each(1, [&](Lane) { put(at, pair); });
  }
  HZ_FN void hand_back(Outcome outcome, const P& left) const {
    if (leaves(outcome)) hand_back(Tile<1>{}, left);
  }
  template <class Tile, class F, class G>
  HZ_FN void hand_back(const Tile& tile, F&& left_over, G&& left) const {
    const u32 lanes = tile.ballot(left_over);
    if (!tile.any(lanes != 0)) return;
    const u64 at = tile.fetch_add(counters() + kCount_pairs, u64(popcount(lanes)));
    tile.each(lanes, [&](Lane l) { put(at + tile.rank(lanes, l), left(l)); });
  }

  // put writes a pair to a position among the pairs handed back, if there is room.
  HZ_FN void put(u64 at, const P& pair) const {
    if (at >= block_->PairLimit) return;
    array<Key>(block_->PairKeys)[at] = pair.key;
    if constexpr (P::value_bytes > 0) array<Value>(block_->PairValues)[at] = pair.value;
  }

 private:
  const hz_batch* block_;  // fields are re-read each time: the block is cached, and registers are scarce
};

}  // namespace hz
