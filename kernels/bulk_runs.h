// bulk_runs.h: lays the values of each key side by side, part by part of a directory.
//
// Rows are split into bins (bulk.h). Each bin stands for a part of the directory and, since the numbers of rows in all
// bins are known, for a range of the values. A block counts the rows of each key in shared memory, adds the counts up,
// which gives the places of the values, and writes the part and the range once, in order.
#ifndef HZ_BULK_RUNS_H
#define HZ_BULK_RUNS_H

#include "bulk_build.h"

namespace hz {

// BulkRuns builds a part of the directory, and its values.
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
      lay(this->part(i), array<const u32>(b_->Starts)[i]);
      block_sync();
    });
  }

 private:
  using Table::b_;
  using typename Table::Part, typename Table::Slot;
  static constexpr K kNowhere = ~K(0);

  // lay brings the part and its values, which begin at `start`, to memory. Rows get, instead of their keys, the slot of
  // that and how many rows of it came before.
  HZ_FN void lay(const Part& p, u32 start) const {
    for_each_of_block(kTile, [&](u32 i) { memory_->key[i] = P::kEmptyKey, memory_->count[i] = 0; });
    block_sync();
    this->each_slot(p, &memory_->late, [&](bool here, const Slot& slot, const P& row, P* at) {
      if (here) at->key = counted(slot.at, row);
    });
    starts_in_block<Table::kThreads, kTile>(memory_->count, memory_->sums);
    write(p, start);
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

  // write writes a part of the directory; the last, how many values there are, too.
  HZ_FN void write(const Part& p, u32 start) const {
    const u32 slots = p.buckets << this->bits_;
    for_each_of_block(slots, [&](u32 i) { p.table[i] = {memory_->key[i], K(start + memory_->count[i])}; });
    const bool last = p.bucket + p.buckets == this->buckets_;
    if (last && thread_in_block() == 0) p.table[slots].value = K(start + p.number);
  }

  Memory* memory_;
};

}  // namespace hz

#endif
