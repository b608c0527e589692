// bulk.h: carries out a large batch of inserts, or of values that are combined, part by part of the table.
//
// A table that takes rows one by one accesses memory at random for each of them, and a GPU does that some 15 to 40
// billion times a second, whatever the table. Moving a row in order costs a tenth of it. So rows are first brought
// together by the part of the table that they belong to. A part fits into the memory that a block shares, which takes
// atomics without leaving the multiprocessor; it is built there, and written once, in order.
//
//   rows      7=1 2=5 9=4 3=8 6=2 ...     split by the upper bits of the numbers of their buckets into bins
//   bins      2=5 3=8 .. | 7=1 6=2 ..     each of these split by the next bits, if there are many parts
//   parts     2=5 | 3=8 | 7=1 | 6=2       each put into its part by a block
//
// Split. A block sorts a few thousand rows by bin in shared memory, takes as many places of each bin as it has rows of
// it, and writes these side by side. Bins have room for what a good hash function gives them and a bit more, so nothing
// needs to be counted first.
//
// Build. A row takes an unused slot of its first bucket, as in every scheme that is built this way; with linear
// probing, the next buckets follow, up to the end of the part. Where values are combined, it may find the slot of its
// key. A row that finds no slot, or is inserted and finds its key, or finds no room in its bin, as rows of a key that
// has a great many, is left for the table's own operation, which knows what to do: evict, go on, refuse. So contents,
// outcomes and rejected pairs are those of other batches.
//
// On a CPU a block is a thread, and what it shares is in its cache.
#pragma once

#include "batch.h"
#include "bulk_abi.h"
#include "drive.h"
#include "hash.h"

namespace hz {

// BulkRows holds the fields of a batch that all kernels read. It copies them: the compiler would read them again after
// each write.
template <class K>
class BulkRows {
 public:
  using P = Pair<K>;
  static constexpr u32 kThreads = kThreadsOf<HZ_BULK_THREADS>;
  static constexpr u32 kTile = HZ_BULK_BYTES / sizeof(P);  // rows that a block sorts, and slots of a part

 protected:
  HZ_FN explicit BulkRows(const hz_bulk* b)
      : b_(b), hash_(b->Hash), family_(u32(b->Family)), buckets_(u32(b->Buckets)), by_number_(b->Status != 0) {}

  HZ_FN u32 bucket_of(K key) const { return hash_to(hash_, family_, key, buckets_); }

  // rows_of is how many rows a bin has.
  HZ_FN u32 rows_of(u64 bin) const {
    const u32 rows = array<const u32>(b_->From.Next)[bin];
    return rows < b_->From.Room ? rows : u32(b_->From.Room);
  }

  // If outcomes are wanted, a row has its number instead of its value.
  HZ_FN K value_of(K value) const { return by_number_ ? given(u64(value)) : value; }
  // given returns the value of row i, or 1 if the operation takes no values.
  HZ_FN K given(u64 i) const { return b_->Values != 0 ? array<const K>(b_->Values)[i] : K(1); }

  // leave appends a row to those that are left, if `left` is set. All threads of a block call it together.
  HZ_FN void leave(bool left, const P& row) const {
    append_in_block(
        left, [&](u32 n) { return lane_add(this_lane(), array<u64>(b_->Left), u64(n)); },
        [&](u64 to) { leave_at(to, row); });
  }
  HZ_FN void leave_at(u64 to, const P& row) const {
    if (b_->LeftKeys == 0) return;
    array<K>(b_->LeftKeys)[to] = row.key;
    array<K>(b_->LeftValues)[to] = value_of(row.value);
    if (by_number_) array<u32>(b_->LeftOf)[to] = u32(row.value);
  }

  // each_row calls f(r, i) for the rows of a thread: its row r is row i of the block.
  template <class F>
  HZ_FN static void each_row(F&& f) {
    HZ_UNROLLED for (u32 r = 0; r < kTile / kThreads; r++) f(r, r * kThreads + thread_in_block());
  }

