// sort.h: on a GPU, puts the rows of a batch into the order of the parts of a table.
//
// Rows come in any order, so two that follow each other go to distant slots. A large table is then changed by atomics
// in memory, of which a GPU carries out a third as many as in its second-level cache. A part is a range of buckets that
// fits into the cache, or whose groups have partial aggregates in one block (ahead.h).
//
//   rows     7=1 2=5 9=4 3=8 6=2      a first launch counts the rows of each part
//   parts     2   0   2   0   1
//   moved    2=5 3=8 | 6=2 | 7=1 9=4  then each block moves a few thousand rows at a time
//
// A block sorts its rows by part in shared memory, takes as many places of each part as it has rows of it, and writes
// these side by side. Neighbors in the same lines come from other blocks at about the same time: the cache has room for
// what all write. Within a part, rows come in any order.
#pragma once

#include "batch.h"
#include "drive.h"
#include "hash.h"
#include "sort_abi.h"

namespace hz {

// A block has a thread for each part.
inline constexpr u32 kSortThreads = HZ_SORT_PARTS;

template <class K, class V = K>
class Sort {
 public:
  static constexpr u32 kRows = 64 / (sizeof(K) + sizeof(V)), kTile = kRows * kSortThreads;  // of a thread, of a block

  struct Memory {
    K key[kTile];
    V value[kTile];
    u32 count[HZ_SORT_PARTS], first[HZ_SORT_PARTS], sum[kSortThreads / kWarp];
  };

  HZ_FN Sort(const void* table, const void* block, Memory* memory = nullptr)
      : table_(static_cast<const hz_table*>(table)), block_(static_cast<const hz_sort*>(block)), memory_(memory) {}

  // count counts the rows of each part; the block shares the sums.
  HZ_FN void count(u32* sums) const {
    sums[me()] = 0;
    block_sync();
    each_tile([&](u32 base, u32 rows) {
      K key[kRows];
      each_row([&](auto r, u32 i) { key[r] = keys()[base + (i < rows ? i : 0)]; });
      each_row([&](auto r, u32 i) {
        if (i < rows) share_add(sums + part_of(key[r]), 1);
      });
    });
    block_sync();
    if (sums[me()] != 0) lane_add(this_lane(), next(), sums[me()]);
  }

  // starts turns the numbers of rows of the parts into where they begin; one block runs it.
  HZ_FN void starts(u32* sums) const {
    const u32 rows = *next(), first = before_in_block<kSortThreads>(rows, sums).mine;
    u32* starts = array<u32>(block_->Starts) + me();
    *next() = starts[0] = first;
    if (me() == HZ_SORT_PARTS - 1) starts[1] = first + rows;
  }

  // move moves the rows.
  HZ_FN void move() const {
    each_tile([&](u32 base, u32 rows) {
      memory_->count[me()] = 0;
      block_sync();
      K key[kRows];
      V value[kRows];
      u32 at[kRows];  // the part, and how many rows of it came before
      each_row([&](auto r, u32 i) {
        const u32 row = base + (i < rows ? i : 0);
        key[r] = keys()[row];
        value[r] = block_->Values != 0 ? array<const V>(block_->Values)[row] : V(0);
      });
      each_row([&](auto r, u32 i) {
        const u32 part = part_of(key[r]);
        at[r] = kNone;
        if (i < rows) at[r] = part << 16 | share_add(memory_->count + part, 1);
      });
      block_sync();
      take_places();
      each_row([&](auto r, u32) {
        if (at[r] == kNone) return;
        const u32 to = memory_->first[at[r] >> 16] + (at[r] & 0xffff);
        memory_->key[to] = key[r];
        memory_->value[to] = value[r];
      });
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

  // each_row calls f(r, i) for the rows of a thread: its row r is row i of the block.
  template <class F>
  HZ_FN static void each_row(F&& f) {
    each_number<0, kRows>([&](auto r) { f(r, r * kSortThreads + me()); });
  }

  // take_places takes places for the rows of the thread's part. Afterwards `first` has where each part begins among the
  // rows of the block, and `count` what to add for its place in the batch.
  HZ_FN void take_places() const {
    const u32 mine = memory_->count[me()], place = mine == 0 ? 0 : lane_add(this_lane(), next(), mine);
    const u32 first = memory_->first[me()] = before_in_block<kSortThreads>(mine, memory_->sum).mine;
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
  HZ_FN u32* next() const { return array<u32>(block_->Next) + me(); }
  HZ_FN static u32 me() { return thread_in_block(); }

  const hz_table* table_;
  const hz_sort* block_;
  Memory* memory_;
};

// The bodies of the kernels hz_sort_count, hz_sort_starts and hz_sort_move.
template <u32 n>
struct Words {
  u32 of[n];
};
template <class K>
HZ_FN void sort_count(const void* table, void* block, u64, u64) {
  HZ_BLOCK_SCRATCH(Words<HZ_SORT_PARTS>, sums);
  Sort<K, u32>(table, block).count(sums->of);
}
HZ_FN void sort_starts(const void* table, void* block, u64, u64) {
  HZ_BLOCK_SCRATCH(Words<kSortThreads / kWarp>, sums);
  Sort<u32>(table, block).starts(sums->of);
}
template <class K>
HZ_FN void sort_move(const void* table, void* block, u64, u64) {
  HZ_BLOCK_SCRATCH(typename Sort<K>::Memory, memory);
  Sort<K>(table, block, memory).move();
}

}  // namespace hz
