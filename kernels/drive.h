// drive.h: turns a batch into operations on a scheme, once for all schemes.
//
// An operation is a walk from bucket to bucket. At each bucket it either gets a result or
// moves on to another bucket. A scheme says where a walk begins and what to do at a
// bucket. The drivers keep several walks in flight per thread or tile, so the buckets of
// the others are being fetched while one is examined: into the cache on a CPU
// (drive_cpu.h), into registers on a GPU (drive_gpu.h).
//
// A scheme is a class with
//
//   using Pair                    what a slot holds
//   static constexpr int width    the lanes of its tile: as many as read one Chunk
//   using Chunk                   what is read at a place: a Bucket, or another type
//                                 constructed from (tile, address) and from (tile,
//                                 address, bool read); `bucket` returns the address
//   explicit S(const hz_table*)   constructed once per thread, so it must be cheap; a
//                                 scheme that depends on the batch takes (table, batch)
//   u32 first(key)                the number of the bucket where a walk begins
//   Pair* bucket(number)          the address of a bucket
//   Pair* slots()                 all slots, for count and export, or what traits.content says
//   static constexpr Traits traits{...}   what else it asks of the drivers (traits.h)
//
// and, for each operation it supports (operations.h),
//
//   Done<Pair> find_in(tile, walk, bucket, tally)
//
// which examines a bucket that has been read. Done::undecided() means that the walk goes
// on: at walk.place, which the function may have changed, or at the same bucket again
// after a lost compare-and-swap. An operation that does not read a bucket before it
// writes to it is find_at(tile, walk, slots, tally) instead.
//
// Of the operations that combine values only some reach combine_in (partials.h). Once it
// has put a key into the table or found it there, the key stays until the launch ends, if
// the launch has no other operations.
//
// These functions run in step (tile.h). A bucket may have changed since it was read;
// bucket.h explains why that is harmless.
//
// drive_all.h and drive_together.h are for operations that are not walks of one tile.
#pragma once

#include "batch.h"
#include "bucket.h"
#include "traits.h"

