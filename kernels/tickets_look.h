// tickets_look.h: looks at a ticket board (look.h), with one lane per ticket.
//
//   bins 0, 1   slots that were never used, and slots that were erased. Tickets of one
//               bit do not distinguish them and count both in bin 0
//   bins 2, 3   slots that are taken, and those of them that a lane is using
#pragma once

#include "look.h"
#include "stadium.h"

namespace hz {

HZ_FN void look_tickets(const void* table_block, void* block, u64 first, u64 count) {
  using S = Stadium<Pair4>;
  const hz_table* table = static_cast<const hz_table*>(table_block);
  const Tickets tickets(table->Region[S::kTickets], u32(table->Arg[S::kTicketBits]), table->Arg[S::kAccess] != 0);
  Bins bins(static_cast<hz_look*>(block));
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    Tally<false> none;
    Lanes<u32, kWarp> ticket;
    tile.each([&](Lane l) { ticket[l] = 1; });
    tile.each(valid, [&](Lane l) { ticket[l] = tickets.read(u32(base) + l.index(), none); });
    const u32 free = tile.ballot([&](Lane l) { return Tickets::free(ticket[l]); });
    const u32 erased = tile.ballot([&](Lane l) { return tickets.erased(ticket[l]); });
    const u32 held = tile.ballot([&](Lane l) { return tickets.in_use(ticket[l]); });
    bins.add(0, u32(popcount(valid & free & ~erased)));
    bins.add(1, u32(popcount(valid & free & erased)));
    bins.add(2, u32(popcount(valid & ~free)));
    bins.add(3, u32(popcount(valid & ~free & held)));
  });
  bins.add_up();
}

}  // namespace hz
