// absl.h: absl::flat_hash_map in stripes, each under a lock, with its own hash function.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "reference.h"

namespace hz {

template <class P>
class AbslMap {
 public:
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Allocator = Counted<std::allocator<std::pair<const Key, Value>>>;
  using Map = absl::flat_hash_map<Key, Value, absl::Hash<Key>, std::equal_to<Key>, Allocator>;

  struct Stripe : Map {
    Stripe(u64 pairs, Books books) : Map(pairs, absl::Hash<Key>(), std::equal_to<Key>(), Allocator(books)) {}
  };
};

template <class P>
using Absl = Reference<P, Striped<P, typename AbslMap<P>::Stripe>>;

}  // namespace hz
