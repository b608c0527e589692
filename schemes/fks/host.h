// host.h: what happens when buckets are full, have no layout or are sparse, and what is shown of them. table.h
// describes the kernels.
#pragma once

#include <bit>

#include "host_show.h"
#include "host_side.h"
#include "table.h"

namespace hz::host {

using AnyFks = FksTable<Pair<u32>>;  // for the numbers that all tables have

// FksSizes are the numbers of buckets and pairs that follow from the parameters.
struct FksSizes {
  enum Region { kSlots, kDirectory, kHeads, kState };

  // A new bucket is filled to `load` percent, and at `full` percent it is full. The maximum is slightly below the load
  // at which nearly all buckets of a few hundred slots have a layout; between the two there must be room.
  u64 per, load, full, least_reserve;

  explicit FksSizes(const auto& p) : per(u64(p.bucket)), least_reserve(u64(p.reserve)) {
    const u64 most = p.hashes == 2 ? 45 : p.hashes == 3 ? 88 : 95;
    load = std::min(u64(p.reg_load), most - most / 10);
    full = p.full > 0 ? std::min(std::max(u64(p.full), load + 1), most) : std::min(2 * load, most);
  }

  // reserve_of returns how many of `buckets` buckets are spare. A split takes two.
  u64 reserve_of(u64 buckets) const { return std::max<u64>(2, least_reserve > 0 ? least_reserve : buckets / 16); }

  // buckets_for returns how many buckets have `slots` slots: at least one besides the spares.
  u64 buckets_for(u64 slots) const { return std::max({(slots + per - 1) / per, least_reserve + 1, u64(3)}); }

  // ring returns the size of the ring of spares: a power of two above the number of buckets.
  static u64 ring(u64 buckets) { return u64(1) << std::bit_width(buckets); }

  // layout returns a table of `buckets` buckets, some of which are spare.
  Layout layout(u64 buckets, u64 spare, u64 pair) const {
    if (buckets * per >= u64(1) << 31)
      throw Refused(text("capacity is ", buckets * per, ": fewer than 2^31 slots can be numbered"));
    Layout l{};
    l.capacity = buckets * per, l.buckets = buckets;
    add(l, {"slots", buckets * per * pair, 0xff, true});
    add(l, {"directory", sizeof(AnyFks::Entry) * (buckets - spare)});
    add(l, {"heads", sizeof(AnyFks::Head) * buckets});
    add(l, {"state", sizeof(AnyFks::State) + sizeof(u32) * (ring(buckets) + 2 * buckets)});  // and the list of buckets
    return l;
  }
};

// FksHostTable is a table during an operation.
template <class T>
class FksHostTable : FksSizes {
 public:
  explicit FksHostTable(T& t) : FksSizes(t.param), t_(t), size_(t.pairs()) {}

  // insert inserts a batch, makes room if there is too little for all of it, and repairs buckets until all pairs are in
  // or memory runs out.
  Result insert(const Batch& b) {
    if (b.block.Ops == 0) grow_for(size_ + b.n);  // the number of inserts in a mixed batch is unknown
    Result done = launch(op_insert{}, b);
    const u64 asked = done.ok + done.failed;
    size_ += done.ok;
    done = settle(done, true);
    const u64 left = done.pairs;
    static_cast<Counts&>(done) = work_;
    done.set_inserts(asked, left);
    return done;
  }

  // erase carries out erases, alone or in a mixed batch, and then merges or shrinks what is sparse.
  template <class Op>
  Result erase(Op op, const Batch& b) {
    Result done = launch(op, b);
    if (done.removed == 0) return done;
    size_ -= done.removed;
    tidy();
    done.set_work(work_);
    return done;
  }

  // flush brings the table to regular load, without the markers of erased pairs.
  Result flush() {
    rebuild(regular(size_));
    return only_work();
  }

  // resize gives the table the requested number of slots, or those that its pairs need, and prevents it from shrinking
  // below that.
  Result resize(u64 slots) {
    const u64 buckets = buckets_for(slots);
    u64 roots = buckets - reserve_of(buckets);
    while (roots + reserve_of(roots) < buckets) roots++;
    least() = roots;
    if (size_ > holds(roots, full)) {
      roots = regular(size_);
      t_.note(text(slots, " slots are too few for ", size_, " pairs"));
    }
    rebuild(roots);
    return only_work();
  }

