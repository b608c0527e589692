// drive.h: from a batch to operations on a scheme, once for all schemes.
//
// A scheme is a class with
//
//   using Pair                                 what a slot holds
//   static constexpr int width                 lanes of its tile
//   explicit S(const hz_table*)                cheap; made once per thread
//   Done<Pair> insert(tile, pair, tally ...)   and find, update, erase: as many
//                                              of them as it has
//   Pair* slots()                              for count and export
//
// and optionally the hook
//
//   Pair* home(key)                            where the key's first bucket is
//
// With the hook, operations start with that bucket in hand: insert(tile, pair,
// tally, bucket). That is how memory latency is hidden: while one operation is
// carried out, the first buckets of the next ones are on their way. On a CPU
// they are prefetched (drive_cpu.h), on a GPU loaded into registers
// (drive_gpu.h). A bucket in hand may be out of date by the time it is used;
// bucket.h says why that is harmless. An operation that does not start with a
// read, such as an exchange, takes no bucket and is given none.
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
};

// The operations on single keys: what they take, what they give, and the
// scheme's function that carries them out.
#define HZ_KEYED_OP(name, takes, gives, argument)                                                       \
  struct op_##name {                                                                                    \
    static constexpr bool takes_value = takes, gives_value = gives;                                     \
    template <class S, class P, class T, class... Start>                                                \
    HZ_FN static auto run(S& s, const Tile<S::width>& tile, P pair, T& tally, const Start&... start)    \
        -> decltype(s.name(tile, argument, tally, start...)) {                                          \
      return s.name(tile, argument, tally, start...);                                                   \
    }                                                                                                   \
  }
HZ_KEYED_OP(insert, true, false, pair);
HZ_KEYED_OP(find, false, true, pair.key);
HZ_KEYED_OP(update, true, false, pair);
HZ_KEYED_OP(erase, false, false, pair.key);
#undef HZ_KEYED_OP

template <class S>
using BucketOf = Bucket<typename S::Pair, S::width>;

// kStartsAtHome: does S carry out Op with its first bucket in hand?
template <class S, class Op, class T>
inline constexpr bool kStartsAtHome =
    requires(S s, Tile<S::width> tile, typename S::Pair pair, T tally, BucketOf<S> bucket) {
      s.home(pair.key);
      Op::run(s, tile, pair, tally, bucket);
    };

template <class S, class Op, class T>
inline constexpr bool kStartsAnywhere =
    requires(S s, Tile<S::width> tile, typename S::Pair pair, T tally) { Op::run(s, tile, pair, tally); };

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

  HZ_FN explicit Batch(const hz_batch* b)
      : keys_(reinterpret_cast<const Key*>(b->Keys)),
        values_(reinterpret_cast<const Value*>(b->Values)),
        out_(reinterpret_cast<Value*>(b->Out)),
        status_(reinterpret_cast<u8*>(b->Status)),
        ops_(reinterpret_cast<const u8*>(b->Ops)),
        select_(b->Select),
        block_(b) {}

  HZ_FN Key key(u64 i) const { return keys_[i]; }

  HZ_FN Request<P> request(u64 i) const {
    Request<P> r{{keys_[i], Value(0)}, k_ok};
    if (P::reserved(r.pair.key)) r.refused = k_rejected;
    if (ops_ != nullptr && ops_[i] != select_) r.refused = k_none;
    if constexpr (Op::takes_value) r.pair.value = values_[i];
    return r;
  }

  // answer writes what became of operation i. One that took no part has its
  // answer written by the launch in which it does.
  HZ_FN void answer(u64 i, Outcome outcome, Value value) const {
    if (outcome == k_none) return;
    if constexpr (Op::gives_value) out_[i] = value;
    if (status_ != nullptr) status_[i] = outcome;
  }

  HZ_FN u64* counters() const { return reinterpret_cast<u64*>(block_->Counters); }

  // hand_back gives the caller a pair that is no longer in the table.
  template <int W>
  HZ_FN void hand_back(const Tile<W>& tile, P pair) const {
    u64 at = tile.fetch_add(counters() + kCount_pairs, 1);
    if (at >= block_->PairLimit) return;
    tile.each(1, [&](Lane) {
      reinterpret_cast<Key*>(block_->PairKeys)[at] = pair.key;
      reinterpret_cast<Value*>(block_->PairValues)[at] = pair.value;
    });
  }

 private:
  const Key* keys_;
  const Value* values_;
  Value* out_;
  u8* status_;
  const u8* ops_;
  u32 select_;
  const hz_batch* block_;
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
    static_assert(kStartsAtHome<S, Op, T> || kStartsAnywhere<S, Op, T>,
                  "the scheme's operation must be callable as op(tile, pair or key, tally) or, with a home(key), as "
                  "op(tile, pair or key, tally, bucket); see drive.h");
    drive<Op, S, T>(table, batch, first, count);
  }
}

}  // namespace hz

#endif
