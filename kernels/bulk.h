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
#ifndef HZ_BULK_H
#define HZ_BULK_H

#include "batch.h"
#include "bulk_abi.h"
#include "drive.h"
#include "hash.h"
#include "partials.h"

namespace hz {

// BulkRows is what both kernels need of a batch. It copies what every row needs from their block: the compiler would
// read that again after each write.
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
    append_in_block(left, [&] { return array<u64>(b_->Left); }, [&](u64 to) { leave_at(to, row); });
  }
  HZ_FN void leave_at(u64 to, const P& row) const {
    array<K>(b_->LeftKeys)[to] = row.key;
    array<K>(b_->LeftValues)[to] = value_of(row.value);
    if (by_number_) array<u32>(b_->LeftOf)[to] = u32(row.value);
  }

  const hz_bulk* b_;
  hz_hash hash_;
  u32 family_, buckets_;
  bool by_number_;
};

// BulkSplit moves rows into bins. Blocks take the rows of a bin some at a time.
template <class K>
class BulkSplit : BulkRows<K> {
 public:
  using Rows = BulkRows<K>;
  using Rows::kTile, Rows::kThreads;
  using typename Rows::P;

  using Bin = unsigned short;
  struct Memory {
    P row[kTile];
    Bin bin[kTile];
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
    const bool whole = b_->From.Number == 0;
    const u64 each = tiles(whole ? b_->Items : b_->From.Room);
    for_each_block<HZ_BULK_THREADS>(first, count, [&](u64 tile) {
      const u64 bin = tile / each, from = tile % each * kTile, rows = whole ? b_->Items : this->rows_of(bin);
      if (from >= rows) return;
      const u32 here = u32(rows - from < kTile ? rows - from : kTile);
      P row[kRows];
      whole ? read(from, here, row) : read(bin, from, here, row);
      split(bin * bins_, here, row);
    });
  }

 private:
  using Rows::b_, Rows::leave;

  static constexpr u32 kNone = ~u32(0), kRows = kTile / kThreads;  // of a thread
  static_assert(kTile <= 1 << 16);

  HZ_FN void read(u64 from, u32 rows, P (&row)[kRows]) const {
    const K* keys = array<const K>(b_->Keys) + from;
    each_row([&](u32 r, u32 i) { row[r].key = keys[i < rows ? i : 0]; });
    each_row(
        [&](u32 r, u32 i) { row[r].value = this->by_number_ ? K(from + i) : this->given(from + (i < rows ? i : 0)); });
  }
  HZ_FN void read(u64 bin, u64 from, u32 rows, P (&row)[kRows]) const {
    const P* pairs = array<const P>(b_->From.Rows) + bin * b_->From.Room + from;
    each_row([&](u32 r, u32 i) { row[r] = pairs[i < rows ? i : 0]; });
  }

  // split moves rows to the bins from one on.
  HZ_FN void split(u64 bin, u32 rows, const P (&row)[kRows]) const {
    for_each_of_block(bins_, [&](u32 i) { memory_->count[i] = 0; });
    block_sync();
    u32 at[kRows];  // the bin, and how many rows of it came before
    bool refused = false;
    each_row([&](u32 r, u32 i) {
      const u32 to = bin_of(row[r].key);
      const bool here = i < rows && !P::reserved(row[r].key);
      at[r] = here ? to << 16 | share_add(memory_->count + to, 1) : kNone;
      refused |= i < rows && !here;
    });
    if (any_in_warp(refused)) each_row([&](u32 r, u32 i) { leave(i < rows && at[r] == kNone, row[r]); });
    block_sync();
    const u32 all = take_places(bin);
    each_row([&](u32 r, u32) {
      if (at[r] == kNone) return;
      const u32 to = memory_->first[at[r] >> 16] + (at[r] & 0xffff);
      memory_->row[to] = row[r];
      memory_->bin[to] = Bin(at[r] >> 16);
    });
    block_sync();
    write(bin, all);
    block_sync();
  }