namespace hz {

template <class S>
using BucketOf = typename S::Chunk;

// kOverlapped is how many buckets a tile reads before it looks at the first, where it needs
// several: a GPU waits for them together, and a CPU has them in its cache.
inline constexpr int kOverlapped = HZ_GPU ? 8 : 1;

// kFetched is the number of bytes fetched ahead at a place. (nvcc does not read it as a
// constrained variable.)
template <class S, bool = S::traits.single_lane>
struct Fetched {
  static constexpr int bytes = BucketOf<S>::bytes;
};
template <class S>
struct Fetched<S, true> {
  static constexpr int bytes = sizeof(*((S*)0)->bucket(0));
};
template <class S>
inline constexpr int kFetched = Fetched<S>::bytes;

// kReads: S reads a bucket before it carries out Op there.
template <class S, class Op, class T>
inline constexpr bool kReads = requires(S s, Tile<S::width> tile, Walk<typename S::Pair> walk, BucketOf<S> bucket,
                                        T tally) { Op::in(s, tile, walk, bucket, tally); };

template <class S, class Op, class T>
inline constexpr bool kWrites = requires(S s, Tile<S::width> tile, Walk<typename S::Pair> walk, T tally) {
  Op::at(s, tile, walk, s.bucket(0), tally);
};

// MixOf lists the operations of a mixed batch as types. It is complete if S implements all of them, and reads buckets
// if one of them does.
template <class S, int I = S::traits.mixed.count, class... Op>
struct MixOf : MixOf<S, I - 1, typename OpOf<S::traits.mixed.at[I - 1]>::Type, Op...> {};
template <class S, class... Op>
struct MixOf<S, 0, Op...> {
  template <class T>
  static constexpr bool reads = (kReads<S, Op, T> || ...);
  template <class T>
  static constexpr bool complete = ((kReads<S, Op, T> || kWrites<S, Op, T>) && ...);
  template <class F>
  HZ_FN static void each(F&& f) {
    (f(Op{}), ...);
  }
};
template <class S, class T>
inline constexpr bool kReads<S, op_mix, T> = MixOf<S>::template reads<T>;
template <class S, class T>
inline constexpr bool kWrites<S, op_mix, T> = MixOf<S>::template complete<T>;

// kReadsTwo: Op on S may read two buckets in one step.
inline constexpr u32 kNoBucket = ~u32(0);
template <class S, class Op>
inline constexpr bool kReadsTwo = listed<Op>(S::traits.second_bucket);

template <class Op, class S>
HZ_FN u32 second_bucket_of(const S& scheme, const Walk<typename S::Pair>& walk) {
  if constexpr (kReadsTwo<S, Op>) {
    return scheme.second_bucket(Op{}, walk);
  } else {
    return kNoBucket;
  }
}

// may_read_in_pairs: in_pairs() says whether tiles in step read their buckets together (line.h).
template <class S, class Tile>
HZ_BOTH constexpr bool may_read_in_pairs() {
  if constexpr (S::traits.in_pairs) return BucketOf<S>::in_pairs && Tile::in_step_with_others;
  return false;
}

// read_chunk reads what Op needs at the walk's place if `read` is set, and nothing
// otherwise.
template <class Op, class S, class Tile>
HZ_FN BucketOf<S> read_chunk(const S& scheme, const Tile& tile, const Walk<typename S::Pair>& walk, bool read) {
  if constexpr (kReadsTwo<S, Op>) {
    const u32 other = second_bucket_of<Op>(scheme, walk);
    const bool two = other != kNoBucket;
    return BucketOf<S>(tile, scheme.bucket(walk.place), read, scheme.bucket(two ? other : walk.place), read && two);
  } else if constexpr (may_read_in_pairs<S, Tile>()) {
    return BucketOf<S>(tile, scheme.bucket(walk.place), read, scheme.in_pairs());
  } else {
    return BucketOf<S>(tile, scheme.bucket(walk.place), read);
  }
}

// ClassFor is the class that carries out Op for the scheme S.
template <class S, class Op, bool = S::traits.class_per_op>
struct ClassOf {
  using Type = S;
};
template <class S, class Op>
struct ClassOf<S, Op, true> {
  using Type = typename S::template For<Op>;
};
template <class S, class Op>
using ClassFor = typename ClassOf<S, Op>::Type;

// kMinBlocks is the minimum number of blocks of a kernel that a multiprocessor must have
// room for; 0 leaves it to the compiler. Ten blocks limit a thread to 48 registers, sixteen
// to 32.
template <class Op, class S>
HZ_BOTH constexpr int min_blocks_of() {
  if (listed<Op>(S::traits.most_warps) && sizeof(typename S::Pair) <= 8) return 16;
  return listed<Op>(S::traits.many_warps) ? 10 : 0;
}
template <class S, class Op>
inline constexpr int kMinBlocks = min_blocks_of<Op, ClassFor<S, Op>>();

template <class S>
HZ_FN S scheme_of(const hz_table* table, const hz_batch* batch) {
  if constexpr (S::traits.divergent_constants) table = array<const hz_table>(table->Here);
  if constexpr (__is_constructible(S, const hz_table*, const hz_batch*)) {
    return S(table, batch);
  } else {
    return S(table);
  }
}

// end_of lets a scheme know that its thread has no more operations.
template <class S>
HZ_FN void end_of(S& scheme) {
  if constexpr (S::traits.ends) scheme.end();
}

// given_by returns what an operation that combines values gives: 1, if it takes none.
template <class P>
HZ_FN typename P::Value given_by(const Walk<P>& walk) {
  return choose(takes_value(walk.op), walk.pair.value, P::Traits::of(1));
}

// act carries out an operation on the bucket that was read, or at the walk's place if Op
// does not read it.
template <class Op, class S, class Tile, class T>
HZ_FN Done<typename S::Pair> act(S& scheme, const Tile& tile, Walk<typename S::Pair>& walk, const BucketOf<S>& bucket,
                                 T& tally) {
  using P = typename S::Pair;
  if constexpr (__is_same(Op, op_mix)) {
    Done<P> done = Done<P>::undecided();
    MixOf<S>::each([&](auto op) {
      using Each = decltype(op);
      const bool mine = tile.busy() && Each::is(walk.op);
      const bool any = tile.any(mine);
      if (!any) return;
      Walk<P> further = walk;
      if constexpr (__is_same(Each, op_combine)) further.pair.value = given_by(walk);
      Done<P> here = act<Each>(scheme, tile.only_if(mine), further, bucket, tally);
      done = Done<P>::either(mine, here, done);
      walk = Walk<P>::either(mine, further, walk);
    });
    return done;
  } else if constexpr (kReads<S, Op, T>) {
    return Op::in(scheme, tile, walk, bucket, tally);
  } else {
    return Op::at(scheme, tile, walk, scheme.bucket(walk.place), tally);
  }
}

// step advances a walk by one bucket.
template <class Op, class S, class Tile, class T>
HZ_FN Done<typename S::Pair> step(S& scheme, const Tile& tile, Walk<typename S::Pair>& walk, T& tally) {
  if constexpr (T::observed) tally.visit(walk, scheme.bucket(walk.place));
  if constexpr ((!S::traits.single_lane || kReads<S, Op, T>) && T::counted) {
    const u32 other = second_bucket_of<Op>(scheme, walk);
    tally.probe(scheme.bucket(walk.place), BucketOf<S>::bytes);
    if (other != kNoBucket) tally.probe(scheme.bucket(other), BucketOf<S>::bytes);
  }
  if constexpr (kReads<S, Op, T>) {
    return act<Op>(scheme, tile, walk, read_chunk<Op>(scheme, tile, walk, true), tally);
  } else {
    return act<Op>(scheme, tile, walk, BucketOf<S>(), tally);
  }
}

// step_idle takes a step as a tile does that is idle while others of its warp are not, for observers that compare the
// two: it must have the same verbs, and must not change anything. The tables' memory apart, all of it is a copy.
template <class Op, class S, class Tile, class T>
HZ_FN void step_idle([[maybe_unused]] const S& scheme, [[maybe_unused]] const Tile& tile,
                     [[maybe_unused]] Walk<typename S::Pair> walk, [[maybe_unused]] T tally) {
#if !HZ_GPU && defined(HZ_COUNTED)
  if constexpr (Tile::compared) {
    if (!comparing) return;
    S copy = scheme;
    idling = true;
    step<Op>(copy, tile.in_step(false), walk, tally);
    idling = false;
    observe(kEvent_idle, nullptr, 0);
  }
#endif
}

// carry_out runs one operation from start to end.
template <class Op, class S, class Tile, class T>
HZ_FN Done<typename S::Pair> carry_out(S& scheme, const Tile& tile, Walk<typename S::Pair> walk, T& tally) {
  for (;;) {
    if constexpr (T::observed) step_idle<Op>(scheme, tile, walk, tally);
    auto done = step<Op>(scheme, tile, walk, tally);
    tally.stepped();
    if (done.outcome != k_none) return done;
  }
}

}  // namespace hz

