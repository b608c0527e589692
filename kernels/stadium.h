// stadium.h: tables behind a board of tickets.
// Stadium is the table of all schemes of stadium hashing. Their essays, above all stash.h, explain what it does and
// what makes each operation linearizable; tickets.h is the board.
#pragma once

#include "drive.h"
#include "hash.h"
#include "parted.h"
#include "tickets.h"

namespace hz {

// StadiumTable has the numbers by which the host side knows such a table.
class StadiumTable {
 public:
  enum Region { kTickets, kSlots, kState };
  enum Arg { kTicketBits, kAccess, kBatch, kBySlots };
  enum State { kAnyErased, kLongest, kFullIn };
  static constexpr u32 kLongWalk = 16;  // steps after which a walk is long
};

template <class P>
class Stadium : public StadiumTable {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Chunk = Bucket<P, 1>;
  static constexpr int width = 1;
  static constexpr Ops kMixed{k_op_insert, k_op_find, k_op_update, k_op_erase, k_op_upsert, k_op_combine};
  static constexpr Traits traits{
      .content = Content::slot, .single_lane = true, .mixed = kMixed, .refilled = {k_op_combine}, .ends = true};

  HZ_FN Stadium(const hz_table* t, const hz_batch* batch)
      : table_(t),
        tickets_(t->Region[kTickets], u32(t->Arg[kTicketBits]), t->Arg[kAccess] != 0),
        slots_(reinterpret_cast<P*>(t->Region[kSlots])),
        state_(reinterpret_cast<u32*>(t->Region[kState])),
        capacity_(u32(t->Capacity)),
        mixed_((batch->Select & (batch->Select - 1)) != 0),
        by_slots_(kWord && t->Arg[kBySlots] != 0) {
    longest_ = read_longest();
    const u64 erases = u64(1) << k_op_erase, inserts = u64(1) << k_op_insert;
    const bool upserts = (batch->Select & (all_that_combine() | u64(1) << k_op_upsert)) != 0;
    any_erased_ =
        !tickets_.erased_shows() && ((batch->Select & erases) != 0 || lane_read(Lane{0}, state_ + kAnyErased) != 0);
    shared_ = upserts || (mixed_ && (batch->Select & inserts) != 0);
    only_stored_ = !(mixed_ && upserts) && (batch->Select & erases) == 0;
  }

  HZ_FN u32 first(Key key) const { return hash_to(table_->Hash[0], table_->Family, key, capacity_); }
  HZ_FN u32* bucket(u32 slot) const { return by_slots_ ? reinterpret_cast<u32*>(slots_ + slot) : tickets_.word(slot); }
  HZ_FN P slot(u64 i) const {
    Tally<false> none;
    return Tickets::free(tickets_.read(u32(i), none)) ? P::empty() : slots_[i];
  }

  template <class Tile, class T>
  HZ_FN Done<P> insert_at(const Tile&, Walk<P>& walk, u32*, T& tally) {
    skip<T>(walk, [](u32 ticket) { return Tickets::free(ticket); });
    if (book(walk, tally)) return publish(walk.place, walk.pair.key, tally);
    const bool passed = walk.step + 1 == capacity_;
    if (!passed && !known_full(walk)) return advance(walk);
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
    erased_ = true;
    const u32 info = info_of(walk.pair.key);
    if (!mixed_) {
      const bool won = tickets_.change(walk.place, tickets_.taken(info), Tickets::kErased, tally);
      return won ? Done<P>::ok() : Done<P>::undecided();
    }
    if (!hold(walk, info, tally)) return Done<P>::undecided();
    tickets_.leave(walk.place, tickets_.held(info), Tickets::kErased, tally);
    return Done<P>::ok();
  }

  template <class Tile, class T>
  HZ_FN Done<P> upsert_at(const Tile&, Walk<P>& walk, u32*, T& tally) {
    return change_or_add(walk, tally, [&] { return write_held(walk, tally); });
  }

  template <class Tile, class T>
  HZ_FN Done<P> combine_at(const Tile&, Walk<P>& walk, u32*, T& tally) {
    if constexpr (kWord) {
      if (by_slots_) return combine_by_slots(walk, tally);
    }
    return change_or_add(walk, tally, [&] { return combine_held(walk, tally); });
  }

  // end notes that this thread erased something. In the launch itself, the batch says that it erases.
  HZ_FN void end() const {
    if (erased_) note_erased();
  }

