// absl.h: absl::flat_hash_map in stripes, each under a lock, with its own hash function.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "reference.h"

namespace hz {

template <class P>
using Absl = Reference<P, Striped<P, MapOf<P, absl::flat_hash_map, absl::Hash<typename P::Key>>>>;

}  // namespace hz
