// host.h: when subtables are doubled and halved.
//
// Before an insert, the smallest subtable is doubled until all pairs fit below beta, or if they are many beside the
// table, halfway between alpha and beta. While some pairs still find no room, the table grows, even below alpha, and
// they are inserted again. After every batch that changes the number of pairs, the filled factor is brought between
// alpha and beta. A table whose pairs do not fit into a smaller one stays below alpha. Without memory for another
// subtable the table stays as it is, adds a note, and hands back the pairs that do not fit.
#pragma once

#include <bit>

#include "growth.h"
#include "host_grow.h"

namespace hz::host {

// DyCuckooTable carries out the operations that make a table grow and shrink.
template <class T>
class DyCuckooTable : public DyCuckooGrowth<T> {
  using Base = DyCuckooGrowth<T>;
  using Base::auto_, Base::fresh_, Base::kept_, Base::size_, Base::t_, Base::up_;
  using Base::capacity, Base::chain, Base::count, Base::filled, Base::grow, Base::grow_ahead, Base::may_grow_for,
      Base::memory, Base::noting, Base::settled, Base::slots, Base::weigh;
  using typename Base::Numbers;

 public:
  explicit DyCuckooTable(T& t) : Base(t) {}

  Result insert(const Batch& b) {
    const u64 n = asked(t_, b);
    note_unused();
    if (auto_) grow_ahead(size_ + n);
    weigh(n);
    const Result done = t_.launch(op_insert{}, auto_ ? roomy(t_, b) : b);
    return settled(!auto_ || done.failed == 0 ? done : insert_again(done));
  }

  // upsert carries out a batch in pieces. How many of its keys are new is known only after they are in the table, and
  // the table should grow neither too late nor needlessly.
  template <class Op>
  Result upsert(Op op, Batch b) {
    weigh(b.n);
    const u64 own = t_.scratch(b.n), wanted = std::exchange(b.block.Status, own), before = size_;
    t_.fill(own, 0, b.n);
    freshen(b);
    Result all;
    all.batch = b;
    upsert_all(op, b, all);
    size_ = before;
    copy_outcomes(own, wanted, b.n);
    return settled(all);
  }

  Result erase(const Batch& b) { return settled(t_.launch(op_erase{}, b)); }

 private:
  // room returns how many pairs may be added up to a share of the slots. A table is beyond beta only if it found no
  // memory to grow.
  u64 room(double share) const {
    if (!auto_ || filled(size_) > up_) return kAll;
    return std::max<u64>(room_below(share, capacity(), size_), kept_.bucket());
  }

  // note_unused notes parameters of inserts under locks that are set where inserts take none.
  void note_unused() {
    const auto& p = t_.param;
    if (kept_.whole && (p.coordination != p.coordination_together || p.duplicates != p.duplicates_refused))
      t_.note(
          "coordination and duplicates have no effect, since inserts of whole pairs take no locks: hint: pairs=apart");
  }

  // insert_again grows the table for the pairs that inserts left over, and inserts them. Pairs whose keys are in the
  // table are set aside: they fail in a table of any size, and would only evict others.
  Result insert_again(Result done) {
    Counts work = done;
    const u64 n = done.ok + done.failed;
    SetAside<T> aside(t_);
    while (may_grow_for(size_ + n) && aside.take(done) && noting([&] {
             grow();
             done = insert_left_over(t_, done);
           }))
      work += done;
    aside.give_back(done);
    const u64 left = done.pairs;
    static_cast<Counts&>(done) = work;
    done.set_inserts(n, left);
    return done;
  }

  // freshen finds out whether the table is fresh (subtables.h). Apart, new keys then need no locks if all values are
  // ones, with which sums and least values begin; that is worth it for many operations.
  void freshen(const Batch& b) {
    fresh_ = size_ == 0;
    if (!fresh_ || kept_.whole) return;
    const u8 op = u8(b.block.Op);
    fresh_ = combines(op) && !becomes(op, column::most) && t_.value_bytes() <= 8 && b.n >= capacity() / 8;
    if (!fresh_) return;
    for (u64 i = 0; i < count(); i++)
      t_.fill(memory(i).pairs + slots(i) * t_.key_bytes(), 0xff, slots(i) * t_.value_bytes());
  }

  // upsert_all carries out upserts in pieces, each as large as the one before lets expect that the new keys find room.
  template <class Op>
  void upsert_all(Op op, const Batch& b, Result& all) {
    const auto grown = [&](u64 expected) {
      return room(auto_ ? grow_ahead(std::min(size_ + expected, kMuch * size_)) : up_);
    };
    in_pieces(t_, b, all, grown, [&](const Batch& next) { upsert_piece(op, next, all); });
  }