  // take_places takes places in the bins for the rows of the block. Afterwards `first` says where the rows of each bin
  // begin, and `count` what to add for the place in the bin. It returns the number of all.
  HZ_FN u32 take_places(u64 bin) const {
    for_each_of_block(HZ_BULK_PARTS, [&](u32 i) { memory_->first[i] = i < bins_ ? memory_->count[i] : 0; });
    const u32 all = starts_in_block<HZ_BULK_PARTS>(memory_->first, memory_->sums);
    u32* next = array<u32>(b_->To.Next) + bin;
    for_each_of_block(bins_, [&](u32 i) {
      const u32 rows = memory_->count[i], place = rows == 0 ? 0 : lane_add(this_lane(), next + i, rows);
      memory_->count[i] = place - memory_->first[i];
    });
    block_sync();
    return all;
  }

  // write writes rows, which lie in the order of their bins.
  HZ_FN void write(u64 bin, u32 rows) const {
    const u32 room = u32(b_->To.Room);
    P* to = array<P>(b_->To.Rows) + bin * room;
    for_each_round(rows, [&](u32 i, bool here) {
      const P row = memory_->row[here ? i : 0];
      const u32 of = memory_->bin[here ? i : 0], place = memory_->count[of] + i;
      if (here && place < room) to[u64(of) * room + place] = row;
      leave(here && place >= room, row);
    });
  }

  // bin_of returns the bin that a row goes to, of those that its bin is split into.
  HZ_FN u32 bin_of(K key) const { return this->bucket_of(key) >> shift_ & mask_; }

  // each_row calls f(r, i) for the rows of a thread: its row r is row i of the block.
  template <class F>
  HZ_FN static void each_row(F&& f) {
    HZ_UNROLLED for (u32 r = 0; r < kRows; r++) f(r, r * kThreads + thread_in_block());
  }

  Memory* memory_;
  u32 shift_, mask_, bins_;
};

// BulkBuild puts the rows of each bin into the part of the table that it stands for.
template <class K>
class BulkBuild : BulkRows<K> {
 public:
  using Rows = BulkRows<K>;
  using Rows::kTile, Rows::kThreads;
  using typename Rows::P;

  static constexpr u32 kLeft = 6144 / sizeof(P), kMoved = kTile / 2, kSmallest = 4;

  struct Memory {
    alignas(16) K key[kTile];
    K value[kTile];
    u32 taken[kTile / kSmallest];  // of each bucket, how many rows have wanted a slot
    P left[kLeft];                 // rows that got none
    unsigned short moved[kMoved];  // slots of rows that are not in their first bucket
    u32 lefts, moves, again, added;
    u64 place;
  };

  HZ_FN BulkBuild(const hz_bulk* b, Memory* memory)
      : Rows(b),
        memory_(memory),
        bucket_(u32(b->Bucket)),
        bits_(u32(lowest(bucket_))),
        reach_(u32(b->Reach < kTile ? b->Reach : kTile)),
        op_(u8(b->Op)),
        combines_(combines(op_)) {}

  HZ_FN void all(u64 first, u64 count) const {
    for_each_block<HZ_BULK_THREADS>(first, count, [&](u64 part) {
      const u32 from = u32(part << b_->Shift), left = this->buckets_ - from, most = u32(1) << b_->Shift;
      const Part p{array<const P>(b_->From.Rows) + part * b_->From.Room, this->rows_of(part), from,
                   left < most ? left : most};
      P* table = array<P>(b_->Slots) + u64(from) * bucket_;
      build(p, table);
      block_sync();
      for_each_of_block(p.buckets * bucket_, [&](u32 i) {
        const K key = memory_->key[i];
        table[i] = key == P::kEmptyKey ? P::empty() : P{key, memory_->value[i]};
      });
      block_sync();
    });
  }

 private:
  using Rows::b_, Rows::by_number_;

  // Part is a part of the table, and its rows.
  struct Part {
    const P* rows;
    u32 number, bucket, buckets;
  };

  // kAhead is how many rows a thread reads before it looks at the first, kLook how many slots it looks at together.
  static constexpr u32 kAhead = kBlockAhead, kLook = 4, kNone = ~u32(0);

  HZ_FN void build(const Part& p, const P* table) const {
    if (b_->Fresh != 0 && !combines_ && bucket_ >= kSmallest && by_turns(p)) return;
    begin(p, table);
    each_row(p, [&](bool here, const P& row) {
      const Slot slot = here ? slot_of(p, row.key) : Slot{kNone, false};
      const bool mine = slot.at != kNone && (slot.fresh || combines_);
      if (mine) settle(slot, row);
      this->leave(here && !mine, row);
    });
    block_sync();
    if (thread_in_block() == 0) lane_add(this_lane(), array<u64>(b_->Added), u64(memory_->added));
  }

