// stable.h: the base of tables that choose a bucket for a pair and never move the pair.
//
// An insert compares how full the candidate buckets of its key are, and takes the lowest
// open slot of the best one. There are two ways for it to see that, by the scheme's Room:
//
//   board    The default. A word of the board (board.h) says which slots of a bucket are
//            taken. An insert reads the words of its buckets, claims a slot by setting its
//            bit, and stores its pair there. It reads no bucket. If another insert set the
//            bit first, it starts over.
//   buckets  As in the papers: it reads the buckets themselves, two at a time where it
//            needs both, each once. It does not keep them. For each bucket it makes an
//            offer: an open slot, and how full the bucket was. It keeps the best offer so
//            far and the number of its bucket. When it has seen enough buckets, it claims
//            the offered slot by a compare-and-swap that expects the slot to be open
//            still. If another insert took the slot first, the insert starts over, because
//            all offers may be out of date.
//
// Keys are inserted once: an insert does not search for its key. On one H200, with 50
// million pairs of 4+4 bytes and buckets of 32 slots, inserts with the board run at 15 to
// 16 G/s, where a GPU that reads the buckets reaches 5.6 (bp2ht) and 6.4 to 8.3 (iht).
// What limits them is one random store each.
//
// Linearization. A pair stays in its slot until it is erased. A slot goes from unused (or
// erased) to a pair and back, and makes no other transition, so no reader has to tell
// whether it read before or after a move. Finds, updates and inserts may therefore share
// a launch:
//
//   insert  takes effect when its pair is stored. The bucket may no longer be the
//           emptiest, which is harmless: the pair is in one of its key's buckets, and
//           finds rely on nothing else. An insert fails only if it saw all slots of its
//           buckets taken. While nothing is erased, a taken slot stays taken.
//   find    takes effect when it reads the bucket that holds the key. If it sees the key
//           in no bucket, then at some moment in between no slot held it: a key that was
//           in the table throughout was in the same slot throughout, unless it was erased
//           and inserted again, and then it was absent in between.
//   update  takes effect at its compare-and-swap on the word that it read, or like a find
//           if it does not see the key.
//
// An erase alone would not break any of these: it makes a slot unused by a
// compare-and-swap on the word that it read, and an insert that then takes the slot needs
// nothing else. But a batch that erases a key and inserts it again has no order, and the
// insert, which does not search for its key, may come first. Then the key has two pairs,
// and the erase removes the one in the earlier bucket, which may be the new one. So
// erases run in their own batch. The slots they free are as good as new.
#pragma once

#include "board.h"
#include "choices.h"

namespace hz {

// Room is where an insert sees how full a bucket is.
enum class Room { board, buckets };

// An Offer describes an open slot in one word, encoded so that the smaller of two offers
// is the better one. Its four lowest bits are 0: a walk counts its steps there. The next
// five are the slot, and the next is set if the slot holds the marker of an erased pair.
using Offer = u32;
inline constexpr u32 kSteps = 15, kMarked = 1 << 9;
inline constexpr Offer kNoOffer = ~kSteps;
static_assert(HZ_MAX_HASHES <= kSteps);

// Marks: erases leave markers because finds need them. Alone: for batches of inserts that
// need only the board; each lane has its own.
template <class P, int B, Room R, bool Marks = false, bool Alone = false>
class Stable : public Choices<P, B> {
 public:
  using Base = Choices<P, B>;
  using typename Base::Slots;
  using Chunk = TwoLines<P, B>;
  static constexpr bool on_board = R == Room::board;
  static constexpr int width = Alone ? 1 : Base::width;
  static constexpr Traits traits{.gpu_width = Alone ? 1 : Slots::gpu_width,
                                 .single_lane = Alone,
                                 .mixed = {k_op_insert, k_op_find, k_op_update},
                                 .beside = on_board ? Ops{k_op_erase} : Ops{}};

  HZ_FN explicit Stable(const hz_table* t, int most_in_first = -1)
      : Base(t, false, most_in_first), board_(t->Region[1]) {}

  // beside returns what an erase changes beside the bucket: a CPU fetches it ahead.
  HZ_FN const void* beside(op_erase, u32 number) const
    requires(on_board)
  {
    return board_.word(number);
  }

  // bucket returns what an operation reads at a place.
  HZ_FN auto bucket(u32 number) const {
    if constexpr (Alone) {
      return board_.word(number);
    } else {
      return Base::bucket(number);
    }
  }

