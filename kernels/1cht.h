// 1cht.h: 1CHT, the cuckoo hash table with one pair per slot.
//
// The idea. Each key has h slots, H_0(k) to H_{h-1}(k). To insert a pair,
// exchange it with whatever is in slot H_0(k), blindly, by one atomic. If the
// slot was open, that was all. If a pair comes out, it is that one's turn: it
// goes to the slot of the function after the one that had put it there, and may
// push out another. The chain ends when something lands in an open slot.
//
//   k --> [ H_0(k): x ] --> x --> [ H_2(x): y ] --> y --> [ H_1(y): open ]
//
// One thread carries one operation, and no slot is read before it is written:
// an insert is nothing but exchanges. That makes it the simplest fast table, and
// the baseline of the papers. A memory access brings in a 32-byte sector of
// which 8 bytes are used; that is what buckets improve on (bcht.h).
//
// An insert that reaches max_chain exchanges hands back the pair in hand, which
// may not be the one that it started with.
//
// What makes it linearizable: an insert takes effect at its first exchange; a
// pair pushed out is in no slot until the next one, so finds run in batches of
// their own. Updates and erases are those of every cuckoo table (cuckoo.h).
//
// Limits. With four functions it fills to 0.96, but chains get long from 0.8 on.
// Pairs move. Keys are inserted once: an insert does not look for its key.
//
// Paper: Alcantara, Volkov, Sengupta, Mitzenmacher, Owens, Amenta: Building an
// Efficient Hash Table on the GPU (CUDPP); as 1CHT in Awad et al.: Better GPU
// Hash Tables.
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