  HZ_FN void note(const P& row, Outcome outcome) const {
    if (by_number_) array<u8>(b_->Status)[row.value] = outcome;
  }

  const hz_bulk* b_;
  hz_hash hash_;
  u32 family_, buckets_;
  bool by_number_;
};

// for_each_block calls f(i) in block i of a launch of as many items as all blocks have threads.
template <u32 threads, class F>
HZ_FN void for_each_block(u64 first, u64 count, F&& f) {
  const Blocks all = blocks_of<threads>(first, count);
  for (u64 i = all.first; i < all.end; i += all.step) f(i);
}

// BulkSplit moves rows into bins. Blocks take the rows of a bin a tile at a time.
template <class K>
class BulkSplit : BulkRows<K> {
 public:
  using Rows = BulkRows<K>;
  using Rows::kTile, Rows::kThreads;
  using typename Rows::P;

  struct Memory {
    P row[kTile];
    u32 count[HZ_BULK_PARTS], first[HZ_BULK_PARTS], sums[HZ_BULK_THREADS / kWarp];
  };

  HZ_FN BulkSplit(const hz_bulk* b, Memory* memory)
      : Rows(b),
        memory_(memory),
        shift_(u32(b->Shift)),
        mask_(b->From.Number == 0 ? ~u32(0) : u32(b->To.Number - 1)),
        bins_(u32(b->To.Number)) {}

  HZ_BOTH static u64 tiles(u64 rows) { return (rows + kTile - 1) / kTile; }

  HZ_FN void all(u64 first, u64 count) const {
    const Blocks blocks = blocks_of<HZ_BULK_THREADS>(first, count);
    P row[kRows];
    Tile now = next(u32(blocks.first), blocks, row);
    while (now.rows > 0) {
      const u32 sorted = sort(now, row);
      const Tile then =
          next(now.number + u32(blocks.step), blocks, row);  // its rows come while those of this are written
      write(now.bin, sorted);
      block_sync();
      now = then;
    }
  }

 private:
  using Rows::b_, Rows::leave, Rows::each_row;

  static constexpr u32 kNone = ~u32(0), kRows = kTile / kThreads;  // of a thread
  static_assert(kTile <= 1 << 16);

  // Tile describes the rows that a block sorts at a time, and their first bin.
  struct Tile {
    u32 number, bin, rows;
  };

  // next reads the rows of the next tile that has some. Each thread divides, and 64-bit numbers take far longer.
  HZ_FN Tile next(u32 tile, const Blocks& blocks, P (&row)[kRows]) const {
    const bool whole = b_->From.Number == 0;
    const u32 each = whole ? 0 : u32(tiles(b_->From.Room));
    for (; tile < blocks.end; tile += u32(blocks.step)) {
      const u32 number = opaque(tile), bin = whole ? 0 : number / each, from = (number - bin * each) * kTile,
                rows = whole ? u32(b_->Items) : this->rows_of(bin);
      if (from >= rows) continue;
      const u32 here = rows - from < kTile ? rows - from : kTile;
      whole ? read(from, here, row) : read(bin, from, here, row);
      return {tile, bin * bins_, here};
    }
    return {tile, 0, 0};
  }
  HZ_FN void read(u32 from, u32 rows, P (&row)[kRows]) const {
    const K* keys = array<const K>(b_->Keys) + from;
    each_row([&](u32 r, u32 i) { row[r].key = keys[i < rows ? i : 0]; });
    if (!this->by_number_ && b_->Values != 0) {
      const K* values = array<const K>(b_->Values) + from;
      each_row([&](u32 r, u32 i) { row[r].value = values[i < rows ? i : 0]; });
    } else {
      each_row([&](u32 r, u32 i) { row[r].value = this->by_number_ ? K(from + i) : K(1); });
    }
  }
  HZ_FN void read(u32 bin, u32 from, u32 rows, P (&row)[kRows]) const {
    const P* pairs = array<const P>(b_->From.Rows) + bin * b_->From.Room + from;
    each_row([&](u32 r, u32 i) { row[r] = pairs[i < rows ? i : 0]; });
  }

