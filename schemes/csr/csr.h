// csr.h: a static multimap with the values of a key side by side.
//
// Idea. A table that takes pairs one at a time does not know how many pairs of a key will
// come, so it chains them or spreads them over slots, and reads them all over memory. A
// join knows its build side before it starts. So count the pairs of each key first, add the
// counts up, and every key has a place of its own, as the edges of a vertex have in the
// compressed sparse rows of a graph.
//
//   directory     [ . 0 | 7 0 | . 3 | . 3 | 5 3 | 9 4 | . 6 | . 6 ]  6
//                    key ^ ^ where its values begin; those of the next slot are its end
//   values        [ 70 71 72 | 50 | 90 91 ]      7 has three values, 5 one, 9 two
//
// Insert takes three steps, for a whole batch:
//
//   count     Every row puts its key into the directory, by linear probing over buckets of
//             four slots, unless it is there, and adds 1 to the key's count. It notes the
//             slot and the old count, which is its rank among the rows of the key.
//   sum       The sums of the counts of all slots before a slot replace the counts
//             (kernels/scan.h). Empty slots count 0, and get a sum too.
//   scatter   Each row writes its value to the place of its slot plus its rank.
//
// A row costs a read of the directory, one atomic in the same line (the first row of a key
// counts itself by the compare-and-swap that brings the key in), and a write at random; notes
// and sums are read and written in order. An empty table that is larger than caches is built
// part by part instead, if most rows of a sample have keys of their own: a block takes these
// steps for a part of the directory, in the memory that its threads share (bulk_runs.h). For
// that, a walk goes round its part before it goes on behind it.
//
// A find_all reads one bucket of the directory in most cases, and knows how many values
// there are before it reads any. retrieve adds these numbers up, and writes the output by
// pieces of equal size, whatever the keys (copy.h), so a key with a million values is shared
// out among many warps. find_all is carried out in the same way.
//
// A second insert builds the table anew, from its own pairs and those of the batch, and goes
// over every slot, used or not: give it all pairs at once where you can, in a table of their
// size. Updates and erases do not exist.
//
// Linearization. Operations of different kinds never share a launch. Within the count, a
// slot changes once from empty to a key, by a compare-and-swap of the whole pair, and its
// count only by atomic additions; so a key has one slot, and every row of it another rank.
// The other launches write every word once, and read what was written before them.
//
// Limits. A pair that is past the last place for values is handed back, and so is one whose
// key finds no slot within max_probes buckets. Places and slots have 32 bits. The directory
// has room for as many keys as pairs, and a quarter more; `keys` makes it smaller for data
// with many pairs per key.
//
// On one H100, 4+4 bytes, scripts/join.lua with 20 million build rows and 64 million rows out:
// retrieve gives 10.9 G rows/s with one pair per key, 68 with 8, 185 with 1000 and 190 with
// 50000; slab 2.8, 13, 29 and 3.7. Up to 8 pairs per key, reads of values at random are the
// limit, at about 30 G/s, and from 1000 on the writing of the output. Builds row by row take
// 7.0, 7.8, 12.5 and 9.6 G rows/s; slab 8.5, 7.6, 0.8 and 0.03. A row takes at least one
// atomic, and atomics at random have a limit of 14 G/s. Part by part, 80 million rows take 40
// and 35 G rows/s with 1 and 8 a key (H200).
//
// An own design on ideas of: Green, HashGraph: Scalable Hash Tables Using a Sparse Graph
// Data Structure, 2021, which counts and scatters pairs by hash value, so a bucket mixes
// keys; and cuDF's hash join (pull request 23640, 2026), whose layout keeps the rows of a
// key side by side.
#pragma once

#include "bulk_abi.h"
#include "copy.h"
#include "drive.h"
#include "hash.h"

