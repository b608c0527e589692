// stash.h: Stash, stadium hashing: a ticket-board in front of the table.
//
// The idea. A few bits for each slot, the tickets, lie apart from the slots. An
// insert books a free ticket and then writes its pair, once, without having looked
// at the table. A find reads a slot only if the ticket says that a key like its own
// is there. So the table may be large, slow and far away, in the memory of the host
// for instance, and its keys and values may be of any size: everything that is
// contended happens on the small board.
//
//   board    1111 1010 1111 0110 1111 1111 1000      (t = 4: three info bits, and
//   table      .   7=70  .   3=30  .    .   9=90      0 for taken, 1 for available)
//                   ^         ^
//   find 5: its info bits are 101, and its walk 1, 3, 5. Ticket 1 has them: slot 1 is
//   read, and has 7. Ticket 3 has others. Ticket 5 was never used: 5 is not there.
//
// Walks. Double hashing: a key's walk begins at H_0(k) and goes on by 1 + H_1(k) slots
// at a time, modulo the capacity, which is prime, so that it comes to every slot. The
// table can be filled completely.
//
// Insert. Go to the first free ticket and book it: an atomic puts the key's info bits
// there. Write the pair. If all tickets are taken, the insert fails.
//
// Find. At a ticket that was never used, the key is not there. At one with other
// info bits, go on. Otherwise look at the slot. Of the slots with other keys, 2^-i are
// looked at, if tickets have i info bits.
//
// Erase. Find the slot and make its ticket available again, marked as erased:
// searches go on there, inserts may book it. The pair stays in the table unseen.
// With t = 1 there is no room for the mark. Then, once something was erased, searches
// look at the slot: a key in it says that it was used.
//
// Mixed batches need the access bit, which is 0 while somebody is at the slot:
//   insert   books a ticket with access 0, writes the pair, and sets access to 1
//   update   sets access to 0, sees that the key is still there, writes the value,
//   erase    or frees the ticket, or sets access back to 1
//   find     reads the pair at a ticket with access 1, in one word if it fits. A
//            pair that does not is read while access is 0
// Whoever comes to a ticket with its info bits and access 0 waits: its walk stays
// there while others of the thread or warp go on. While it is at a slot itself, nobody
// waits but an upsert, and that for higher slots only, so all of them come to an end.
//
// What makes it linearizable. Two keys never share a slot, since booking is atomic.
// Inserts, updates and erases take effect when they set access to 1 or free the
// ticket: until then every other operation on the key waits. Between access 0 and 1
// the slot belongs to one lane, so the key that it sees there stays; a ticket alone
// would not do, since an equal one may come back after an erase and an insert. A find
// that reads its key in a word has seen a pair that was there at that moment, or one
// that was erased after the find had read the ticket. One that sees a never used
// ticket, or passed all: its key was not in the table at one moment at least, since pairs
// do not move. Memory: what is in a slot is written before the ticket says so, and
// read after.
// Without the access bit, or in batches of one operation, kernels come one after the
// other, and only two erases of one key can meet: one of them changes the ticket.
//
// Upserts look for their key first, and book the first free ticket that they passed.
// In a batch of upserts only, tickets are only taken: all upserts of a key agree on the
// first free one, and those that lose it find the key there. Where others erase, two
// may book different slots. So, with access still 0, each looks at all places of its
// key once more, and as both have booked before they look, one at least sees the other.
// If the key is there, or somebody is at a lower slot, it gives its slot back and begins
// anew. If somebody is at a higher slot, it waits: the other one will give way.
//
// Not in the paper: an insert that took more steps than any before leaves the number
// on the table, rounded up, and searches stop there; otherwise every search for an
// absent key would visit all slots once all have been used. Walks that are long
// already look at several tickets at a time, as the next ones are known. The first
// insert of a batch that finds no free ticket tells the others.
//
// Limits. Keys are inserted once: an insert does not look for its key. In a full table,
// a search for an absent key reads every ticket. Pairs stay where they are.
//
// Paper: Khorasani, Belviranli, Gupta, Bhuyan: Stadium Hashing: Scalable and Flexible
// Hashing on GPUs.
#ifndef HZ_STASH_H
#define HZ_STASH_H

