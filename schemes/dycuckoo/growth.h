// growth.h: how subtables are doubled and halved, and which share of the pairs each gets.
#pragma once

#include "aside.h"
#include "host_side.h"
#include "resize.h"
#include "show.h"
#include "weights.h"

namespace hz::host {

// DyCuckooGrowth is a table during an operation.
template <class T>
class DyCuckooGrowth {
 public:
  explicit DyCuckooGrowth(T& t)
      : t_(t),
        kept_(t.param, t.key_bytes(), t.value_bytes()),
        size_(t.pairs()),
        auto_(t.param.resize == t.param.resize_auto),
        low_(double(t.param.alpha) / 100),
        up_(double(t.param.beta) / 100) {}

  // resize makes a table of at least the requested number of slots or, without a number, one filled as alpha and beta
  // require. It never makes a table so small that it is filled beyond beta, or that pairs do not fit.
  void resize(u64 n) {
    if (n == 0) return settle();
    while (capacity() < n) grow();
    const u64 least = std::max(n, u64(double(size_) / up_));
    for (u64 i = largest(); level(i) > 0 && capacity() - slots(i) / 2 >= least; i = largest()) {
      const u64 before = capacity();
      shrink();
      if (capacity() >= before) return;
    }
  }

 protected:
  using Numbers = AnySubtables;

  // kEmptiest is the smallest filled factor to which a table grows for inserts that found no room. It is less than
  // alpha: keys may share so few buckets that they fit only into an emptier table. But if the table would be emptier
  // still, something else must be wrong, such as one key being inserted again and again.
  static constexpr double kEmptiest = 0.1;

  // kResidualChain is the minimum length of an eviction chain that a residual may cause.
  static constexpr u64 kResidualChain = 1 << 14;

  // Memory are the pairs and the locks of a subtable.
  struct Memory {
    u64 pairs, locks;
  };

  u64* arg(u64 i) const { return t_.block().Arg + i; }
  u64& chain() const { return *arg(Numbers::kMaxChain); }
  u64 count() const { return t_.block().Hashes; }
  u64 level(u64 i) const { return *arg(Numbers::kLevel + i); }
  u64 buckets(u64 i) const { return *arg(Numbers::kBase) << level(i); }
  u64 slots(u64 i) const { return buckets(i) * kept_.bucket(); }
  u64 capacity() const { return all_buckets() * kept_.bucket(); }
  double filled(u64 n) const { return double(n) / double(capacity()); }
  u64 all_buckets() const {
    u64 sum = 0;
    for (u64 i = 0; i < count(); i++) sum += buckets(i);
    return sum;
  }

  // smallest returns the subtable to double: the first of the smallest. largest returns the one to halve: the last of
  // the largest.
  u64 smallest() const {
    const u64* levels = arg(Numbers::kLevel);
    return u64(std::min_element(levels, levels + count()) - levels);
  }
  u64 largest() const {
    u64 i = 0;
    for (u64 j = 0; j < count(); j++) i = level(j) >= level(i) ? j : i;
    return i;
  }

  Memory memory(u64 i) const { return {t_.block().Region[2 * i], t_.block().Region[2 * i + 1]}; }
  void release(const Memory& m) {
    t_.release(m.pairs);
    t_.release(m.locks);
  }

  // replace gives a subtable new memory for base * 2^level buckets, and returns its old memory.
  Memory replace(u64 i, u64 to_level) {
    const u64 n = *arg(Numbers::kBase) << to_level;
    if (n >= Numbers::kOne) throw NoMemory(text("a subtable of ", n, " buckets: it has fewer than 2^29"));
    std::vector<Region> regions = kept_.regions(i, n);
    regions[0].raw = true;  // split and merge write each slot
    const u64 pairs = t_.allocate(regions[0]);
    u64 locks;
    try {
      locks = t_.allocate(regions[1]);
    } catch (...) {
      t_.release(pairs);
      throw;
    }
    const Memory old = memory(i);
    hz_table& b = t_.block();
    b.Region[2 * i] = pairs, b.Region[2 * i + 1] = locks;
    b.Arg[Numbers::kLevel + i] = to_level, b.Arg[Numbers::kWeighed] = 0;
    Layout l = t_.layout();
    l.region[2 * i].bytes = l.region[2 * i + 1].bytes = 0;
    b.Buckets = l.buckets = all_buckets(), b.Capacity = l.capacity = capacity();
    t_.lay(l);
    return old;
  }