namespace hz {

// CountedRows is the batch of an insert and its scatter. `notes` has the slot and rank of each row, 8 bytes, all ones
// if it was not counted.
template <class B>
struct CountedRows {
  Field<B> notes;
  HZ_BOTH explicit CountedRows(B& b) : notes(b.FoundAt) {}
};

template <class P>
class Csr {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Chunk = Bucket<P, 1>;
  static constexpr int width = 1;
  static constexpr Traits traits{.content = Content::slot, .single_lane = true};
  static constexpr u32 kBucket = 4;  // slots of a bucket of the directory
  enum Region { kDirectory, kValues };
  enum Arg { kMaxProbes, kKeys };

  HZ_FN Csr(const hz_table* t, const hz_batch* b)
      : table_(t),
        batch_(b),
        slots_(reinterpret_cast<P*>(t->Region[kDirectory])),
        values_(reinterpret_cast<Value*>(t->Region[kValues])),
        buckets_(u32(t->Buckets)),
        part_(u32(1) << part_bits(t->Arg[kKeys])),
        hashes_(t) {}

  // A part of the directory has 1 << part_bits buckets, so that its slots, and its rows if the table is full, have room
  // in the memory that a block shares. `keys` is how many slots there are, in percent of the rows.
  HZ_BOTH static constexpr u32 part_bits(u64 keys) {
    constexpr u32 most = HZ_BULK_BYTES / sizeof(P);
    const u32 slots = keys >= 107 ? most : u32(keys) * most / 107, buckets = slots / kBucket;
    return buckets < 64 ? 6 : 31 - u32(__builtin_clz(buckets));
  }

  HZ_FN u32 first(Key key) const { return hashes_.at(0, key); }
  HZ_FN P* bucket(u32 number) const { return slots_ + u64(number) * kBucket; }

  // slot returns pair i: its key is that of the last slot that begins at i or before.
  HZ_FN P slot(u64 i) const {
    if (i >= begin(slots())) return P::empty();
    u64 from = 0;
    for (u64 to = slots(); to - from > 1;) {
      const u64 middle = (from + to) / 2;
      (begin(middle) <= i ? from : to) = middle;
    }
    return {slots_[from].key, values_[i]};
  }

  // insert counts a row, and notes its slot and rank. The first row of a key brings
  // the key in with a count of 1.
  template <class Tile, class T>
  HZ_FN Done<P> insert_at(const Tile& tile, Walk<P>& walk, P* at, T& tally) const {
    P seen[kBucket];
    read(tile, at, seen, tally);
    for (u32 i = 0; i < kBucket; i++) {
      P* slot = at + i;
      if (seen[i].is_empty()) {
        const P was = tile.cas(slot, seen[i], P{walk.pair.key, Value(1)});
        tally.swap(slot, sizeof(P), was == seen[i]);
        if (was == seen[i]) return noted(walk, slot, 0);
        seen[i] = was;
      }
      if (seen[i].key == walk.pair.key) return noted(walk, slot, tile.fetch_add(&slot->value, Value(1)));
    }
    return advance(walk) ? Done<P>::undecided() : Done<P>::failed(walk.pair);
  }

  template <class Tile, class T>
  HZ_FN Done<P> find_at(const Tile& tile, Walk<P>& walk, P* at, T& tally) const {
    const Run run = look(tile, walk, at, tally);
    if (run.undecided) return Done<P>::undecided();
    return run.count == 0 ? Done<P>::missing() : Done<P>::found(values_[run.begin]);
  }

  // find_all counts, and notes where the values begin.
  template <class Tile, class T>
  HZ_FN Done<P> find_all_at(const Tile& tile, Walk<P>& walk, P* at, T& tally) const {
    const Run run = look(tile, walk, at, tally);
    if (run.undecided) return Done<P>::undecided();
    array<u32>(FoundRuns(*batch_).begins)[walk.index] = u32(run.begin);
    return Done<P>::counted(run.count);
  }

