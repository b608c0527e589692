// address.h: where a linear hash table has its buckets, and where a key belongs.
//
// Buckets are numbered. A table begins with `base` buckets; at level L it had n = base * 2^L
// when the level began, and the split pointer S says how many of these have been split since.
// So there are n + S buckets, which is hz_table.Buckets.
//
//   Region[0]   bucket 0 to base - 1, as many as the table was made with
//   Region[k]   bucket base * 2^(k-1) to base * 2^k - 1, allocated when the first is needed
#pragma once

#include "drive.h"
#include "hash.h"

namespace hz {

// LinearArgs are the places in hz_table.Arg. The last two are written by the host side; of a new
// table both are 0.
struct LinearArgs {
  enum { kMaxChain, kLevel, kSplit };
  static constexpr u32 kSegmentBits = 28;  // a segment has at most 2^28 buckets
  static constexpr u64 kSegments = 15;     // segments of a table
};

template <class P, int B>
class Address {
 public:
  using Key = typename P::Key;

  HZ_FN explicit Address(const hz_table* t)
      : table_(t),
        level_(u32(t->Arg[LinearArgs::kLevel])),
        buckets_(u32(t->Buckets)),
        base_((u32(t->Buckets) - u32(t->Arg[LinearArgs::kSplit])) >> level_) {}

  HZ_FN u32 functions() const { return table_->Hashes; }
  // begun is the number of buckets with which the level began.
  HZ_FN u32 begun() const { return base_ << level_; }

  // number returns the number of the bucket to which function i sends a key. It takes one bit of
  // the hash more than the level has, and drops it if that bucket is not there yet.
  HZ_FN u32 number(u32 i, Key key) const {
    const u32 far = table_->Family == HZ_UNIVERSAL ? universal_hash(table_->Hash[i], key) % (2 * begun())
                                                   : spread(fast_hash(table_->Hash[i], key));
    return far < buckets_ ? far : far - begun();
  }
  // place_of encodes a number as a segment and a bucket of it, without a division. place returns
  // that of a key.
  HZ_FN u32 place_of(u32 number) const {
    const int more = __builtin_clz(base_) - __builtin_clz(number | 1);
    const u32 below = more > 0 ? u32(more) : 0, first = base_ << below;
    const u32 k = number >= first ? below + 1 : below;
    return k << kBits | (number - (number >= first ? first : below == 0 ? 0 : first >> 1));
  }
  HZ_FN u32 place(u32 i, Key key) const { return place_of(number(i, key)); }

  HZ_FN P* at(u32 place) const { return segment(place >> kBits) + u64(place & kMask) * B; }
  HZ_FN P* segment(u32 k) const { return reinterpret_cast<P*>(table_->Region[k]); }

  // function returns the first function that sends a key to a place.
  HZ_FN u32 function(u32 at, Key key) const {
    u32 i = 0;
    while (i + 1 < functions() && place(i, key) != at) i++;
    return i;
  }
  // after returns the place of the function after that.
  HZ_FN u32 after(u32 at, Key key) const {
    const u32 first = place(0, key);
    u32 here = first;
    for (u32 i = 1; i < functions(); i++) {
      const u32 next = place(i, key);
      if (here == at) return next;
      here = next;
    }
    return first;
  }

 private:
  static constexpr u32 kBits = LinearArgs::kSegmentBits, kMask = (u32(1) << kBits) - 1;

  // spread returns a number below 2n: its upper part comes from the lowest bits of the hash, and the
  // rest from the upper ones, so base may be any number.
  HZ_FN u32 spread(u32 h) const { return multiply_high(h, base_) + base_ * (h & ((u32(2) << level_) - 1)); }

  const hz_table* table_;
  u32 level_, buckets_, base_;
};

}  // namespace hz
