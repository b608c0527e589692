// stable.h: what tables share that choose a bucket for a pair and leave it there.
//
// An insert goes through buckets of its key and reads each once. It does not keep
// them: of each it makes an offer, an unused slot and how full that bucket was, and
// keeps the best offer so far. Having seen enough it takes that by a compare-and-swap
// that expects the slot to be unused still. If another insert was there first, it
// starts over, for all offers may be out of date. Keys are inserted once: an insert
// does not look for its key.
//
// What is safe. A pair stays in its slot until it is erased, and a slot goes from
// unused to a pair and back, nothing else: no reader ever has to tell whether it
// looked before or after a move. So finds, updates and inserts may share a launch:
//
//   insert  takes effect at the compare-and-swap that it wins. That it may not have
//           taken the emptiest bucket any more does no harm; the pair is in one of
//           its key's buckets, and that is all that a find relies on. It fails only
//           if it saw its buckets full, one after the other; while nothing is erased,
//           a bucket that was full is full.
//   find    takes effect when it reads the bucket that has the key. If it sees the
//           key in none of them, the key was in no slot at some moment in between:
//           had it been in the table all the time, it would have been in the same
//           slot all the time, or erased and inserted again, with a gap.
//   update  takes effect at the compare-and-swap on the word that it saw, or like a
//           find if it does not see the key.
//
// An erase is no danger to any of these as such: it makes a slot unused by a
// compare-and-swap on the word that it saw, and an insert that then takes the slot
// was waiting for no more than that. But a batch that erases a key and inserts it
// again has no order, and the insert, which does not look for its key, may come
// first. Then there are two pairs of one key, and the erase takes out the one that
// comes first among the buckets, which may be the new one. So erases run in a batch
// of their own. Slots that they leave are as good as new.
#ifndef HZ_STABLE_H
#define HZ_STABLE_H

#include "choices.h"

namespace hz {

// An offer is an unused slot in one word, so made that the smaller of two offers is
// the better one.
using Offer = u32;
inline constexpr Offer kNoOffer = ~u32(0);

template <class P, int B>
class Stable : public Choices<P, B> {
 public:
  using Base = Choices<P, B>;
  using typename Base::Slots;
  using Mixed = Ops<op_insert, op_find, op_update>;

  HZ_FN explicit Stable(const hz_table* t) : Base(t, false) {}

 protected:
  // offer is the lowest of the unused slots of bucket H_i(k), i being the walk's step.
  // The lower rank is the better one; of equal ranks the lower `tie`.
  HZ_FN static Offer offer(const Walk<P>& walk, u32 unused, u32 rank, u32 tie) {
    u32 slot = u32(lowest(unused | u32(1) << (B - 1)));
    return unused != 0 ? rank << 16 | tie << 12 | walk.step << 8 | slot : kNoOffer;
  }

  // best is the better one of an offer and those that the walk had before.
  HZ_FN static Offer best(const Walk<P>& walk, Offer now) {
    return walk.step != 0 && walk.memo < now ? walk.memo : now;
  }

  // settle takes an offer, if the walk is to take one now and there is any; otherwise
  // the walk keeps it and goes on to the next of its key's buckets.
  template <class Tile, class T>
  HZ_FN Done<P> settle(const Tile& tile, Walk<P>& walk, Offer best, bool now, T& tally) const {
    const bool none = best == kNoOffer, take = now && !none;
    const u32 function = take ? best >> 8 & 15 : now ? 0 : walk.step + 1;
    const u32 place = this->hashes_.at(function, walk.pair.key);
    bool won = false;
    if (tile.any(take)) won = Slots::claim(tile, this->bucket(place), take ? 1u << (best & 255) : 0, walk.pair, tally);
    if (tile.any(take && !won)) {
      u32 start = this->first(walk.pair.key);
      walk.place = take ? start : walk.place;
    }
    walk.place = take ? walk.place : place;
    walk.step = now ? 0 : walk.step + 1;
    walk.memo = best;
    Done<P> lost = Done<P>::either(now && none, Done<P>::failed(walk.pair), Done<P>::undecided());
    return Done<P>::either(won, Done<P>::ok(), lost);
  }
};

}  // namespace hz

#endif
