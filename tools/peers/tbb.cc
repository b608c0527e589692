// tbb::concurrent_hash_map: threads insert and find at the same time.
// compile: -ltbb
#include <tbb/concurrent_hash_map.h>

#include "peer.h"

struct Peer {
  using Map = tbb::concurrent_hash_map<uint32_t, uint32_t>;
  static constexpr bool shared = true;
  Map map;

  explicit Peer(size_t n) : map(n) {}
  void insert(uint32_t key, uint32_t value) { map.emplace(key, value); }
  bool find(uint32_t key, uint32_t& value) const {
    Map::const_accessor at;
    if (!map.find(at, key)) return false;
    value = at->second;
    return true;
  }
  void add(uint32_t key, uint32_t value) {
    Map::accessor at;
    map.insert(at, key);
    at->second += value;
  }
};

int main(int count, char** words) { return peer::run<Peer>(count, words); }