  // Gauges. Spare buckets are empty, and not counted among those.
  void bucket_fill() {
    const hz_look where = slot_array(t_);
    hz_look seen = look_at_slots(t_, where);
    seen.Bin[0] -= spares(state());
    fill_bars(t_, seen, where.Bucket);
  }
  void buckets() {
    const double all = double(t_.block().Buckets), spare = double(spares(state()));
    t_.bar("in use", all - spare, all);
    t_.bar("spare", spare, all);
  }
  void renewed() {
    const State s = state();
    t_.bar("rehashed", s.rehashed);
    t_.bar("split", s.halved);
    t_.bar("merged", s.merged);
  }
  void directory() { t_.bar("", double(roots() << depth())); }

 private:
  using State = AnyFks::State;

  static constexpr int kRounds = 100;   // how often a batch is retried; usually it takes one or two rounds
  static constexpr u64 kMostDepth = 8;  // of the directory: random skew splits no bucket more often while there is room
  static constexpr int kTries = 4;      // how many sizes are tried, each half as large again
  static constexpr u64 kSparse = 4;     // below this fraction of regular load, 1/kSparse, a table shrinks

  // kMostRoots is the maximum number of buckets, as a multiple of the regular number. If pairs still find no layout,
  // more memory does not help: there are keys with equal hashes, or the parameters ask for the impossible.
  static constexpr u64 kMostRoots = 8;

  u64& reserve() { return t_.block().Arg[AnyFks::kReserve]; }
  u64& depth() { return t_.block().Arg[AnyFks::kDepth]; }
  u64& least() { return t_.block().Arg[AnyFks::kDepth + 1]; }  // the minimum number of roots when the table shrinks
  u64 roots() { return t_.block().Buckets - reserve(); }
  u64 pair() { return t_.key_bytes() + t_.value_bytes(); }

  // holds returns how many pairs fill `buckets` buckets to a percentage.
  u64 holds(u64 buckets, u64 percent) const { return buckets * per * percent / 100; }

  // regular returns how many buckets hold `pairs` pairs at regular load, and at least as many as the table was created
  // with.
  u64 regular(u64 pairs) {
    const u64 each = per * load;
    return std::max((100 * pairs + each - 1) / each, least());
  }

  // launch adds up the kernels' counters.
  template <class Op>
  Result launch(Op op, const Batch& b) {
    const Result done = t_.launch(op, b);
    work_ += done;
    return done;
  }
  Result only_work() const {
    Result done;
    done.set_work(work_);
    return done;
  }

  // grow_for grows the table if `pairs` pairs would fill all of its buckets.
  void grow_for(u64 pairs) {
    if (pairs > holds(roots(), full) && pairs > holds(t_.block().Buckets - spares(state()), full)) grow(pairs);
  }

  // settle inserts the pairs that a launch left over, after repairs, until none is left or nothing helps. Only a table
  // that may grow is moved to new memory.
  Result settle(Result done, bool may_grow) {
    hz_batch arrays[2] = {};
    u64 before = done.pairs;
    int idle = 0;
    for (int round = 0; before > 0 && round < kRounds; round++) {
      bool better = repair();
      if (!better || idle > 2) {
        idle = 0;
        if (!may_grow) return done;
        better = grow(size_ + before);
      }
      hz_batch& spare = arrays[round % 2];
      if (!better || !room_for(spare, before)) return done;
      done = again(done, spare);
      idle += done.pairs >= before;
      before = done.pairs;
    }
    return done;
  }

  // room_for allocates arrays for the pairs that an insert may leave over, unless they exist: later rounds leave fewer.
  bool room_for(hz_batch& b, u64 pairs) {
    if (b.PairKeys != 0) return true;
    return enough([&] { make_room(t_, b, pairs); }, [&] { return text("to set ", pairs, " pairs aside"); });
  }

  // enough allocates memory, and returns false after a note if there is too little.
  bool enough(auto&& allocate, auto&& what) {
    try {
      allocate();
      return true;
    } catch (const NoMemory& e) {
      poor_ = true;
      t_.note(text("no memory ", what(), ": ", e.what()));
      return false;
    }
  }

