// queue.h: keeps a tile busy whose lanes carry different operations.
//
// take_turns is for operations that the whole tile carries out one at a time but that may
// have to wait, for example for a lock that another tile holds. An operation that cannot
// proceed lets the others go first and gets another turn in the next round.
// (for_each_pending in tile.h is the simple case: one turn completes an operation.)
//
// A Queue is for operations that each lane carries out by itself, in attempts. Lanes that
// succeed at once would wait for lanes that need many attempts. Instead, the tile queues
// what is unfinished, and all lanes take new operations. When the queue is full, idle
// lanes take from it:
//
//   u32 busy = attempt(fresh)                     the lanes that are not done
//   while (popcount(busy) > queue.room()) {       they do not fit into the queue:
//     busy |= queue.pop(tile, ~busy, items);      idle lanes help out,
//     busy = attempt(busy);                       and all try again
//   }
//   queue.push(tile, busy, items);                then continue with new operations
//
// At the end, pop and attempt until the queue is empty. The queue is first in, first out,
// so no operation starves.
#pragma once

#include "tile.h"

namespace hz {

// take_turns calls f(i) for the lanes i of the mask, round after round, until f has
// returned true (done) for each.
template <class F>
HZ_FN void take_turns(u32 mask, F&& f) {
  while (mask != 0) {
    u32 done = 0;
    for_each_pending(mask, [&](int i) { done |= u32(bool(f(i))) << i; });
    mask &= ~done;
  }
}

// Queue holds up to N items in the tile's scratch memory:
//
//   HZ_SCRATCH(Item, memory, N, W);
//   Queue<Item, W, N> queue(memory);
template <class T, int W, int N = W>
class Queue {
 public:
  static_assert(N >= W && (N & (N - 1)) == 0, "a queue has room for an item of every lane, and a power of two of them");

  HZ_FN explicit Queue(T* scratch) : items_(scratch) {}

  HZ_FN u32 size() const { return last_ - first_; }
  HZ_FN u32 room() const { return N - size(); }

  // push appends the items of the lanes in the mask, for which there must be room.
  HZ_FN void push(const Tile<W>& tile, u32 mask, const Lanes<T, W>& items) {
    tile.each(mask, [&](Lane l) { items_[(last_ + tile.rank(mask, l)) % N] = items[l]; });
    last_ += u32(popcount(mask));
    tile.sync();
  }

  // pop gives the oldest items to lanes of the mask, lowest lane first, until either runs
  // out, and returns the lanes that got one.
  HZ_FN u32 pop(const Tile<W>& tile, u32 mask, Lanes<T, W>& items) {
    const u32 available = size();
    u32 served = tile.ballot([&](Lane l) { return (mask >> l.index() & 1) != 0 && tile.rank(mask, l) < available; });
    tile.each(served, [&](Lane l) { items[l] = items_[(first_ + tile.rank(served, l)) % N]; });
    first_ += u32(popcount(served));
    tile.sync();
    return served;
  }

 private:
  T* items_;
  u32 first_ = 0, last_ = 0;  // they wrap around, which is correct because N divides 2^32
};

}  // namespace hz