 protected:
  // erase takes a key's pair out of its slot and leaves `left` there.
  template <class Tile, class T>
  HZ_FN Done<P> erase(const Tile& tile, Walk<P>& walk, P left, const Slots& at, T& tally) const {
    const u32 bucket = walk.place;
    return this->change(tile, walk, left, at, tally, [&](bool won, typename Slots::Set found) {
      if constexpr (on_board) {
        const u32 slots = at.mask(tile, found);
        board_.release(tile, won, bucket, slots & -slots, tally);
      }
    });
  }

  // Seen is a bucket as the board shows it.
  struct Seen {
    u32 bucket, taken;
    HZ_FN int load() const { return popcount(taken); }
    HZ_FN bool full() const { return taken == Board<P, B>::kFull; }
    HZ_FN static Seen either(bool c, Seen a, Seen b) { return {c ? a.bucket : b.bucket, c ? a.taken : b.taken}; }
  };
  template <class Tile, class T>
  HZ_FN Seen look(const Tile& tile, u32 bucket, T& tally) const {
    return {bucket, board_.read(tile, bucket, tally)};
  }

  // place puts the walk's pair into the lowest open slot of a bucket. choose(tally)
  // returns the bucket. A CPU first only fetches the slot, so that it need not wait for it.
  template <class Tile, class F, class T>
  HZ_FN Done<P> place(const Tile& tile, Walk<P>& walk, F&& choose, T& tally) const {
    if constexpr (kOverlapped == 1 && !T::counted) {
      if (walk.step++ == 0) {
        const Seen best = choose(tally);
        prefetch(slot_of(best), sizeof(P));
        return Done<P>::undecided();
      }
    }
    const Seen best = choose(tally);
    const bool won = board_.claim(tile, !best.full(), best.bucket, first_open(best), tally);
    if (won) {
      tile.each(1, [&](Lane l) { lane_write(l, slot_of(best), walk.pair); });
      tally.touch(slot_of(best), sizeof(P));
    }
    return Done<P>::either(won, Done<P>::ok(),
                           Done<P>::either(best.full(), Done<P>::failed(walk.pair), Done<P>::undecided()));
  }

  // step_of returns the i of the bucket H_i(k) that was read.
  HZ_FN static u32 step_of(const Walk<P>& walk) { return walk.step & kSteps; }

  // offer returns the offer of a bucket's lowest open slot, or kNoOffer. `marked` are the
  // slots that hold a marker. The lower rank wins; of equal ranks the lower `tie`, which
  // must differ from step to step.
  HZ_FN static Offer offer(u32 open, u32 rank, u32 tie, [[maybe_unused]] u32 marked = 0) {
    const u32 slot = u32(lowest(open | u32(1) << (B - 1)));
    const u32 mark = Marks && (marked >> slot & 1) != 0 ? kMarked : 0;
    return open != 0 ? rank << 16 | tie << 12 | mark | slot << 4 : kNoOffer;
  }
  HZ_FN static u32 load_of(u32 open) { return B - u32(popcount(open)); }

  // settle picks the best of the offers of the two buckets read and the one that the walk
  // has kept. If `next` is 0, the walk has seen enough, and settle claims the offered
  // slot. Otherwise the walk keeps the best offer in walk.step and its bucket in
  // walk.memo, and moves to the bucket of step `next`.
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
    if (tile.any(take)) {
      P* slot = bucket + (best >> 4 & 31);
      won = tile.done_by(take, 0, [&](Lane l) { return lane_cas(l, slot, there, walk.pair) == there; });
      if (take) tally.swap(slot, sizeof(P), won);
    }
    if (tile.any(tile.busy() && !won)) walk.place = this->hashes_.at(next, walk.pair.key);
    walk.memo = u32(u64(bucket - this->slots_) / B);
    walk.step = next != 0 ? best | next : 0;
    Done<P> lost = Done<P>::either(next == 0 && none, Done<P>::failed(walk.pair), Done<P>::undecided());
    return Done<P>::either(won, Done<P>::ok(), lost);
  }

 private:
  HZ_FN static u32 first_open(Seen seen) { return u32(lowest(~seen.taken | u32(1) << (B - 1))); }
  HZ_FN P* slot_of(Seen seen) const { return this->slots_ + u64(seen.bucket) * B + first_open(seen); }

  Board<P, B> board_;
};

}  // namespace hz
