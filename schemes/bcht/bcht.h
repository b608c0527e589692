// bcht.h: BCHT, the bucketed cuckoo hash table.
//
// Idea. A cuckoo table gives each key a few places and moves pairs until all fit. With
// one slot per place that takes many moves. With buckets of B slots, nearly every key
// finds room in its first bucket, and reading a bucket costs as much as reading a slot: a
// memory access fetches a line anyway, and a tile examines all slots at once. Three
// functions and B = 8 fill 99 percent of the table.
//
//   H_0(k) = 0 and H_1(k) = 2, both full   k goes into a random slot of bucket 2;
//   bucket 0  [ 3][ 6][ 5][12]             11, which was there, moves to its next
//   bucket 1  [ 1][15][10][11] <-- 11      bucket, 1. If that had no room, 11 would
//   bucket 2  [13][ 8][ 7][ 4]             go on as k did.
//                      ^-- k = 7
//
// Insert. Read bucket H_0(k). If it has an open slot, put the pair there with a
// compare-and-swap. If not, look at the next bucket. If that is full, too, exchange the
// pair with a random one of it, and continue with the evicted pair at the bucket after the
// one it came from. After max_chain exchanges, give up: the pair in hand, which may not be
// the one to be inserted, is handed back, so nothing is lost silently.
//
// In the paper an insert exchanges at once (looks=1). The buckets read are as many either
// way, but a second look mostly saves the exchange, which is what limits a GPU: on one
// H200, B = 8, inserts run at 12.4 instead of 12.0 G/s at 0.9 (10.7 and 10.3 at 0.95).
//
// Pages. In a table larger than a GPU's cache (64 MiB and more), the second bucket of a pair is in the same 32 KB as
// the first, if inserts look at both and there is a third one, which may be anywhere. A large batch is built in parts
// of that size in shared memory (bulk.h), where a pair finds both, and only those for which neither has room go to the
// table. One H200, 50 million pairs: inserts run at 42.2 instead of 36.0 G/s at 0.8, 32.7 instead of 28.0 at 0.9. One
// choice that is elsewhere is enough for the table to fill as high as before: pages that are too full move pairs to
// others (Dietzfelbinger, Mitzenmacher, Rink: Cuckoo Hashing with Pages). In the paper all are anywhere.
//
// Placement. `first` is as above. `least_loaded` reads all h buckets of a key and takes
// the emptiest; ties go to the first function. It reaches a higher load factor with two
// functions, but an insert costs h reads, and finds cannot stop early because a key may
// be in any of its buckets.
//
// Linearization. An insert takes effect at the compare-and-swap that puts its pair into
// an open slot, or at the exchange that puts it into a full bucket. Between two exchanges
// of a chain the evicted pair is in no slot, and a find would miss it. Therefore inserts
// and finds run in separate batches (phases), which the scheme declares. Keys are
// inserted once: an insert does not search for its key.
//
// Put and get. A cache of such buckets: put replaces the pair of its key. If that is nowhere, it takes an open slot
// of the first bucket that has one, and if all are full, it exchanges a pair of H_0(k), which leaves. The key says
// which one, so two puts of a key exchange the same slot. In a batch of puts open slots are only taken, so they also
// agree about the first open one. Get is a find: which pair leaves does not depend on it.
//
// Limits. With three functions it fills to 0.90, 0.97 and 0.99 for B = 1, 2 and 4 or
// more. Pairs move, so their addresses are not stable.
//
// Paper: Awad, Ashkiani, Porumbescu, Farach-Colton, Owens: Better GPU Hash Tables,
// sections III-A and V-B.
#pragma once

#include "cuckoo.h"

namespace hz {

enum class Placement { first, least_loaded };

template <class P, int B, Placement Place>
class Bcht : public Cuckoo<P, B, Paged<2, 3>> {  // by kSecond and kPage
 public:
  using Base = Cuckoo<P, B, Paged<2, 3>>;
  using typename Base::Slots;
  static constexpr Traits traits = Base::traits.with([](Traits& t) { t.in_pairs = true; });
  enum Arg { kMaxChain, kLooks, kSecond, kPage };

  HZ_FN explicit Bcht(const hz_table* t)
      : Base(t, Place == Placement::first),
        max_chain_(u32(t->Arg[kMaxChain])),
        looks_(u32(t->Arg[kLooks])),
        in_pairs_(t->Host != 0) {}

  // in_pairs: tiles read buckets in pairs, each by one request, if the table is in host memory. There the number of
  // requests is what limits a GPU; in its own memory the exchange costs a little, and up to 15 percent for B = 16.
  HZ_FN bool in_pairs() const { return in_pairs_; }