#if HZ_GPU
#include "drive_gpu.h"
#else
#include "drive_cpu.h"
#endif
#include "drive_all.h"
#include "drive_together.h"

namespace hz {

// slot_of returns slot i of a table.
template <class S>
HZ_FN typename S::Pair slot_of(const S& scheme, u64 i) {
  if constexpr (S::traits.content == Content::slot) {
    return scheme.slot(i);
  } else {
    return scheme.slots()[i];
  }
}

// sweep counts the pairs of a table and, with Write, also writes them to the batch. `count`
// is the number of slots.
template <class S, bool Write>
HZ_FN void sweep_slots(const S& scheme, const hz_batch* batch, u64 first, u64 count) {
  using P = typename S::Pair;
  Batch<P, k_op_export> b(batch);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    Lanes<P, kWarp> seen;
    u32 live = tile.ballot([&](Lane l) {
      if (!(valid >> l.index() & 1)) return false;
      seen[l] = slot_of(scheme, base + l.index());
      return seen[l].is_live();
    });
    if (live == 0) return;
    u64 at = tile.fetch_add(b.counters() + kCount_pairs, u64(popcount(live)));
    if constexpr (Write) tile.each(live, [&](Lane l) { b.put(at + tile.rank(live, l), seen[l]); });
  });
}

