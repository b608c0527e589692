// dense.h: google::dense_hash_map in stripes, each under a lock, with its own hash function. The keys
// that tables reserve are those that it takes for empty and erased slots.
#pragma once

#include <sparsehash/dense_hash_map>

#include "reference.h"

namespace hz {

template <class P>
struct DenseMap : MapOf<P, google::dense_hash_map, SPARSEHASH_HASH<typename P::Key>> {
  DenseMap(u64 pairs, Books books) : DenseMap::MapOf(pairs, books) {
    this->set_empty_key(P::kEmptyKey);
    this->set_deleted_key(P::kErasedKey);
  }
};

template <class P>
using Dense = Reference<P, Striped<P, DenseMap<P>>>;

}  // namespace hz
