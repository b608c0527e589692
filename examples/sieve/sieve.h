// sieve.h: a bucketed cuckoo table with a sieve in front of it.
//
// Idea. What limits a table on a GPU is how often it touches memory at random. bcht needs
// little more than one access for most operations, but in a full table an absent key costs
// two or three reads, because nearly every bucket is full and a full bucket says nothing
// about who was turned away from it; and an insert reads buckets to see where room is, and
// swaps to take it. Both questions have short answers. The sieve has them, in 16 bits for
// each bucket, a 32nd of the table, so much of it stays in the second-level cache:
//
//   bucket 0  [ 1][ 2][ 3][ 8]   taken 1111   passed by 6
//   bucket 1  [ 6][  ][  ][  ]   taken 1000   -
//   bucket 2  [10][  ][  ][  ]   taken 1000   -
//
//   taken   a bit for each slot. An insert reads it instead of the bucket, claims a slot by
//           setting its bit, and stores its pair there: one write to the table, no swap.
//   passed  a filter. Each key has one of a few bits, by its hash, and sets it in every full
//           bucket that it passes. A search that does not see its key in a bucket goes on
//           only if the key's bit is set there: in the picture, 7 shares the bit of 6, or it
//           is nowhere.
//   lock    one bit, for the only operation that needs it: moving a pair.
//
// Insert. A key has a few buckets, H_0, H_1, ... It goes into the first that has room. If
// all are full, a pair of one of them, at a random slot, moves forward, to a later bucket
// of its own that has room, and the new pair takes its slot. Pairs only ever move
// forward; still, in a simulation, tables fill to 0.98 with three functions and buckets
// of 8: 4 of 100 inserts move a pair until one is filled to 0.95, nearly always a single
// one. If none of a bucket can move, the insert makes room in a bucket that one of them
// wants to go to, and begins anew. After max_chain tries it fails, and hands back its own
// pair.
//
// Find, update, erase. Read H_0, and go on as above. Nobody has passed a bucket that has a
// slot which was never used, so a search looks at the sieve only after full buckets. An erase
// clears the bit of its slot, and leaves a marker there if the bucket was passed. Filters are
// not cleared: they only ever let too many searches go on. Where most pairs are replaced many
// times, searches cost up to what they would without a filter.
//
// Linearization. A pair is copied before it leaves its slot, so it is in the table all the
// time, and it moves in the direction in which searches go.
//
//   insert  takes effect when its pair is stored, or at the compare-and-swap that puts it
//           into the slot of a pair that was moved.
//   find    takes effect when it reads the slot of its key. If it sees the key nowhere, it
//           has read all buckets of the key in order (with inserts in the launch it ignores
//           the filter). A pair that was in the table all the time was in the bucket that
//           it read, or has moved on, to a bucket that it reads later: no find misses it.
//   update  takes effect at its compare-and-swap. If the pair is being moved, that swap
//           makes the one fail which would empty the slot; the mover then carries the new
//           value over to the copy, and tries again. An update that already sees the
//           copy replaces the value there, and the mover leaves it: both updates
//           overlap, and either value may stay.
//
// Of two inserts that want to move a pair of one bucket, one has the lock and the other looks
// elsewhere, so no pair is moved twice at a time. Locks are only tried; nobody waits. A slot
// whose bit is set but which has no pair yet is passed over. Keys are inserted once: an
// insert does not search for its key. Erases do not share a launch with inserts: a copy would
// outlive its pair.
//
// What each idea gave. One H100 (limits: 32.5 G reads of 64 bytes a second, 13.6 G swaps or
// writes), 50 million pairs of 4+4 bytes, M/s, beside bcht with the same buckets, for inserts,
// finds of present and of absent keys:
//
//                                             0.8                    0.95
//   bcht                              11790 26185 18477       9535 21975 12482
//   sieve, every search looks at it    9411 19427 19336       8567 17781 16785
//   only after full buckets, and only
//   the tiles that have to             9490 24303 21210       8658 20210 16893
//   and lanes take new inserts        10078 24302 21214       9041 20197 16828
//   32 instead of 16 bits a bucket     7973 16905 17235       7041 14919 16758
//
// (The last row is of the first version, and the two before it were measured with a mistake
// that lost searches for a few pairs in a million.) So the filter is worth a third of the rate
// for absent keys in a full table, and costs present keys 7 percent. The bits of slots do not
// pay here: those of an iceberg table stay in the cache with buckets of 32 slots, but for
// buckets of 8 there are four times as many words.
//
// Limits. Pairs move, so addresses are not stable. With inserts in its launch, a find reads
// buckets by single lanes: mixed batches are slower.
#ifndef HZ_SIEVE_H
#define HZ_SIEVE_H

#include "choices.h"