  template <class Tile, class T>
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Slots& here, T& tally) const {
    Slots at = here;
    if constexpr (Place == Placement::least_loaded) at = emptiest(tile, walk, here, tally);
    const auto open = at.open(tile);
    bool won = at.put(tile, beginning(tile, open, walk.pair.key), walk.pair, tally);
    if (tile.branch(won)) return Done<P>::ok();
    // walk.memo counts the full buckets that the pair in hand has seen.
    const bool full = !open.any(), further = Place == Placement::first && walk.memo + 1 < looks_;
    const bool last = walk.step == max_chain_ && !further;
    Done<P> done = Done<P>::either(full && last, Done<P>::failed(walk.pair), Done<P>::undecided());
    if (tile.any(full)) {
      this->evict(tile, full && !further && !last, walk, tally);
      walk.memo = further ? walk.memo + 1 : seen_by_evicted(walk.place);
      this->go_on(walk, full && !last);
    }
    return Done<P>::either(won, Done<P>::ok(), done);
  }

  template <class Tile, class T>
  HZ_FN Done<P> get_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    return this->find_in(tile, walk, at, tally);
  }

  // put_in keeps in walk.memo the step, plus 1, at which it saw the first open slot, and whether all buckets were seen.
  template <class Tile, class T>
  HZ_FN Done<P> put_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    const auto found = at.find(tile, walk.pair.key), open = at.open(tile);
    const bool here = found.any(), ends = this->ends(tile, walk, at);
    const bool last = ends || walk.step + 1 == this->hashes_.count();
    if (walk.memo == 0 && open.any()) walk.memo = walk.step + 1;
    const u32 first_open = walk.memo & ~kSeen, step = walk.step;
    const bool seen = last || (walk.memo & kSeen) != 0, takes = !here && seen && first_open == step + 1;
    const bool won = at.put(tile, Slots::Set::either(takes, open, found), walk.pair, tally);
    const bool full = !here && seen && first_open == 0;
    const P left = exchange_in_first(tile, full, walk.pair, tally);
    const bool on = !here && !seen, back = !here && seen && first_open != 0 && !takes;
    walk.memo = on ? walk.memo : back ? first_open | kSeen : 0;
    walk.step = on ? step + 1 : back ? first_open - 1 : 0;
    walk.place = this->hashes_.at(walk.step, walk.pair.key);
    const Done<P> done = Done<P>::either(won && !here, Done<P>::ok(), Done<P>::replaced());
    const Done<P> put = Done<P>::either(left.key != walk.pair.key, Done<P>::evicted(left), done);
    return Done<P>::either(won || full, put, Done<P>::undecided());
  }

 private:
  static constexpr u32 kSeen = u32(1) << 31;

  // beginning returns the slots of a set from one on that depends on the key, or all of them
  // if none are. On a GPU, all inserts of a small batch see their buckets at the same time,
  // and with the lowest open slot only one of each bucket would get what it wants. A CPU
  // takes the lowest.
  template <class Tile, class Set>
  HZ_FN static Set beginning(const Tile& tile, Set set, typename P::Key key) {
    if constexpr (B >= 4 && requires { set.lanes; }) {
      constexpr u32 row = B / Slots::width;
      const u32 from = multiply_high(u32(key) * 0x9e3779b1u, B), lane = from / row;
      u32 mine = 0;
      tile.each([&](Lane l) {
        mine = l.index() < lane ? 0 : l.index() > lane ? set.mine : set.mine & ~u32(0) << from % row;
      });
      const u32 lanes = tile.ballot([&](Lane) { return mine != 0; });
      return Set::either(lanes != 0, Set{mine, lanes}, set);
    } else {
      return set;
    }
  }

  // exchange_in_first puts a pair in place of another one of its first bucket, and returns that.
  template <class Tile, class T>
  HZ_FN P exchange_in_first(const Tile& tile, bool full, const P& pair, T& tally) const {
    P* at = this->bucket(this->first(pair.key)) + mix32(u32(pair.key) ^ this->seed_) % B;
    const P left = tile.exchange_if(full, at, pair);
    if (!full) return left;
    tally.touch(at, sizeof(P));
    if (left.key != pair.key) tally.evict();
    return left;
  }

  // seen_by_evicted: pairs that are evicted after two looks each move on by two buckets. With
  // two or four functions a pair would then only ever evict from half of its buckets, so it
  // has one bucket less to look at. So does a pair of a page that is cut off, which may have
  // two buckets that are one.
  HZ_FN u32 seen_by_evicted(u32 bucket) const {
    return this->hashes_.count() % looks_ == 0 || this->hashes_.cut_off(bucket) ? 1 : 0;
  }

  // emptiest returns the bucket with the most room among the pair's buckets, or the one
  // already read if none has more, and moves the walk there.
  template <class Tile, class T>
  HZ_FN Slots emptiest(const Tile& tile, Walk<P>& walk, const Slots& here, T& tally) const {
    Slots best = here;
    u32 in_hand = walk.place;
    int room = here.count(tile, here.open(tile));
    for (u32 i = 0; i < this->hashes_.count(); i++) {
      u32 number = this->hashes_.at(i, walk.pair.key);
      Slots other(tile, this->bucket(number));
      if (number != in_hand) tally.probe(other.slots(), Slots::bytes);
      int room_there = other.count(tile, other.open(tile));
      bool better = number != in_hand && room_there > room;
      best = Slots::either(tile, better, other, best);
      room = better ? room_there : room;
      walk.place = better ? number : walk.place;
    }
    return best;
  }

  u32 max_chain_, looks_;
  bool in_pairs_;
};

}  // namespace hz