#include "drive.h"
#include "hash.h"
#include "tickets.h"

namespace hz {

// read_parts and write_parts take what is wider than a word in parts of 4 or 8 bytes.
template <class V>
HZ_FN auto parts_of() {
  if constexpr (alignof(V) < 8) {
    return u32(0);
  } else {
    return u64(0);
  }
}
template <class V>
struct Parts {
  using Part = decltype(parts_of<V>());
  static constexpr u32 count = sizeof(V) / sizeof(Part);
  Part part[count];
};
template <class V>
HZ_FN V read_parts(const V* at) {
  Parts<V> all;
#pragma GCC unroll 9
  for (u32 i = 0; i < Parts<V>::count; i++) {
    all.part[i] = lane_read(Lane{0}, reinterpret_cast<const typename Parts<V>::Part*>(at) + i);
  }
  return bits<V>(all);
}
template <class V>
HZ_FN void write_parts(V* at, const V& value) {
  const Parts<V> all = bits<Parts<V>>(value);
#pragma GCC unroll 9
  for (u32 i = 0; i < Parts<V>::count; i++) {
    lane_write(Lane{0}, reinterpret_cast<typename Parts<V>::Part*>(at) + i, all.part[i]);
  }
}

template <class P>
class Stash {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Mixed = Ops<op_insert, op_find, op_update, op_erase, op_upsert>;
  static constexpr int width = 1;
  static constexpr bool alone = true;

  enum Region { kTickets, kSlots, kState };
  enum Arg { kTicketBits, kAccess, kBatch };

  HZ_FN Stash(const hz_table* t, const hz_batch* batch)
      : table_(t),
        tickets_(t->Region[kTickets], u32(t->Arg[kTicketBits]), t->Arg[kAccess] != 0),
        slots_(reinterpret_cast<P*>(t->Region[kSlots])),
        state_(reinterpret_cast<u32*>(t->Region[kState])),
        capacity_(u32(t->Capacity)),
        mixed_((batch->Select & (batch->Select - 1)) != 0),
        shared_(mixed_ || (batch->Select >> k_op_upsert & 1) != 0) {
    longest_ = read_longest();
    const bool erases = (batch->Select >> k_op_erase & 1) != 0;
    any_erased_ = !tickets_.erased_shows() && (erases || lane_read(Lane{0}, state_ + kAnyErased) != 0);
  }

  HZ_FN u32 first(Key key) const { return hash_to(table_->Hash[0], table_->Family, key, capacity_); }
  HZ_FN u32* bucket(u32 slot) const { return tickets_.word(slot); }
  HZ_FN P slot(u64 i) const {
    Tally<false> none;
    return Tickets::free(tickets_.read(u32(i), none)) ? P::empty() : slots_[i];
  }

  template <class Tile, class T>
  HZ_FN Done<P> insert_at(const Tile&, Walk<P>& walk, u32*, T& tally) {
    skip<T>(walk, [](u32 ticket) { return Tickets::free(ticket); });
    if (book(walk, tally)) return show(walk.place, walk.pair.key, tally);
    const bool passed = walk.step + 1 == capacity_;
    if (!passed && !known_full(walk)) return on(walk);
    if (passed) lane_exchange(Lane{0}, state_ + kFullIn, u32(table_->Arg[kBatch]));
    return Done<P>::failed(walk.pair);
  }

  template <class Tile, class T>
  HZ_FN Done<P> find_at(const Tile&, Walk<P>& walk, u32*, T& tally) {
    P seen;
    const Sight sight = look(walk, seen, tally);
    if (sight != Sight::here) return elsewhere(walk, sight);
    if constexpr (!kWord) {
      if (mixed_) return find_held(walk, tally);
      seen.value = read_parts(&slots_[walk.place].value);
    }
    return Done<P>::found(seen.value);
  }

  template <class Tile, class T>
  HZ_FN Done<P> update_at(const Tile&, Walk<P>& walk, u32*, T& tally) {
    P seen;
    const Sight sight = look(walk, seen, tally);
    if (sight != Sight::here) return elsewhere(walk, sight);
    return write_held(walk, tally) ? Done<P>::ok() : Done<P>::undecided();
  }

