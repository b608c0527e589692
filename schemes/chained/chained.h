// chained.h: the lock-free chained hash table of Misra and Chaudhuri.
//
// Idea. The oldest hash table, made concurrent: each bucket is a linked list, sorted by
// key, and every change is one compare-and-swap on a link. Memory is not managed: all
// nodes are allocated in advance, in a pool, and handed out by a counter. Links are node
// numbers, so a key and the link to the next node form one word.
//
//   heads   [ 4 ][ . ][ 1 ]          pool   1 {  7 | 3 }   3 { 25 | . }   5 { 16 | 2 }
//             |         |                   2 { 31 | . }   4 {  5 | 5 }
//             |         '-> 1: 7 -> 3: 25
//             '-> 4: 5 -> 5: 16 -> 2: 31
//
// Every thread carries its own operation from node to node. Warp-wide tables are measured
// against this: a node is one memory access that serves a single thread, and the threads
// of a warp wait for the one with the longest list.
//
// Deletion takes two steps (Harris). First the node's own link is marked, so that nothing
// can be inserted behind it; from then on its key is absent. Then the link that leads to
// the node is changed to bypass it, by any walk that passes. A walk that wants to change
// something therefore remembers the link by which it came. Erased nodes are not reused: when
// the pool is used up, inserts fail until the table is cleared or flushed.
//
// Insert. Walk to the first node whose key is not smaller, make a new node link to it,
// and swap the link by which the walk came to the new node. If the key is present, the
// insert fails and its pair is handed back: a key is in the table at most once. An upsert
// replaces the value of a present key instead; add, min, max and tally combine it with
// theirs.
//
// Spare nodes. A node is taken when a key was seen to be absent. Of many operations that
// bring in the same new key, each holds a node then, and one links it. A thread keeps the node
// of an operation that did not link it for its next one. What it has at the end of the launch,
// and what is one too many, it puts on a stack, where operations find nodes once the counter
// has passed the end of the pool. Nobody else has seen such a node, so it may be used for any
// key at once. The head of the stack has a stamp, so a swap fails if nodes came and went since
// it was read.
//
// Linearization, with all operations running concurrently:
//
//   insert  (and an upsert of a new key) takes effect at the compare-and-swap that links
//           its node. The swap expects the link by which the walk came to be unchanged:
//           unmarked, so its node is in the list, and leading to the first node whose key
//           is not smaller. So the key is in no node of the list.
//   erase   takes effect at the compare-and-swap that marks the node. Of several
//           concurrent ones, one succeeds.
//   update  (and an upsert of a present key) writes the value of a node that it saw
//           unmarked. If the node was marked in between, the update takes effect just
//           before the erase, and so do finds that read what it wrote.
//   add, min, max and tally  of a present key likewise, by an atomic operation on the
//           value; of a new one like an upsert.
//   find    takes effect when it reads its node's key and link, unmarked. If an update
//           wrote the value after that and before the erase, the find takes effect just
//           after the update. A find that reaches a marked node, or passes the place of
//           the key, misses. The key was absent when the node was marked or when the link
//           past its place was read; or it was inserted later, and the find takes effect
//           just before that.
//
// Every failed round means that another operation succeeded (lock freedom). A node is
// written before it is linked, with a fence in between; a link is read before its node.
//
// Limits. At most half of the memory holds keys, and a probe reads one key. Where the pool
// has few nodes left, operations that race for one key hold them all for a moment, and
// those that bring in other keys find none. The host side repeats these after all others
// are done, as long as that helps some of them. An insert fails.
//
// Paper: Misra, Chaudhuri: Performance Evaluation of Concurrent Lock-free Data Structures
// on GPUs; the list is that of Harris and Michael. The table there is a set of 32-bit
// keys: pairs k4v0. Measured in Ashkiani, Farach-Colton, Owens: A Dynamic Hash Table for
// the GPU.
#pragma once

#include "drive.h"
#include "hash.h"

namespace hz {

template <class P>
class Chained {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Chunk = Bucket<P, 1>;
  static constexpr int width = 1;
  static constexpr Traits traits{.content = Content::slot,
                                 .single_lane = true,
                                 .mixed = {k_op_insert, k_op_upsert, k_op_find, k_op_update, k_op_erase, k_op_combine},
                                 .few_warps = {k_op_insert, k_op_erase},
                                 .ends = true};

  // A link is a node number, with kErased set if the node that contains the link is
  // erased.
  static constexpr u32 kErased = u32(1) << 31;

  // Hop is what a walk needs to know of a node, in one word.
  struct alignas(2 * sizeof(Key)) Hop {
    Key key, link;
    HZ_FN bool operator==(const Hop& other) const { return key == other.key && link == other.link; }
    HZ_FN bool erased() const { return (u32(link) & kErased) != 0; }
    HZ_FN u32 next() const { return u32(link) & ~kErased; }
  };
  struct Node {
    Hop hop;
    [[no_unique_address]] typename P::Value value;
  };

  HZ_FN explicit Chained(const hz_table* t) : table_(t), hashes_(t) {}