  HZ_FN void begin(const Part& p, const P* table) const {
    const bool fresh = b_->Fresh != 0;
    for_each_of_block(p.buckets * bucket_, [&](u32 i) {
      const P pair = fresh ? P::empty() : table[i];
      memory_->key[i] = pair.key;
      memory_->value[i] = combines_ && pair.key == P::kEmptyKey ? neutral_of<K>(op_) : pair.value;
    });
    if (thread_in_block() == 0) memory_->lefts = memory_->moves = memory_->again = memory_->added = 0;
    block_sync();
  }

  // by_turns builds a part that was empty: the rows of a bucket take numbers, which are their slots, so none of them
  // waits for another. It returns false if there were two rows of one key, or too many that found no slot.
  HZ_FN bool by_turns(const Part& p) const {
    for_each_of_block(p.buckets, [&](u32 i) { memory_->taken[i] = 0; });
    begin(p, nullptr);
    each_row(p, [&](bool here, const P& row) {
      if (here) take_turn(p, row);
    });
    block_sync();
    if (b_->Search != 0) find_twins(p);
    if (thread_in_block() == 0) {
      if (memory_->lefts > kLeft) memory_->again = 1;
      if (memory_->again == 0) {
        memory_->place = lane_add(this_lane(), array<u64>(b_->Left), u64(memory_->lefts));
        lane_add(this_lane(), array<u64>(b_->Added), u64(p.number - memory_->lefts));
      }
    }
    block_sync();
    const bool done = memory_->again == 0;
    if (done) for_each_of_block(memory_->lefts, [&](u32 i) { this->leave_at(memory_->place + i, memory_->left[i]); });
    block_sync();
    return done;
  }

  HZ_FN void take_turn(const Part& p, const P& row) const {
    u32 bucket = this->bucket_of(row.key) - p.bucket;
    const u32 reach = bucket + reach_, end = reach < p.buckets ? reach : p.buckets;
    const u32 home = bucket;
    u32 turn = share_add(memory_->taken + bucket, 1);
    while (turn >= bucket_ && ++bucket < end) {
      if (share_read(memory_->taken + bucket) < bucket_) turn = share_add(memory_->taken + bucket, 1);
    }
    const u32 slot = (bucket << bits_) + turn;
    if (turn >= bucket_) {
      const u32 to = share_add(&memory_->lefts, 1);
      if (to < kLeft) memory_->left[to] = row;
      return;
    }
    memory_->key[slot] = row.key;
    memory_->value[slot] = this->value_of(row.value);
    note(row, k_ok);
    if (bucket == home) return;
    const u32 to = share_add(&memory_->moves, 1);
    if (to < kMoved) memory_->moved[to] = static_cast<unsigned short>(slot);
  }

  // find_twins looks for two rows of one key: in a bucket, and from the first bucket of a row to the one that it is in.
  HZ_FN void find_twins(const Part& p) const {
    for_each_of_block(p.buckets * bucket_, [&](u32 slot) {
      const K mine = memory_->key[slot];
      if (mine != P::kEmptyKey && popcount(look(slot >> bits_, mine).same) > 1) memory_->again = 1;
    });
    for_each_of_block(memory_->moves < kMoved ? memory_->moves : kMoved, [&](u32 i) {
      const u32 slot = memory_->moved[i];
      const K mine = memory_->key[slot];
      for (u32 at = this->bucket_of(mine) - p.bucket; at < slot >> bits_; at++) {
        if (look(at, mine).same != 0) memory_->again = 1;
      }
    });
    if (thread_in_block() == 0 && memory_->moves > kMoved) memory_->again = 1;
    block_sync();
  }
  // each_row calls f(whether there is one, row) for the rows of a part, for all threads of the block together.
  template <class F>
  HZ_FN void each_row(const Part& p, F&& f) const {
    for (u32 from = thread_in_block(); from - thread_in_block() < p.number; from += kAhead * kThreads) {
      P row[kAhead];
      HZ_UNROLLED for (u32 r = 0; r < kAhead; r++) {
        const u32 i = from + r * kThreads;
        row[r] = p.rows[i < p.number ? i : 0];
      }
      HZ_UNROLLED for (u32 r = 0; r < kAhead; r++) f(from + r * kThreads < p.number, row[r]);
    }
  }

