// absl::flat_hash_map: one thread inserts, all find.
// compile: -labsl_raw_hash_set -labsl_hash -labsl_city -labsl_low_level_hash
#include <absl/container/flat_hash_map.h>

#include "peer.h"

struct Peer {
  static constexpr bool shared = false;
  absl::flat_hash_map<uint32_t, uint32_t> map;

  explicit Peer(size_t n) { map.reserve(n); }
  void insert(uint32_t key, uint32_t value) { map.emplace(key, value); }
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
