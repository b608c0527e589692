// chained.h: the lock-free chained hash table of Misra and Chaudhuri.
//
// The idea. The oldest hash table of all, made for many threads: each bucket is a
// linked list, sorted by key, of which every change is one compare-and-swap on a
// link. Memory is not managed: all nodes that there will ever be are allocated
// beforehand, in a pool, and handed out by a counter. Links are numbers of nodes, so
// that a key and the link to the next node are one word.
//
//   heads   [ 4 ][ . ][ 1 ]          pool   1 {  7 | 3 }   3 { 25 | . }   5 { 16 | 2 }
//             |         |                   2 { 31 | . }   4 {  5 | 5 }
//             |         '-> 1: 7 -> 3: 25
//             '-> 4: 5 -> 5: 16 -> 2: 31
//
// Every thread carries an operation of its own from node to node. That is what
// the tables for whole warps are measured against: a node is one access to memory that
// nobody shares, and the threads of a warp wait for the one with the longest list.
//
// Deletion is in two steps (Harris): the node's own link is marked, so that nothing can
// be put behind it any more, and from then on its key is not there. Then the link that
// leads to it is made to lead past it: by whoever comes along, which is why a walk
// that wants to change something remembers the link by which it came. Nodes are not
// used again: when the pool is used up, inserts fail until the table is cleared or
// flushed.
//
// Insert. Walk to the first node whose key is not smaller, let a new node lead there,
// and swap the link by which the walk came from that node to the new one. If
// the key is there, the insert fails and its pair is handed back: a key is in the table
// once. An upsert replaces the value of such a key instead.
//
// What makes it linearizable, with all operations at the same time:
//
//   insert, and upsert of a new key, take effect at the compare-and-swap that links
//           their node. It expects the link by which the walk came to be as it was: not
//           marked, so its node is in the list, and leading to the node whose key is
//           the first that is not smaller. So the key is in no node of the list.
//   erase   takes effect at the compare-and-swap that marks the node. Of several one wins.
//   update, and upsert of a key that is there, write the value of a node that they saw
//           without a mark. If it was marked in between, they take effect just before
//           the erase, and so do finds that read what they wrote.
//   find    takes effect when it reads the key and the link of its node, without a mark;
//           or, if an update wrote the value after that and before the erase, just
//           after the update. A find that arrives at a marked node, or past the place
//           of the key, misses: the key was away when the node was marked, or when the
//           link past its place was read, or it came after and the find takes effect
//           just before.
//
// Each round that fails means that another operation succeeded (lock-free). A node is
// written, then linked, with a fence in between; whoever reads a link reads its node
// after it.
//
// Limits. At most half of the memory is keys, and a probe is one key. An insert that
// loses against another of the same key uses up a node for nothing. Upserts that find no
// node are carried out again when the others are done (schemes/chained.go): most of
// them then find their key.
//
// Paper: Misra, Chaudhuri: Performance Evaluation of Concurrent Lock-free Data
// Structures on GPUs; the list is that of Harris and Michael. There it is a set
// of 32-bit keys: pairs k4v0. Measured in Ashkiani, Farach-Colton, Owens: A Dynamic Hash
// Table for the GPU.
#ifndef HZ_CHAINED_H
#define HZ_CHAINED_H

#include "drive.h"
#include "hash.h"

namespace hz {

template <class P>
class Chained {
 public:
  using Pair = P;
  using Key = typename P::Key;
  static constexpr int width = 1;
  static constexpr bool alone = true;
  using Mixed = Ops<op_insert, op_upsert, op_find, op_update, op_erase>;

  // A link is the number of a node, and a mark if the node that has it is erased.
  static constexpr u32 kErased = u32(1) << 31;

  // A hop is what a walk has to know of a node, in one word.
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

  // A place is the number of a node, or of a bucket's head with the upper bit set.
  HZ_FN u32 first(Key key) const { return kHead | hashes_.at(0, key); }
  HZ_FN u32* bucket(u32 place) const {
    return (place & kHead) != 0 ? head(place) : reinterpret_cast<u32*>(node(place));
  }

  // slot is pair i of the pool, for count and export.
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
  HZ_FN Done<P> insert_at(const Tile&, Walk<P>& walk, u32* at, T& tally) const {
    const Lane me{0};
    Hop here;
    if (!arrive(me, walk, at, here, tally)) return Done<P>::undecided();
    if (here.key != walk.pair.key) return link(me, walk, tally);
    give_up(me, walk);
    return Done<P>::failed(walk.pair);
  }

  template <class Tile, class T>
  HZ_FN Done<P> upsert_at(const Tile&, Walk<P>& walk, u32* at, T& tally) const {
    const Lane me{0};
    Hop here;
    if (!arrive(me, walk, at, here, tally)) return Done<P>::undecided();
    if (here.key != walk.pair.key) return link(me, walk, tally);
    give_up(me, walk);
    write(me, walk, tally);
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
    lead(me, walk.memo, walk.place, next, tally);  // if not now, then by the next who passes
    return Done<P>::ok();
  }

 private:
  static constexpr u32 kHead = u32(1) << 31;
  static constexpr u32 kEnd = 0;  // where lists end, behind all keys

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

  // lead makes the link at a place lead to another node, unless it is not what it was.
  template <class T>
  HZ_FN bool lead(Lane me, u32 place, u32 from, u32 to, T& tally) const {
    if ((place & kHead) != 0) return swap(me, head(place), from, to, tally);
    Hop* at = &node(place)->hop;
    const Hop was{lane_read(me, at).key, from};  // a node's key stays
    return swap(me, at, was, {was.key, to}, tally);
  }

  // arrive takes a walk one node further, and says whether that is the first whose key
  // is not smaller. The memo is the place of the link by which it came. Nodes that are
  // erased are taken out on the way; if the link has changed, the walk starts again.
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

  // link puts the walk's pair in between the link by which it came and the node where
  // it is. The walk's step is its node, once it has one.
  template <class T>
  HZ_FN Done<P> link(Lane me, Walk<P>& walk, T& tally) const {
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

  // allocate returns the next node of the pool, or 0 if there is none.
  template <class T>
  HZ_FN u32 allocate(Lane me, T& tally) const {
    u64* used = reinterpret_cast<u64*>(table_->Region[2]);
    const u64 number = lane_add(me, used, u64(1));
    if (number >= table_->Capacity) return 0;
    tally.allocate();
    return u32(number) + 1;
  }

  // give_up marks a node that was not linked: nobody sees it but count and export.
  HZ_FN void give_up(Lane me, const Walk<P>& walk) const {
    if (walk.step != 0) lane_write(me, &node(walk.step)->hop, Hop{walk.pair.key, kErased});
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
};

}  // namespace hz

#endif
