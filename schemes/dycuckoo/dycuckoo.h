// dycuckoo.h: DyCuckoo, the cuckoo table that grows and shrinks.
//
// Idea. A table that doubles or halves as a whole is half empty most of the time, and
// every resize moves every pair. DyCuckoo consists of d subtables, and a key has a place
// in two of them (subtables.h). To grow, it doubles the smallest subtable; to shrink, it
// halves the largest. So a resize moves at most one d-th of the pairs, and the filled
// factor, the share of slots in use, stays within bounds [alpha, beta] after every batch.
// No subtable is ever more than twice as large as another.
//
//   subtable 0  [ 8 buckets        ]        grow: subtable 1 doubles. Bucket j splits
//   subtable 1  [ 4      ]  -->  [ 8        into j and j + 4; no bucket receives keys
//   subtable 2  [ 4      ]                  from two, so no tile waits for another.
//
// Two ways to store pairs (`pairs`). A key and a value of 4 or of 8 bytes each are one
// word, swapped whole by one atomic: a bucket has 8 pairs, 64 or 128 bytes, and only
// operations that add absent keys while pairs move need a lock (swapped.h). All other pairs
// are stored apart, as in the paper: a bucket has 128 bytes of keys, which a tile reads at
// once, and a value may have up to 64 bytes. Then a tile that changes a bucket holds the
// bucket's lock (locked.h). pairs=apart is that for every pair. Whole pairs are faster: an
// insert writes to one place in memory instead of three, and a find reads one instead of two.
//
// Insert, whole. The tile reads the bucket that is the key's home. The pair goes into an
// open slot by a compare-and-swap. If there is none, the pair is exchanged with a random
// one of the bucket, with which the walk continues at that pair's other place. After
// max_chain moves the pair in hand is handed back, so no pair is lost.
//
// Insert, apart. Every lane of a tile has its own pair. By `coordination`,
//   together  all lanes try to lock the buckets that are their keys' homes;
//   voter     one lane is elected and tries; if it fails, another one is elected (paper);
//   spin      one lane is elected, and tries until it has its lock.
// Then the tile serves the lanes that got their locks, one after the other: all lanes read
// the keys of the bucket. The pair goes into an open slot. If there is none, it replaces a
// random pair, and the lane continues with that pair at its other place. When all are
// served, the locks are released together, and the lanes that are not done try again. A
// lane whose bucket is locked never delays the others, but with spin. Taking and releasing
// many locks at once shares their cost. A lane holds at most one lock, and none while it
// waits.
//
// Duplicates. An insert does not search for its key. Where it sees it nevertheless, in a
// full bucket or in one that stays locked, it fails: data with many duplicates would
// otherwise evict without end, and wait for one lock. With duplicates=updated (pairs
// apart), an insert that sees its key in the bucket it locked updates it, as in the paper;
// the old pair is handed back, and the insert counts as failed. Like in the paper, a key
// whose pair was evicted to another place may get a second pair.
//
// Which subtable. The paper promises subtables that are nearly equally full, and sets out
// to minimize the conflicts, the sum of C(m_i, 2) / n_i with m_i pairs in n_i slots. That
// sum is least where one more pair costs the same everywhere, where (m_i - 1/2) / n_i is
// equal: that is, where all are equally full. (The paper's proof ends with equal
// C(m_i, 2) / n_i instead, which fills larger subtables less, and draws subtable i in
// proportion to n_i / C(m_i, 2): with subtables of 2:1:1 that gave .65, .95 and .95 at 0.8.)
// So a subtable gets the share of the next pairs that it lacks to be as full as the others
// after them, by weights that the host side computes before a batch, from `weigh`.
//   The paper draws this choice at random for every insert. Here it derives from the key's
// hash, so a find also knows where to look first. It finds keys that never moved at its
// first probe, whatever the number of subtables.
//
// Find reads at most two buckets. Apart, every lane of a tile has its own find, and the
// lanes share the work: each computes its key's places and reads its value by itself, all
// at the same time; the whole tile searches each lane's bucket. Erase and update work the
// same way. Erase makes the slot unused by a compare-and-swap, without a lock. No marker
// is needed, because finds always read all places of a key.
//
// Upsert has to know that a key is absent before it adds it. Add, min, max and tally are
// upserts that combine their value with the key's. Nearly all of them find their key, or
// room, so in a first launch nothing moves, and only those that found no room are carried out
// again, in a launch in which pairs move (host.h; a chain of length 0 says that
// nothing moves).
//
//   still, whole   It looks at the places of its key, one after the other, and remembers the
//          first open slot. If it sees the key, it changes its value: an upsert swaps the
//          pair, the others change the value alone, so that many of them on one key do not
//          wait for each other. Otherwise the pair goes into that slot, without a lock.
//   still, apart   It adds a pair under the locks of all places of its key, the value first.
//          Values of up to 8 bytes are combined without a lock where the key is seen; a GPU's
//          tile looks for the keys of all its lanes first, as for finds. In a fresh table, which
//          was empty before the batch and has only ones as values, its lanes also claim open
//          slots without locks, for sums and least values, which can begin with ones.
//   moving, whole  It looks at all places of its key. If it sees the key, it replaces the pair
//          by a compare-and-swap, without a lock. Otherwise it takes the lock of the key,
//          which is that of its home, looks again, and puts the pair into an open slot.
//          Who moves a pair holds the lock of its key, writes the pair to its new slot
//          first, and then empties the old one. If an upsert has replaced the value in
//          between, the new value is carried over; so is what was added to it.
//   moving, apart  It locks all places of its key. A pair is moved only under the locks of
//          both buckets, the one it leaves and the one it enters.
//
// Either way a pair is never out of the table. An upsert whose places are full makes room:
// it tries to move a random pair of one of them to that pair's other place; if that is
// full, it tries to make room there first. Then it tries again. Locks are only tried, and
// an upsert that fails to get one releases those it holds, so nobody waits for another.
//
// Linearization. An insert takes effect when it writes its pair. Between two moves of a
// chain, the pair in hand is in no slot, and erases and finds would miss it; therefore
// each batch has one kind of operation, whole or apart: none may share a launch. Of two
// erases of a key, one wins the compare-and-swap. Keys are inserted once: an insert does
// not search for its key.
//   Updates and upserts of one key may be carried out in any order. Apart, they write one
// word each, or write one after the other under the lock. Whole, they take effect at their
// compare-and-swap; one that loses to another of the same key takes effect right before
// that one. While a pair moves, it is in two slots, and upserts may replace it in either.
// Both values are of the same batch, and either may stay, but never the one from before:
// the old slot is emptied by a compare-and-swap that expects what was written to the new
// one last by its mover, or by another upsert after that.
//   Values are combined by an atomic operation while nothing moves, and otherwise by a
// compare-and-swap of the whole pair, or under the locks. Each counts once: while a pair
// moves, what was combined in its old slot since the copy is combined in the new one too,
// before the old slot is emptied.
//   Two upserts of a new key cannot both add it while pairs move: they hold its lock from the
// second look to the compare-and-swap, and so does who moves it. A slot taken in the meantime
// makes that swap fail, and the upsert begins anew. While nothing moves, the slots of a key
// have an order, place after place from its home on, and are taken and never given up. Who
// adds a key has seen all slots before its own taken by others, and none with the key. Of two,
// the one whose slot comes later would have seen that of the other open, or with the key.
//
// resize.h has the kernels that resize; the host side decides when.
//
// Limits. Pairs move. Whole pairs of 8+8 bytes need 16-byte atomics (sm_90). Without
// resizing it fills to 0.97. Two places are enough for that because buckets are large;
// places=all is the table as first published, in which finds of absent keys read a bucket of
// every subtable. A table is emptier than alpha if its keys do not fit into a smaller one. For
// example, a universal function whose multiplier shares a factor with the number of buckets
// maps consecutive keys to few of them.
//
// Paper: Li, Zhu, Lyu, Huang, Sun: DyCuckoo: Dynamic Hash Tables on GPUs.
#pragma once

#include "locked.h"
#include "swapped.h"

namespace hz {

enum class Pairs { whole, apart };

template <class P, Pairs How>
struct DyCuckooOf {
  using Type = Swapped<P>;
};
template <class P>
struct DyCuckooOf<P, Pairs::apart> {
  using Type = Locked<P>;
};
template <class P, Pairs How>
using DyCuckoo = typename DyCuckooOf<P, How>::Type;

}  // namespace hz
