// bulk_build.h: puts rows, which are split into bins (bulk.h), into the part of the table that each bin stands for.
#pragma once

#include "bulk.h"
#include "partials.h"

namespace hz {

// BulkPart finds slots for the rows of a bin, in the part of the table that it stands for. With `round`, a search goes
// on from the start of a part when it reaches its end.
template <class K, bool round>
class BulkPart : protected BulkRows<K> {
 public:
  using Rows = BulkRows<K>;
  using Rows::kTile, Rows::kThreads;
  using typename Rows::P;

 protected:
  HZ_FN BulkPart(const hz_bulk* b, K* key)
      : Rows(b),
        key_(key),
        bucket_(u32(b->Bucket)),
        bits_(u32(lowest(bucket_))),
        reach_(u32(b->Reach < kTile ? b->Reach : kTile)) {}

  static constexpr u32 kPutOff = 1500, kNone = ~u32(0);
  static constexpr u32 kLook = 4;  // how many slots are looked at together

  // Part is a part of the table, and its rows.
  struct Part {
    P* rows;
    u32 number, bucket, buckets;
    P* table;
  };
  HZ_FN Part part(u64 i) const {
    const u32 from = u32(i << b_->Shift), left = this->buckets_ - from, most = u32(1) << b_->Shift;
    return {array<P>(b_->From.Rows) + i * b_->From.Room, this->rows_of(i), from, left < most ? left : most,
            array<P>(b_->Slots) + u64(from) * bucket_};
  }

  // slot_of finds the slot of a key, or takes an unused one for it. A slot changes once, from unused to a key, by a
  // compare-and-swap. Rows of a key try the unused slots in the same order, which differs from that of other keys so
  // that fewer want the same; so the second one finds what the first has taken.
  struct Slot {
    u32 at;
    bool fresh;
  };
  HZ_FN Slot slot_of(const Part& p, K key) const {
    u32 bucket = this->bucket_of(key) - p.bucket;
    for (u32 left = reach_from(p, bucket); left > 0; left--, bucket++) {
      if (round && bucket == p.buckets) bucket = 0;
      const Looked seen = look(bucket, key);
      if (seen.same != 0) return {(bucket << bits_) + u32(lowest(seen.same)), false};
      for (u32 unused = seen.unused; unused != 0;) {
        const u32 slot = choose(unused, key), at = (bucket << bits_) + slot;
        const K before = share_cas(key_ + at, K(P::kEmptyKey), key);
        if (before == P::kEmptyKey) return {at, true};
        if (before == key) return {at, false};
        unused &= ~(u32(1) << slot);
      }
    }
    return {kNone, false};
  }

  // reach_from is how many buckets a walk may look at, from its first one on.
  HZ_FN u32 reach_from(const Part& p, u32 bucket) const {
    const u32 most = round ? p.buckets : p.buckets - bucket;
    return reach_ < most ? reach_ : most;
  }

  // take tries only one slot of the first bucket, and returns whether it is that of the key.
  HZ_FN bool take(const Part& p, K key, Slot& slot) const {
    const u32 bucket = this->bucket_of(key) - p.bucket;
    const Looked seen = look(bucket, key);
    slot = {(bucket << bits_) + u32(lowest(seen.same | u32(1) << 31)), false};
    if (seen.same != 0) return true;
    if (seen.unused == 0) return false;
    slot.at = (bucket << bits_) + choose(seen.unused, key);
    const K before = share_cas(key_ + slot.at, K(P::kEmptyKey), key);
    slot.fresh = before == P::kEmptyKey;
    return slot.fresh || before == key;
  }
  // choose returns one of the unused slots. With `round` the last comes last: where its values end says the next
  // bucket.
  HZ_FN u32 choose(u32 unused, K key) const {
    const u32 last = round ? bucket_ - 1 : bucket_, before = unused & ~(u32(1) << last % kWarp);
    if (round && before != 0) unused = before;
    const u32 after = unused & ~u32(0) << multiply_high(u32(key) * 0x9e3779b1u, last);
    return u32(lowest(after != 0 ? after : unused));
  }

  // each_slot calls f(whether there is one, its slot, row, where that is) for the rows of a part, for all threads of
  // the block together. Rows that do not get the first slot that they try are put off: a warp would wait for each.
  struct PutOff {
    u32 rows, row[kPutOff];
  };
  template <class F>
  HZ_FN void each_slot(const Part& p, PutOff* late, F&& f) const {
    for (Part some = p; some.rows < p.rows + p.number; some.rows += kTile) {
      const u32 left = u32(p.rows + p.number - some.rows);
      some.number = left < kTile ? left : kTile;
      each_slot_of(some, late, f);
      if constexpr (round) return;  // a part has no more rows
    }
  }