  // again inserts what a launch left over. Pairs that are left over now go to other arrays.
  Result again(const Result& left, const hz_batch& room) {
    Batch b = left_over(left);
    b.block.PairKeys = room.PairKeys, b.block.PairValues = room.PairValues, b.block.PairLimit = room.PairLimit;
    const Result done = launch(op_insert{}, b);
    size_ += done.ok;
    return done;
  }

  u64 state_at() { return t_.block().Region[kState]; }
  State state() { return value<State>(t_, state_at()); }

  // spares returns the number of spare buckets. The counters wrap around.
  u64 spares(const State& s) { return u32(reserve()) + s.pushed - s.popped; }

  // repair renews the listed buckets, as many at a time as spares allow. It returns false if that was not enough: the
  // table as a whole is too full, or a bucket found no layout.
  bool repair() {
    State s = state();
    if (s.listed == 0 || s.splits > spares(s)) return false;
    for (u64 at = 0; at < s.listed;) {
      const u64 each = 1 + std::min<u64>(1, s.splits);  // spares that the renewal of a bucket takes
      u64 jobs = std::min(s.listed - at, spares(s) / each);
      if (jobs > 0 && s.narrow != 0 && !widen(s)) jobs = 0;
      if (jobs == 0) return postpone(s, at);
      Batch b;
      b.n = kWarp * jobs, b.block.Keys = at;
      launch(op_renew{}, b);
      at += jobs;
      s = state();
    }
    const bool helped = s.stuck == 0;
    s.listed = s.splits = s.narrow = s.stuck = 0;
    put(t_, state_at(), s);
    return helped;
  }

  // postpone keeps what is not done yet on the list.
  bool postpone(State s, u64 done) {
    const u64 list = state_at() + sizeof(State) + sizeof(u32) * ring(t_.block().Buckets);
    const std::vector<u32> rest = values<u32>(t_, list + sizeof(u32) * done, s.listed - done);
    s.listed -= u32(done);
    t_.write(list, rest.data(), sizeof(u32) * rest.size());
    put(t_, state_at(), s);
    return false;
  }

  // widen doubles the directory. It returns false if memory runs out.
  bool widen(State& s) {
    const u64 entries = roots() << (depth() + 1), old = t_.block().Region[kDirectory];
    if (depth() == kMostDepth || entries >= u64(1) << 31) return false;
    u64 at = 0;
    if (!enough([&] { at = t_.allocate(host::Region("directory", sizeof(AnyFks::Entry) * entries)); },
                [&] { return text("for a directory of ", entries, " entries"); }))
      return false;
    t_.block().Region[kDirectory] = at, depth()++;
    Batch b;
    b.n = entries, b.block.Keys = old;
    launch(op_widen{}, b);
    Layout l = t_.layout();
    l.region[kDirectory].bytes = 0;
    t_.lay(l);
    s.narrow = 0;
    put(t_, state_at(), s);
    t_.release(old);
    return true;
  }

  // grow gives the table regular buckets for `pairs` pairs, and more than it has. It returns false if memory runs out.
  bool grow(u64 pairs) {
    const u64 have = roots(), wanted = regular(pairs);
    if (poor_) return false;
    if (have >= kMostRoots * wanted) {
      t_.note(
          text("no layout found for ", pairs, " pairs in ", have, " buckets: try more rehashes or a longer max_chain"));
      return false;
    }
    return rebuild(std::max(wanted, have + have / 4 + 1));
  }

  // rebuild moves the table to `roots` buckets, or to more if they are not enough.
  bool rebuild(u64 roots) {
    for (int i = 0; i < kTries && !poor_; i++, roots += roots / 2) {
      if (move(roots)) return true;
    }
    return false;
  }

