// unordered.h: std::unordered_map in stripes, each under a lock, with its own hash function.
#pragma once

#include <unordered_map>

#include "reference.h"

namespace hz {

template <class P>
using Unordered = Reference<P, Striped<P, MapOf<P, std::unordered_map, std::hash<typename P::Key>>>>;

}  // namespace hz