  template <class Tile, class T>
  HZ_FN Done<P> erase_at(const Tile&, Walk<P>& walk, u32*, T& tally) {
    P seen;
    const Sight sight = look(walk, seen, tally);
    if (sight != Sight::here) return elsewhere(walk, sight);
    if (!tickets_.erased_shows()) lane_exchange(Lane{0}, state_ + kAnyErased, u32(1));
    const u32 info = info_of(walk.pair.key);
    if (!mixed_) {
      const bool won = tickets_.change(walk.place, tickets_.taken(info), Tickets::kErased, tally);
      return won ? Done<P>::ok() : Done<P>::undecided();
    }
    if (!hold(walk, info, tally)) return Done<P>::undecided();
    tickets_.leave(walk.place, tickets_.held(info), Tickets::kErased, tally);
    return Done<P>::ok();
  }

  // An upsert remembers in walk.memo the step, plus 1, at which it passed the first
  // free slot, and goes back there when it has seen that its key is not in the table.
  template <class Tile, class T>
  HZ_FN Done<P> upsert_at(const Tile&, Walk<P>& walk, u32*, T& tally) {
    if (walk.memo & kBooked) return second_look(walk, tally);
    P seen;
    const Sight sight = look(walk, seen, tally);
    if (sight == Sight::busy) return Done<P>::undecided();
    if (sight == Sight::here) return write_held(walk, tally) ? Done<P>::replaced() : Done<P>::undecided();
    const bool free = sight == Sight::unused || sight == Sight::erased;
    if (free && walk.memo == 0 && walk.step + 1 < kBooked) walk.memo = walk.step + 1;
    const bool absent = sight == Sight::unused || passed_all(walk);
    if (!absent || (walk.memo == 0 && walk.step + 1 < capacity_)) return on(walk);
    if (walk.memo == 0) return Done<P>::failed(walk.pair);
    go_to(walk, walk.memo - 1);
    if (!book(walk, tally)) {
      walk.memo = 0;  // another one has just taken it, perhaps with this key
      return Done<P>::undecided();
    }
    if (!mixed_) return show(walk.place, walk.pair.key, tally);
    walk.memo |= kBooked;
    go_to(walk, 0);
    return Done<P>::undecided();
  }

 private:
  enum State { kAnyErased, kLongest, kFullIn };

  // kWord: is a pair read and written in one access?
  static constexpr bool kWord = sizeof(P) == alignof(P) && sizeof(P) <= 16;
  // In walk.memo: the upsert has booked its slot.
  static constexpr u32 kBooked = u32(1) << 31;
  // A walk is long after so many steps, and then looks at kAhead tickets at a time.
  static constexpr u32 kShort = 16, kAhead = 8;

  // What an operation sees at its walk's place: a slot that was never used or was
  // erased, one of another key, its own key, or that somebody is there.
  enum class Sight { unused, erased, other, here, busy };

  template <class T>
  HZ_FN Sight look(Walk<P>& walk, P& seen, T& tally) {
    const u32 info = info_of(walk.pair.key);
    skip<T>(walk, [&](u32 ticket) { return Tickets::free(ticket) || tickets_.info_in(ticket) == info; });
    const u32 ticket = tickets_.read(walk.place, tally);
    if (Tickets::free(ticket)) return was_used(ticket, walk.place, tally) ? Sight::erased : Sight::unused;
    if (tickets_.info_in(ticket) != info) return Sight::other;
    if (tickets_.somebody_there(ticket)) return Sight::busy;
    if (shared_) lane_fence(Lane{0});
    read_key(walk.place, seen, tally);
    return seen.key == walk.pair.key ? Sight::here : Sight::other;
  }

  // read_key reads the key of a slot, and the value if that is the same access.
  template <class T>
  HZ_FN void read_key(u32 slot, P& seen, T& tally) const {
    if constexpr (kWord) {
      seen = lane_read(Lane{0}, slots_ + slot);
    } else {
      seen.key = lane_read(Lane{0}, &slots_[slot].key);
    }
    tally.read_table(slots_ + slot, kWord ? sizeof(P) : sizeof(Key));
  }

