// numbers.h: integer types, and the lists of abi.h as enums, for kernels and for whatever else is C++.
#pragma once

#include "abi.h"

namespace hz {

using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;

#define HZ_AS_ENUM(name, ...) k_op_##name,
enum Operation : u8 { HZ_OPS(HZ_AS_ENUM) kOperations };
#undef HZ_AS_ENUM

#define HZ_AS_ENUM(name) k_##name,
enum Outcome : u8 { HZ_OUTCOMES(HZ_AS_ENUM) kOutcomes };
#undef HZ_AS_ENUM

#define HZ_AS_ENUM(name, ...) kCount_##name,
enum Counter : int { HZ_COUNTERS(HZ_AS_ENUM) kCounters };
#undef HZ_AS_ENUM
static_assert(int(kCounters) <= int(HZ_TAKEN));

}  // namespace hz
