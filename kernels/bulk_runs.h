// bulk_runs.h: lays the values of each key side by side, part by part of a directory.
//
// Rows are split into bins (bulk.h). Each bin stands for a part of the directory and, since the numbers of rows in all
// bins are known, for a range of the values. A block counts the rows of each key in shared memory, adds the counts up,
// which gives the places of the values, and writes the part and the range once, in order.
//
// Parts whose rows all have keys of their own, as those of a primary key have, are laid before by another kernel, in
// two thirds of the time: rows take turns in their buckets, and what a bucket has is side by side.
#pragma once

#include "bulk_build.h"

namespace hz {

// BulkSingles lays parts whose rows have keys of their own, and marks them.
template <class K>
class BulkSingles : BulkTurns<K, true> {
 public:
  using Table = BulkTurns<K, true>;
  using Table::kBuckets, typename Table::P;

  struct Memory : Table::Memory {
    u32 sums[HZ_BULK_THREADS / kWarp];
    u64 others;  // parts that could not be laid
  };

  HZ_FN BulkSingles(const hz_bulk* b, Memory* memory) : Table(b, memory), memory_(memory) {}

  HZ_FN void all(u64 first, u64 count) const {
    look();
    block_sync();
    for_each_block<HZ_BULK_THREADS>(first, count, [&](u64 i) {
      if (memory_->others >= kOthers) return;
      const Part p = this->part(i);
      const bool laid = this->by_turns(p) && memory_->stills == 0;
      if (laid) lay(p, array<const u32>(b_->Starts)[i]);
      if (thread_in_block() == 0) laid ? mark(i) : other();
      look();
      block_sync();
    });
  }

 private:
  using Table::b_, Table::bits_, Table::bucket_;
  using typename Table::Part;

  // The most parts that fail before the rest are skipped.
  static constexpr u64 kOthers = 64;
  HZ_FN void look() const {
    if (thread_in_block() == 0) memory_->others = share_read(array<const u64>(b_->Full));
  }
  HZ_FN void other() const { lane_add(this_lane(), array<u64>(b_->Full), u64(1)); }
  HZ_FN void mark(u64 i) const { array<u8>(b_->LeftOf)[i] = 1; }

  // lay brings the part and its values, which begin at `start`, to memory.
  HZ_FN void lay(const Part& p, u32 start) const {
    for_each_of_block(kBuckets, [&](u32 i) { memory_->begin[i] = i < p.buckets ? rows_in(i) : 0; });
    starts_in_block<Table::kThreads, kBuckets>(memory_->begin, memory_->sums);
    for_each_of_block(p.buckets << bits_, [&](u32 i) {
      const u32 bucket = i >> bits_, turn = i & (bucket_ - 1), rows = rows_in(bucket),
                at = start + memory_->begin[bucket] + (turn < rows ? turn : rows);
      p.table[i] = {memory_->key[i], K(at)};
      if (turn < rows) array<K>(b_->Runs)[at] = memory_->value[i];
    });
    this->end_runs(p, start);
  }
  HZ_FN u32 rows_in(u32 bucket) const {
    const u32 wanted = memory_->taken[bucket];
    return wanted < bucket_ ? wanted : bucket_;
  }

  Memory* memory_;
};

// BulkRuns lays the parts that are not marked.
template <class K>
class BulkRuns : BulkPart<K, true> {
 public:
  using Table = BulkPart<K, true>;
  using Table::kTile, typename Table::P;

  struct Memory {
    alignas(16) K key[kTile];      // of each slot; then the values
    alignas(16) u32 count[kTile];  // how many rows the key of each slot has; then where they begin
    u32 sums[HZ_BULK_THREADS / kWarp];
    typename Table::PutOff late;
  };

  HZ_FN BulkRuns(const hz_bulk* b, Memory* memory) : Table(b, memory->key), memory_(memory) {}

  HZ_FN void all(u64 first, u64 count) const {
    for_each_block<HZ_BULK_THREADS>(first, count, [&](u64 i) {
      if (b_->LeftOf != 0 && array<const u8>(b_->LeftOf)[i] != 0) return;
      lay(this->part(i), array<const u32>(b_->Starts)[i]);
      block_sync();
    });
  }

 private:
  using Table::b_;
  using typename Table::Part, typename Table::Slot;
  static constexpr K kNowhere = ~K(0);

  // Rows get, instead of their keys, the slot of that and how many rows of it came before.
  HZ_FN void lay(const Part& p, u32 start) const {
    for_each_of_block(kTile, [&](u32 i) { memory_->key[i] = P::kEmptyKey, memory_->count[i] = 0; });
    block_sync();
    this->each_slot(p, &memory_->late, [&](bool here, const Slot& slot, const P& row, P* at) {
      if (here) at->key = counted(slot.at, row);
    });
    starts_in_block<Table::kThreads, kTile>(memory_->count, memory_->sums);
    for_each_of_block(p.buckets << this->bits_,
                      [&](u32 i) { p.table[i] = {memory_->key[i], K(start + memory_->count[i])}; });
    this->end_runs(p, start);
    block_sync();
    this->each_row(p, [&](bool here, const P& row, u32) {
      if (here && row.key != kNowhere)
        memory_->key[memory_->count[row.key >> 16] + (row.key & 0xffff)] = this->value_of(row.value);
    });
    block_sync();
    for_each_of_block(p.number, [&](u32 i) { array<K>(b_->Runs)[start + i] = memory_->key[i]; });
  }

  HZ_FN K counted(u32 slot, const P& row) const {
    this->note(row, k_ok);
    if (slot != Table::kNone) return K(slot) << 16 | share_add(memory_->count + slot, 1);
    lane_add(this_lane(), array<u64>(b_->Left), u64(1));
    return kNowhere;
  }

  Memory* memory_;
};

}  // namespace hz
