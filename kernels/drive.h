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
//   static constexpr int width        lanes of its tile: as many as its Chunk is read by
//   using Chunk                       what is read at a place: a Bucket, or what else is
//                                     made from (tile, address) and (tile, address, bool
//                                     read); `bucket` gives the address
//   explicit S(const hz_table*)       cheap; made once per thread. One that has to know
//                                     of the batch is made from (table, batch)
//   u32 first(key)                    the number of the bucket where walks begin
//   Pair* bucket(number)              where that is
//   Pair* slots()                     all slots, for count and export; or
//   Pair slot(u64 i)                  slot i, not live if it holds no pair
//
// and for each operation that it has (operations.h)
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
//
// A scheme may further have
//
//   using Mixed = Ops<op_insert, ...> operations that may share a batch: the kernel
//                                     `mix` takes each walk to its own function
//   static constexpr bool lanes_differ
//                                     its lanes read different constants of the table
//                                     block at a time, which the constant memory of a
//                                     GPU gives one after the other: so they are read
//                                     from the block's copy in device memory
//   using Single = Ops<op_insert, ...> operations of which a tile of a GPU has one under way,
//                                     not two: those that keep much
//   using Roomy = Ops<op_insert, ...> operations that gain from more warps, though the
//                                     compiler then has fewer registers (kRoom)
//   u32 also(op_x, walk)              the number of a second bucket that operation x
//                                     wants to see at the same step, or kNowhere; the
//                                     Chunk must be a TwoBuckets
//   static constexpr bool alone       of width 1: its functions are called only for
//                                     lanes with work, each for itself, and branch as
//                                     they like. They count their accesses themselves
//
// drive_all.h and drive_together.h are for operations that are no walk of one tile.
#ifndef HZ_DRIVE_H
#define HZ_DRIVE_H

#include "batch.h"
#include "bucket.h"

