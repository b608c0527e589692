// bcht.h: BCHT, the bucketed cuckoo hash table.
//
// The idea. A cuckoo table gives each key a few places and moves keys around
// until all fit. With one slot per place that takes many moves. With buckets of
// B slots, nearly every key finds room in its first bucket, and reading a bucket
// costs as much as reading a slot: a memory access fetches a line anyway, and a
// tile of B lanes looks at all its slots at once. Three functions and B = 16
// fill 98 percent of the table.
//
//   H_0(k) = 2, full                       k goes into a random slot of bucket 2;
//   bucket 0  [ 3][ 6][  ][  ]             11, which was there, moves on to its
//   bucket 1  [ 1][15][10][11] <-- 11      next bucket, 1. Had that been full, 11
//   bucket 2  [13][ 8][ 7][ 1]             would have pushed out another one.
//                      ^-- k = 7
//
// Insert. Read bucket H_0(k). If it has an open slot, put the pair there with a
// compare-and-swap. If not, exchange the pair with a random one of the bucket
// and go on with that one, at the bucket after the one it came from. After
// max_chain exchanges give up; the pair in hand, which may not be the one that
// was to be inserted, is handed back, so nothing is lost silently.
//
// Placement. `first` is the above. `least_loaded` reads all h buckets of a key
// and takes the emptiest, ties to the first function; it fills higher with two
// functions, at the price of h reads per insert, and finds can no longer stop
// early, since a key may be anywhere among its buckets.
//
// What makes it linearizable: an insert takes effect at the compare-and-swap
// that puts its pair into an open slot, or the exchange that puts it into a full
// bucket. Between two exchanges of a chain the evicted pair is in no slot: a
// find at that moment would miss it. Therefore inserts and finds run in separate
// batches (phases), which the scheme declares. Keys are inserted once: an insert
// does not look for its key.
//
// Limits. Stops filling at about 0.60 / 0.97 / 0.98 for B = 1 (h = 3), 8, 16.
// Pairs move, so their addresses are not stable.
//
// Paper: Awad, Ashkiani, Porumbescu, Farach-Colton, Owens: Better GPU Hash
// Tables, sections III-A and V-B.
#ifndef HZ_BCHT_H
#define HZ_BCHT_H

#include "cuckoo.h"

namespace hz {

template <class P, int B>
class Bcht : public Cuckoo<P, B> {
 public:
  using Base = Cuckoo<P, B>;
  using typename Base::Slots;
  enum Arg { kMaxChain, kPlacement };
  enum Placement { kFirst, kLeastLoaded };

  HZ_FN explicit Bcht(const hz_table* t)
      : Base(t, t->Arg[kPlacement] == kFirst),
        max_chain_(u32(t->Arg[kMaxChain])),
        least_loaded_(t->Arg[kPlacement] == kLeastLoaded) {}

  template <class T>
  HZ_FN Done<P> insert(const Tile<B>& tile, P pair, T& tally, Slots at) const {
    for (u32 chain = 0;; chain++) {
      if (least_loaded_) settle(tile, pair.key, tally, at);
      while (u32 open = at.open(tile)) {
        if (at.claim(tile, lowest(open), pair, tally)) return Done<P>::ok();
        tally.probe(at.slots(), Slots::bytes);
        at.reload(tile);  // each lost race filled a slot, so this ends
      }
      if (chain == max_chain_) return Done<P>::failed(pair);
      pair = at.swap(tile, this->victim(pair.key, chain), pair, tally);
      tally.evict();
      at = this->read(tile, this->hashes_.after(this->number_of(at.slots()), pair.key), tally);
    }
  }

 private:
  // settle exchanges the bucket in hand for the key's least loaded one, if that
  // has more room.
  template <class T>
  HZ_FN void settle(const Tile<B>& tile, typename P::Key key, T& tally, Slots& at) const {
    P* in_hand = at.slots();
    int room = popcount(at.open(tile));
    for (u32 i = 0; i < this->hashes_.count(); i++) {
      u32 number = this->hashes_.at(i, key);
      if (this->bucket(number) == in_hand) continue;
      Slots other = this->read(tile, number, tally);
      int room_there = popcount(other.open(tile));
      if (room_there <= room) continue;
      room = room_there;
      at = other;
    }
  }

  u32 max_chain_;
  bool least_loaded_;
};

}  // namespace hz

#endif
