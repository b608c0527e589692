// sort.h: on a GPU, puts the rows of a batch into the order of the parts of a table.
//
// Rows come in any order, so two that follow each other go to distant slots. A large table
// is then changed by atomics in memory, of which a GPU carries out a third as many as in its
// second-level cache. A part is a range of buckets that fits into the cache, or whose groups
// have partial aggregates in one block (ahead.h).
//
//   rows     7=1 2=5 9=4 3=8 6=2      a first launch counts the rows of each part
//   parts     2   0   2   0   1
//   moved    2=5 3=8 | 6=2 | 7=1 9=4  then each block moves a few thousand rows at a time
//
// A block sorts its rows by part in shared memory, and takes as many places of each part as
// it has rows of it. So it writes the rows of a part side by side, where neighbors of the
// same lines come from other blocks at about the same time: the cache has room for what all
// blocks write. Within a part, rows come in any order.
#ifndef HZ_SORT_H
#define HZ_SORT_H

#include "batch.h"
#include "drive.h"
#include "hash.h"
#include "sort_abi.h"

namespace hz {

// A block has a thread for each part.
inline constexpr u32 kSortThreads = HZ_SORT_PARTS;

template <class K, class V>
class Sort {
 public:
  static constexpr u32 kRows = 64 / (sizeof(K) + sizeof(V));  // of a thread
  static constexpr u32 kTile = kRows * kSortThreads;

  struct Memory {
    K key[kTile];
    V value[kTile];
    u32 count[HZ_SORT_PARTS], first[HZ_SORT_PARTS], sum[kSortThreads / kWarp];
  };

  HZ_FN Sort(const void* table, const void* block, Memory* memory)
      : table_(static_cast<const hz_table*>(table)), block_(static_cast<const hz_sort*>(block)), memory_(memory) {}

  // count counts the rows of each part; the block shares the sums.
  HZ_FN void count(u32* sums) const {
    sums[me()] = 0;
    block_sync();
    each_tile([&](u32 base, u32 rows) {
      K key[kRows];
#pragma unroll
      for (u32 r = 0; r < kRows; r++) key[r] = keys()[base + (index(r) < rows ? index(r) : 0)];
#pragma unroll
      for (u32 r = 0; r < kRows; r++) {
        if (index(r) < rows) share_add(sums + part_of(key[r]), 1);
      }
    });
    block_sync();
    if (sums[me()] != 0) lane_add(lane(), next() + me(), sums[me()]);
  }

  // move moves the rows.
  HZ_FN void move() const {
    each_tile([&](u32 base, u32 rows) {
      memory_->count[me()] = 0;
      block_sync();
      K key[kRows];
      V value[kRows];
      u32 at[kRows];  // the part, and how many rows of it came before
#pragma unroll
      for (u32 r = 0; r < kRows; r++) {
        const u32 row = base + (index(r) < rows ? index(r) : 0);
        key[r] = keys()[row];
        value[r] = block_->Values != 0 ? values()[row] : V(0);
      }
#pragma unroll
      for (u32 r = 0; r < kRows; r++) {
        const u32 part = part_of(key[r]);
        at[r] = kNone;
        if (index(r) < rows) at[r] = part << 16 | share_add(memory_->count + part, 1);
      }
      block_sync();
      take_places();
#pragma unroll
      for (u32 r = 0; r < kRows; r++) {
        if (at[r] == kNone) continue;
        const u32 to = memory_->first[at[r] >> 16] + (at[r] & 0xffff);
        memory_->key[to] = key[r];
        memory_->value[to] = value[r];
      }
      block_sync();
      write(rows);
      block_sync();
    });
  }

 private:
  static constexpr u32 kNone = ~u32(0);
  static_assert(kTile <= 1 << 16);

  // each_tile calls f(first row, number of rows) for what a block handles at a time.
  template <class F>
  HZ_FN void each_tile(F&& f) const {
    const u64 step = threads_in_grid() * kRows;
    for (u64 base = (thread_in_grid() - me()) * kRows; base < block_->Items; base += step) {
      f(u32(base), u32(block_->Items - base < kTile ? block_->Items - base : kTile));
    }
  }

  // index returns row r of a thread, of those of its block.
  HZ_FN static u32 index(u32 r) { return r * kSortThreads + me(); }