  // move launches a kernel that moves the pairs of a subtable (resize.h).
  template <class Op>
  Result move(Op op, u64 i, const Memory& old, u64 items, u64 room) {
    Batch b;
    b.n = items, OldSubtable(b.block).memory = old.pairs, OldSubtable(b.block).number = i;
    if (room > 0) make_room(t_, b.block, room);
    return t_.launch(op, b);
  }

  // grow doubles the smallest subtable by splitting its buckets.
  void grow() {
    const u64 i = smallest(), before = slots(i);
    fresh_ = false;
    const Memory old = replace(i, level(i) + 1);
    move(op_split{}, i, old, before, 0);
    release(old);
  }

  // shrink halves the largest subtable by merging its buckets in pairs. Pairs that do not fit go to other subtables. If
  // they do not fit there either, the table grows again, and is as large as before. Until another subtable is changed,
  // the halved one can be restored.
  void shrink() {
    const u64 i = largest();
    const Body before{t_.block(), t_.layout()};
    const Memory old = replace(i, level(i) - 1);
    try {
      elsewhere(i, merge(i, old));
    } catch (const NoMemory&) {
      const Memory halved = memory(i);
      exchange(t_, before);
      release(halved);
      throw;
    }
    release(old);
  }

  // merge is repeated with more room for residuals if there was too little: it reads the old subtable, and writes the
  // same results.
  Result merge(u64 i, const Memory& old) {
    for (u64 left = slots(i) / 16 + 1024;;) {
      const Result done = move(op_merge{}, i, old, slots(i), left);
      if (done.pairs <= left) return done;
      left = done.pairs;
    }
  }

  // elsewhere inserts residuals of subtable i into the others: meanwhile subtable i has weight 0, and chains may be
  // long. If they do not fit, the table grows again, so that no key is lost.
  void elsewhere(u64 i, Result left) {
    if (left.pairs == 0) return;
    u64& weight = *arg(Numbers::kWeight + i);
    const u64 usual_weight = std::exchange(weight, 0), usual_chain = chain();
    chain() = std::max(usual_chain, kResidualChain);
    left = insert_left_over(t_, left);
    weight = usual_weight;
    try {
      SetAside<T> aside(t_);
      while (aside.take(left)) {
        grow();
        left = insert_left_over(t_, left);
      }
      aside.give_back(left);
      if (left.pairs > 0) {
        size_ -= left.pairs;
        t_.note(text(left.pairs, " pairs were dropped when the table shrank: others of their keys are in it"));
      }
    } catch (const NoMemory& e) {
      throw std::runtime_error(
          text(left.pairs, " pairs are lost: they fit nowhere, and the table cannot grow: ", e.what()));
    }
    chain() = usual_chain;
  }

  // settle brings the filled factor within its bounds. Only the smallest table that the pairs fit into may be emptier.
  void settle() {
    grow_for(size_, up_);
    while (filled(size_) < low_ && level(largest()) > 0) {
      const u64 before = capacity();
      if (!noting([&] { shrink(); }) || capacity() >= before) return;
    }
  }
  Result settled(const Result& done) {
    if (!auto_) return done;
    size_ += done.gained();
    settle();
    return done;
  }

  // grow_for doubles subtables until `pairs` pairs fill at most a share of the slots, or memory runs out.
  void grow_for(u64 pairs, double share) {
    while (filled(pairs) > share && noting([&] { grow(); })) {
    }
  }

