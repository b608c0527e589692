// queue.h: for schemes in which the lanes of a tile carry different operations.
//
// Two things keep such a tile busy.
//
// take_turns is for operations that the whole tile works on, one at a time, but
// that may have to wait: for a lock that another tile holds, say. An operation
// that cannot go on lets the others go first and gets its turn again in the next
// round. (for_each_pending of tile.h is the simple case, in which each operation
// is finished when its turn is over.)
//
// A Queue is for operations that each lane carries out by itself, in attempts.
// Lanes that succeed at once would wait for those that need many. Instead, the
// tile puts what is unfinished aside, all lanes take fresh work, and when the
// queue has no more room, the idle lanes take from it:
//
//   u32 busy = attempt(fresh)                     lanes that are not done
//   while (popcount(busy) > queue.room()) {       no room to put them aside:
//     busy |= queue.pop(tile, ~busy, items);      the idle lanes help out,
//     busy = attempt(busy);                       all try again
//   }
//   queue.push(tile, busy, items);                and on to fresh work
//
// At the end, pop and attempt until the queue is empty. First in, first out:
// nothing waits for ever.
#ifndef HZ_QUEUE_H
#define HZ_QUEUE_H

#include "tile.h"

namespace hz {

// take_turns calls f(i) for the lanes i of the mask, round after round, until
// f has returned true for each: that its operation is done.
template <class F>
HZ_FN void take_turns(u32 mask, F&& f) {
  while (mask != 0) {
    u32 done = 0;
    for_each_pending(mask, [&](int i) { done |= u32(bool(f(i))) << i; });
    mask &= ~done;
  }
}

// Queue holds up to N items in scratch memory of the tile:
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

  // push puts aside the items of the lanes in the mask, for which there must be room.
  HZ_FN void push(const Tile<W>& tile, u32 mask, const Lanes<T, W>& items) {
    tile.each(mask, [&](Lane l) { items_[(last_ + tile.rank(mask, l)) % N] = items[l]; });
    last_ += u32(popcount(mask));
    tile.sync();
  }

  // pop gives the oldest items to the lanes in the mask, the lowest first, as far
  // as they go, and returns the lanes that got one.
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
  u32 first_ = 0, last_ = 0;  // counted up for ever; N divides 2^32
};

}  // namespace hz

#endif