  template <class T>
  HZ_FN void write(const Walk<P>& walk, T& tally) const {
    if constexpr (kWord) {
      lane_write(Lane{0}, slots_ + walk.place, walk.pair);
    } else {
      write_parts(slots_ + walk.place, walk.pair);
    }
    tally.write_table(slots_ + walk.place, sizeof(P));
  }

  // was_used: did the slot of this free ticket ever hold a pair?
  template <class T>
  HZ_FN bool was_used(u32 ticket, u32 slot, T& tally) const {
    if (tickets_.erased_shows()) return tickets_.erased(ticket);
    if (!any_erased_) return false;
    P seen;
    read_key(slot, seen, tally);
    return !seen.is_empty();
  }

  // elsewhere is how a search goes on that has not found its key in a slot.
  HZ_FN Done<P> elsewhere(Walk<P>& walk, Sight sight) {
    if (sight == Sight::busy) return Done<P>::undecided();
    if (sight == Sight::unused || passed_all(walk)) return Done<P>::missing();
    return on(walk);
  }

  HZ_FN Done<P> on(Walk<P>& walk) const {
    walk.place = after(walk.place, stride_of(walk.pair.key));
    walk.step++;
    return Done<P>::undecided();
  }

  // skip takes a long walk to the next ticket that it has to stop at, or a few on.
  // Those tickets are read side by side. Counted kernels look at each one.
  template <class T, class F>
  HZ_FN void skip(Walk<P>& walk, F&& stops) const {
    if (T::counted || walk.step < kShort || capacity_ - walk.step <= kAhead) return;
    const u32 stride = stride_of(walk.pair.key);
    u32 slot[kAhead], ticket[kAhead];
    Tally<false> none;
#pragma GCC unroll 8
    for (u32 i = 0; i < kAhead; i++) {
      slot[i] = i == 0 ? walk.place : after(slot[i - 1], stride);
      ticket[i] = tickets_.read(slot[i], none);
    }
    u32 steps = kAhead - 1, place = slot[kAhead - 1];
#pragma GCC unroll 8
    for (u32 k = 0; k < kAhead - 1; k++) {
      const u32 i = kAhead - 2 - k;
      const bool here = stops(ticket[i]);
      steps = here ? i : steps;
      place = here ? slot[i] : place;
    }
    walk.step += steps;
    walk.place = place;
  }

  // book takes the slot that the walk is at, if it is free, and writes its pair there. If
  // others look, the access bit is 0 until `show`.
  template <class T>
  HZ_FN bool book(const Walk<P>& walk, T& tally) {
    const u32 info = info_of(walk.pair.key);
    const u32 ticket = shared_ ? tickets_.held(info) : tickets_.taken(info);
    if (!tickets_.book(walk.place, ticket, tally)) return false;
    if (walk.step >= longest_) longer(walk.step);
    write(walk, tally);
    return true;
  }

  // show ends an insert: from here on others see the pair.
  template <class T>
  HZ_FN Done<P> show(u32 slot, Key key, T& tally) const {
    const u32 info = info_of(key);
    if (shared_) tickets_.leave(slot, tickets_.held(info), tickets_.taken(info), tally);
    return Done<P>::ok();
  }

  // second_look takes the walk of an upsert that has booked a slot once more to all
  // places of its key. If the key has come in meanwhile, or may be about to at a lower
  // slot, it gives its own back and begins anew; for a higher one it waits.
  template <class T>
  HZ_FN Done<P> second_look(Walk<P>& walk, T& tally) {
    const Key key = walk.pair.key;
    const u32 own = place_at(key, (walk.memo & ~kBooked) - 1);
    P seen;
    const Sight sight = look(walk, seen, tally);
    const bool elsewhere = walk.place != own;
    if (elsewhere && (sight == Sight::here || (sight == Sight::busy && walk.place < own))) {
      tickets_.leave(own, tickets_.held(info_of(key)), Tickets::kErased, tally);
      walk.memo = 0;
      go_to(walk, 0);
      return Done<P>::undecided();
    }
    if (elsewhere && sight == Sight::busy) return Done<P>::undecided();
    if (sight != Sight::unused && !passed_all(walk)) return on(walk);
    return show(own, key, tally);
  }

