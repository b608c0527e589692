// tbb.h: tbb::concurrent_hash_map, with its own hash function and allocator. An accessor locks its
// pair, so all operations may run at the same time.
#pragma once

#include <tbb/concurrent_hash_map.h>

#include "reference.h"

namespace hz {

template <class P>
class TbbMap {
 public:
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Allocator = Counted<tbb::tbb_allocator<std::pair<const Key, Value>>>;
  using Map = tbb::concurrent_hash_map<Key, Value, tbb::tbb_hash_compare<Key>, Allocator>;

  TbbMap(u64 pairs, Books books, const hz_table*) : map_(pairs, Allocator(books)) {}

  bool insert(Key key, Value value) { return map_.emplace(key, value); }
  bool find(Key key, Value& value, bool) const {
    typename Map::const_accessor at;
    if (!map_.find(at, key)) return false;
    value = at->second;
    return true;
  }
  bool put(Key key, Value value, auto&& f) {
    typename Map::accessor at;
    if (map_.emplace(at, key, value)) return false;
    f(at->second);
    return true;
  }
  bool change(Key key, auto&& f) {
    typename Map::accessor at;
    if (!map_.find(at, key)) return false;
    f(at->second);
    return true;
  }
  bool erase(Key key) { return map_.erase(key); }
  void each(auto&& f) const {
    for (const auto& pair : map_) f(pair.first, pair.second);
  }

 private:
  Map map_;
};

template <class P>
using Tbb = Reference<P, TbbMap<P>>;

}  // namespace hz
