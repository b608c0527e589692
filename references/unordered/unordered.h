// unordered.h: std::unordered_map in stripes, each under a lock, with its own hash function.
#pragma once

#include <unordered_map>

#include "reference.h"

namespace hz {

template <class P>
class UnorderedMap {
 public:
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Allocator = Counted<std::allocator<std::pair<const Key, Value>>>;
  using Map = std::unordered_map<Key, Value, std::hash<Key>, std::equal_to<Key>, Allocator>;

  struct Stripe : Map {
    Stripe(u64 pairs, Books books) : Map(0, std::hash<Key>(), std::equal_to<Key>(), Allocator(books)) {
      this->reserve(pairs);
    }
  };
};

template <class P>
using Unordered = Reference<P, Striped<P, typename UnorderedMap<P>::Stripe>>;

}  // namespace hz