  // take_places takes places for the rows of the thread's part. Afterwards `first` has where each
  // part begins among the rows of the block, and `count` what to add for its place in the batch.
  HZ_FN void take_places() const {
    const Tile<kWarp> warp;
    const u32 mine = memory_->count[me()];
    const u64 before = warp.before(Lanes<u64, kWarp>{mine})[lane()];
    if (lane_in_warp() == kWarp - 1) memory_->sum[me() / kWarp] = u32(before) + mine;
    const u32 place = mine == 0 ? 0 : lane_add(lane(), next() + me(), mine);
    block_sync();
    u32 first = u32(before);
    for (u32 w = 0; w < me() / kWarp; w++) first += memory_->sum[w];
    memory_->first[me()] = first;
    memory_->count[me()] = place - first;
    block_sync();
  }

  // write writes the rows, which lie in the order of their parts.
  HZ_FN void write(u32 rows) const {
    for (u32 i = me(); i < rows; i += kSortThreads) {
      const K key = memory_->key[i];
      const u32 to = memory_->count[part_of(key)] + i;
      array<K>(block_->KeysTo)[to] = key;
      if (block_->Values != 0) array<V>(block_->ValuesTo)[to] = memory_->value[i];
    }
  }

  HZ_FN u32 part_of(K key) const {
    return hash_to(table_->Hash[0], table_->Family, key, u32(table_->Buckets)) >> u32(block_->Shift);
  }
  HZ_FN const K* keys() const { return array<const K>(block_->Keys); }
  HZ_FN const V* values() const { return array<const V>(block_->Values); }
  HZ_FN u32* next() const { return array<u32>(block_->Next); }
  HZ_FN static u32 me() { return thread_in_block(); }
  HZ_FN static Lane lane() { return {lane_in_warp()}; }

  const hz_table* table_;
  const hz_sort* block_;
  Memory* memory_;
};

// sort_count is the body of the kernels hz_sort_count, sort_move that of hz_sort_move.
template <class K>
HZ_FN void sort_count(const void* table, void* block, u64, u64) {
  struct Sums {
    u32 of[HZ_SORT_PARTS];
  };
  HZ_BLOCK_SCRATCH(Sums, sums);
  Sort<K, u32>(table, block, nullptr).count(sums->of);
}
template <class K, class V>
HZ_FN void sort_move(const void* table, void* block, u64, u64) {
  using O = Sort<K, V>;
  HZ_BLOCK_SCRATCH(typename O::Memory, memory);
  O(table, block, memory).move();
}

// sort_starts is the body of the kernel hz_sort_starts, which a warp runs: it adds up the numbers of
// rows of the parts.
HZ_FN void sort_starts(const void*, void* block, u64 first, u64 count) {
  constexpr u32 kEach = HZ_SORT_PARTS / kWarp;
  const hz_sort* sort = static_cast<const hz_sort*>(block);
  u32 *next = array<u32>(sort->Next), *starts = array<u32>(sort->Starts);
  for_each_warp(first, count, [&](const Tile<kWarp>& warp, u64) {
    Lanes<u64, kWarp> sum;
    warp.each([&](Lane l) {
      sum[l] = 0;
      for (u32 i = 0; i < kEach; i++) sum[l] += next[l.index() * kEach + i];
    });
    const Lanes<u64, kWarp> before = warp.before(sum);
    warp.each([&](Lane l) {
      u32 place = u32(before[l]);
      for (u32 i = l.index() * kEach; i < (l.index() + 1) * kEach; i++) {
        const u32 rows = next[i];
        starts[i] = next[i] = place;
        place += rows;
      }
      if (l.index() == kWarp - 1) starts[HZ_SORT_PARTS] = place;
    });
  });
}

// sort_sample is the body of the kernels hz_sort_sample: `count` rows, evenly spaced, mark their
// keys in a bitmap.
template <class K>
HZ_FN void sort_sample(const void*, void* block, u64 first, u64 count) {
  const hz_sort* sort = static_cast<const hz_sort*>(block);
  const u64 stride = sort->Items / HZ_SORT_SAMPLE;
  u32* marks = array<u32>(sort->Marks);
  for_each_group(first, count, [&](const Tile<kWarp>& warp, u64 base, u32 valid) {
    const u32 fresh = warp.ballot_of(valid, [&](Lane l) {
      const u32 bit = u32(mix64(array<const K>(sort->Keys)[(base + l.index()) * stride])) % HZ_SORT_MARKS;
      const u32 mask = u32(1) << bit % 32;
      return (lane_or(l, marks + bit / 32, mask) & mask) == 0;
    });
    if (fresh != 0) warp.add(reinterpret_cast<u64*>(marks + HZ_SORT_MARKS / 32), u64(popcount(fresh)));
  });
}

}  // namespace hz

#endif
