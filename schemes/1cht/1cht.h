// 1cht.h: 1CHT, the cuckoo hash table with one pair per slot.
//
// Idea. Each key has h slots, H_0(k) to H_{h-1}(k). An insert looks at them in this order
// and puts its pair into the first open one, by a compare-and-swap. If none is open, it
// exchanges its pair with the one in the last of them. The evicted pair then looks at the
// other slots of its own key, from the function after the one that had placed it, and may
// evict another pair in its turn. The eviction chain ends when a pair lands in an open
// slot.
//
//   k --> [ H_0(k): a ] [ H_1(k): b ] [ H_2(k): x ] --> x --> [ H_0(x): c ] [ H_1(x): open ]
//
// One thread carries out one operation. That makes it the simplest fast table, and the
// baseline of the papers. A memory access fetches a 32-byte sector of which 8 bytes are
// used; buckets improve on that (bcht.h).
//
// In the papers an insert looks at nothing (exchange=always): it exchanges its pair
// blindly, by one atomic, with whatever is in H_0(k). If the slot was open, it is done,
// and otherwise the evicted pair goes on. But a GPU reads random words two and a half
// times as fast as it swaps them, and exchanges are what limits blind inserts. Looking
// first leaves one swap for most inserts. And lanes that are done take new operations
// instead of waiting for the longest chain of their warp. On one H200 inserts went from
// 10.8, 8.2 and 6.0 G/s, at loads of 0.6, 0.8 and 0.9, to 12.5, 10.3 and 7.8.
//
// An insert that reaches max_chain exchanges hands back the pair it holds, which may not
// be the one it started with. CUDPP's limit is 7 lg n (auto=cudpp), with which builds fail
// from a load of 0.88 on; ours, nine times as large, lets them fill to 0.96.
//
// Linearization. An insert takes effect at its first swap. An evicted pair is in no
// slot until the next exchange, so finds run in separate batches. Updates and erases are
// those of all cuckoo tables (cuckoo.h).
//
// Limits. With four functions it fills to 0.96, but eviction chains get long above 0.8.
// Pairs move. Keys are inserted once: an insert does not search for its key.
//
// Paper: Alcantara, Volkov, Sengupta, Mitzenmacher, Owens, Amenta: Building an Efficient
// Hash Table on the GPU (CUDPP); as 1CHT in Awad et al.: Better GPU Hash Tables.
#pragma once

#include "cuckoo.h"

namespace hz {

// Exchange is when an insert exchanges pairs.
enum class Exchange { last, always };

template <class P, Exchange E>
class OneCht : public Cuckoo<P, 1> {
 public:
  using Base = Cuckoo<P, 1>;
  using typename Base::Slots;
  static constexpr Traits traits{.single_lane = true, .many_warps = {k_op_insert}, .refilled = {k_op_insert}};
  enum Arg { kMaxChain };

  HZ_FN explicit OneCht(const hz_table* t) : Base(t, true), max_chain_(u32(t->Arg[kMaxChain])) {}

  template <class Tile, class T>
    requires(E == Exchange::always)
  HZ_FN Done<P> insert_at(const Tile& tile, Walk<P>& walk, P* slot, T& tally) const {
    tally.probe(slot, sizeof(P));
    walk.pair = tile.exchange_if(true, slot, walk.pair);
    if (!walk.pair.is_live()) return Done<P>::ok();
    if (walk.step == max_chain_) return Done<P>::failed(walk.pair);
    tally.evict();
    this->go_on(walk, true);
    walk.step++;
    return Done<P>::undecided();
  }

  // walk.memo counts the slots in which the pair in hand has seen another one.
  template <class Tile, class T>
    requires(E == Exchange::last)
  HZ_FN Done<P> insert_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    const auto open = at.open(tile);
    if (open.any()) return at.put(tile, open, walk.pair, tally) ? Done<P>::ok() : Done<P>::undecided();
    if (++walk.memo >= this->hashes_.count()) {
      if (walk.step == max_chain_) return Done<P>::failed(walk.pair);
      this->evict(tile, true, walk, tally);
      if (!walk.pair.is_live()) return Done<P>::ok();
      walk.memo = 1;
    }
    this->go_on(walk, true);
    return Done<P>::undecided();
  }

 private:
  u32 max_chain_;
};

}  // namespace hz
