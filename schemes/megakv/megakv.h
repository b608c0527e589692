// megakv.h: the index of Mega-KV, bucketed cuckoo hashing with two functions.
//
// Idea. A key-value store keeps its values in host memory, and the GPU holds the index:
// pairs of a short signature and a location, 32 bits each, in buckets that neighboring
// lanes read together. Each key has two buckets, so a find takes at most two accesses,
// the fewest of all cuckoo tables. It fills less than with three functions, which does
// not matter to a cache, because a cache may forget.
//
//   H_0(k) = 0, full     bucket 0  [ 3][ 6][ 9][ 4]      k goes to its other bucket if
//   H_1(k) = 2, full     bucket 1  [ 1][15][  ][  ] <-.  that has room; if not, it takes
//                        bucket 2  [13][ 8][ k][ 1]   |  a random place there, and 7
//                                           ^-- 7 ----'  moves to its other bucket
//
// Insert. If bucket H_0(k) has an open slot, put the pair there; if not, do the same in
// H_1(k). If that is full too, exchange the pair with a random one there, and continue
// with the evicted pair at its other bucket. After max_chain exchanges the pair in hand,
// which may not be the one to be inserted, is handed back and counts as failed. The
// default is the 5 of the published code, which drops that pair: those are the failures
// that papers report for Mega-KV.
//
// Find, update and erase read both buckets. Erases of Mega-KV leave empty slots, so an
// empty slot does not prove that no key was turned away from the bucket, and finds cannot
// stop early.
//
// Differences from Mega-KV. There, the threads of a block agree through barriers on who
// writes a slot, which loses inserts; here atomics do it, as in the measurements of
// DyCuckoo. There, the table is partitioned among the blocks that insert; atomics make
// that unnecessary. There, the second bucket follows from the first and the signature;
// here a second hash function selects it. There, inserts search for their key first; with
// atomics that would take locks, and keys are inserted once here.
//
// Resizes. A table doubles or halves as a whole: all its pairs are inserted anew. With
// resize=auto it doubles when inserts find no room, as in the measurements of DyCuckoo.
//
// Linearization. An insert takes effect at the compare-and-swap that puts its pair into
// an open slot, or at the exchange that puts it into a full bucket. Between two exchanges
// the evicted pair is in no slot, so inserts run in their own batches. The rest is as in
// all cuckoo tables (cuckoo.h).
//
// Limits. With 5 exchanges, inserts occasionally fail at any load factor, one in a
// hundred at 0.9 with buckets of 8; a larger max_chain helps. Pairs move.
//
// Paper: Zhang, Wang, Yuan, Guo, Lee, Zhang: Mega-KV: A Case for GPUs to Maximize the
// Throughput of In-Memory Key-Value Stores; measured in Li, Zhu, Lyu, Huang, Sun:
// DyCuckoo: Dynamic Hash Tables on GPUs.
#pragma once

#include "cuckoo.h"

namespace hz {

template <class P, int B>
class MegaKv : public Cuckoo<P, B> {
 public:
  using Base = Cuckoo<P, B>;
  using typename Base::Slots;
  enum Arg { kMaxChain };

  HZ_FN explicit MegaKv(const hz_table* t) : Base(t, false), max_chain_(u32(t->Arg[kMaxChain])) {}

  // walk.step is 0 at the first bucket, then 1 plus the number of exchanges.
  template <class Tile, class T>
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    const auto open = at.open(tile);
    bool won = at.put(tile, open, walk.pair, tally);
    bool full = !open.any(), turned_away = full && walk.step == 0, last = full && walk.step == max_chain_ + 1;
    Done<P> done = Done<P>::either(last, Done<P>::failed(walk.pair), Done<P>::undecided());
    if (turned_away) {
      walk.place = this->hashes_.at(1, walk.pair.key);
      walk.step = 1;
    }
    bool exchange = full && !turned_away && !last;
    if (tile.any(exchange)) {
      this->evict(tile, exchange, walk, tally);
      this->go_on(walk, exchange);
    }
    return Done<P>::either(won, Done<P>::ok(), done);
  }

 private:
  u32 max_chain_;
};

}  // namespace hz
