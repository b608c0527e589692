// drive.h: from a batch to operations on a scheme, once for all schemes.
//
// An operation is a walk from bucket to bucket: it looks at one, and has a result,
// or goes on to another. A scheme says where a walk begins and what to do at each
// bucket; the drivers keep several walks of a thread or tile under way, so that
// while one looks at its bucket those of the others are being fetched: into the
// cache on a CPU (drive_cpu.h), into registers on a GPU (drive_gpu.h).
//
// A scheme is a class with
//
//   using Pair                        what a slot holds
//   static constexpr int width        lanes of its tile, slots of a bucket
//   explicit S(const hz_table*)       cheap; made once per thread
//   u32 first(key)                    the number of the bucket where walks begin
//   Pair* bucket(number)              where that is
//   Pair* slots()                     all slots, for count and export
//
// and for each operation that it has (insert, find, update, erase)
//
//   Done<Pair> find_in(tile, walk, bucket, tally)
//
// which looks at a bucket that has been read. Done::undecided() means that the
// walk goes on: at walk.place, which the function may have changed, or at the same
// bucket again, if a compare-and-swap was lost. An operation that need not read a
// bucket before it writes to it is find_at(tile, walk, slots, tally) instead.
//
// These functions run in step (tile.h). A bucket in hand may be out of date by the
// time it is looked at; bucket.h says why that is harmless.
#ifndef HZ_DRIVE_H
#define HZ_DRIVE_H

#include "bucket.h"

namespace hz {

// Done is what became of one operation.
template <class P>
struct Done {
  Outcome outcome;
  typename P::Value value;  // found; all ones if nothing was
  P left;                   // a failed insert: the pair that is now in no slot

  HZ_FN static Done ok() { return {k_ok, ~typename P::Value(0), P::empty()}; }
  HZ_FN static Done found(typename P::Value v) { return {k_ok, v, P::empty()}; }
  HZ_FN static Done missing() { return {k_missing, ~typename P::Value(0), P::empty()}; }
  HZ_FN static Done failed(P left) { return {k_failed, ~typename P::Value(0), left}; }
  HZ_FN static Done undecided() { return {k_none, ~typename P::Value(0), P::empty()}; }

  // Of two, by a condition that may differ between tiles that are in step.
  HZ_FN static Done either(bool condition, const Done& a, const Done& b) {
    return {condition ? a.outcome : b.outcome, condition ? a.value : b.value, P::either(condition, a.left, b.left)};
  }
};

// Walk is an operation under way.
template <class P>
struct Walk {
  P pair;     // the key, and the value if the operation takes one; an insert that
              // evicts goes on with the evicted pair
  u32 place;  // the bucket to look at
  u32 step;   // 0 at first; the scheme counts
};

// The operations on single keys: what they take and give, and the scheme's
// functions that carry them out.
#define HZ_KEYED_OP(op, takes, gives)                                                      \
  struct op_##op {                                                                         \
    static constexpr bool takes_value = takes, gives_value = gives;                        \
    template <class S, class Tile, class P, class B, class T>                              \
    HZ_FN static auto in(S& s, const Tile& tile, Walk<P>& walk, const B& bucket, T& tally) \
        -> decltype(s.op##_in(tile, walk, bucket, tally)) {                                \
      return s.op##_in(tile, walk, bucket, tally);                                         \
    }                                                                                      \
    template <class S, class Tile, class P, class T>                                       \
    HZ_FN static auto at(S& s, const Tile& tile, Walk<P>& walk, P* slots, T& tally)        \
        -> decltype(s.op##_at(tile, walk, slots, tally)) {                                 \
      return s.op##_at(tile, walk, slots, tally);                                          \
    }                                                                                      \
  }
HZ_KEYED_OP(insert, true, false);
HZ_KEYED_OP(find, false, true);
HZ_KEYED_OP(update, true, false);
HZ_KEYED_OP(erase, false, false);
#undef HZ_KEYED_OP

template <class S>
using BucketOf = Bucket<typename S::Pair, S::width>;

// kReads: does S read a bucket before it carries out Op there?
template <class S, class Op, class T>
inline constexpr bool kReads = requires(S s, Tile<S::width> tile, Walk<typename S::Pair> walk, BucketOf<S> bucket,
                                        T tally) { Op::in(s, tile, walk, bucket, tally); };

template <class S, class Op, class T>
inline constexpr bool kWrites = requires(S s, Tile<S::width> tile, Walk<typename S::Pair> walk, typename S::Pair* slots,
                                         T tally) { Op::at(s, tile, walk, slots, tally); };

// step takes a walk to its bucket, and no further.
template <class Op, class S, class T>
HZ_FN Done<typename S::Pair> step(S& scheme, const Tile<S::width>& tile, Walk<typename S::Pair>& walk, T& tally) {
  auto* slots = scheme.bucket(walk.place);
  tally.probe(slots, BucketOf<S>::bytes);
  if constexpr (kReads<S, Op, T>) {
    return Op::in(scheme, tile, walk, BucketOf<S>(tile, slots), tally);
  } else {
    return Op::at(scheme, tile, walk, slots, tally);
  }
}