namespace hz {

// Sieve is the words in front of the table: for each bucket a bit for each slot that is
// taken, kPass bits that say for which keys a search has to go on after the bucket, and a
// lock.
template <class P, int B, int Bits>
class Sieve {
 public:
  static constexpr int kPass = Bits - B - 1, in_word = 32 / Bits;
  static_assert(Bits == 16 || Bits == 32, "a bucket does not lie in two words");
  static constexpr u32 kFull = (u32(1) << B) - 1, kPassed = ((u32(1) << kPass) - 1) << B, kLock = u32(1) << (Bits - 1);

  HZ_FN explicit Sieve(u64 words) : words_(reinterpret_cast<u32*>(words)) {}

  HZ_FN u32* word(u32 bucket) const { return words_ + bucket / in_word; }
  HZ_FN static u32 of(u32 bucket, u32 word) { return word >> shift(bucket) & mask; }

  // passing returns the bit of a key.
  HZ_FN static u32 passing(typename P::Key key) {
    const u64 k = u64(key);
    return u32(1) << (B + multiply_high(mix32(u32(k ^ k >> 32)), u32(kPass)));
  }

  HZ_FN u32 set(Lane l, u32 bucket, u32 which) const {
    return of(bucket, lane_or(l, word(bucket), which << shift(bucket)));
  }
  HZ_FN void clear(Lane l, u32 bucket, u32 which) const { lane_and(l, word(bucket), ~(which << shift(bucket))); }

 private:
  static constexpr u32 mask = Bits == 32 ? ~u32(0) : (u32(1) << Bits % 32) - 1;
  HZ_FN static u32 shift(u32 bucket) { return bucket % in_word * Bits; }
  u32* words_;
};

template <class P, int B, int N, bool Alone = false>
class Sieved : public Choices<P, B> {
 public:
  using Base = Choices<P, B>;
  using Key = typename P::Key;
  using typename Base::Slots;
  using Bits = Sieve<P, B, N>;
  using Mixed = Ops<op_insert, op_find, op_update>;
  static constexpr bool alone = Alone;
  static constexpr int width = Alone ? 1 : Base::width, gpu_width = Alone ? 1 : Base::gpu_width;
  template <class Op>
  using For = Sieved<P, B, N, kListed<Op, Ops<op_insert, op_mix>>>;
  using Refilled = Ops<op_insert>;
  enum Arg { kMaxChain };

  HZ_FN Sieved(const hz_table* t, const hz_batch* batch)
      : Base(t, false),
        sieve_(t->Region[1]),
        max_chain_(u32(t->Arg[kMaxChain])),
        seed_(u32(t->Seed)),
        moving_((batch->Select >> k_op_insert & 1) != 0) {}

  HZ_FN auto bucket(u32 number) const {
    if constexpr (Alone) {
      return sieve_.word(number);
    } else {
      return Base::bucket(number);
    }
  }

  // beside returns what else an operation may read: a CPU fetches it ahead.
  template <class Op>
    requires(!Alone)
  HZ_FN const void* beside(Op, u32 number) const {
    return sieve_.word(number);
  }

  template <class Tile, class T>
    requires(!Alone)
  HZ_FN Done<P> find_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    const auto found = at.find(tile, walk.pair.key);
    const typename P::Value value = at.value(tile, found);
    if (tile.branch(found.any())) return Done<P>::found(value);
    return Done<P>::either(found.any(), Done<P>::found(value),
                           further(tile, walk, !found.any(), at.unused(tile).any(), tally));
  }