namespace hz {

// What is read at a place; nothing, if a scheme has no Chunk: then it is of width 1.
template <class S>
struct ChunkOf {
  static_assert(S::width == 1, "a scheme with wider tiles has to say what they read: using Chunk, see drive.h");
  using Type = Bucket<typename S::Pair, 1>;
};
template <class S>
  requires requires { typename S::Chunk; }
struct ChunkOf<S> {
  using Type = typename S::Chunk;
};
template <class S>
using BucketOf = typename ChunkOf<S>::Type;

template <class S>
inline constexpr bool kAlone = false;
template <class S>
  requires(S::alone)
inline constexpr bool kAlone<S> = true;

// kFetched is how many bytes are fetched ahead at a place.
template <class S>
inline constexpr int kFetched = 0;
template <class S>
  requires(kAlone<S>)
inline constexpr int kFetched<S> = sizeof(*((S*)0)->bucket(0));
template <class S>
  requires(!kAlone<S>)
inline constexpr int kFetched<S> = BucketOf<S>::bytes;

// kReads: does S read a bucket before it carries out Op there?
template <class S, class Op, class T>
inline constexpr bool kReads = requires(S s, Tile<S::width> tile, Walk<typename S::Pair> walk, BucketOf<S> bucket,
                                        T tally) { Op::in(s, tile, walk, bucket, tally); };

template <class S, class Op, class T>
inline constexpr bool kWrites = requires(S s, Tile<S::width> tile, Walk<typename S::Pair> walk, T tally) {
  Op::at(s, tile, walk, s.bucket(0), tally);
};

// Of a mixed batch, all operations must be there, and one that reads is enough.
template <class S, class List, class T>
struct MixOf;
template <class S, class T, class... Op>
struct MixOf<S, Ops<Op...>, T> {
  static constexpr bool reads = (kReads<S, Op, T> || ...);
  static constexpr bool complete = ((kReads<S, Op, T> || kWrites<S, Op, T>) && ...);
};
template <class S, class T>
inline constexpr bool kReads<S, op_mix, T> = MixOf<S, typename S::Mixed, T>::reads;
template <class S, class T>
inline constexpr bool kWrites<S, op_mix, T> = MixOf<S, typename S::Mixed, T>::complete;

// kSeesTwo: does Op on S ever want to see two buckets at once?
inline constexpr u32 kNowhere = ~u32(0);
template <class S, class Op>
inline constexpr bool kSeesTwo = requires(S s, Walk<typename S::Pair> walk) { s.also(Op{}, walk); };

template <class Op, class S>
HZ_FN u32 also_at(const S& scheme, const Walk<typename S::Pair>& walk) {
  if constexpr (kSeesTwo<S, Op>) {
    return scheme.also(Op{}, walk);
  } else {
    return kNowhere;
  }
}

// look reads what Op wants to see where its walk is, or nothing, by a condition.
template <class Op, class S, class Tile>
HZ_FN BucketOf<S> look(const S& scheme, const Tile& tile, const Walk<typename S::Pair>& walk, bool read) {
  if constexpr (kSeesTwo<S, Op>) {
    const u32 also = also_at<Op>(scheme, walk);
    const bool second = also != kNowhere;
    return BucketOf<S>(tile, scheme.bucket(walk.place), read, scheme.bucket(second ? also : walk.place),
                       read && second);
  } else {
    return BucketOf<S>(tile, scheme.bucket(walk.place), read);
  }
}

// kRoom is for how many blocks of a kernel a multiprocessor of a GPU is to have room at the
// least; 0 leaves that to the compiler. Ten are 48 registers for a thread.
template <class S, class Op>
inline constexpr int kRoom = 0;
template <class S, class Op>
  requires requires { typename S::Roomy; }
inline constexpr int kRoom<S, Op> = kListed<Op, typename S::Roomy> ? 10 : 0;

template <class S>
inline constexpr bool kLanesDiffer = false;
template <class S>
  requires(S::lanes_differ)
inline constexpr bool kLanesDiffer<S> = true;

template <class S>
HZ_FN S scheme_of(const hz_table* table, const hz_batch* batch) {
  if constexpr (kLanesDiffer<S>) table = array<const hz_table>(table->Here);
  if constexpr (__is_constructible(S, const hz_table*, const hz_batch*)) {
    return S(table, batch);
  } else {
    return S(table);
  }
}

// act does what an operation has to do at the bucket in hand, or at the walk's place
// if it does not read it.
template <class Op, class S, class Tile, class T>
HZ_FN Done<typename S::Pair> act(S& scheme, const Tile& tile, Walk<typename S::Pair>& walk, const BucketOf<S>& bucket,
                                 T& tally) {
  using P = typename S::Pair;
  if constexpr (__is_same(Op, op_mix)) {
    Done<P> done = Done<P>::undecided();
    S::Mixed::each([&](auto op) {
      using Each = decltype(op);
      const bool mine = tile.busy() && walk.op == Each::code;
      if (!tile.any(mine)) return;
      Walk<P> further = walk;
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

// step takes a walk to its bucket, and no further.
template <class Op, class S, class T>
HZ_FN Done<typename S::Pair> step(S& scheme, const Tile<S::width>& tile, Walk<typename S::Pair>& walk, T& tally) {
  if constexpr (!kAlone<S> && T::counted) {
    const u32 also = also_at<Op>(scheme, walk);
    tally.probe(scheme.bucket(walk.place), BucketOf<S>::bytes);
    if (also != kNowhere) tally.probe(scheme.bucket(also), BucketOf<S>::bytes);
  }
  if constexpr (kReads<S, Op, T>) {
    return act<Op>(scheme, tile, walk, look<Op>(scheme, tile, walk, true), tally);
  } else {
    return act<Op>(scheme, tile, walk, BucketOf<S>(), tally);
  }
}

// carry_out is one operation from its start to its end.
template <class Op, class S, class T>
HZ_FN Done<typename S::Pair> carry_out(S& scheme, const Tile<S::width>& tile, Walk<typename S::Pair> walk, T& tally) {
  for (;;) {
    auto done = step<Op>(scheme, tile, walk, tally);
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

// slot_of is slot i of a table.
template <class S>
HZ_FN typename S::Pair slot_of(const S& scheme, u64 i) {
  if constexpr (requires { scheme.slot(i); }) {
    return scheme.slot(i);
  } else {
    return scheme.slots()[i];
  }
}

// sweep_slots counts the pairs of a table and, if asked to, writes them out.
// `count` is the number of slots.
template <class S, bool Write>
HZ_FN void sweep_slots(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
  using P = typename S::Pair;
  const S scheme = scheme_of<S>(table, batch);
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

// The operations that go over the table rather than over keys.
struct op_count {
  template <class S, bool Counted>
  HZ_FN static void own(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    sweep_slots<S, false>(table, batch, first, count);
  }
};
struct op_export {
  template <class S, bool Counted>
  HZ_FN static void own(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    sweep_slots<S, true>(table, batch, first, count);
  }
};

// HZ_OWN_OP(name) makes a kernel of a scheme's own out of its function
//   template <bool Counted> static void name(const hz_table*, const hz_batch*, u64 first, u64 count)
// which its host side launches over a count of whatever it likes.
#define HZ_OWN_OP(name)                                                                         \
  namespace hz {                                                                                \
  struct op_##name {                                                                            \
    template <class S, bool Counted>                                                            \
    HZ_FN static void own(const hz_table* table, const hz_batch* batch, u64 first, u64 count) { \
      S::template name<Counted>(table, batch, first, count);                                    \
    }                                                                                           \
  };                                                                                            \
  }

// run is the body of every scheme kernel.
template <class Op, class S, bool Counted>
HZ_FN void run(const void* table_block, const void* batch_block, u64 first, u64 count) {
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
    if constexpr (kTogether<S, Op>) {
      drive_together<Op, S, T>(table, batch, first, count);
    } else {
      drive<Op, S, T>(table, batch, first, count);
    }
  }
}

}  // namespace hz

#endif