  // sort brings rows into the order of their bins, and returns how many have one.
  HZ_FN u32 sort(const Tile& tile, const P (&row)[kRows]) const {
    for_each_of_block(bins_, [&](u32 i) { memory_->count[i] = 0; });
    block_sync();
    u32 at[kRows];  // the bin, and how many rows of it came before
    bool refused = false;
    each_row([&](u32 r, u32 i) {
      const u32 to = bin_of(row[r].key);
      const bool here = i < tile.rows && !P::reserved(row[r].key);
      at[r] = here ? to << 16 | share_add(memory_->count + to, 1) : kNone;
      refused |= i < tile.rows && !here;
    });
    if (any_in_warp(refused)) each_row([&](u32 r, u32 i) { leave(i < tile.rows && at[r] == kNone, row[r]); });
    block_sync();
    const u32 all = take_places(tile.bin);
    each_row([&](u32 r, u32) {
      if (at[r] != kNone) memory_->row[memory_->first[at[r] >> 16] + (at[r] & 0xffff)] = row[r];
    });
    block_sync();
    return all;
  }

  // take_places takes places in the bins for the rows of the block. Afterwards `first` says where the rows of each bin
  // begin, and `count` what to add for the place in the bin. It returns the number of all.
  HZ_FN u32 take_places(u32 bin) const {
    constexpr u32 each = HZ_BULK_PARTS / kThreads;
    u32* next = array<u32>(b_->To.Next) + bin;
    u32 place[each];
    HZ_UNROLLED for (u32 r = 0; r < each; r++) {
      const u32 i = r * kThreads + thread_in_block(), rows = i < bins_ ? memory_->count[i] : 0;
      memory_->first[i] = rows;
      place[r] = rows == 0 ? 0 : lane_add(this_lane(), next + i, rows);
    }
    const u32 all = starts_in_block<HZ_BULK_PARTS>(memory_->first, memory_->sums);
    HZ_UNROLLED for (u32 r = 0; r < each; r++) {
      const u32 i = r * kThreads + thread_in_block();
      memory_->count[i] = place[r] - memory_->first[i];
    }
    block_sync();
    return all;
  }

  // write writes rows, which lie in the order of their bins.
  HZ_FN void write(u32 bin, u32 rows) const {
    const u32 room = u32(b_->To.Room);
    P* to = array<P>(b_->To.Rows) + u64(bin) * room;
    bool over = false;
    each_row([&](u32, u32 i) {
      const P row = memory_->row[i < rows ? i : 0];
      const u32 of = bin_of(row.key), place = memory_->count[of] + i;
      if (i < rows && place < room) to[u64(of) * room + place] = row;
      over |= i < rows && place >= room;
    });
    if (!any_in_warp(over)) return;
    each_row([&](u32, u32 i) {
      const P row = memory_->row[i < rows ? i : 0];
      leave(i < rows && memory_->count[bin_of(row.key)] + i >= room, row);
    });
  }

  // bin_of returns the bin that a row goes to, of those that its bin is split into.
  HZ_FN u32 bin_of(K key) const { return this->bucket_of(key) >> shift_ & mask_; }

  Memory* memory_;
  u32 shift_, mask_, bins_;
};

// The body of the kernels hz_bulk_split, _build, _singles and _runs.
template <class Step>
HZ_FN void bulk(const void*, void* block, u64 first, u64 count) {
  HZ_BLOCK_SCRATCH(typename Step::Memory, memory);
  Step(static_cast<const hz_bulk*>(block), memory).all(first, count);
}

}  // namespace hz