  template <class Tile, class T>
    requires(!Alone)
  HZ_FN Done<P> update_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    return change(tile, walk, walk.pair, at, tally, false);
  }

  template <class Tile, class T>
    requires(!Alone)
  HZ_FN Done<P> erase_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    const auto found = at.find(tile, walk.pair.key);
    const u32 seen = seen_if(tile, tile.busy() && found.any(), walk.place, tally);
    const bool passed = (seen & Bits::kPassed) != 0;
    return change(tile, walk, P::either(passed, P::erased(), P::empty()), at, tally, true);
  }

  // Operations of single lanes.
  template <class Tile, class A, class T>
    requires(Alone)
  HZ_FN Done<P> find_at(const Tile& tile, Walk<P>& walk, A*, T& tally) const {
    P seen;
    if (slot_of(tile, walk, seen, tally) != nullptr) return Done<P>::found(seen.value);
    return further(tile, walk, true, false, tally);
  }

  template <class Tile, class A, class T>
    requires(Alone)
  HZ_FN Done<P> update_at(const Tile& tile, Walk<P>& walk, A*, T& tally) const {
    P seen;
    P* slot = slot_of(tile, walk, seen, tally);
    if (slot == nullptr) return further(tile, walk, true, false, tally);
    const bool won = lane_cas(Lane{}, slot, seen, walk.pair) == seen;
    tally.swap(slot, sizeof(P), won);
    return Done<P>::either(won, Done<P>::ok(), Done<P>::undecided());
  }

  template <class Tile, class A, class T>
    requires(Alone)
  HZ_FN Done<P> insert_at(const Tile& tile, Walk<P>& walk, A*, T& tally) const {
    const u32 count = this->hashes_.count(), pass = Bits::passing(walk.pair.key);
    if (walk.step == count) return make_room(tile, walk, tally);
    // A GPU waits once for the words of all buckets; a CPU looks at one after the other.
    constexpr u32 kMost = kOverlapped > 1 ? 4 : 1;
    u32 place[kMost], seen[kMost], open = kMost;
#pragma unroll
    for (u32 i = 0; i < kMost; i++) {
      place[i] = i == 0 ? walk.place : this->hashes_.at(i < count ? i : 0, walk.pair.key);
      seen[i] = i < count ? look(tile, place[i], tally) : Bits::kFull;
    }
    u32 to = 0, slot = 0;
#pragma unroll
    for (u32 i = kMost; i-- > 0;) {
      const bool room = (seen[i] & Bits::kFull) != Bits::kFull;
      open = room ? i : open;
      to = room ? place[i] : to;
      slot = room ? open_in(seen[i]) : slot;
    }
#pragma unroll
    for (u32 i = 0; i < kMost; i++) {
      if (i < open && i < count && (seen[i] & pass) == 0) sieve_.set(Lane{}, place[i], pass);
    }
    if (open == kMost) {
      walk.step = kMost > 1 ? count : walk.step + 1;
      walk.place = walk.step < count ? this->hashes_.at(walk.step, walk.pair.key) : own(walk);
      return Done<P>::undecided();
    }
    P* at = slots_at(to) + slot;
    if constexpr (kMost == 1 && !T::counted) {
      if (walk.memo == 0) {  // a CPU first fetches the slot
        walk.memo = 1;
        prefetch(at, sizeof(P));
        return Done<P>::undecided();
      }
    }
    if (!claim(to, slot, tally)) return Done<P>::undecided();
    lane_write(Lane{}, at, walk.pair);
    tally.touch(at, sizeof(P));
    return Done<P>::ok();
  }

 private:
  HZ_FN P* slots_at(u32 bucket) const { return this->slots_ + u64(bucket) * B; }
  HZ_FN static u32 open_in(u32 seen) { return u32(lowest(~seen & Bits::kFull)); }

  template <class Tile, class T>
  HZ_FN u32 look(const Tile& tile, u32 bucket, T& tally) const {
    tally.probe(sieve_.word(bucket), sizeof(u32));
    return Bits::of(bucket, tile.read(sieve_.word(bucket)));
  }

  template <class T>
  HZ_FN bool claim(u32 bucket, u32 slot, T& tally) const {
    const bool won = (sieve_.set(Lane{}, bucket, u32(1) << slot) >> slot & 1) == 0;
    tally.swap(sieve_.word(bucket), sizeof(u32), won);
    return won;
  }

  // further continues after a bucket without the key, if the sieve says so. While inserts
  // move pairs, it goes on in any case; otherwise nobody has passed a bucket that has a slot
  // which was never used.
  template <class Tile, class T>
  HZ_FN Done<P> further(const Tile& tile, Walk<P>& walk, bool not_here, bool unused, T& tally) const {
    bool on = tile.busy() && not_here && walk.step + 1 < this->hashes_.count() && (moving_ || !unused);
    if (tile.any(on)) {
      const u32 seen = seen_if(tile, on && !moving_, walk.place, tally);
      on = on && (moving_ || (seen & Bits::passing(walk.pair.key)) != 0);
      if (on) walk.place = this->hashes_.at(++walk.step, walk.pair.key);
    }
    return Done<P>::either(on, Done<P>::undecided(), Done<P>::missing());
  }

  // seen_if looks at the sieve if `wanted` is set, and returns 0 otherwise.
  template <class Tile, class T>
  HZ_FN u32 seen_if(const Tile& tile, bool wanted, u32 bucket, T& tally) const {
    Lanes<u32, Tile::width> word;
    tile.each([&](Lane l) { word[l] = 0; });
    tile.each(wanted ? 1 : 0, [&](Lane l) { word[l] = lane_read(l, sieve_.word(bucket)); });
    if (wanted) tally.touch(sieve_.word(bucket), sizeof(u32));
    return Bits::of(bucket, tile.pick(word, 0));
  }

  template <class Tile, class T>
  HZ_FN Done<P> change(const Tile& tile, Walk<P>& walk, P pair, const Slots& at, T& tally, bool frees) const {
    const auto found = at.find(tile, walk.pair.key);
    const bool won = at.put(tile, found, pair, tally);
    if (frees) {
      const u32 slots = at.mask(tile, found);
      tile.each(won ? 1 : 0, [&](Lane l) { sieve_.clear(l, walk.place, slots & -slots); });
      if (won) tally.touch(sieve_.word(walk.place), sizeof(u32));
    }
    if (tile.branch(won)) return Done<P>::ok();
    const Done<P> here = Done<P>::either(won, Done<P>::ok(), Done<P>::undecided());
    return Done<P>::either(found.any(), here, further(tile, walk, !found.any(), at.unused(tile).any(), tally));
  }

  // slot_of returns the slot of a key in the bucket at hand, and its pair.
  template <class Tile, class T>
  HZ_FN P* slot_of(const Tile&, const Walk<P>& walk, P& seen, T& tally) const {
    P* slots = slots_at(walk.place);
    tally.probe(slots, sizeof(P) * B);
    for (int i = 0; i < B; i++) {
      seen = lane_read(Lane{}, slots + i);
      if (seen.key == walk.pair.key) return slots + i;
    }
    return nullptr;
  }

  HZ_FN u32 random(const Walk<P>& walk) const { return mix32(u32(walk.pair.key) ^ (seed_ + walk.memo * 0x9e3779b9u)); }
  // own returns one of the walk's own buckets, a different one at each try.
  HZ_FN u32 own(const Walk<P>& walk) const {
    return this->hashes_.at(multiply_high(random(walk), this->hashes_.count()), walk.pair.key);
  }

  // make_room looks for a pair that can move from a full bucket to one of its later ones.
  template <class Tile, class T>
  HZ_FN Done<P> make_room(const Tile& tile, Walk<P>& walk, T& tally) const {
    const u32 from = walk.place;
    if (walk.memo++ == max_chain_) return Done<P>::failed(walk.pair);
    u32 next = own(walk);
    bool done = false;
    if ((sieve_.set(Lane{}, from, Bits::kLock) & Bits::kLock) == 0) {
      const u32 start = random(walk);
      bool moved = false;
      tally.probe(slots_at(from), sizeof(P) * B);
      for (u32 i = 0; i < B && !moved; i++) {
        P* slot = slots_at(from) + (start + i) % B;
        const P pair = lane_read(Lane{}, slot);
        if (pair.is_live()) moved = move(tile, walk, slot, pair, next, done, tally);
      }
      sieve_.clear(Lane{}, from, Bits::kLock);
      if (moved && !done) walk.step = 0, next = this->hashes_.at(0, walk.pair.key);
    }
    walk.place = next;
    return Done<P>::either(done, Done<P>::ok(), Done<P>::undecided());
  }

  // move copies a pair to one of its later buckets that has room, and then puts the walk's
  // pair into its slot, or nothing, if the bucket is none of the walk's own. Without room it
  // says where else to make some.
  template <class Tile, class T>
  HZ_FN bool move(const Tile& tile, const Walk<P>& walk, P* slot, P pair, u32& next, bool& done, T& tally) const {
    const Hashes& hashes = this->hashes_;
    u32 i = 0;
    while (i < hashes.count() && hashes.at(i, pair.key) != walk.place) i++;
    for (i++; i < hashes.count();) {
      const u32 to = hashes.at(i, pair.key), seen = look(tile, to, tally);
      if ((seen & Bits::kFull) == Bits::kFull) {  // only full buckets are passed
        if (random(walk) >> 30 == 0) next = to;
        i++;
      } else if (claim(to, open_in(seen), tally)) {
        copy(walk, i, slot, pair, slots_at(to) + open_in(seen), done, tally);
        return true;
      }
    }
    return false;
  }

  template <class T>
  HZ_FN void copy(const Walk<P>& walk, u32 i, P* slot, P pair, P* to, bool& done, T& tally) const {
    const Hashes& hashes = this->hashes_;
    for (u32 j = 0; j < i; j++) sieve_.set(Lane{}, hashes.at(j, pair.key), Bits::passing(pair.key));
    for (u32 j = 0; j < hashes.count(); j++) done = done || hashes.at(j, walk.pair.key) == walk.place;
    const P instead = P::either(done, walk.pair, P::erased());
    lane_write(Lane{}, to, pair);
    lane_fence(Lane{});
    for (P now = lane_cas(Lane{}, slot, pair, instead); !(now == pair); now = lane_cas(Lane{}, slot, pair, instead)) {
      lane_cas(Lane{}, to, pair, now);  // an update came in between
      lane_fence(Lane{});
      pair = now;
    }
    if (!done) sieve_.clear(Lane{}, walk.place, u32(1) << (slot - slots_at(walk.place)));
    tally.touch(to, sizeof(P));
    tally.swap(slot, sizeof(P), true);
    tally.evict();
  }

  Bits sieve_;
  u32 max_chain_, seed_;
  bool moving_;
};

}  // namespace hz

#endif
