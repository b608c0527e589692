// 1cht.h: 1CHT, the cuckoo hash table with one pair per slot.
//
// Idea. Each key has h slots, H_0(k) to H_{h-1}(k). To insert a pair, exchange it
// blindly, by one atomic, with whatever is in slot H_0(k). If the slot was open, the
// insert is done. Otherwise the evicted pair continues: it goes to the slot of the
// function after the one that had placed it, and may evict another pair. The eviction
// chain ends when a pair lands in an open slot.
//
//   k --> [ H_0(k): x ] --> x --> [ H_2(x): y ] --> y --> [ H_1(y): open ]
//
// One thread carries out one operation, and no slot is read before it is written: an
// insert consists of exchanges only. That makes it the simplest fast table, and the
// baseline of the papers. A memory access fetches a 32-byte sector of which 8 bytes are
// used; buckets improve on that (bcht.h).
//
// An insert that reaches max_chain exchanges hands back the pair it holds, which may not
// be the one it started with.
//
// Linearization. An insert takes effect at its first exchange. An evicted pair is in no
// slot until the next exchange, so finds run in separate batches. Updates and erases are
// those of all cuckoo tables (cuckoo.h).
//
// Limits. With four functions it fills to 0.96, but eviction chains get long above 0.8.
// Pairs move. Keys are inserted once: an insert does not search for its key.
//
// Paper: Alcantara, Volkov, Sengupta, Mitzenmacher, Owens, Amenta: Building an Efficient
// Hash Table on the GPU (CUDPP); as 1CHT in Awad et al.: Better GPU Hash Tables.
#ifndef HZ_1CHT_H
#define HZ_1CHT_H

#include "cuckoo.h"

namespace hz {

template <class P>
class OneCht : public Cuckoo<P, 1> {
 public:
  using Base = Cuckoo<P, 1>;
  enum Arg { kMaxChain };

  HZ_FN explicit OneCht(const hz_table* t) : Base(t, true), max_chain_(u32(t->Arg[kMaxChain])) {}

  template <class Tile, class T>
  HZ_FN Done<P> insert_at(const Tile& tile, Walk<P>& walk, P* slot, T& tally) const {
    walk.pair = tile.exchange_if(true, slot, walk.pair);
    if (!walk.pair.is_live()) return Done<P>::ok();
    if (walk.step == max_chain_) return Done<P>::failed(walk.pair);
    tally.evict();
    walk.place = this->hashes_.after(walk.place, walk.pair.key);
    walk.step++;
    return Done<P>::undecided();
  }

 private:
  u32 max_chain_;
};

}  // namespace hz

#endif