  // look returns which slots of a bucket have a key, and which are unused.
  struct Looked {
    u32 same, unused;
  };
  HZ_FN Looked look(u32 bucket, K key) const {
    const u32 from = bucket << bits_, base = from & ~(kLook - 1);
    Looked found{0, 0};
    for (u32 i = 0; i < bucket_; i += kLook) {
      const Some seen = some(base + i);
      HZ_UNROLLED for (u32 k = 0; k < kLook; k++) {
        found.same |= u32(seen.key[k] == key) << (i + k);
        found.unused |= u32(seen.key[k] == P::kEmptyKey) << (i + k);
      }
    }
    const u32 mine = ~u32(0) >> (kWarp - bucket_);
    return {found.same >> (from - base) & mine, found.unused >> (from - base) & mine};
  }

  // twice: has a bucket, of kLook slots or more, a key twice?
  HZ_FN bool twice(u32 bucket) const {
    bool found = false;
    for (u32 i = 0; i < bucket_; i += kLook) {
      const Some mine = some((bucket << bits_) + i);
      HZ_UNROLLED for (u32 k = 0; k < kLook; k++) {
        HZ_UNROLLED for (u32 j = 0; j < k; j++) found |= mine.key[j] == mine.key[k] && mine.key[k] != P::kEmptyKey;
      }
      for (u32 before = 0; before < i; before += kLook) {
        const Some other = some((bucket << bits_) + before);
        HZ_UNROLLED for (u32 k = 0; k < kLook; k++) {
          HZ_UNROLLED for (u32 j = 0; j < kLook; j++) found |=
              other.key[j] == mine.key[k] && mine.key[k] != P::kEmptyKey;
        }
      }
    }
    return found;
  }

  // end_runs says where the values of the last part end.
  HZ_FN void end_runs(const Part& p, u32 start) const {
    const bool last = p.bucket + p.buckets == this->buckets_;
    if (last && thread_in_block() == 0) p.table[p.buckets << bits_].value = K(start + p.number);
  }

  // each_row calls f(whether there is one, row, its number) for the rows of a part, for all threads of the block
  // together.
  template <class F>
  HZ_FN void each_row(const Part& p, F&& f) const {
    for (u32 from = thread_in_block(); from - thread_in_block() < p.number; from += kAhead * kThreads) {
      P row[kAhead];
      HZ_UNROLLED for (u32 r = 0; r < kAhead; r++) {
        const u32 i = from + r * kThreads;
        row[r] = p.rows[i < p.number ? i : 0];
      }
      HZ_UNROLLED for (u32 r = 0; r < kAhead; r++) f(from + r * kThreads < p.number, row[r], from + r * kThreads);
    }
  }

  K* key_;
  u32 bucket_, bits_, reach_;

  using Rows::b_;

 private:
  template <class F>
  HZ_FN void each_slot_of(const Part& p, PutOff* late, F&& f) const {
    if (thread_in_block() == 0) late->rows = 0;
    block_sync();
    each_row(p, [&](bool here, const P& row, u32 i) {
      Slot slot{kNone, false};
      bool wait = here && !take(p, row.key, slot);
      append_in_block(
          wait, [&](u32 n) { return share_add(&late->rows, n); },
          [&](u32 to) {
            if (to < kPutOff) {
              late->row[to] = i;
            } else {
              wait = false, slot = slot_of(p, row.key);
            }
          });
      f(here && !wait, slot, row, p.rows + i);
    });
    block_sync();
    for_each_round(late->rows < kPutOff ? late->rows : kPutOff, [&](u32 j, bool here) {
      P* at = p.rows + late->row[here ? j : 0];
      const P row = *at;
      f(here, here ? slot_of(p, row.key) : Slot{kNone, false}, row, at);
    });
    block_sync();
  }

  // Some are the keys of neighboring slots.
  struct alignas(16) Some {
    K key[kLook];
  };
  HZ_FN Some some(u32 slot) const {
    Some read;
    __builtin_memcpy(&read, __builtin_assume_aligned(key_ + slot, 16), sizeof read);
    return read;
  }

