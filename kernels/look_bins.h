// look_bins.h: bins that several looks have (look.h).
#ifndef HZ_LOOK_BINS_H
#define HZ_LOOK_BINS_H

#include "hash.h"

namespace hz {

inline constexpr u32 kErasedBin = 33, kPairsBin = 34;

}  // namespace hz

#endif