  // slot_of finds the slot of a key, or takes an unused one for it. A slot changes once, from unused to a key, by a
  // compare-and-swap. Rows of a key try the unused slots in the same order, which differs from that of other keys so
  // that fewer want the same; so the second one finds what the first has taken.
  struct Slot {
    u32 at;
    bool fresh;
  };
  HZ_FN Slot slot_of(const Part& p, K key) const {
    const u32 home = this->bucket_of(key) - p.bucket, reach = home + reach_,
              end = reach < p.buckets ? reach : p.buckets;
    const u32 first = ~u32(0) << multiply_high(u32(key) * 0x9e3779b1u, bucket_);
    for (u32 bucket = home; bucket < end; bucket++) {
      const Looked seen = look(bucket, key);
      if (seen.same != 0) return {(bucket << bits_) + u32(lowest(seen.same)), false};
      for (u32 unused = seen.unused; unused != 0;) {
        const u32 slot = u32(lowest((unused & first) != 0 ? unused & first : unused)), at = (bucket << bits_) + slot;
        const K before = share_cas(memory_->key + at, K(P::kEmptyKey), key);
        if (before == P::kEmptyKey) return {at, true};
        if (before == key) return {at, false};
        unused &= ~(u32(1) << slot);
      }
    }
    return {kNone, false};
  }

  // look returns which slots of a bucket have a key, and which are unused.
  struct Looked {
    u32 same, unused;
  };
  HZ_FN Looked look(u32 bucket, K key) const {
    struct alignas(16) {
      K key[kLook];
    } seen;
    const u32 from = bucket << bits_, base = from & ~(kLook - 1);
    Looked found{0, 0};
    for (u32 i = 0; i < bucket_; i += kLook) {
      __builtin_memcpy(&seen, __builtin_assume_aligned(memory_->key + base + i, 16), sizeof seen);
      HZ_UNROLLED for (u32 k = 0; k < kLook; k++) {
        found.same |= u32(seen.key[k] == key) << (i + k);
        found.unused |= u32(seen.key[k] == P::kEmptyKey) << (i + k);
      }
    }
    const u32 mine = ~u32(0) >> (kWarp - bucket_);
    return {found.same >> (from - base) & mine, found.unused >> (from - base) & mine};
  }

  HZ_FN void settle(const Slot& slot, const P& row) const {
    const K given = this->value_of(row.value);
    if (combines_) {
      share_combine(memory_->value + slot.at, op_, given);
    } else {
      memory_->value[slot.at] = given;
    }
    if (slot.fresh) share_sum(&memory_->added, u32(1));
    note(row, slot.fresh ? k_ok : k_replaced);
  }
  HZ_FN void note(const P& row, Outcome outcome) const {
    if (by_number_) array<u8>(b_->Status)[row.value] = outcome;
  }

  Memory* memory_;
  u32 bucket_, bits_, reach_;
  u8 op_;
  bool combines_;
};

// The bodies of the kernels hz_bulk_split, hz_bulk_build and hz_bulk_outcomes.
template <class K>
HZ_FN void bulk_split(const void*, void* block, u64 first, u64 count) {
  HZ_BLOCK_SCRATCH(typename BulkSplit<K>::Memory, memory);
  BulkSplit<K>(static_cast<const hz_bulk*>(block), memory).all(first, count);
}
template <class K>
HZ_FN void bulk_build(const void*, void* block, u64 first, u64 count) {
  HZ_BLOCK_SCRATCH(typename BulkBuild<K>::Memory, memory);
  BulkBuild<K>(static_cast<const hz_bulk*>(block), memory).all(first, count);
}
// bulk_outcomes brings the outcomes of rows that were left, at Keys, to their places.
HZ_FN void bulk_outcomes(const void*, void* block, u64 first, u64 count) {
  const hz_bulk* b = static_cast<const hz_bulk*>(block);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) {
      const u64 i = base + l.index();
      array<u8>(b->Status)[array<const u32>(b->LeftOf)[i]] = array<const u8>(b->Keys)[i];
    });
  });
}

}  // namespace hz

#endif
