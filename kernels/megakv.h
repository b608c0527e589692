// megakv.h: Mega-KV's index, bucketed cuckoo hashing with two functions.
//
// The idea. A store of key-value pairs has its values in host memory, and the GPU has
// the index: pairs of a short signature and a location, both 32 bits, in buckets that
// neighbouring lanes read together. Each key has two buckets, so a find is two
// accesses and never more, the fewest of all cuckoo tables. That it fills less high
// than with three functions does not matter to a cache, which may forget.
//
//   H_0(k) = 0, full     bucket 0  [ 3][ 6][ 9][ 4]      k goes to its other bucket if
//   H_1(k) = 2, full     bucket 1  [ 1][15][  ][  ] <-.  that has room; if not, it takes
//                        bucket 2  [13][ 8][ k][ 1]   |  a random place there, and 7
//                                           ^-- 7 ----'  moves to its other bucket
//
// Insert. If bucket H_0(k) has an open slot, put the pair there; if not, the same in
// H_1(k); if that is full too, exchange the pair with a random one of it, and go on
// with that one at its other bucket. After max_chain exchanges the pair in hand, which
// may not be the one that was to be inserted, is handed back and counts as failed. The
// default is the 5 of the published code, where that pair is dropped: these are the
// failures that papers show for Mega-KV.
//
// Find, update and erase look at both buckets. Mega-KV's erases leave empty slots, so
// it cannot know that a key was never turned away from its first bucket: finds do not
// stop early here either.
//
// What differs from Mega-KV. Its threads of a block agree by barriers on who writes a
// slot, which loses inserts; as in the measurements of DyCuckoo, atomics do that here.
// Its tables are partitioned, one for each block that inserts, which atomics make
// needless. It finds the second bucket from the first one and the signature; a second
// hash function does the same. Its inserts look for their key before; with atomics that
// would take locks, and keys are inserted once in this zoo.
//
// What makes it linearizable: an insert takes effect at the compare-and-swap that puts
// its pair into an open slot, or the exchange that puts it into a full bucket. Between
// two exchanges the evicted pair is in no slot: so inserts run in batches of their
// own. The rest is as in every cuckoo table (cuckoo.h).
//
// Limits. With 5 exchanges, inserts fail at any load factor now and then, one in a
// hundred at 0.9 with buckets of 8; give max_chain more. Pairs move.
//
// Paper: Zhang, Wang, Yuan, Guo, Lee, Zhang: Mega-KV: A Case for GPUs to Maximize the
// Throughput of In-Memory Key-Value Stores; measured in Li, Zhu, Lyu, Huang, Sun:
// DyCuckoo: Dynamic Hash Tables on GPUs.
#ifndef HZ_MEGAKV_H
#define HZ_MEGAKV_H

#include "cuckoo.h"

namespace hz {

template <class P, int B>
class MegaKv : public Cuckoo<P, B> {
 public:
  using Base = Cuckoo<P, B>;
  using typename Base::Slots;
  enum Arg { kMaxChain };

  HZ_FN explicit MegaKv(const hz_table* t) : Base(t, false), max_chain_(u32(t->Arg[kMaxChain])) {}

  // Steps of the walk: 0 at the first bucket, then one more than there were exchanges.
  template <class Tile, class T>
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    u32 open = at.open(tile);
    bool won = at.put(tile, open, walk.pair, tally);
    bool full = open == 0, turned_away = full && walk.step == 0, last = full && walk.step == max_chain_ + 1;
    Done<P> done = Done<P>::either(last, Done<P>::failed(walk.pair), Done<P>::undecided());
    if (turned_away) {
      walk.place = this->hashes_.at(1, walk.pair.key);
      walk.step = 1;
    }
    bool exchange = full && !turned_away && !last;
    if (tile.any(exchange)) this->evict(tile, exchange, walk, tally);
    return Done<P>::either(won, Done<P>::ok(), done);
  }

 private:
  u32 max_chain_;
};

}  // namespace hz

#endif
