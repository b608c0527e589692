// marks.h: the tags and scores of the slots of a cache's buckets. See assoc.h.
#pragma once

#include "drive.h"

namespace hz {

// AssocTable has the numbers by which the host side knows such a table.
class AssocTable {
 public:
  static constexpr int B = 16;                // slots of a bucket
  static constexpr u32 kMostLocks = 1 << 20;  // a power of two
  enum Region { kSlots, kMarks, kLocks };
  enum Arg { kPolicy, kCame = HZ_MAX_ARGS - 2, kNow };

  // Marks are those of a bucket.
  struct alignas(32) Marks {
    u64 tags[2];
    u8 scores[B];
  };
};

// Marked is a table's marks, and its policy.
class Marked : public AssocTable {
 public:
  enum Policy { kLru, kLfu, kFifo, kRandom, kUser };

 protected:
  static constexpr u8 kUnused = 0, kClaimed = 255;  // tags
  static constexpr u8 kAhead = 16, kOldest = 208;   // of a score, in steps of the clock
  static constexpr u32 kNone = B;                   // no slot
  static constexpr u64 kEach = 0x0101010101010101;

  HZ_FN explicit Marked(const hz_table* t)
      : marks_(reinterpret_cast<Marks*>(t->Region[kMarks])), policy_(u32(t->Arg[kPolicy])), now_(u8(t->Arg[kNow])) {}

  // Place is a slot of a bucket.
  struct Place {
    u32 bucket, slot;
    u32 loss = 0;  // 1 + how little its pair is worth, if that is to leave
  };

  // timed: scores are times.
  HZ_FN bool timed() const { return policy_ == kLru || policy_ == kFifo; }

  // equal sets the uppermost bit of the bytes of a word that are equal to one byte.
  HZ_FN static u64 equal(u64 word, u8 byte) {
    const u64 differ = word ^ kEach * byte, low = kEach * 0x7f;
    return ~(((differ & low) + low) | differ | low);
  }

  struct Tags {
    u64 word[2];
    HZ_FN u64 half(bool upper) const { return upper ? word[1] : word[0]; }  // an index would take local memory of a GPU

    // with returns the slots with a tag, as bits that slot_in reads.
    HZ_FN u64 with(u8 tag) const { return equal(word[0], tag) >> 7 | equal(word[1], tag) >> 6; }
  };
  struct Bytes {
    u8 at[B];
  };
  using u16 = unsigned short;
  HZ_FN static u32 slot_in(u64 bits) {
    const u32 bit = u32(__builtin_ctzll(bits));
    return bit % 8 * 8 + bit / 8;
  }
  HZ_FN static int count_of(u64 bits) { return popcount(u32(bits)) + popcount(u32(bits >> 32)); }
  HZ_FN Tags tags_of(u32 bucket) const {
    Tags tags;
    lane_read_row(Lane{0}, marks_[bucket].tags, tags.word);
    return tags;
  }

  // Both are the buckets of a key, with their tags.
  struct Both {
    u32 one, two;
    Tags tags, others;
  };
  // claim makes a slot this lane's own.
  template <class T>
  HZ_FN bool claim(Place at, u64 word, T& tally) const {
    u64* const in = marks_[at.bucket].tags + at.slot / 8;
    const u64 claimed = word | u64(kClaimed) << at.slot % 8 * 8;
    const bool won = lane_cas(Lane{0}, in, word, claimed) == word;
    tally.swap(in, sizeof(u64), won);
    return won;
  }

  // least is the place of the pair with the least score in two buckets. Of equal ones, it is any.
  HZ_FN Place least(u64 random, const Both& at) const {
    const u32 any = u32(random) % (2 * B);
    const u32 worst = worst_in(at.one, at.tags, u8(any % B)), other = worst_in(at.two, at.others, u8(any % B));
    const bool there = other / B > worst / B || (other / B == worst / B && any >= B);
    const u32 found = there ? other : worst;
    return {there ? at.two : at.one, found == 0 ? kNone : (found ^ any) % B, found / B};
  }

  // worst_in is 1 + the greatest loss in a bucket, and in the lowest bits the slot, by a number that `any` makes of it;
  // 0 if all slots are claimed. How little a pair is worth is how long ago it was used, or how seldom. A time that is
  // ahead of the clock is of now.
  HZ_FN u32 worst_in(u32 bucket, const Tags& tags, u8 any) const {
    Tags scores;
    lane_read_row(Lane{0}, reinterpret_cast<const u64*>(marks_[bucket].scores), scores.word);
    const Bytes tag = bits<Bytes>(tags), score = bits<Bytes>(scores);
    const u8 from = timed() ? u8(now_ + kAhead) : u8(255), counts = policy_ == kRandom ? 0 : 255;
    u16 worst = 0;
#pragma GCC unroll 16
    for (u32 i = 0; i < B; i++) {
      const u16 loss = u16(u16(u16(1 + u8(u8(from - score.at[i]) & counts)) * B) | u8(u8(i) ^ any));
      const u16 own = tag.at[i] == kClaimed ? u16(0) : loss;
      worst = own < worst ? worst : own;
    }
    if (worst / B > kOldest + 1 && timed()) renew_old(bucket);
    return worst;
  }

  // renew_old makes times younger that would wrap.
  HZ_FN void renew_old(u32 bucket) const {
#pragma GCC unroll 1
    for (u32 i = 0; i < B; i++) {
      const u64 word = lane_read(Lane{0}, reinterpret_cast<const u64*>(marks_[bucket].scores) + i / 8);
      const bool old = u8(now_ + kAhead - u8(word >> i % 8 * 8)) > kOldest;
      if (old) lane_write(Lane{0}, marks_[bucket].scores + i, u8(now_ + kAhead - kOldest));
    }
  }

  // use renews the score of a pair that was used.
  template <class P, class T>
  HZ_FN void use(Place at, const Walk<P>& walk, T& tally) const {
    if (policy_ != kLru && policy_ != kLfu) return;
    const u64 word = lane_read(Lane{0}, reinterpret_cast<const u64*>(marks_[at.bucket].scores) + at.slot / 8);
    const u8 score = u8(word >> at.slot % 8 * 8);
    const u8 next = policy_ == kLru ? now_ : raised(score, walk);
    if (score != next) set_score(at, next, tally);  // thousands of lanes may use a hot key at once
  }
  template <class P>
  HZ_FN u8 raised(u8 score, const Walk<P>& walk) const {
    const u32 chance = u32(mix64(walk.index ^ u64(walk.pair.key) ^ u64(now_) << 32));
    return score < 255 && chance % (1u << score / 16) == 0 ? u8(score + 1) : score;
  }

  template <class T>
  HZ_FN void set_score(Place at, u8 score, T& tally) const {
    set(marks_[at.bucket].scores + at.slot, score, tally);
  }
  template <class T>
  HZ_FN void set_tag(Place at, u8 tag, T& tally) const {
    set(reinterpret_cast<u8*>(marks_[at.bucket].tags) + at.slot, tag, tally);
  }
  template <class T>
  HZ_FN void set(u8* at, u8 mark, T& tally) const {
    lane_write(Lane{0}, at, mark);
    tally.touch(at, 1);
  }

  Marks* marks_;
  u32 policy_;
  u8 now_;
};

}  // namespace hz
