// stable.h: what tables share that choose a bucket for a pair and leave it there.
//
// An insert goes through buckets of its key, two at a time where it will want both, and
// reads each once. It does not keep them: of each it makes an offer, an unused slot and how full that bucket was, and
// keeps the best offer so far and the number of its bucket. Having seen enough it
// takes that by a compare-and-swap that expects the slot to be unused still. If
// another insert was there first, it starts over, for all offers may be out of date.
// Keys are inserted once: an insert does not look for its key.
//
// What is safe. A pair stays in its slot until it is erased, and a slot goes from
// unused, or erased, to a pair and back, nothing else: no reader ever has to tell whether it
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

// An offer is a slot without a pair in one word, so made that the smaller of two offers is
// the better one. Its four lowest bits are 0: a walk counts its steps there. Then come five
// for the slot, and one that says whether a pair was erased there and left its marker.
using Offer = u32;
inline constexpr u32 kSteps = 15, kMarked = 1 << 9;
inline constexpr Offer kNoOffer = ~kSteps;
static_assert(HZ_MAX_HASHES <= kSteps);

// Marks: do erases leave markers where a find needs them?
template <class P, int B, bool Marks = false>
class Stable : public Choices<P, B> {
 public:
  using Base = Choices<P, B>;
  using typename Base::Slots;
  using Chunk = TwoBuckets<P, B>;
  using Mixed = Ops<op_insert, op_find, op_update>;

  HZ_FN explicit Stable(const hz_table* t, int most_in_first = -1) : Base(t, false, most_in_first) {}

 protected:
  // step_of is the i of the bucket H_i(k) in hand.
  HZ_FN static u32 step_of(const Walk<P>& walk) { return walk.step & kSteps; }

  // offer is the lowest open slot of a bucket, of which some may be marked. The lower rank
  // is the better one; of equal ranks the lower `tie`, which must differ from step to step.
  HZ_FN static Offer offer(u32 open, u32 rank, u32 tie, [[maybe_unused]] u32 marked = 0) {
    const u32 slot = u32(lowest(open | u32(1) << (B - 1)));
    const u32 mark = Marks && (marked >> slot & 1) != 0 ? kMarked : 0;
    return open != 0 ? rank << 16 | tie << 12 | mark | slot << 4 : kNoOffer;
  }
  HZ_FN static u32 load_of(u32 open) { return B - u32(popcount(open)); }

  // settle takes the best one of two offers, of the buckets in hand, and that which the
  // walk has kept, unless it wants to see more: then the walk keeps the best, in
  // walk.step, and its bucket, in walk.memo, and goes on to the bucket of step `next`.
  // Where next is 0, it has seen enough.
  template <class Tile, class T>
  HZ_FN Done<P> settle(const Tile& tile, Walk<P>& walk, const Chunk& at, Offer one, Offer other, u32 next,
                       T& tally) const {
    const u32 step = step_of(walk);
    const Offer now = other < one ? other : one;
    const bool kept = step != 0 && walk.step - step < now;
    const Offer best = kept ? walk.step - step : now;
    P* here = other < one ? at.second().slots() : at.slots();
    P* bucket = kept ? this->bucket(walk.memo) : here;
    const bool none = best == kNoOffer, take = tile.busy() && next == 0 && !none;
    bool won = false;
    const P there = P::either(Marks && (best & kMarked) != 0, P::erased(), P::empty());
    if (tile.any(take)) won = Slots::claim(tile, bucket, take ? 1u << (best >> 4 & 31) : 0, there, walk.pair, tally);
    if (tile.any(tile.busy() && !won)) walk.place = this->hashes_.at(next, walk.pair.key);
    walk.memo = u32(u64(bucket - this->slots_) / B);
    walk.step = next != 0 ? best | next : 0;
    Done<P> lost = Done<P>::either(next == 0 && none, Done<P>::failed(walk.pair), Done<P>::undecided());
    return Done<P>::either(won, Done<P>::ok(), lost);
  }
};

}  // namespace hz

#endif
