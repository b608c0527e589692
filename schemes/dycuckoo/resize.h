// resize.h: the kernels that resize a table made of subtables.
//
// Each kernel reads the old version of a subtable and writes the new one in the table block. Each slot of the new
// subtable is written once, by the lane that handles it, a pair or the mark of an empty slot. So no locks are needed,
// and all accesses are sequential.
#pragma once

#include "batch.h"
#include "subtables.h"

namespace hz {

// OldSubtable is the batch of such a kernel.
template <class B>
struct OldSubtable {
  Field<B> memory, number;
  HZ_BOTH explicit OldSubtable(B& b) : memory(b.Keys), number(b.Select) {}
};

// split_buckets moves the pairs of a subtable into one of twice the size. The pairs of
// bucket j go to bucket j or j + n, into the same slot, so there is always room. `count`
// is the number of old slots.
template <class Table>
HZ_FN void split_buckets(const hz_table* t, const hz_batch* b, u64 first, u64 count) {
  const Table table(t);
  const u32 subtable = u32(OldSubtable(*b).number);
  const u64 slots = table.slots(subtable) / 2;
  const auto old = typename Table::Slots(OldSubtable(*b).memory, slots), fresh = table.of(subtable);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) {
      const u64 from = base + l.index();
      const auto key = old.key(from);
      const bool live = key != Table::Pair::kEmptyKey;
      const bool moves = live && table.bucket(subtable, key) != from / Table::B;
      auto put = [&](u64 to, bool here) {
        if (here) {
          fresh.move(to, old, from);
        } else {
          fresh.clear(to);
        }
      };
      put(from, live && !moves);
      put(from + slots, moves);
    });
  });
}

// nth returns the n-th lowest lane of a mask, counting from 0.
HZ_FN u32 nth(u32 mask, u32 n) {
  for (; n > 0; n--) mask &= mask - 1;
  return u32(lowest(mask));
}

// merge_buckets moves the pairs of a subtable into one of half the size. The pairs of
// bucket j keep their slots, and those of bucket j + n fill its open slots. Pairs that do
// not fit, the residuals, are handed back. `count` is the number of new slots.
template <class Table>
HZ_FN void merge_buckets(const hz_table* t, const hz_batch* b, u64 first, u64 count) {
  using P = typename Table::Pair;
  constexpr int B = Table::B;
  const Table table(t);
  const u32 subtable = u32(OldSubtable(*b).number);
  const u64 slots = table.slots(subtable);
  const auto old = typename Table::Slots(OldSubtable(*b).memory, slots * 2), fresh = table.of(subtable);
  const Batch<P, k_op_export> batch(b);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    auto live = [&](u64 i) { return old.key(i) != P::kEmptyKey; };
    auto bucket_of = [](Lane l) { return (B == kWarp ? ~u32(0) : (u32(1) << B % kWarp) - 1) << l.index() / B * B; };
    const u32 stay = tile.ballot_of(valid, [&](Lane l) { return live(base + l.index()); });
    const u32 come = tile.ballot_of(valid, [&](Lane l) { return live(base + slots + l.index()); });
    // The n-th pair that comes takes the n-th open slot.
    auto nth_of = [&](u32 lanes, Lane l) { return tile.rank(lanes & bucket_of(l), l); };
    const u32 residual =
        tile.ballot_of(come, [&](Lane l) { return nth_of(come, l) >= u32(popcount(valid & ~stay & bucket_of(l))); });
    tile.each(valid, [&](Lane l) {
      const u64 to = base + l.index();
      const u32 n = nth_of(~stay, l), arrivals = come & bucket_of(l);
      if (stay >> l.index() & 1) {
        fresh.move(to, old, to);
      } else if (n < u32(popcount(arrivals))) {
        fresh.move(to, old, base + slots + nth(arrivals, n));
      } else {
        fresh.clear(to);
      }
    });
    if (residual == 0) return;
    const u64 at = tile.fetch_add(batch.counters() + kCount_pairs, u64(popcount(residual)));
    tile.each(residual, [&](Lane l) { batch.put(at + tile.rank(residual, l), old.get(base + slots + l.index())); });
  });
}

// weigh_subtable counts the pairs in a sample of a subtable: evenly spaced buckets, or all
// if there are few. `count` is the number of slots in the sample. The number is added to
// the word at Batch.Out, if there is one, else to the counter `pairs`.
inline constexpr u32 kSampled = 1024;
template <class Table>
HZ_FN void weigh_subtable(const hz_table* t, const hz_batch* b, u64 first, u64 count) {
  constexpr int B = Table::B;
  const Table table(t);
  const u32 subtable = u32(OldSubtable(*b).number), buckets = table.buckets(subtable);
  const u64 stride = buckets > kSampled ? buckets / kSampled : 1;
  const auto slots = table.of(subtable);
  u64* sum = b->Out != 0 ? array<u64>(b->Out) : array<u64>(b->Counters) + kCount_pairs;
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    const u32 live = tile.ballot_of(valid, [&](Lane l) {
      const u64 at = base + l.index();
      return slots.key(at / B * stride * B + at % B) != Table::Pair::kEmptyKey;
    });
    if (live != 0) tile.add(sum, u64(popcount(live)));
  });
}

// Resizable gives a scheme of subtables these three as operations of its own.
template <class Table>
struct Resizable {
  template <bool>
  HZ_FN static void split(const hz_table* t, const hz_batch* b, u64 first, u64 count) {
    split_buckets<Table>(t, b, first, count);
  }
  template <bool>
  HZ_FN static void merge(const hz_table* t, const hz_batch* b, u64 first, u64 count) {
    merge_buckets<Table>(t, b, first, count);
  }
  template <bool>
  HZ_FN static void weigh(const hz_table* t, const hz_batch* b, u64 first, u64 count) {
    weigh_subtable<Table>(t, b, first, count);
  }
};

}  // namespace hz
