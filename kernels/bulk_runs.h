// bulk_runs.h: lays the values of each key side by side, part by part of a directory.
//
// Rows are split into bins (bulk.h). Each bin stands for a part of the directory and, since the numbers of rows in all
// bins are known, for a range of the values. A block counts the rows of each key in shared memory, adds the counts up,
// which gives the places of the values, and writes the part and the range once, in order. If all rows have keys of
// their own, as those of a primary key have, they take turns in their buckets instead, which costs half as much.
#ifndef HZ_BULK_RUNS_H
#define HZ_BULK_RUNS_H

#include "bulk_build.h"

namespace hz {

// BulkRuns builds a part of the directory, and its values.
template <class K>
class BulkRuns : BulkTurns<K, true> {
 public:
  using Table = BulkTurns<K, true>;
  using Table::kTile, Table::kBuckets, typename Table::P;

  struct Memory : Table::Memory {
    u32 sums[HZ_BULK_THREADS / kWarp];
  };

  HZ_FN BulkRuns(const hz_bulk* b, Memory* memory) : Table(b, memory), memory_(memory) {}

  HZ_FN void all(u64 first, u64 count) const {
    for_each_block<HZ_BULK_THREADS>(first, count, [&](u64 i) {
      const Part p = this->part(i);
      const u32 start = array<const u32>(b_->Starts)[i];
      different(p) ? lay_turns(p, start) : lay(p, start);
      if (p.bucket + p.buckets == this->buckets_ && thread_in_block() == 0)
        p.table[p.buckets << bits_].value = K(start + p.number);
      block_sync();
    });
  }

 private:
  using Table::b_, Table::bits_, Table::bucket_;
  using typename Table::Part, typename Table::Slot;
  static constexpr K kNowhere = ~K(0);

  // different: have all rows keys of their own, which are in their slots now? It is not tried after a part of another
  // kind was seen.
  HZ_FN bool different(const Part& p) const {
    if (thread_in_block() == 0) memory_->again = share_read(array<const u64>(b_->Full)) != 0;
    block_sync();
    if (memory_->again != 0) return false;
    if (this->by_turns(p) && memory_->stills == 0) return true;
    if (thread_in_block() == 0) lane_add(this_lane(), array<u64>(b_->Full), u64(1));
    block_sync();
    return false;
  }

  // lay_turns brings the part and its values, which begin at `start`, to memory. The rows of a bucket are side by side.
  HZ_FN void lay_turns(const Part& p, u32 start) const {
    for_each_of_block(kBuckets, [&](u32 i) { memory_->begin[i] = i < p.buckets ? rows_in(i) : 0; });
    starts_in_block<Table::kThreads, kBuckets>(memory_->begin, memory_->sums);
    for_each_of_block(p.buckets << bits_, [&](u32 i) {
      const u32 bucket = i >> bits_, turn = i & (bucket_ - 1), rows = rows_in(bucket),
                at = start + memory_->begin[bucket] + (turn < rows ? turn : rows);
      p.table[i] = {memory_->key[i], K(at)};
      if (turn < rows) array<K>(b_->Runs)[at] = memory_->value[i];
    });
  }
  HZ_FN u32 rows_in(u32 bucket) const {
    const u32 wanted = memory_->taken[bucket];
    return wanted < bucket_ ? wanted : bucket_;
  }

  // lay does so with rows of any keys. They get, instead of their keys, the slot of that and how many rows of it came
  // before.
  HZ_FN void lay(const Part& p, u32 start) const {
    for_each_of_block(kTile, [&](u32 i) { memory_->key[i] = P::kEmptyKey, memory_->count[i] = 0; });
    block_sync();
    this->each_slot(p, &memory_->late, [&](bool here, const Slot& slot, const P& row, P* at) {
      if (here) at->key = counted(slot.at, row);
    });
    starts_in_block<Table::kThreads, kTile>(memory_->count, memory_->sums);
    for_each_of_block(p.buckets << bits_, [&](u32 i) { p.table[i] = {memory_->key[i], K(start + memory_->count[i])}; });
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

#endif
