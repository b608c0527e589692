// clstash.h: clStash, stadium hashing with collaborative lanes.
//
// Idea. The table is that of Stash (stash.h). An insert of Stash is a series of attempts
// to book a ticket, in one lane. In a nearly full table most attempts fail, so one or two
// lanes of a warp keep trying while the other 30 idle. Here inserts whose attempts failed
// are queued, and lanes take new ones. As soon as enough are queued for all lanes, they
// are tried again (drive_together.h). Lanes are busy nearly all the time, whatever the
// load factor.
//
// Hybrid. Queueing and counting finished lanes takes time, which does not pay while
// nearly every first attempt succeeds. So inserts begin like those of Stash, and
// collaborate once the load factor reaches `threshold`: the host side splits the batch
// there. With 0, lanes collaborate from the start.
//
// All other operations, the linearization and the limits are those of Stash. It has no
// access bit: each of its batches has one operation.
//
// Paper: Khorasani, Belviranli, Gupta, Bhuyan: Stadium Hashing: Scalable and Flexible
// Hashing on GPUs, section III-C.
#pragma once

#include "stadium.h"

namespace hz {

template <class P>
class ClStash : public Stadium<P> {
 public:
  using Stadium<P>::Stadium;
  static constexpr Traits traits = Stadium<P>::traits.with([](Traits& t) { t.queued = {k_op_insert}; });

  // alone_insert is the insert of Stash, for the first part of a hybrid batch.
  template <bool Counted>
  HZ_FN static void alone_insert(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    drive<op_insert, Stadium<P>, Tally<Counted>>(table, batch, first, count);
  }
};

}  // namespace hz