  static constexpr u32 kAhead = kBlockAhead;  // how many rows a thread reads before it looks at the first
};

// BulkTurns builds parts that were empty: the rows of a bucket take numbers, which are their slots, so none of them
// waits for another. Then those whose bucket is full go on to the next ones, or to their second.
template <class K, bool round>
class BulkTurns : protected BulkPart<K, round> {
 public:
  using Table = BulkPart<K, round>;
  using Table::kTile, typename Table::P;

  static constexpr u32 kLeft = 6144 / sizeof(P), kWaiting = 1024, kBuckets = kTile / Table::kLook;
  static_assert(kLeft < kWaiting && kBuckets <= kWaiting);

  struct Memory {
    alignas(16) K key[kTile];
    alignas(16) K value[kTile];
    u32 taken[kBuckets];  // of each bucket, how many rows have wanted a slot
    union {
      P left[kLeft];  // rows whose first bucket is full
      typename Table::PutOff late;
    };
    union {
      u32 waiting[kWaiting];        // a hash table of their numbers there, by their keys
      unsigned short still[kLeft];  // the numbers of those that got no slot
      u32 begin[kBuckets];          // of runs: how many rows are in the buckets before
    };
    u32 lefts, stills, again;
  };

 protected:
  using typename Table::Part;

  HZ_FN BulkTurns(const hz_bulk* b, Memory* memory) : Table(b, memory->key), memory_(memory) {}

  // by_turns returns false if there were two rows of one key, or too many of full buckets.
  HZ_FN bool by_turns(const Part& p) const {
    begin(p);
    this->each_row(p, [&](bool here, const P& row, u32) {
      if (here) take_turn(this->bucket_of(row.key) - p.bucket, row);
    });
    block_sync();
    const u32 lefts = memory_->lefts < kLeft ? memory_->lefts : kLeft;
    if (b_->Search != 0) find_twins(p, lefts);
    if (memory_->lefts > kLeft) memory_->again = 1;
    block_sync();
    const bool again = memory_->again != 0;
    block_sync();
    if (again) return false;
    for_each_round(lefts, [&](u32 i, bool here) {
      append_in_block(
          here && !go_on(p, memory_->left[i]), [&](u32 n) { return share_add(&memory_->stills, n); },
          [&](u32 to) { memory_->still[to] = static_cast<unsigned short>(i); });
    });
    block_sync();
    return true;
  }

  Memory* memory_;

  using Table::b_, Table::bits_, Table::bucket_, Table::reach_;

 private:
  HZ_FN void begin(const Part& p) const {
    for_each_of_block(p.buckets, [&](u32 i) { memory_->taken[i] = 0; });
    for_each_of_block(b_->Search != 0 ? kWaiting : 0, [&](u32 i) { memory_->waiting[i] = 0; });
    for_each_of_block(p.buckets * bucket_,
                      [&](u32 i) { memory_->key[i] = P::kEmptyKey, memory_->value[i] = P::empty().value; });
    if (thread_in_block() == 0) memory_->lefts = memory_->stills = memory_->again = 0;
    block_sync();
  }

  HZ_FN void take_turn(u32 bucket, const P& row) const {
    const u32 turn = share_add(memory_->taken + bucket, 1);
    if (turn < bucket_) return put((bucket << bits_) + turn, row);
    const u32 to = share_add(&memory_->lefts, 1);
    if (to < kLeft) memory_->left[to] = row;
  }
  HZ_FN void put(u32 slot, const P& row) const {
    memory_->key[slot] = row.key;
    memory_->value[slot] = this->value_of(row.value);
    this->note(row, k_ok);
  }

  // go_on looks for a slot in the second bucket, or in those after the first one.
  HZ_FN bool go_on(const Part& p, const P& row) const {
    if (b_->Paged != 0) {
      const u32 second = hash_of(b_->Second, this->family_, row.key) & ((u32(1) << b_->Shift) - 1);
      return second < p.buckets && enter(second, row);
    }
    u32 bucket = this->bucket_of(row.key) - p.bucket;
    for (u32 left = this->reach_from(p, bucket); --left > 0;) {
      bucket = round && bucket + 1 == p.buckets ? 0 : bucket + 1;
      if (enter(bucket, row)) return true;
    }
    return false;
  }
  HZ_FN bool enter(u32 bucket, const P& row) const {
    if (share_read(memory_->taken + bucket) >= bucket_) return false;
    const u32 turn = share_add(memory_->taken + bucket, 1);
    if (turn < bucket_) put((bucket << bits_) + turn, row);
    return turn < bucket_;
  }

