// look_bins.h: bins that several looks have (look.h).
#pragma once

#include "hash.h"

namespace hz {

inline constexpr u32 kErasedBin = 33, kPairsBin = 34;

}  // namespace hz
