// resize.h: the kernels that resize a table made of subtables.
//
// Each kernel reads the old version of a subtable, whose slots are at Batch.Keys, and
// writes to the new, empty one in the table block. Batch.Select is the number of the
// subtable. Each lane handles one slot, and no two lanes write to the same slot, so no
// locks are needed and all accesses are sequential.
#ifndef HZ_RESIZE_H
#define HZ_RESIZE_H

#include "batch.h"
#include "subtables.h"

namespace hz {

// Old is the subtable being replaced.
template <class P>
struct Old {
  const typename P::Key* keys;
  const typename P::Value* values;

  HZ_FN Old(const hz_batch* b, u64 slots)
      : keys(array<typename P::Key>(b->Keys)), values(reinterpret_cast<const typename P::Value*>(keys + slots)) {}
  HZ_FN bool live(u64 i) const { return keys[i] != P::kEmptyKey; }
};

// split_buckets moves the pairs of a subtable into one of twice the size. The pairs of
// bucket j go to bucket j or j + n, into the same slot, so there is always room. `count`
// is the number of old slots.
template <class P, int B>
HZ_FN void split_buckets(const hz_table* t, const hz_batch* b, u64 first, u64 count) {
  const Subtables<P, B> table(t);
  const u32 subtable = u32(b->Select);
  const Old<P> old(b, table.slots(subtable) / 2);
  auto* keys = table.keys_of(subtable);
  auto* values = table.values_of(subtable);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) {
      const u64 from = base + l.index();
      if (!old.live(from)) return;
      const u64 to = u64(table.bucket(subtable, old.keys[from])) * B + from % B;
      keys[to] = old.keys[from];
      values[to] = old.values[from];
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
template <class P, int B>
HZ_FN void merge_buckets(const hz_table* t, const hz_batch* b, u64 first, u64 count) {
  const Subtables<P, B> table(t);
  const u32 subtable = u32(b->Select);
  const u64 slots = table.slots(subtable);
  const Old<P> old(b, slots * 2);
  const Batch<P, k_op_export> batch(b);
  auto* keys = table.keys_of(subtable);
  auto* values = table.values_of(subtable);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    const u32 stay = tile.ballot_of(valid, [&](Lane l) { return old.live(base + l.index()); });
    const u32 come = tile.ballot_of(valid, [&](Lane l) { return old.live(base + slots + l.index()); });
    auto bucket_of = [](Lane l) { return (B == kWarp ? ~u32(0) : (u32(1) << B % kWarp) - 1) << l.index() / B * B; };
    auto open = [&](Lane l) { return valid & ~stay & bucket_of(l); };
    auto rank = [&](Lane l) { return tile.rank(come & bucket_of(l), l); };
    const u32 residual = tile.ballot_of(come, [&](Lane l) { return rank(l) >= u32(popcount(open(l))); });
    auto move = [&](u64 from, u64 to) { keys[to] = old.keys[from], values[to] = old.values[from]; };
    tile.each(stay, [&](Lane l) { move(base + l.index(), base + l.index()); });
    tile.each(come & ~residual, [&](Lane l) { move(base + slots + l.index(), base + nth(open(l), rank(l))); });
    if (residual == 0) return;
    const u64 at = tile.fetch_add(batch.counters() + kCount_pairs, u64(popcount(residual)));
    tile.each(residual, [&](Lane l) {
      const u64 from = base + slots + l.index();
      batch.put(at + tile.rank(residual, l), P{old.keys[from], old.values[from]});
    });
  });
}

// weigh_subtables counts the keys in Batch.Select evenly spaced buckets of each subtable,
// into Batch.Out. `count` is Select * B times the number of subtables.
template <class P, int B>
HZ_FN void weigh_subtables(const hz_table* t, const hz_batch* b, u64 first, u64 count) {
  const Subtables<P, B> table(t);
  const u64 sample = b->Select * B;
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    for (u32 i = u32(base / sample); i < table.count() && i * sample < base + kWarp; i++) {
      const auto* keys = table.keys_of(i);
      const u64 stride = table.buckets(i) / b->Select;
      const u32 live = tile.ballot_of(valid, [&](Lane l) {
        const u64 at = base + l.index();
        if (at / sample != i) return false;
        return keys[at % sample / B * stride * B + at % B] != P::kEmptyKey;
      });
      if (live != 0) tile.fetch_add(array<u64>(b->Out) + i, u64(popcount(live)));
    }
  });
}

}  // namespace hz

#endif
