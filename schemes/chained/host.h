// host.h: operations that race for nodes are tried again, and a flush takes all pairs out; what is shown of the lists.
//
// Of upserts that race for a new key, each takes a node, and one inserts its node. Until the others have given theirs
// back, there may be none left for other keys.
#pragma once

#include "chained.h"
#include "host_show.h"
#include "host_side.h"

namespace hz::host {

class ChainedHost {
 public:
  // The capacity is that of the pool: a link has 31 bits. Node 0 does not exist: a link of 0 ends a list. A node is a
  // word with the key and a link of the same width, and the value, rounded up to a multiple of that word.
  static Layout layout(const auto& p, const Shape& s) {
    Layout l{};
    l.buckets = ceil_of(s.slots, u64(p.chain)), l.capacity = s.slots;
    add(l, {"heads", 4 * l.buckets, 0, true});
    add(l, {"nodes", (l.capacity + 1) * Shape::rounded(2 * s.key + s.value, 2 * s.key), 0xff, true});
    add(l, {"nodes used", 24});  // nodes taken, the head of the list of spare ones, and how many were put there
    return at_most(l, 2147483647);
  }

  template <class T, class Op>
    requires(__is_same(Op, op_upsert) || __is_same(Op, op_combine) || __is_same(Op, op_mix))
  static Result run(T& t, Op op, const Batch& b) {
    return retry(t, op, b);
  }
  static Result run(auto& t, op_flush, const Batch&) { return flush_all(t); }

  template <class T>
  static Gauges<T> gauges() {
    return {{"nodes per bucket", nodes_per_bucket<T>}, {"pool", pool<T>}};
  }

  // rows shows the lists, including erased nodes that are still in them.
  static void rows(auto& t) {
    const hz_table& b = t.block();
    const std::vector<u32> heads = values<u32>(t, b.Region[kHeads], b.Buckets);
    const std::vector<u8> nodes = values<u8>(t, b.Region[kNodes], t.layout().region[kNodes].bytes);
    for (u64 i = 0; i < heads.size(); i++) {
      t.row(text("list ", i), "node");
      t.span(b.Region[kHeads] + sizeof(u32) * i, sizeof(u32));
      for (u64 next = heads[i]; next != 0;) next = show_node(t, nodes, next);
    }
  }

 private:
  enum Region { kHeads, kNodes, kNodesUsed };  // as scheme.toml lists them
  static constexpr u32 kErased = Chained<Pair<u32>>::kErased;

  // node_bytes is the size of a node: the region has one more than the table can use.
  static u64 node_bytes(auto& t) { return t.layout().region[kNodes].bytes / (t.layout().capacity + 1); }

  // show_node shows a node, and returns the next.
  static u64 show_node(auto& t, const std::vector<u8>& nodes, u64 at) {
    const u64 size = node_bytes(t), key = t.key_bytes();
    const u8* node = nodes.data() + at * size;
    const Span memory{t.block().Region[kNodes] + at * size, size};
    const u64 link = number(node + key, sizeof(u32));
    t.span(memory.at, memory.bytes);
    if ((link & kErased) != 0) {
      t.cell("x", {memory});
    } else {
      t.slot(number(node, key), number(node + 2 * key, t.value_bytes()), {memory});
    }
    return link & ~u64(kErased);
  }

  // look counts the nodes of all lists.
  static hz_look look(auto& t) {
    hz_look where{};
    where.Stride = node_bytes(t), where.Key = t.key_bytes();
    return t.look("hz_look_chains", t.block().Buckets, where);
  }
  static void nodes_per_bucket(auto& t) { length_bars(t, look(t), 0); }

  // pool shows how many nodes were allocated. The counter keeps counting after the pool is used up.
  static void pool(auto& t) {
    const hz_look seen = look(t);
    const u64 all = t.layout().capacity, used = std::min(value<u64>(t, t.block().Region[kNodesUsed]), all);
    const u64 pairs = seen.Bin[kPairsBin], erased = seen.Bin[kErasedBin];
    t.bar("pairs", double(pairs), double(all));
    t.bar("erased", double(erased), double(all));
    t.bar("unlinked", double(used - pairs - erased), double(all));
    t.bar("unused", double(all - used), double(all));
  }
};

}  // namespace hz::host
