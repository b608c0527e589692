// stash.h: Stash, stadium hashing: a ticket board in front of the table.
//
// Idea. Each slot has a ticket, a few bits that lie apart from the slots. An insert books
// a free ticket and then writes its pair, once, without reading the table. A find reads a
// slot only if the ticket says that a similar key is there. So the table may be large,
// slow and far away, for instance in host memory, and its keys and values may have any
// size: all contention is on the small board.
//
//   board    1111 1010 1111 0110 1111 1111 1000      (t = 4: three info bits, then
//   table      .   7=70  .   3=30  .    .   9=90      0 for taken, 1 for available)
//                   ^         ^
//   find 5: its info bits are 101, and its walk is 1, 3, 5. Ticket 1 has these bits:
//   slot 1 is read, and holds 7. Ticket 3 has others. Ticket 5 was never used: 5 is absent.
//
// Walks use double hashing. The walk of a key begins at H_0(k) and advances by 1 + H_1(k)
// slots, modulo the capacity. The capacity is prime, so a walk reaches every slot, and
// the table can be filled completely.
//
// Insert. Walk to the first free ticket and book it: an atomic writes the key's info bits
// there. Then write the pair. If all tickets are taken, the insert fails.
//
// Find. At a ticket that was never used, the key is absent. At one with other info bits,
// walk on. Otherwise read the slot. With i info bits, a fraction 2^-i of the slots with
// other keys is read.
//
// Erase. Find the slot and make its ticket available again, marked as erased: searches
// walk past it, inserts may book it. The pair stays in the table, invisible. With t = 1
// the mark does not fit. Then, once something was erased, searches read the slot: a key
// in it shows that the slot was used.
//
// Concurrent operations need the access bit, which is 0 while a lane is using the slot:
//   insert   books a ticket with access 0, writes the pair, and sets access to 1
//   update   sets access to 0, checks that the key is still there, writes the value;
//            so do add, min, max and tally, unless the batch has no other operations:
//            then an atomic operation on the value does
//            and a pair of one word is simply stored where only inserts, finds and other
//            updates share the launch
//   erase    or frees the ticket, or sets access back to 1
//   find     reads the pair at a ticket with access 1, in one word if it fits; a
//            larger pair is read while access is 0
// An operation that reaches a ticket with its info bits and access 0 waits: its walk
// stays there while other walks of the thread or warp proceed. An operation that is using
// a slot never waits, except an upsert, which waits only for higher slots. So waiting
// cannot be circular, and all operations complete.
//
// Linearization. Two keys never share a slot, because booking is atomic. Inserts, updates
// and erases take effect when they set access to 1 or free the ticket; until then every
// other operation on the key waits. Between access 0 and 1 the slot belongs to one lane,
// so the key that the lane sees there stays. An unchanged ticket would not prove that: an
// equal one may come back after an erase and an insert. A find that reads its key in a
// word has seen a pair that was there at that moment, or one that was erased after the
// find had read the ticket. A find that sees a never used ticket, or passes all places,
// has missed a key that was absent at one moment at least, because pairs do not move.
// Memory order: the contents of a slot are written before its ticket says so, and read
// after.
//
// An update without the access bit would be lost, or write to another key's slot, if the
// slot were freed meanwhile. Without erases, upserts and operations that combine values, a
// slot keeps its key from its first use on. Then a pair of one word is stored, and takes
// effect at the store. A hot key would make the access bit a lock that thousands of lanes
// wait for: YCSB's workload A, 10 million records of 8+8 bytes, went from 18 to 2208
// million operations per second on one H200, workload B from 217 to 5023.
//
// Without the access bit, or in batches of one operation, only two erases of one key can
// conflict, and only one of them changes the ticket.
//
// Upserts search for their key first, and then book the first free ticket that they
// passed. In a batch of upserts only, tickets are only taken: all upserts of a key agree
// on the first free one, and those that lose it find the key there. If that slot was never
// used, and a pair is one word, the slot itself shows when the pair is there: until then it is
// empty. So the ticket is booked with access 1 at once, one that finds the slot empty waits,
// and no fence is needed, which would stop a GPU's warp until all its writes are done.
// With concurrent erases, two upserts may book different slots. So each, with access still 0,
// visits all places of its key once more. Both have booked before they look, so at least one sees
// the other. If an upsert finds the key, or a lane using a lower slot, it gives its slot
// back and starts over. If a lane is using a higher slot, it waits, and the other one
// gives way.
//
// Not in the paper: an insert that took more steps than any before it stores that number,
// rounded up, and searches stop there. Otherwise every search for an absent key would
// visit all slots once all have been used. Long walks read several tickets at a time,
// because the next ones are known. The first insert of a batch that finds no free ticket
// tells the others.
//
// Operations that combine values, in a large batch, need not read the board: its words cost as
// much as slots where it does not fit into a cache. As long as nothing was ever erased, a slot
// shows by itself whether it has a pair, as above. So they walk over the slots, and take the
// first that is empty by a compare-and-swap of the pair. Afterwards the board is made from the
// slots, which are read in order (`board`, and "board after" in host.h).
//
// lookups=slots is for comparison, as the paper measures what the board gains: finds read the
// slots along the walk of their key instead of tickets, up to one that was never used. An
// erased pair stays in its slot, so such a table has no erase, and finds share no launch.
// It is compiled for pairs that are read in one access.
//
// Limits. Keys are inserted once: an insert does not search for its key. In a full table,
// a search for an absent key reads every ticket. Pairs do not move.
//
// Paper: Khorasani, Belviranli, Gupta, Bhuyan: Stadium Hashing: Scalable and Flexible
// Hashing on GPUs.
#pragma once

#include "stadium.h"

namespace hz {

// Lookups: what finds read at each place, all slots, or tickets and then some slots.
enum class Lookups { slots, board };

// SlotFinds is the class that carries out finds without the board: its probes are of slots.
template <class P>
class SlotFinds : public Stadium<P> {
 public:
  using Base = Stadium<P>;
  using Base::Base;

  HZ_FN P* bucket(u32 slot) const { return this->slots_ + slot; }

  template <class Tile, class T>
  HZ_FN Done<P> find_at(const Tile&, Walk<P>& walk, P* at, T& tally) {
    P seen;
    Tally<false> none;
    this->read_key(walk.place, seen, none);
    tally.probe(at, sizeof(P));
    if (seen.is_empty()) return Done<P>::missing();
    if (seen.key != walk.pair.key) return this->passed_all(walk) ? Done<P>::missing() : this->advance(walk);
    return Done<P>::found(seen.value);
  }
};

template <class P, Lookups L, class Op = void>
struct StashOf {
  using Type = Stadium<P>;
};
template <class P>
struct StashOf<P, Lookups::slots, op_find> {
  using Type = SlotFinds<P>;
};

template <class P>
class BoardlessStash : public Stadium<P> {
 public:
  using Stadium<P>::Stadium;
  static constexpr Traits traits = Stadium<P>::traits.with([](Traits& t) { t.class_per_op = true; });
  template <class Op>
  using For = typename StashOf<P, Lookups::slots, Op>::Type;
};
template <class P>
struct StashOf<P, Lookups::slots, void> {
  using Type = BoardlessStash<P>;
};

template <class P, Lookups L>
using Stash = typename StashOf<P, L>::Type;

}  // namespace hz
