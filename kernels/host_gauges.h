// host_gauges.h: the gauges that a manifest can name, of any scheme whose tables have the layout that they suit
// (runtime/manifest/shared.toml), and the board of tickets. A host side that no scheme has.
#pragma once

#include <bit>

#include "host_show.h"
#include "host_stadium.h"

namespace hz::host {

// NoParams are the parameters of no scheme.
struct NoParams {
  static NoParams of(const int64_t*) { return {}; }
};

class SharedGauges {
 public:
  template <class T>
  static Gauges<T> gauges() {
    return {{"bucket fill", bucket_fill<T>, slot_array_fits},
            {"slots", slot_use<T>, slot_array_fits},
            {"tickets", ticket_use<T>, stadium_fits},
            {"longest walk", longest_walk<T>, stadium_fits}};
  }

  // board says of how many bits tickets are, if the table has any.
  static void board(auto& t) {
    if (regions_of(t.layout()) != kStadium) return;
    const u64* arg = t.block().Arg;
    const Tickets tickets(0, u32(arg[StadiumTable::kTicketBits]), arg[StadiumTable::kAccess] != 0);
    t.board(StadiumTable::kTickets, 32 / tickets.per_word());
  }

 private:
  static constexpr const char* kStadium = "[tickets slots state]";

  static void slot_array_fits(const Layout& l, u64 key, u64 value) {
    const u64 slot = Shape{key, value, 0, 0}.slot(), bucket = l.capacity / l.buckets;
    if (l.capacity % l.buckets != 0 || !std::has_single_bit(bucket))
      throw Refused(
          text(l.capacity, " slots in ", l.buckets, " buckets: buckets take the same power of two of slots each"));
    if (l.regions == 0 || l.region[0].bytes < l.capacity * slot)
      throw Refused(text(l.capacity, " slots of ", slot, " bytes: the first region is smaller"));
  }

  static std::string regions_of(const Layout& l) {
    std::string names;
    for (u64 i = 0; i < l.regions; i++) names += text(i > 0 ? " " : "", l.region[i].name);
    return "[" + names + "]";
  }
  static void stadium_fits(const Layout& l, u64, u64) {
    const std::string names = regions_of(l);
    if (names != kStadium) throw Refused(text("it takes the regions ", kStadium, ", not ", names));
  }

  // These read only the board, not the table behind it.
  static void ticket_use(auto& t) {
    enum { kErased = 1, kTaken };  // bins of tickets_look.h
    const u64 slots = t.layout().capacity;
    const hz_look seen = t.look("hz_look_tickets", slots);
    use_bars(t, seen.Bin[kTaken], seen.Bin[kErased], slots);
  }
  static void longest_walk(auto& t) {
    const u32 longest = value<u32>(t, state_word(t, StadiumTable::kLongest));
    t.bar("", double(std::max(longest, u32(StadiumTable::kLongWalk))), double(t.layout().capacity));
  }
};

}  // namespace hz::host
