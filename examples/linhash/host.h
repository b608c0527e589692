// host.h: when a table is split, and how it gets the memory for that.
//
// Before an insert, buckets are split until all pairs fit below beta: all of a level in one
// launch. A batch that takes a table eight times as large, or a table without segments left, is
// moved to another one instead. While some pairs still find no room, more buckets are split.
// Without memory the table stays as it is, adds a note, and hands back what does not fit.
#pragma once

#include "address.h"
#include "host_grow.h"
#include "host_side.h"

namespace hz::host {

// LinhashTable is a table during an operation.
template <class T>
class LinhashTable {
 public:
  explicit LinhashTable(T& t) : t_(t), size_(t.pairs()), auto_(t.param.resize == t.param.resize_auto) {}

  Result insert(const Batch& b) {
    const u64 pairs = size_ + asked(t_, b);
    if (auto_) grow_to(needed(pairs));
    const Result done = launch_bounded(t_, auto_ ? roomy(t_, b) : b, pairs,
                                       [&](const Batch& some) { return t_.launch(op_insert{}, some); });
    return auto_ && done.failed > 0 ? insert_again(done) : done;
  }

  // erase moves a table that has become too empty.
  Result erase(const Batch& b) {
    const Result done = t_.launch(op_erase{}, b);
    const u64 pairs = size_ - done.removed, alpha = u64(t_.param.alpha);
    u64 slots = capacity();
    while (slots > bucket() && 100 * pairs < alpha * slots) slots /= 2;
    if (auto_ && slots < capacity()) move_to(std::max(bucket(), slots));
    return done;
  }

  // resize gives at least the slots that are asked for, and those that the pairs need.
  void resize(u64 asked) {
    const u64 slots = std::max(asked, needed(size_) * bucket());
    if (asked > 0 && asked < slots) t_.note(text(asked, " slots are too few for ", size_, " pairs"));
    if (slots > capacity()) {
      grow_to(ceil_of(slots, bucket()));
    } else if (slots < capacity()) {
      move_to(slots);
    }
  }

 private:
  static constexpr u64 kMuch = 8;       // a table that shall be so many times as large is moved
  static constexpr u64 kEmptiest = 10;  // percent filled: below, more buckets do not help

  u64 bucket() const { return u64(t_.param.bucket); }
  u64 buckets() const { return t_.block().Buckets; }
  u64 capacity() const { return t_.block().Capacity; }
  u64& level() const { return t_.block().Arg[LinearArgs::kLevel]; }
  u64& split() const { return t_.block().Arg[LinearArgs::kSplit]; }
  u64 begun() const { return buckets() - split(); }
  // needed returns the buckets in which some pairs stay below beta.
  u64 needed(u64 pairs) const { return std::max<u64>(1, ceil_of(100 * pairs, u64(t_.param.beta) * bucket())); }

  // grow_to gives the table at least so many buckets, as far as there is memory.
  bool grow_to(u64 wanted) {
    if (wanted > kMuch * buckets() && move_to(wanted * bucket())) return true;
    try {
      while (buckets() < wanted) {
        if (level() + 1 == LinearArgs::kSegments) return move_to(2 * wanted * bucket());
        split_buckets(std::min(wanted - buckets(), begun() - split()));
      }
      return true;
    } catch (const NoMemory& e) {
      t_.note(text("no memory for a split: ", e.what()));
      return false;
    }
  }

  // split_buckets splits the next buckets of this level.
  void split_buckets(u64 n) {
    if (split() == 0) add_segment();
    Batch b;
    b.n = n * bucket(), b.block.Select = split();
    split() += n;
    set_buckets(buckets() + n);
    t_.launch(op_split{}, b);
    if (split() * 2 == buckets()) level()++, split() = 0;
  }

  // add_segment allocates as many buckets as there are. Splits write all of their slots.
  void add_segment() {
    if (begun() > u64(1) << LinearArgs::kSegmentBits) throw NoMemory("a segment has at most 2^28 buckets");
    Region r(text("segment", level() + 1), begun() * bucket() * (t_.key_bytes() + t_.value_bytes()), 0xff, true);
    r.raw = true;
    t_.block().Region[level() + 1] = t_.allocate(r);
    Layout l = t_.layout();
    add(l, r);
    t_.lay(l);
  }

  void set_buckets(u64 n) {
    Layout l = t_.layout();
    t_.block().Buckets = l.buckets = n, t_.block().Capacity = l.capacity = n * bucket();
    t_.lay(l);
  }

  // move_to moves all pairs to a table of one segment, if there is memory and all find room there.
  bool move_to(u64 slots) {
    try {
      const Moved moved = move(t_, slots);
      if (!moved.done) t_.note(text("not moved: ", moved.left, " pairs would have found no room in ", slots, " slots"));
      return moved.done;
    } catch (const NoMemory& e) {
      t_.note(text("no memory for ", slots, " slots: ", e.what()));
      return false;
    }
  }

  // insert_again splits buckets for the pairs that inserts left over, and inserts them. Pairs whose keys
  // are in the table fail in a table of any size.
  Result insert_again(Result done) {
    Counts work = done;
    const u64 n = done.ok + done.failed;
    try {
      while (done.failed > 0 && 100 * (size_ + n) > kEmptiest * capacity() && absent(t_, done) > 0) {
        if (!grow_to(buckets() + ceil_of(buckets(), 8))) break;
        done = insert_left_over(t_, done);
        work += done;
      }
    } catch (const NoMemory& e) {
      t_.note(text("failures are not tried again: ", e.what()));
    }
    const u64 left = done.failed;
    static_cast<Counts&>(done) = work;
    done.set_inserts(n, left);
    return done;
  }

  T& t_;
  const u64 size_;  // pairs in the table when the operation began
  const bool auto_;
};

struct LinhashHost {
  static double max_load(const auto& p) { return p.resize == p.resize_auto ? double(p.beta) / 100 : 0.95; }

  static Layout layout(const auto& p, const Shape& s) {
    return at_most(in_buckets(s, u64(p.bucket)), u64(p.bucket) << LinearArgs::kSegmentBits);
  }

  static void arguments(const auto& p, const Layout& l, u64* arg) {
    if (p.max_chain == 0) arg[p.max_chain_arg] = usual_chain(l);
  }

  static Result run(auto& t, op_insert, const Batch& b) { return LinhashTable(t).insert(b); }
  static Result run(auto& t, op_erase, const Batch& b) { return LinhashTable(t).erase(b); }
  static Result run(auto& t, op_resize, const Batch& b) {
    LinhashTable(t).resize(b.n);
    return {};
  }
};

}  // namespace hz::host