  // find_twins looks for two rows of one key, before any goes on: both are in its first bucket, or one, or none.
  HZ_FN void find_twins(const Part& p, u32 lefts) const {
    for_each_of_block(p.buckets, [&](u32 bucket) {
      if (this->twice(bucket)) memory_->again = 1;
    });
    for_each_of_block(lefts, [&](u32 i) {
      const K mine = memory_->left[i].key;
      if (this->look(this->bucket_of(mine) - p.bucket, mine).same != 0 || waits(i, mine)) memory_->again = 1;
    });
  }
  // waits: does another row of the key wait, too?
  HZ_FN bool waits(u32 i, K key) const {
    for (u32 at = multiply_high(u32(key) * 0x9e3779b1u, kWaiting);; at = (at + 1) % kWaiting) {
      const u32 before = share_cas(memory_->waiting + at, u32(0), i + 1);
      if (before == 0) return false;
      if (memory_->left[before - 1].key == key) return true;
    }
  }
};

// BulkBuild puts the rows of each bin into the part of the table that it stands for.
template <class K>
class BulkBuild : BulkTurns<K, false> {
 public:
  using Table = BulkTurns<K, false>;
  using typename Table::P;

  struct Memory : Table::Memory {
    u32 added;
    u64 place;
  };

  HZ_FN BulkBuild(const hz_bulk* b, Memory* memory)
      : Table(b, memory), memory_(memory), op_(u8(b->Op)), combines_(combines(op_)) {}

  HZ_FN void all(u64 first, u64 count) const {
    for_each_block<HZ_BULK_THREADS>(first, count, [&](u64 i) {
      const Part p = this->part(i);
      build(p);
      block_sync();
      for_each_of_block(p.buckets * bucket_, [&](u32 i) {
        const K key = memory_->key[i];
        p.table[i] = key == P::kEmptyKey ? P::empty() : P{key, memory_->value[i]};
      });
      block_sync();
    });
  }

 private:
  using Table::b_, Table::bucket_, Table::kNone;
  using typename Table::Part, typename Table::Slot;

  HZ_FN void build(const Part& p) const {
    if (b_->Fresh != 0 && !combines_ && bucket_ >= Table::kLook && this->by_turns(p)) return leave_stills(p);
    begin(p, b_->Fresh != 0);
    this->each_slot(p, &memory_->late, [&](bool here, const Slot& slot, const P& row, P*) {
      const bool mine = here && slot.at != kNone && (slot.fresh || combines_);
      if (mine) settle(slot, row);
      this->leave(here && !mine, row);
    });
    block_sync();
    if (thread_in_block() == 0) lane_add(this_lane(), array<u64>(b_->Added), u64(memory_->added));
  }

  HZ_FN void begin(const Part& p, bool fresh) const {
    for_each_of_block(p.buckets * bucket_, [&](u32 i) {
      const P pair = fresh ? P::empty() : p.table[i];
      memory_->key[i] = pair.key;
      memory_->value[i] = combines_ && pair.key == P::kEmptyKey ? neutral_of<K>(op_) : pair.value;
    });
    if (thread_in_block() == 0) memory_->added = 0;
    block_sync();
  }

  // leave_stills leaves the rows that got no slot by turns.
  HZ_FN void leave_stills(const Part& p) const {
    const u32 stills = memory_->stills;
    if (thread_in_block() == 0) {
      memory_->place = lane_add(this_lane(), array<u64>(b_->Left), u64(stills));
      lane_add(this_lane(), array<u64>(b_->Full), u64(stills));
      lane_add(this_lane(), array<u64>(b_->Added), u64(p.number - stills));
    }
    block_sync();
    for_each_of_block(stills, [&](u32 i) { this->leave_at(memory_->place + i, memory_->left[memory_->still[i]]); });
  }

  HZ_FN void settle(const Slot& slot, const P& row) const {
    const K given = this->value_of(row.value);
    if (combines_) {
      share_combine(memory_->value + slot.at, op_, given);
    } else {
      memory_->value[slot.at] = given;
    }
    if (slot.fresh) share_sum(&memory_->added, u32(1));
    this->note(row, slot.fresh ? k_ok : k_replaced);
  }
  Memory* memory_;
  u8 op_;
  bool combines_;
};

// The body of the kernel hz_bulk_outcomes.
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