  // end is called when the thread has no more operations.
  HZ_FN void end() {
    if (kept_ != 0) make_spare(Lane{0}, kept_);
    kept_ = 0;
  }

  // A place is a node number, or the number of a bucket's head with the upper bit set.
  HZ_FN u32 first(Key key) const { return kHead | hashes_.at(0, key); }
  HZ_FN u32* bucket(u32 place) const {
    return (place & kHead) != 0 ? head(place) : reinterpret_cast<u32*>(node(place));
  }

  // slot returns pair i of the pool, for count and export.
  HZ_FN P slot(u64 i) const {
    const Node* at = node(u32(i) + 1);
    return at->hop.erased() ? P::empty() : P{at->hop.key, at->value};
  }

  template <class Tile, class T>
  HZ_FN Done<P> find_at(const Tile&, Walk<P>& walk, u32* at, T& tally) const {
    const Lane me{0};
    if ((walk.place & kHead) != 0) {
      walk.place = enter(me, at, tally);
      return walk.place == kEnd ? Done<P>::missing() : Done<P>::undecided();
    }
    const Hop here = visit(me, walk.place, tally);
    if (here.key < walk.pair.key) {
      walk.place = here.next();
      return walk.place == kEnd ? Done<P>::missing() : Done<P>::undecided();
    }
    if (here.key != walk.pair.key || here.erased()) return Done<P>::missing();
    return Done<P>::found(read(me, walk.place));
  }

  template <class Tile, class T>
  HZ_FN Done<P> insert_at(const Tile&, Walk<P>& walk, u32* at, T& tally) {
    const Lane me{0};
    Hop here;
    if (!arrive(me, walk, at, here, tally)) return Done<P>::undecided();
    if (here.key != walk.pair.key) return link(me, walk, tally);
    give_up(me, walk);
    return Done<P>::failed(walk.pair);
  }

  template <class Tile, class T>
  HZ_FN Done<P> upsert_at(const Tile&, Walk<P>& walk, u32* at, T& tally) {
    const Lane me{0};
    Hop here;
    if (!arrive(me, walk, at, here, tally)) return Done<P>::undecided();
    if (here.key != walk.pair.key) return link(me, walk, tally);
    give_up(me, walk);
    write(me, walk, tally);
    return Done<P>::replaced();
  }

  template <class Tile, class T>
  HZ_FN Done<P> combine_at(const Tile&, Walk<P>& walk, u32* at, T& tally) {
    const Lane me{0};
    Hop here;
    if (!arrive(me, walk, at, here, tally)) return Done<P>::undecided();
    if (here.key != walk.pair.key) return link(me, walk, tally);
    give_up(me, walk);
    Node* there = node(walk.place);
    lane_combine(me, &there->value, walk.op, walk.pair.value);
    tally.touch(there, sizeof *there);
    return Done<P>::replaced();
  }

  template <class Tile, class T>
  HZ_FN Done<P> update_at(const Tile&, Walk<P>& walk, u32* at, T& tally) const {
    const Lane me{0};
    Hop here;
    if (!arrive(me, walk, at, here, tally)) return Done<P>::undecided();
    if (here.key != walk.pair.key) return Done<P>::missing();
    write(me, walk, tally);
    return Done<P>::ok();
  }

  template <class Tile, class T>
  HZ_FN Done<P> erase_at(const Tile&, Walk<P>& walk, u32* at, T& tally) const {
    const Lane me{0};
    Hop here;
    if (!arrive(me, walk, at, here, tally)) return Done<P>::undecided();
    if (here.key != walk.pair.key) return Done<P>::missing();
    const u32 next = here.next();
    if (!swap(me, &node(walk.place)->hop, here, {here.key, here.link | kErased}, tally)) return Done<P>::undecided();
    lead(me, walk.memo, walk.place, next, tally);  // if this fails, the next walk that passes does it
    return Done<P>::ok();
  }

 private:
  static constexpr u32 kHead = u32(1) << 31;
  static constexpr u32 kEnd = 0;  // the end of a list, after all keys

  HZ_FN u32* head(u32 place) const { return reinterpret_cast<u32*>(table_->Region[0]) + (place & ~kHead); }
  HZ_FN Node* node(u32 number) const { return reinterpret_cast<Node*>(table_->Region[1]) + number; }

  template <class T>
  HZ_FN static u32 enter(Lane me, const u32* head, T& tally) {
    tally.probe(head, sizeof *head);
    return lane_read(me, head);
  }

  template <class T>
  HZ_FN Hop visit(Lane me, u32 number, T& tally) const {
    const Node* at = node(number);
    tally.probe(at, sizeof *at);
    return lane_read(me, &at->hop);
  }

  template <class W, class T>
  HZ_FN static bool swap(Lane me, W* at, W from, W to, T& tally) {
    const bool won = lane_cas(me, at, from, to) == from;
    tally.swap(at, sizeof(W), won);
    return won;
  }