  // board makes words of the board from the slots, of which none has an erased pair.
  template <bool Counted>
  HZ_FN static void board(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    const Stadium scheme(table, batch);
    for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
      tile.each(valid, [&](Lane l) { scheme.make_tickets(base + l.index()); });
    });
  }

 protected:
  // kWord: a pair is read and written in one access.
  static constexpr bool kWord = sizeof(P) == alignof(P) && sizeof(P) <= 16;
  // kBooked is set in walk.memo once the upsert has booked its slot.
  static constexpr u32 kBooked = u32(1) << 31;
  static constexpr u32 kAhead = 8;        // tickets that a long walk reads at a time
  static constexpr u32 kSlotsAtOnce = 4;  // slots that are read together when the board is made

  // Sight is what an operation sees at its walk's place: a slot that was never used or
  // was erased, that holds another key or its own, or that another lane is using.
  enum class Sight { unused, erased, other, here, busy };

  // change_or_add calls change() where the walk sees its key. It keeps in walk.memo the
  // step, plus 1, at which it passed the first free slot, and returns there once it knows
  // that its key is absent.
  template <class T, class F>
  HZ_FN Done<P> change_or_add(Walk<P>& walk, T& tally, F&& change) {
    if (walk.memo & kBooked) return second_look(walk, tally);
    P seen;
    bool took = false;
    const Sight sight = shows() ? look_or_take(walk, seen, took, tally) : look(walk, seen, tally);
    if (took) return Done<P>::ok();
    if (sight == Sight::busy) return Done<P>::undecided();
    if (sight == Sight::here) return change() ? Done<P>::replaced() : Done<P>::undecided();
    const bool free = sight == Sight::unused || sight == Sight::erased;
    if (free && walk.memo == 0 && walk.step + 1 < kBooked) walk.memo = walk.step + 1;
    const bool absent = sight == Sight::unused || passed_all(walk);
    if (!absent || (walk.memo == 0 && walk.step + 1 < capacity_)) return advance(walk);
    if (walk.memo == 0) return Done<P>::failed(walk.pair);
    if (walk.step != walk.memo - 1) go_to(walk, walk.memo - 1);
    if (!book(walk, tally)) {
      walk.memo = 0;  // another operation has just taken it, perhaps with this key
      return Done<P>::undecided();
    }
    if (!mixed_) return publish(walk.place, walk.pair.key, tally);
    walk.memo |= kBooked;
    go_to(walk, 0);
    return Done<P>::undecided();
  }

  template <class T>
  HZ_FN Sight look(Walk<P>& walk, P& seen, T& tally) {
    const u32 info = info_of(walk.pair.key);
    skip<T>(walk, [&](u32 ticket) { return Tickets::free(ticket) || tickets_.info_in(ticket) == info; });
    const u32 ticket = tickets_.read(walk.place, tally);
    if (Tickets::free(ticket)) return was_used(ticket, walk.place, tally) ? Sight::erased : Sight::unused;
    if (tickets_.info_in(ticket) != info) return Sight::other;
    if (tickets_.in_use(ticket)) return Sight::busy;
    if (shared_) lane_fence(Lane{0});
    read_key(walk.place, seen, tally);
    return seen.key == walk.pair.key ? Sight::here : Sight::other;
  }

  // shows: in this batch, of upserts or of operations that combine values, a slot that was
  // never used shows by itself whether the pair for which it was booked is there.
  HZ_FN bool shows() const { return kWord && !mixed_; }

  // look_or_take does so where slots show, and takes the place if it was never used and is the
  // first free one. A GPU reads the slots of some lanes while it books those of others.
  template <class T>
  HZ_FN Sight look_or_take(Walk<P>& walk, P& seen, bool& took, T& tally) {
    const u32 info = info_of(walk.pair.key);
    skip<T>(walk, [&](u32 ticket) { return Tickets::free(ticket) || tickets_.info_in(ticket) == info; });
    const u32 word = tickets_.read_word(walk.place, tally), ticket = tickets_.in(word, walk.place);
    const bool free = Tickets::free(ticket), erased = tickets_.erased(ticket);
    const bool similar = !free && tickets_.info_in(ticket) == info, reads = similar && !tickets_.in_use(ticket);
    const bool takes = free && !erased && walk.memo == 0;
    lane_after(Lane{0});
    if (reads) read_key(walk.place, seen, tally);
    took = takes && tickets_.take(walk.place, word, tickets_.taken(info), tally);
    if (took) fill(walk, tally);
    if (free) return erased ? Sight::erased : takes && !took ? Sight::busy : Sight::unused;
    if (!similar) return Sight::other;
    if (!reads || seen.is_empty()) return Sight::busy;
    return seen.key == walk.pair.key ? Sight::here : Sight::other;
  }

  // read_key reads the key of a slot, and the value if both fit in one access.
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

  // was_used reports whether the slot of this free ticket ever held a pair.
  template <class T>
  HZ_FN bool was_used(u32 ticket, u32 slot, T& tally) const {
    if (tickets_.erased_shows()) return tickets_.erased(ticket);
    if (!any_erased_) return false;
    P seen;
    read_key(slot, seen, tally);
    return !seen.is_empty();
  }

  // elsewhere continues a search that has not found its key in a slot.
  HZ_FN Done<P> elsewhere(Walk<P>& walk, Sight sight) {
    if (sight == Sight::busy) return Done<P>::undecided();
    if (sight == Sight::unused || passed_all(walk)) return Done<P>::missing();
    return advance(walk);
  }

  HZ_FN Done<P> advance(Walk<P>& walk) const {
    walk.place = after(walk.place, stride_of(walk.pair.key));
    walk.step++;
    return Done<P>::undecided();
  }

  // skip advances a long walk to the next ticket where it has to stop, or by a few. It
  // reads those tickets in parallel, as a CPU does by itself. Instrumented kernels read them
  // one by one.
  template <class T, class F>
  HZ_FN void skip(Walk<P>& walk, F&& stops) const {
    if (T::counted || walk.step < kLongWalk || capacity_ - walk.step <= kAhead) return;
    const u32 stride = stride_of(walk.pair.key);
    Tally<false> none;
    if constexpr (kOverlapped == 1) {
      const u32 last = walk.step + kAhead - 1;
      while (walk.step < last && !stops(tickets_.read(walk.place, none))) {
        walk.place = after(walk.place, stride);
        walk.step++;
      }
      return;
    }
    u32 slot[kAhead], ticket[kAhead];
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

  // book takes the slot at the walk's place, if it is free, and writes the pair. If other
  // operations may look, the access bit stays 0 until publish.
  template <class T>
  HZ_FN bool book(const Walk<P>& walk, T& tally) {
    const u32 info = info_of(walk.pair.key);
    const u32 ticket = shared_ ? tickets_.held(info) : tickets_.taken(info);
    return tickets_.book(walk.place, ticket, tally) && fill(walk, tally);
  }

  // fill writes the pair into a slot that was booked for it.
  template <class T>
  HZ_FN bool fill(const Walk<P>& walk, T& tally) {
    if (walk.step >= longest_) raise_longest(walk.step);
    write(walk, tally);
    return true;
  }

  // publish completes an insert: from here on others see the pair.
  template <class T>
  HZ_FN Done<P> publish(u32 slot, Key key, T& tally) const {
    const u32 info = info_of(key);
    if (shared_) tickets_.leave(slot, tickets_.held(info), tickets_.taken(info), tally);
    return Done<P>::ok();
  }

  // second_look takes an upsert that has booked a slot to all places of its key once
  // more. If the key is there by now, or may be about to appear in a lower slot, the
  // upsert gives its slot back and starts over; for a higher slot it waits.
  template <class T>
  HZ_CALLED Done<P> second_look(Walk<P>& walk, T& tally) {
    const Key key = walk.pair.key;
    const u32 own = place_at(key, (walk.memo & ~kBooked) - 1);
    P seen;
    const Sight sight = look(walk, seen, tally);
    const bool elsewhere = walk.place != own;
    if (elsewhere && (sight == Sight::here || (sight == Sight::busy && walk.place < own))) {
      note_erased();
      tickets_.leave(own, tickets_.held(info_of(key)), Tickets::kErased, tally);
      walk.memo = 0;
      go_to(walk, 0);
      return Done<P>::undecided();
    }
    if (elsewhere && sight == Sight::busy) return Done<P>::undecided();
    if (sight != Sight::unused && !passed_all(walk)) return advance(walk);
    return publish(own, key, tally);
  }

  // hold clears the access bit of the slot in which the walk has seen its key, if the key
  // is still there. The slot then belongs to this lane.
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

  // write_held writes a value where the walk has seen its key. A pair of one word is just
  // stored, unless other operations may free the slot or combine values in it.
  template <class T>
  HZ_FN bool write_held(const Walk<P>& walk, T& tally) const {
    const u32 info = info_of(walk.pair.key);
    const bool holds = !kWord || !only_stored_;
    if (holds && !hold(walk, info, tally)) return false;
    write(walk, tally);
    if (holds) tickets_.leave(walk.place, tickets_.held(info), tickets_.taken(info), tally);
    return true;
  }

  // combine_held combines the walk's value with that where the walk has seen its key. In a
  // batch of one operation nothing is erased, and an atomic operation on the value alone
  // will do; otherwise the slot is held.
  template <class T>
  HZ_FN bool combine_held(const Walk<P>& walk, T& tally) const {
    Value* value = &slots_[walk.place].value;
    if constexpr (sizeof(Value) <= 8) {
      if (!mixed_) {
        lane_combine(Lane{0}, value, walk.op, walk.pair.value);
        tally.write_table(value, sizeof(Value));
        return true;
      }
    }
    const u32 info = info_of(walk.pair.key);
    if (!hold(walk, info, tally)) return false;
    Walk<P> changed = walk;
    changed.pair.value = combined(walk.op, read_parts(value), walk.pair.value);
    write(changed, tally);
    tickets_.leave(walk.place, tickets_.held(info), tickets_.taken(info), tally);
    return true;
  }

  // combine_by_slots carries out an operation of a batch that has no others by the slots alone,
  // while none of them has an erased pair. The board is made from the slots afterwards.
  template <class T>
  HZ_FN Done<P> combine_by_slots(Walk<P>& walk, T& tally) {
    P* at = slots_ + walk.place;
    P seen = lane_read(Lane{0}, at);
    tally.probe(at, sizeof(P));
    if (seen.is_empty()) {
      seen = lane_cas(Lane{0}, at, P::empty(), walk.pair);
      tally.swap(at, sizeof(P), seen.is_empty());
      if (seen.is_empty()) {
        if (walk.step >= longest_) raise_longest(walk.step);
        return Done<P>::ok();
      }
    }
    if (seen.key == walk.pair.key) {
      lane_combine(Lane{0}, &at->value, walk.op, walk.pair.value);
      tally.touch(&at->value, sizeof(Value));
      return Done<P>::replaced();
    }
    return walk.step + 1 == capacity_ ? Done<P>::failed(walk.pair) : advance(walk);
  }

  HZ_FN void make_tickets(u64 word) const {
    const u32 n = tickets_.per_word(), first = u32(word) * n;
    u32 made = ~u32(0);
    for (u32 from = first; from < first + n && from < capacity_; from += kSlotsAtOnce) {
      P pair[kSlotsAtOnce];
#pragma GCC unroll 4
      for (u32 i = 0; i < kSlotsAtOnce; i++) pair[i] = slots_[from + i < capacity_ ? from + i : from];
#pragma GCC unroll 4
      for (u32 i = 0; i < kSlotsAtOnce; i++) {
        const bool here = from + i < capacity_ && !pair[i].is_empty();
        made = here ? tickets_.with(made, from + i, tickets_.taken(info_of(pair[i].key))) : made;
      }
    }
    *tickets_.word(first) = made;
  }

  // note_erased tells the host side that slots may have pairs that were erased.
  HZ_FN void note_erased() const {
    if (lane_read(Lane{0}, state_ + kAnyErased) == 0) lane_exchange(Lane{0}, state_ + kAnyErased, u32(1));
  }

  // passed_all reports whether the walk has visited every place where its key may be.
  HZ_FN bool passed_all(const Walk<P>& walk) {
    if (walk.step + 1 == capacity_) return true;
    if (walk.step + 1 < longest_) return false;
    if (shared_) longest_ = read_longest();
    return walk.step + 1 >= longest_;
  }

  HZ_FN u32 read_longest() const {
    const u32 steps = lane_read(Lane{0}, state_ + kLongest);
    return steps < kLongWalk ? kLongWalk : steps;
  }

  // raise_longest records that a pair is `step` steps from where its walk began. It must
  // happen before any other lane can see the pair.
  HZ_FN void raise_longest(u32 step) {
    const u32 enough = step >> 31 ? ~u32(0) : u32(2) << (31 - __builtin_clz(step));
    for (u32 seen = lane_read(Lane{0}, state_ + kLongest); seen < enough;) {
      const u32 old = lane_cas(Lane{0}, state_ + kLongest, seen, enough);
      seen = old == seen ? enough : old;
    }
    longest_ = read_longest();
  }

  // known_full reports whether an insert of this batch has found all tickets taken. The
  // host side numbers the batches to which that may happen and in which no ticket is
  // freed.
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
  u32 longest_;          // no pair is more steps from where its walk began
  bool any_erased_;      // and tickets do not show which slots were
  bool mixed_;           // other operations run concurrently
  bool shared_;          // slots are read while others are booked
  bool by_slots_;        // the board is not read, and is made anew
  bool only_stored_;     // pairs that are present change by stores alone, and stay where they are
  bool erased_ = false;  // this thread erased something
};

}  // namespace hz