  // hold clears the access bit of the slot in which the walk has seen its key, if it
  // is still there. After it, the slot is this lane's.
  template <class T>
  HZ_FN bool hold(const Walk<P>& walk, u32 info, T& tally) const {
    if (!tickets_.change(walk.place, tickets_.taken(info), tickets_.held(info), tally)) return false;
    lane_fence(Lane{0});
    if (!mixed_) return true;
    P seen;
    read_key(walk.place, seen, tally);
    if (seen.key == walk.pair.key) return true;
    tickets_.leave(walk.place, tickets_.held(info), tickets_.taken(info), tally);
    return false;
  }

  // find_held reads a value of several words.
  template <class T>
  HZ_FN Done<P> find_held(const Walk<P>& walk, T& tally) const {
    const u32 info = info_of(walk.pair.key);
    if (!hold(walk, info, tally)) return Done<P>::undecided();
    const Value value = read_parts(&slots_[walk.place].value);
    tally.read_table(&slots_[walk.place].value, sizeof(Value));
    tickets_.leave(walk.place, tickets_.held(info), tickets_.taken(info), tally);
    return Done<P>::found(value);
  }

  // write_held writes a value where the walk has seen its key. A pair of one word needs
  // nobody's leave, unless the key may be erased meanwhile.
  template <class T>
  HZ_FN bool write_held(const Walk<P>& walk, T& tally) const {
    const u32 info = info_of(walk.pair.key);
    const bool alone = kWord && !mixed_;
    if (!alone && !hold(walk, info, tally)) return false;
    write(walk, tally);
    if (!alone) tickets_.leave(walk.place, tickets_.held(info), tickets_.taken(info), tally);
    return true;
  }

  // passed_all: has the walk been wherever its key may be?
  HZ_FN bool passed_all(const Walk<P>& walk) {
    if (walk.step + 1 == capacity_) return true;
    if (walk.step + 1 < longest_) return false;
    if (shared_) longest_ = read_longest();
    return walk.step + 1 >= longest_;
  }

  HZ_FN u32 read_longest() const {
    const u32 steps = lane_read(Lane{0}, state_ + kLongest);
    return steps < kShort ? kShort : steps;
  }

  // longer says on the table that a pair is so many steps from where its walk began:
  // before anybody can see the pair.
  HZ_FN void longer(u32 step) {
    const u32 enough = step >> 31 ? ~u32(0) : u32(2) << (31 - __builtin_clz(step));
    for (u32 seen = lane_read(Lane{0}, state_ + kLongest); seen < enough;) {
      const u32 old = lane_cas(Lane{0}, state_ + kLongest, seen, enough);
      seen = old == seen ? enough : old;
    }
    longest_ = read_longest();
  }

  // known_full: has an insert of this batch found all tickets taken? The host side
  // numbers the batches to which that may happen and in which no ticket is freed.
  HZ_FN bool known_full(const Walk<P>& walk) const {
    const u32 batch = u32(table_->Arg[kBatch]);
    return batch != 0 && walk.step >= 64 && lane_read(Lane{0}, state_ + kFullIn) == batch;
  }

  HZ_FN u32 after(u32 slot, u32 stride) const {
    const u32 next = slot + stride;
    return next >= capacity_ || next < slot ? next - capacity_ : next;
  }
  HZ_FN void go_to(Walk<P>& walk, u32 step) const {
    walk.step = step;
    walk.place = place_at(walk.pair.key, step);
  }
  HZ_FN u32 place_at(Key key, u32 step) const { return u32((first(key) + u64(step) * stride_of(key)) % capacity_); }
  HZ_FN u32 stride_of(Key key) const { return 1 + hash_to(table_->Hash[1], table_->Family, key, capacity_ - 1); }
  HZ_FN u32 info_of(Key key) const {
    return hash_to(table_->Hash[2], table_->Family, key, u32(1) << tickets_.info_bits());
  }

  const hz_table* table_;
  Tickets tickets_;
  P* slots_;
  u32* state_;
  u32 capacity_;
  u32 longest_;      // no pair is more steps from where its walk began
  bool any_erased_;  // and tickets do not show which
  bool mixed_;       // other operations run at the same time
  bool shared_;      // slots are looked at while pairs are written
};

}  // namespace hz

#endif
