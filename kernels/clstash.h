// clstash.h: clStash, stadium hashing with collaborative lanes.
//
// The idea. A table of Stash (stash.h). Its inserts are attempts to book a ticket, a
// lane for each. In a table that is nearly full most attempts fail, so that of the 32
// lanes of a warp one or two go on trying while the others have nothing to do. Here
// inserts that failed are put aside, lanes take fresh ones, and as soon as there are
// enough for all lanes, they are tried again (drive_together.h): lanes are busy
// nearly all the time, whatever the load factor.
//
// Hybrid. Putting aside and counting who is done costs time, which does not pay while
// nearly every first attempt succeeds. So inserts begin as those of Stash, and go on
// together once the load factor has come to `threshold`: the host side splits the
// batch there. 0 is clStash from the start.
//
// Everything else, what makes it linearizable and the limits are those of Stash. It
// has no access bit: its batches are of one operation each.
//
// Paper: Khorasani, Belviranli, Gupta, Bhuyan: Stadium Hashing: Scalable and Flexible
// Hashing on GPUs, section III-C.
#ifndef HZ_CLSTASH_H
#define HZ_CLSTASH_H

#include "stash.h"

namespace hz {

template <class P>
class ClStash : public Stash<P> {
 public:
  using Stash<P>::Stash;
  using Together = Ops<op_insert>;

  // alone is an insert of Stash, for the first part of a hybrid batch.
  template <bool Counted>
  HZ_FN static void alone_insert(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    drive<op_insert, Stash<P>, Tally<Counted>>(table, batch, first, count);
  }
};

}  // namespace hz

#endif
