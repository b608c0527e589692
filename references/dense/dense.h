// dense.h: google::dense_hash_map in stripes, each under a lock, with its own hash function. The keys
// that tables reserve are those that it takes for empty and erased slots.
#pragma once

#include <sparsehash/dense_hash_map>

#include "reference.h"

namespace hz {

template <class P>
class DenseMap {
 public:
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Hash = SPARSEHASH_HASH<Key>;
  using Allocator = Counted<std::allocator<std::pair<const Key, Value>>>;
  using Map = google::dense_hash_map<Key, Value, Hash, std::equal_to<Key>, Allocator>;

  struct Stripe : Map {
    Stripe(u64 pairs, Books books) : Map(pairs, Hash(), std::equal_to<Key>(), Allocator(books)) {
      this->set_empty_key(P::kEmptyKey);
      this->set_deleted_key(P::kErasedKey);
    }
  };
};

template <class P>
using Dense = Reference<P, Striped<P, typename DenseMap<P>::Stripe>>;

}  // namespace hz
