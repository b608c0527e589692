// table.h: the data structures of an FKS-cuckoo table, and where a key belongs. See
// fks.h.
#pragma once

#include "drive.h"
#include "hash.h"

namespace hz {

template <class P>
class FksTable {
 public:
  using Key = typename P::Key;

  // Arg indexes the table block's arguments: the parameters, then how often the directory
  // was doubled.
  enum Arg { kBucket, kRegLoad, kFull, kMaxChain, kRehashes, kReserve, kDepth };

  // Entry is an entry of the directory: the bucket, relative to the number of the root,
  // and the bucket's seed.
  struct alignas(8) Entry {
    u32 bucket, seed;
  };

  // Head describes a bucket.
  struct alignas(16) Head {
    u32 count;   // pairs in it or on their way to it
    u32 wish;    // what it is listed for
    u32 branch;  // the common leading bits of its entries' numbers, relative to the bucket's own number
    u32 depth;   // the number of splits that created it
  };
  enum Wish { kSplit = 1, kRehash = 2, kMerge = 4 };

  // State is what the kernels report to the host. The ring of spares and the list follow
  // it.
  struct State {
    u32 listed;  // buckets on the list
    u32 splits;  // those listed for a split
    u32 narrow;  // set if a bucket to split has a single entry
    u32 stuck;   // buckets that could not be renewed
    u32 popped;  // the total of spares taken, and of spares returned
    u32 pushed;
    u32 rehashed, halved, merged;  // totals since the table was created or moved
    u32 pad;
  };

  HZ_FN explicit FksTable(const hz_table* t)
      : table_(t),
        slots_(array<P>(t->Region[0])),
        entries_(array<Entry>(t->Region[1])),
        heads_(array<Head>(t->Region[2])),
        state_(array<State>(t->Region[3])),
        per_bucket_(u32(t->Arg[kBucket])) {}

 protected:
  // Sizes are read where they are needed: registers are scarce (hash.h).
  HZ_FN u32 depth() const { return u32(table_->Arg[kDepth]); }
  HZ_FN u32 reserve() const { return u32(table_->Arg[kReserve]); }
  HZ_FN u32 roots() const { return u32(table_->Buckets) - reserve(); }
  HZ_FN u32 entries() const { return roots() << depth(); }
  HZ_FN u32* ring() const { return reinterpret_cast<u32*>(state_ + 1); }
  HZ_FN u32 ring_size() const { return u32(1) << (32 - __builtin_clz(u32(table_->Buckets))); }
  HZ_FN u32* list() const { return ring() + ring_size(); }
  // percent returns that percentage of a bucket's slots, at least one.
  HZ_FN u32 percent(Arg arg) const {
    const u32 pairs = u32(u64(per_bucket_) * table_->Arg[arg] / 100);
    return pairs == 0 ? 1 : pairs;
  }

  HZ_FN u32 hash(const hz_hash& h, Key key) const {
    return table_->Family == HZ_UNIVERSAL ? universal_hash(h, key) : fast_hash(h, key);
  }
  HZ_FN u32 entry_of(Key key) const { return multiply_high(hash(table_->Hash[0], key), entries()); }

  // slot returns the slot of a key under function i of a bucket's seed: a function of the
  // table, with multipliers that depend on the seed.
  HZ_FN u32 slot(u32 i, Key key, u32 seed) const {
    hz_hash h = table_->Hash[1 + i];
    if (table_->Family == HZ_UNIVERSAL) {
      h.A = mod_prime(h.A + seed), h.C = mod_prime(h.C + (seed << 7 | seed >> 25));
      h.A += h.A == 0, h.C += h.C == 0;
    } else {
      h.A ^= u64(seed) << 1, h.B ^= seed;
    }
    return hash_to(h, table_->Family, key, per_bucket_);
  }

  HZ_FN u32 start_of(u32 place) const { return place & ~(per_bucket_ - 1); }

  // after returns where an evicted key goes next: to the slot of the first function after
  // the one that placed it, skipping functions with the same slot.
  HZ_FN u32 after(u32 place, Key key, u32 seed) const {
    const u32 here = place - start_of(place), count = table_->Hashes;
    u32 i = 0;
    while (i + 1 < count && slot(i, key, seed) != here) i++;
    for (u32 n = 1; n < count; n++) {
      const u32 next = slot((i + n) % count, key, seed);
      if (next != here) return start_of(place) + next;
    }
    return place;
  }

  // bucket_of returns the bucket of an entry, holder that of the first entry of a branch.
  HZ_FN u32 bucket_of(u32 number, const Entry& entry) const { return (number >> depth()) + entry.bucket; }
  HZ_FN u32 holder(u32 branch, u32 branch_depth) const {
    const u32 number = branch << (depth() - branch_depth);
    return bucket_of(number, entries_[number]);
  }

  // want lists a bucket for the host, once.
  HZ_FN void want(u32 bucket, Wish wish) const {
    Head* head = heads_ + bucket;
    if ((lane_read(Lane{0}, &head->wish) & wish) != 0) return;
    const u32 before = lane_or(Lane{0}, &head->wish, wish);
    if (before == 0) list()[lane_add(Lane{0}, &state_->listed, 1)] = bucket;
    if (wish != kSplit || (before & kSplit) != 0) return;
    lane_add(Lane{0}, &state_->splits, 1);
    if (head->depth == depth()) lane_or(Lane{0}, &state_->narrow, 1);
  }

  const hz_table* table_;
  P* slots_;
  Entry* entries_;
  Head* heads_;
  State* state_;
  u32 per_bucket_;
};

}  // namespace hz