  // move inserts all pairs into a table with `roots` buckets and the spares they need, which replaces this one if all
  // pairs fit. The old table stays intact until they do.
  bool move(u64 roots) {
    const u64 spare = reserve_of(roots);
    Body next{t_.block(), {}};
    try {
      next.layout = layout(roots + spare, spare, pair());
    } catch (const Refused& e) {
      poor_ = true;
      t_.note(e.what());
      return false;
    }
    next.block.Capacity = next.layout.capacity, next.block.Buckets = next.layout.buckets;
    next.block.Arg[AnyFks::kReserve] = spare, next.block.Arg[AnyFks::kDepth] = 0;
    if (!enough([&] { allocate_all(t_, next); },
                [&] { return text("for ", next.layout.buckets, " buckets of ", per, " slots"); }))
      return false;
    const Body old = exchange(t_, next);
    const bool in = transfer(old.block);
    if (in) {
      Layout l = t_.layout();
      for (hz_region& r : l.region) r.bytes = 0;
      t_.lay(l);
      t_.note(text("moved to ", l.buckets, " buckets of ", per, " slots"));
    }
    release_all(t_, in ? old : exchange(t_, old));
    return in;
  }

  // transfer inserts the pairs of another table. It returns false if some found no place in the end; pairs that it
  // cannot even keep count as such.
  bool transfer(const hz_table& from) {
    if (size_ == 0) return true;
    Batch b;
    const u64 room = size_ / 16 + 1024, size = size_;
    b.n = from.Capacity, b.block.Keys = from.Region[kSlots];
    if (!room_for(b.block, room)) return false;
    Result done = launch(op_transfer{}, b);
    if (done.pairs <= room) done = settle(done, false);
    size_ = size;
    return done.pairs == 0;
  }

  // tidy shrinks a table that is sparse as a whole, and otherwise merges buckets of which two make one.
  void tidy() {
    const u64 wanted = regular(size_), have = roots();
    if (wanted < have && size_ * kSparse < holds(have, load)) {
      rebuild(wanted);
      return;
    }
    for (u64 times = depth(); times > 0; times--) {
      // No bucket that a merge involves may be listed for anything else, and all merges are done here: each gives back
      // more spares than it takes.
      const State s = state();
      if (s.listed > 0 || spares(s) == 0) return;
      Batch b;
      b.n = t_.block().Buckets;
      launch(op_survey{}, b);
      if (!repair()) return;
    }
  }

  T& t_;
  u64 size_;           // pairs in the table
  Counts work_;        // counters of all launches
  bool poor_ = false;  // memory to grow was not available
};

class FksHost {
 public:
  static double max_load(const auto& param) { return 0.0075 * double(FksSizes(param).full); }

  static Layout layout(const auto& param, const Shape& s) {
    const FksSizes sizes(param);
    const u64 buckets = sizes.buckets_for(s.slots);
    return sizes.layout(buckets, sizes.reserve_of(buckets), s.pair());
  }

  static void arguments(const auto& p, const Layout& l, u64* arg) {
    if (p.reserve == 0) arg[p.reserve_arg] = FksSizes(p).reserve_of(l.buckets);
  }

  // setup sets what depends on several parameters.
  static void setup(auto& t) {
    const FksSizes sizes(t.param);
    hz_table& b = t.block();
    b.Arg[AnyFks::kRegLoad] = sizes.load, b.Arg[AnyFks::kFull] = sizes.full, b.Arg[AnyFks::kDepth] = 0;
    b.Arg[AnyFks::kReserve] = sizes.reserve_of(b.Buckets);
    b.Arg[AnyFks::kDepth + 1] = b.Buckets - b.Arg[AnyFks::kReserve];
  }

  static Result run(auto& t, op_insert, const Batch& b) { return FksHostTable(t).insert(b); }
  static Result run(auto& t, op_erase op, const Batch& b) { return FksHostTable(t).erase(op, b); }
  static Result run(auto& t, op_mix op, const Batch& b) { return FksHostTable(t).erase(op, b); }
  static Result run(auto& t, op_flush, const Batch&) { return FksHostTable(t).flush(); }
  static Result run(auto& t, op_resize, const Batch& b) { return FksHostTable(t).resize(b.n); }

  template <class T>
  static Gauges<T> gauges() {
    using Fks = FksHostTable<T>;
    return {{"bucket fill", [](T& t) { Fks(t).bucket_fill(); }},
            {"slots", slot_use<T>},
            {"buckets", [](T& t) { Fks(t).buckets(); }},
            {"renewed", [](T& t) { Fks(t).renewed(); }},
            {"directory", [](T& t) { Fks(t).directory(); }}};
  }
};

}  // namespace hz::host