// sweep_pairs does so for a table without slots, in one go.
template <class S, bool Write>
HZ_FN void sweep_pairs(const S& scheme, const hz_batch* batch, u64 first) {
  using P = typename S::Pair;
  Batch<P, k_op_export> b(batch);
  u64 pairs = 0;
  if (first > 0) return;
  scheme.each_pair([&](const P& pair) {
    if constexpr (Write) b.put(pairs, pair);
    pairs++;
  });
  Tile<1>{}.add(b.counters() + kCount_pairs, pairs);
}

template <class S, bool Write>
HZ_FN void sweep(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
  const S scheme = scheme_of<S>(table, batch);
  if constexpr (S::traits.content == Content::each_pair) {
    sweep_pairs<S, Write>(scheme, batch, first);
  } else {
    sweep_slots<S, Write>(scheme, batch, first, count);
  }
}

// Operations on the whole table rather than on keys.
struct op_count {
  static constexpr const char* name = "count";
  template <class S, bool Counted>
  HZ_FN static void own(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    sweep<S, false>(table, batch, first, count);
  }
};
struct op_export {
  static constexpr const char* name = "export";
  template <class S, bool Counted>
  HZ_FN static void own(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    sweep<S, true>(table, batch, first, count);
  }
};

// HZ_OWN_OP(which) makes a scheme's private kernel from its function
//   template <bool Counted> static void which(const hz_table*, const hz_batch*, u64 first,
//   u64 count)
// The scheme's host side launches it and defines what `count` means.
#define HZ_OWN_OP(which)                                                                        \
  namespace hz {                                                                                \
  struct op_##which {                                                                           \
    static constexpr const char* name = #which;                                                 \
    template <class S, bool Counted>                                                            \
    HZ_FN static void own(const hz_table* table, const hz_batch* batch, u64 first, u64 count) { \
      S::template which<Counted>(table, batch, first, count);                                   \
    }                                                                                           \
  };                                                                                            \
  }

// run is the body of every scheme kernel.
template <class Op, class Scheme, bool Counted>
HZ_FN void run(const void* table_block, const void* batch_block, u64 first, u64 count) {
  using S = ClassFor<Scheme, Op>;
  static_assert(traits_fit<S, Op, Tally<Counted>>(S::traits),
                "the class has a function that its traits leave out; see traits.h");
  const hz_table* table = static_cast<const hz_table*>(table_block);
  const hz_batch* batch = static_cast<const hz_batch*>(batch_block);
  if constexpr (!requires { Op::code; }) {
    Op::template own<S, Counted>(table, batch, first, count);
  } else if constexpr (kAll<S, Op, Tally<Counted>>) {
    drive_all<Op, S, Tally<Counted>>(table, batch, first, count);
  } else {
    using T = Tally<Counted>;
    static_assert(kReads<S, Op, T> || kWrites<S, Op, T>,
                  "the scheme needs first(key), bucket(number), and op_in(tile, walk, bucket, tally) or "
                  "op_at(tile, walk, slots, tally); see drive.h");
    if constexpr (listed<Op>(S::traits.queued)) {
      drive_together<Op, S, T>(table, batch, first, count);
    } else {
      drive<Op, S, T>(table, batch, first, count);
    }
  }
}

}  // namespace hz