  // upsert_piece first has nothing move, for which upserts need no locks. Those that found no room are selected by
  // their outcomes, which the kernel reads as operations. If there are more of them than new pairs may be added, most
  // have a key that others of them have too, and they are carried out in pieces of their own.
  template <class Op>
  void upsert_piece(Op op, const Batch& b, Result& all) {
    const u64 usual = std::exchange(chain(), fresh_ ? Numbers::kFresh : 0);
    const u64 failed = upsert_once(op, b, all, true);
    chain() = usual;
    if (failed == 0) return;
    if (failed > room(up_)) return upsert_all(op, select_failed(b), all);
    upsert_moving(op, select_failed(b), all);
  }

  // upsert_moving makes room by moving pairs. Upserts that still find none are repeated after the table has grown.
  template <class Op>
  void upsert_moving(Op op, const Batch& b, Result& all) {
    fresh_ = false;
    for (;;) {
      const u64 failed = upsert_once(op, b, all, false);
      if (failed == 0 || !auto_ || !may_grow_for(size_ + failed) || !noting([&] { grow(); })) return;
      all.failed -= failed, all.pairs -= failed;
    }
  }

  // upsert_once launches upserts and returns how many failed, which count as such unless they are repeated. The pairs
  // of failed ones follow those of other pieces.
  template <class Op>
  u64 upsert_once(Op op, Batch b, Result& all, bool repeated) {
    leave_after(t_, b.block, all.pairs);
    Result done = t_.launch(op, b);
    const u64 failed = done.failed;
    if (repeated) done.failed = done.pairs = 0;
    all += done;
    size_ += done.added;
    return failed;
  }

  // copy_outcomes copies the outcomes of the operations that took part.
  void copy_outcomes(u64 from, u64 to, u64 n) {
    if (to == 0) return;
    const std::vector<u8> have = values<u8>(t_, from, n);
    std::vector<u8> all = values<u8>(t_, to, n);
    for (u64 i = 0; i < n; i++) all[i] = have[i] != k_none ? have[i] : all[i];
    t_.write(to, all.data(), n);
  }
};

class DyCuckooHost : public DyCuckooShow {
 public:
  static double max_load(const auto& p) { return p.resize == p.resize_manual ? 0.97 : double(p.beta) / 100; }

  static void arguments(const auto& p, const Layout& l, u64* arg) {
    if (p.max_chain == 0) arg[p.max_chain_arg] = usual_chain(l);
  }

  // layout makes all subtables equal.
  static Layout layout(const auto& param, const Shape& s) {
    const u64 d = u64(param.subtables), alpha = u64(param.alpha), beta = u64(param.beta);
    if (alpha * (d + 1) > beta * d)
      throw Refused(text("alpha is ", alpha, ": with beta at ", beta, " and ", d, " subtables it takes at most ",
                         beta * d / (d + 1), ", or the table would grow and shrink without end"));
    const Storage kept(param, s.key, s.value);
    const u64 bucket = kept.bucket();
    const u64 each = ceil_of(s.slots, bucket * d), buckets = splittable(each);
    if (buckets >= AnySubtables::kOne)
      throw Refused(text("capacity is ", s.slots, ": ", each, " buckets in each of ", d,
                         " subtables, and there is room for fewer than 2^29"));
    Layout l{};
    l.buckets = buckets * d, l.capacity = l.buckets * bucket;
    for (u64 i = 0; i < d; i++) {
      for (const Region& r : kept.regions(i, buckets)) add(l, r);
    }
    return l;
  }

  // setup describes a new table to the kernels: all subtables are equal.
  static void setup(auto& t) {
    hz_table& b = t.block();
    const u64 buckets = b.Buckets / b.Hashes;  // the exact number, so nothing is rounded
    const u64 level = u64(std::countr_zero(buckets));
    b.Arg[AnySubtables::kBase] = buckets >> level;
    for (u64 i = 0; i < b.Hashes; i++)
      b.Arg[AnySubtables::kLevel + i] = level, b.Arg[AnySubtables::kWeight + i] = u64(kEvenWeight);
  }

  static Result run(auto& t, op_insert, const Batch& b) { return DyCuckooTable(t).insert(b); }
  static Result run(auto& t, op_upsert op, const Batch& b) { return DyCuckooTable(t).upsert(op, b); }
  static Result run(auto& t, op_combine op, const Batch& b) { return DyCuckooTable(t).upsert(op, b); }
  static Result run(auto& t, op_erase, const Batch& b) { return DyCuckooTable(t).erase(b); }
  static Result run(auto& t, op_resize, const Batch& b) {
    DyCuckooTable(t).resize(b.n);
    return {};
  }

 private:
  // splittable returns a number of buckets, at most 1/400 larger, that is base * 2^level with the smallest base. A
  // subtable can be halved level times.
  static u64 splittable(u64 buckets) {
    for (int level = std::bit_width(buckets) - 1; level > 0; level--) {
      const u64 near = ceil_of(buckets, u64(1) << level) << level;
      if ((near - buckets) * 400 <= buckets) return near;
    }
    return buckets;
  }
};

}  // namespace hz::host