  // grow_ahead makes room for pairs that are expected, and returns the share of the slots to fill: less than beta if
  // they are many, since the fullest tables are the slowest to fill.
  double grow_ahead(u64 pairs) {
    const double share = 4 * pairs > 5 * size_ ? (low_ + up_) / 2 : up_;
    if (filled(pairs) > up_) grow_for(pairs, share);
    return filled(pairs) > share ? up_ : share;  // without memory, pieces would be tiny
  }

  // noting returns whether a resize was done. Lack of memory is noted and is not an error.
  bool noting(auto&& resize) {
    try {
      resize();
      return true;
    } catch (const NoMemory& e) {
      t_.note(text("no memory for a resize: ", e.what()));
      return false;
    }
  }

  // may_grow_for: can growing help inserts that found no room?
  bool may_grow_for(u64 pairs) const { return double(pairs) >= kEmptiest * double(capacity() + slots(smallest())); }

  // weigh chooses the weights with which the new pairs of a batch fill all subtables to the same share. Where that is
  // so already, the weights follow from the sizes, and nothing needs to be counted until the next resize. Elsewhere
  // pairs are counted anew when their number has changed by an eighth, since batches may be small.
  void weigh(u64 n) {
    const u64 last = *arg(Numbers::kWeighed);
    if (balanced() || (last > 0 && std::max(size_, last) - std::min(size_, last) <= last / 8)) return;
    set_weights(wanted(pairs_of_each(), std::max(double(n), double(size_) / 8)));
    *arg(Numbers::kWeighed) = std::max<u64>(1, size_);
  }

  // balanced: do the weights follow from the sizes alone?
  bool balanced() const {
    const std::vector<u64> even = weights_for(shares());
    return std::equal(even.begin(), even.end(), arg(Numbers::kWeight));
  }

  // pairs_of_each estimates the number of pairs in each subtable.
  Shares pairs_of_each() {
    Shares pairs;
    for (u64 i = 0; i < count(); i++) {
      const u64 sample = std::min<u64>(kSampled, buckets(i));
      Batch b;
      b.n = sample * kept_.bucket(), OldSubtable(b.block).number = i;
      pairs.push_back(double(t_.launch(op_weigh{}, b).pairs) * double(buckets(i)) / double(sample));
    }
    return pairs;
  }

  // shares returns the share that each subtable has of all slots.
  Shares shares() const {
    Shares list;
    for (u64 i = 0; i < count(); i++) list.push_back(double(slots(i)) / double(capacity()));
    return list;
  }

  // wanted returns the share of the next pairs that each subtable lacks to be as full as the others after them.
  Shares wanted(const Shares& pairs, double next) const {
    double sum = next;
    for (const double n : pairs) sum += n;
    Shares lacks = shares();
    for (u64 i = 0; i < count(); i++) lacks[i] = std::max(lacks[i] * sum - pairs[i], 0.01 * lacks[i] * next);
    return to_one(lacks);
  }

  // set_weights sets weights with which subtables get shares of the pairs: those of their sizes if these are alike.
  void set_weights(Shares wanted) {
    const Shares even = shares();
    bool alike = true;
    for (u64 i = 0; i < count(); i++) alike = alike && std::abs(wanted[i] - even[i]) < 0.1 * even[i];
    const std::vector<u64> weights = weights_for(alike ? even : wanted);
    std::copy(weights.begin(), weights.end(), arg(Numbers::kWeight));
  }
  std::vector<u64> weights_for(const Shares& wanted) const {
    return whole_weights(t_.param.places == t_.param.places_two ? weights_of_two(wanted) : wanted);
  }

  T& t_;
  const Storage kept_;
  u64 size_;         // pairs in the table
  const bool auto_;  // resize when alpha and beta require it
  const double low_, up_;
  bool fresh_ = false;  // since the table was empty, no pair was moved, and none erased
};

}  // namespace hz::host