  // scatter writes the values of the rows that were counted to their places. What has no
  // place is handed back.
  template <bool Counted>
  HZ_FN static void scatter(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    const Csr scheme(table, batch);
    const Batch<P, k_op_insert> rows(batch);
    for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
      const u32 over = tile.ballot_of(valid, [&](Lane l) { return !scheme.put(base + l.index()); });
      if (over == 0) return;
      const u64 to = tile.fetch_add(rows.counters() + kCount_pairs, u64(popcount(over)));
      tile.each(over, [&](Lane l) { rows.put(to + tile.rank(over, l), scheme.row(base + l.index())); });
    });
  }

  // copy writes what find_all has found (copy.h). It is launched for pieces of the output, each with a whole warp.
  template <bool Counted>
  HZ_FN static void copy(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    const Copy<Value> copy(batch, Csr(table, batch).values_);
    for_each_warp(first, count, [&](const Tile<kWarp>& warp, u64 piece) { copy.piece(warp, piece); });
  }

 private:
  // Run is where the values of a key are.
  struct Run {
    u64 begin, count;
    bool undecided;
  };

  HZ_FN u64 slots() const { return u64(buckets_) * kBucket; }

  // begin returns where the values of a slot begin: 0 in a table that was never built.
  HZ_FN u64 begin(u64 slot) const { return clipped(slots_[slot].value); }
  HZ_FN u64 clipped(Value at) const {
    return Value(at + 1) == 0 ? 0 : at < table_->Capacity ? u64(at) : table_->Capacity;
  }

  template <class Tile, class T>
  HZ_FN static void read(const Tile& tile, P* at, P (&seen)[kBucket], T& tally) {
    tally.probe(at, sizeof seen);
    tile.each([&](Lane l) { lane_read_row(l, at, seen); });
  }

  template <class Tile, class T>
  HZ_FN Run look(const Tile& tile, Walk<P>& walk, P* at, T& tally) const {
    P seen[kBucket];
    read(tile, at, seen, tally);
    bool ends = false, found = false, last = false;
    Value from = 0, to = 0;
#pragma GCC unroll 4
    for (u32 i = 0; i < kBucket; i++) {
      const bool here = seen[i].key == walk.pair.key;
      from = here ? seen[i].value : from;
      if (i + 1 < kBucket) to = here ? seen[i + 1].value : to;
      last = here && i + 1 == kBucket;
      found = found || here;
      ends = ends || seen[i].is_empty();
    }
    if (!found) return {0, 0, !ends && advance(walk)};
    const u64 begins = clipped(from);
    return {begins, (last ? begin(u64(at - slots_) + kBucket) : clipped(to)) - begins, false};
  }

  HZ_FN Done<P> noted(const Walk<P>& walk, const P* slot, u64 rank) const {
    array<u64>(CountedRows(*batch_).notes)[walk.index] = u64(slot - slots_) << 32 | rank;
    return Done<P>::ok();
  }

  HZ_FN bool advance(Walk<P>& walk) const {
    if (++walk.step >= table_->Arg[kMaxProbes] || walk.step >= buckets_) return false;
    const u32 start = walk.place & ~(part_ - 1), left = buckets_ - start, part = left < part_ ? left : part_;
    u32 next = walk.place + 1;
    if (walk.step < part && next == start + part) next = start;
    if (walk.step == part) next = start + part;
    walk.place = next == buckets_ ? 0 : next;
    return true;
  }

  HZ_FN P row(u64 i) const { return {array<Key>(batch_->Keys)[i], array<Value>(batch_->Values)[i]}; }

  // put returns whether there was a place for row i. Rows that were not counted need none.
  HZ_FN bool put(u64 i) const {
    const u64 note = array<u64>(CountedRows(*batch_).notes)[i];
    if (note == ~u64(0)) return true;
    const u64 at = u64(slots_[note >> 32].value) + u32(note);
    if (at >= table_->Capacity) return false;
    values_[at] = array<Value>(batch_->Values)[i];
    return true;
  }

  const hz_table* table_;
  const hz_batch* batch_;
  P* slots_;
  Value* values_;
  u32 buckets_, part_;
  Hashes hashes_;
};

}  // namespace hz
