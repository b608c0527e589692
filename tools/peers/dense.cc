// google::dense_hash_map: one thread inserts, all find.
#include <sparsehash/dense_hash_map>

#include "peer.h"

struct Peer {
  static constexpr bool shared = false;
  google::dense_hash_map<uint32_t, uint32_t> map;

  explicit Peer(size_t n) : map(n) { map.set_empty_key(~uint32_t(0)); }
  void insert(uint32_t key, uint32_t value) { map.insert({key, value}); }
  bool find(uint32_t key, uint32_t& value) const {
    const auto at = map.find(key);
    if (at == map.end()) return false;
    value = at->second;
    return true;
  }
  void add(uint32_t key, uint32_t value) { map[key] += value; }
  template <class F>
  void each(F&& f) const {
    for (const auto& [key, value] : map) f(key, value);
  }
};

int main(int count, char** words) { return peer::run<Peer>(count, words); }
