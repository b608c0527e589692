// tickets.h: a ticket board, which has a few bits for every slot of a table and lies
// apart from it.
//
// A ticket of t bits (1, 2, 4 or 8, so 32/t of them share a word) says whether its slot
// is free and, if it is not, something about the key in it:
//
//   bit 0       available: 1 if the slot is free
//   bit 1       access, on boards that have it: 0 while a lane is using the slot
//   the others  info: some bits of a hash of the key
//
//                          t = 4     with the access bit
//   never used             1111      1111
//   taken                  iii0      ii10
//   taken and in use         -       ii00
//   erased                 0001      0001
//
// An erased slot is free like one that was never used, but a search must not stop there.
// With t = 1 the two look alike.
//
// Tickets change by compare-and-swap on their word. A swap may fail because another
// ticket of the word changed; the race is lost only if this ticket did. A lane that
// clears an access bit owns the ticket, and releases it by adding the difference, which
// leaves the rest of the word alone. The paper clears the available bit by one atomic AND
// and the info bits by another. Doing both in one step means that no lane sees a taken
// ticket without its info bits, and that an erased slot differs from one that was never
// used.
#pragma once

#include "tally.h"

namespace hz {

class Tickets {
 public:
  static constexpr u32 kErased = 1;

  // A ticket with an access bit has at least 2 bits.
  HZ_FN Tickets(u64 words, u32 bits, bool access)
      : words_(reinterpret_cast<u32*>(words)),
        log_(access && bits == 1 ? 1 : u32(__builtin_ctz(bits))),
        below_info_(access ? 2 : 1) {}

  HZ_FN u32* word(u32 slot) const { return words_ + (slot >> (5 - log_)); }
  HZ_FN u32 info_bits() const { return (u32(1) << log_) - below_info_; }

  // read returns the ticket of a slot, read_word the word that has it, and in what it is there.
  template <class T>
  HZ_FN u32 read(u32 slot, T& tally) const {
    return in(read_word(slot, tally), slot);
  }
  template <class T>
  HZ_FN u32 read_word(u32 slot, T& tally) const {
    const u32* at = word(slot);
    tally.probe(at, sizeof *at);
    return lane_read(Lane{0}, at);
  }
  HZ_FN u32 in(u32 word, u32 slot) const { return word >> shift(slot) & all(); }

  // per_word is how many tickets share a word; with returns a word with another ticket for a slot.
  HZ_FN u32 per_word() const { return u32(32) >> log_; }
  HZ_FN u32 with(u32 word, u32 slot, u32 ticket) const { return word ^ (in(word, slot) ^ ticket) << shift(slot); }

  HZ_FN static bool free(u32 ticket) { return ticket & 1; }
  // erased_shows: a ticket can mark its slot as erased.
  HZ_FN bool erased_shows() const { return log_ > 0; }
  HZ_FN bool erased(u32 ticket) const { return erased_shows() && ticket == kErased; }
  HZ_FN bool has_access() const { return below_info_ == 2; }
  HZ_FN bool in_use(u32 ticket) const { return has_access() && (ticket & 2) == 0; }
  HZ_FN u32 info_in(u32 ticket) const { return ticket >> below_info_; }

  // taken and held are the tickets of a slot that holds a key with these info bits; in
  // held, the access bit is clear.
  HZ_FN u32 taken(u32 info) const { return info << below_info_ | (has_access() ? 2 : 0); }
  HZ_FN u32 held(u32 info) const { return info << below_info_; }

  // book takes a slot, if it is free, by writing a ticket.
  template <class T>
  HZ_FN bool book(u32 slot, u32 ticket, T& tally) const {
    u32* at = word(slot);
    tally.probe(at, sizeof *at);
    return change_while(slot, lane_read(Lane{0}, at), ticket, [](u32 seen) { return free(seen); }, tally);
  }

  // take writes a ticket if its word is the one that was read.
  template <class T>
  HZ_FN bool take(u32 slot, u32 seen, u32 ticket, T& tally) const {
    const u32 old = lane_cas(Lane{0}, word(slot), seen, with(seen, slot, ticket));
    tally.swap(word(slot), sizeof(u32), old == seen);
    return old == seen;
  }

  // change replaces the ticket `from` by `to`; it fails if the ticket is neither.
  template <class T>
  HZ_FN bool change(u32 slot, u32 from, u32 to, T& tally) const {
    return change_while(slot, lane_read(Lane{0}, word(slot)), to, [&](u32 seen) { return seen == from; }, tally);
  }

  // leave releases a ticket that this lane owns. The lane's accesses to the slot are
  // ordered before it.
  template <class T>
  HZ_FN void leave(u32 slot, u32 held, u32 to, T& tally) const {
    lane_fence(Lane{0});
    lane_add(Lane{0}, word(slot), (to - held) << shift(slot));
    tally.touch(word(slot), sizeof(u32));
  }

 private:
  HZ_FN u32 shift(u32 slot) const { return slot << log_ & 31; }
  HZ_FN u32 all() const { return (u32(1) << (1 << log_)) - 1; }

  template <class F, class T>
  HZ_FN bool change_while(u32 slot, u32 seen, u32 to, F&& may, T& tally) const {
    while (may(in(seen, slot))) {
      const u32 old = lane_cas(Lane{0}, word(slot), seen, with(seen, slot, to));
      tally.swap(word(slot), sizeof(u32), old == seen);
      if (old == seen) return true;
      seen = old;
    }
    return false;
  }

  u32* words_;
  u32 log_;         // log2 of the bits per ticket
  u32 below_info_;  // the number of bits below the info bits
};

}  // namespace hz