  // lead changes the link at a place from one node to another, unless it has changed.
  template <class T>
  HZ_FN bool lead(Lane me, u32 place, u32 from, u32 to, T& tally) const {
    if ((place & kHead) != 0) return swap(me, head(place), from, to, tally);
    Hop* at = &node(place)->hop;
    const Hop was{lane_read(me, at).key, from};  // a node's key never changes
    return swap(me, at, was, {was.key, to}, tally);
  }

  // arrive advances a walk by one node, and returns whether that is the first whose key
  // is not smaller. The memo is the place of the link by which the walk came. It unlinks
  // erased nodes on the way; if the link has changed, the walk starts over.
  template <class T>
  HZ_FN bool arrive(Lane me, Walk<P>& walk, u32* at, Hop& here, T& tally) const {
    if ((walk.place & kHead) != 0) {
      walk.memo = walk.place;
      walk.place = enter(me, at, tally);
      return false;
    }
    if (walk.place == kEnd) {
      here = {P::kEmptyKey, 0};
      return true;
    }
    here = visit(me, walk.place, tally);
    if (here.erased()) {
      const bool out = lead(me, walk.memo, walk.place, here.next(), tally);
      walk.place = out ? here.next() : first(walk.pair.key);
      return false;
    }
    if (here.key >= walk.pair.key) return true;
    walk.memo = walk.place;
    walk.place = here.next();
    return false;
  }

  // link inserts the walk's pair between the link by which it came and the node it is at.
  // walk.step is the new node once it is allocated.
  template <class T>
  HZ_FN Done<P> link(Lane me, Walk<P>& walk, T& tally) {
    if (walk.step == 0) walk.step = allocate(me, tally);
    if (walk.step == 0) return Done<P>::failed(walk.pair);
    Node* fresh = node(walk.step);
    if constexpr (P::value_bytes > 0) lane_write(me, &fresh->value, walk.pair.value);
    lane_write(me, &fresh->hop, Hop{walk.pair.key, walk.place});
    tally.touch(fresh, sizeof *fresh);
    lane_fence(me);
    if (lead(me, walk.memo, walk.place, walk.step, tally)) return Done<P>::ok();
    walk.place = first(walk.pair.key);
    return Done<P>::undecided();
  }

  // allocate returns the node that was kept, the next one of the pool, or a spare one; 0 if
  // there is none.
  template <class T>
  HZ_FN u32 allocate(Lane me, T& tally) {
    if (kept_ != 0) {
      const u32 own = kept_;
      kept_ = 0;
      return own;
    }
    const u64 number = lane_add(me, &pool()->used, u64(1));
    const u32 fresh = number < table_->Capacity ? u32(number) + 1 : take_spare(me);
    if (fresh != 0) tally.allocate();
    return fresh;
  }

  // Pool is the region "nodes used". The spare nodes are a list of nodes marked as erased,
  // so that count and export skip them. Its head has the number of the first node below,
  // and a stamp above, which differs between all nodes that were put there.
  struct Pool {
    u64 used, spare, stamps;
  };
  HZ_FN Pool* pool() const { return reinterpret_cast<Pool*>(table_->Region[2]); }

  HZ_FN u32 take_spare(Lane me) const {
    for (;;) {
      const u64 head = lane_read(me, &pool()->spare), stamp = head >> 32 << 32;
      if (u32(head) == kEnd) return 0;
      lane_fence(me);
      const Hop first = lane_read(me, &node(u32(head))->hop);
      if (first.key == P::kEmptyKey) continue;  // what is below will be there in a moment
      if (lane_cas(me, &pool()->spare, head, stamp | first.next()) == head) return u32(head);
    }
  }

  // give_up keeps a node that was not linked, or makes it a spare one.
  HZ_FN void give_up(Lane me, const Walk<P>& walk) {
    if (walk.step == 0) return;
    if (kept_ == 0) {
      kept_ = walk.step;
    } else {
      make_spare(me, walk.step);
    }
  }

  // make_spare puts a node on the stack by an exchange, since many may do so at once and swaps
  // that fail would have them wait for each other.
  HZ_FN void make_spare(Lane me, u32 number) const {
    const u64 stamp = lane_add(me, &pool()->stamps, u64(1)) << 32;
    Hop* at = &node(number)->hop;
    lane_write(me, at, Hop{P::kEmptyKey, kErased});
    lane_fence(me);
    const u64 below = lane_exchange(me, &pool()->spare, stamp | number);
    lane_write(me, at, Hop{P::kErasedKey, typename P::Key(u32(below) | kErased)});
  }

  HZ_FN typename P::Value read(Lane me, u32 number) const {
    if constexpr (P::value_bytes > 0) return lane_read(me, &node(number)->value);
    return P::Traits::of(0);
  }

  template <class T>
  HZ_FN void write(Lane me, const Walk<P>& walk, T& tally) const {
    if constexpr (P::value_bytes > 0) {
      auto* value = &node(walk.place)->value;
      lane_exchange(me, value, walk.pair.value);
      tally.touch(value, P::value_bytes);
    }
  }

  const hz_table* table_;
  Hashes hashes_;
  u32 kept_ = 0;  // a node of this thread that is not linked
};

}  // namespace hz