// carry_out is one operation from its start to its end.
template <class Op, class S, class T>
HZ_FN Done<typename S::Pair> carry_out(S& scheme, const Tile<S::width>& tile, typename S::Pair pair, T& tally) {
  Walk<typename S::Pair> walk{pair, scheme.first(pair.key), 0};
  for (;;) {
    auto done = step<Op>(scheme, tile, walk, tally);
    if (done.outcome != k_none) return done;
  }
}

// Request is operation i of a batch as it arrives: taking part or not, with a
// key that may be reserved.
template <class P>
struct Request {
  P pair;
  Outcome refused;  // k_ok if it is to be carried out
};

// Batch reads requests and writes results.
template <class P, class Op>
class Batch {
 public:
  using Key = typename P::Key;
  using Value = typename P::Value;

  HZ_FN explicit Batch(const hz_batch* b) : block_(b) {}

  HZ_FN Request<P> request(u64 i) const {
    Request<P> r{{array<Key>(block_->Keys)[i], Value(0)}, k_ok};
    if (P::reserved(r.pair.key)) r.refused = k_rejected;
    if (block_->Ops != 0 && array<u8>(block_->Ops)[i] != block_->Select) r.refused = k_none;
    if constexpr (Op::takes_value) r.pair.value = array<Value>(block_->Values)[i];
    return r;
  }

  // answer writes what became of operation i. One that took no part has its
  // answer written by the launch in which it does.
  HZ_FN void answer(u64 i, Outcome outcome, Value value) const {
    if (outcome == k_none) return;
    if constexpr (Op::gives_value) array<Value>(block_->Out)[i] = value;
    if (block_->Status != 0) array<u8>(block_->Status)[i] = outcome;
  }

  HZ_FN u64* counters() const { return reinterpret_cast<u64*>(block_->Counters); }

  // hand_back gives the caller a pair that is no longer in the table.
  template <int W>
  HZ_FN void hand_back(const Tile<W>& tile, P pair) const {
    u64 at = tile.fetch_add(counters() + kCount_pairs, 1);
    if (at >= block_->PairLimit) return;
    tile.each(1, [&](Lane) {
      array<Key>(block_->PairKeys)[at] = pair.key;
      array<Value>(block_->PairValues)[at] = pair.value;
    });
  }

 private:
  template <class E>
  HZ_FN static E* array(u64 address) {
    return reinterpret_cast<E*>(address);
  }

  const hz_batch* block_;  // read anew each time: it is in the cache, and registers are scarce
};

}  // namespace hz

#if HZ_GPU
#include "drive_gpu.h"
#else
#include "drive_cpu.h"
#endif

namespace hz {

// sweep_slots counts the pairs of a table and, if asked to, writes them out.
// `count` is the number of slots.
template <class S, bool Write>
HZ_FN void sweep_slots(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
  using P = typename S::Pair;
  S scheme(table);
  const P* slots = scheme.slots();
  Batch<P, op_insert> b(batch);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    Lanes<P, kWarp> seen;
    u32 live = tile.ballot([&](Lane l) {
      if (!(valid >> l.index() & 1)) return false;
      seen[l] = slots[base + l.index()];
      return seen[l].is_live();
    });
    if (live == 0) return;
    u64 at = tile.fetch_add(b.counters() + kCount_pairs, u64(popcount(live)));
    if constexpr (Write) {
      tile.each(live, [&](Lane l) {
        u64 to = at + tile.rank(live, l);
        if (to >= batch->PairLimit) return;
        reinterpret_cast<typename P::Key*>(batch->PairKeys)[to] = seen[l].key;
        reinterpret_cast<typename P::Value*>(batch->PairValues)[to] = seen[l].value;
      });
    }
  });
}

// The operations that walk the table rather than keys.
struct op_count {};
struct op_export {};

// run is the body of every scheme kernel.
template <class Op, class S, bool Counted>
HZ_FN void run(const void* table_block, void* batch_block, u64 first, u64 count) {
  const hz_table* table = static_cast<const hz_table*>(table_block);
  const hz_batch* batch = static_cast<const hz_batch*>(batch_block);
  if constexpr (__is_same(Op, op_count)) {
    sweep_slots<S, false>(table, batch, first, count);
  } else if constexpr (__is_same(Op, op_export)) {
    sweep_slots<S, true>(table, batch, first, count);
  } else {
    using T = Tally<Counted>;
    static_assert(kReads<S, Op, T> || kWrites<S, Op, T>,
                  "the scheme needs first(key), bucket(number), and op_in(tile, walk, bucket, tally) or "
                  "op_at(tile, walk, slots, tally); see drive.h");
    drive<Op, S, T>(table, batch, first, count);
  }
}

}  // namespace hz

#endif
