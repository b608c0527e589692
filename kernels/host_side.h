// host_side.h: operations that take more than one launch of their kernel.
//
// Kernels allocate no memory and do not wait for each other, so a scheme that grows, rebuilds or flushes its
// tables does that on the host. Its host side is a struct in schemes/NAME/host.h, with a function `run` for each
// operation that takes more than a launch; the others are one launch. The type in the second place names the
// operation:
//
//   struct ChainedHost {
//     static Result run(auto& t, op_upsert op, const Batch& b) { return retry(t, op, b); }
//   };
//
// The engine and exported tables compile the same file. t is a table of either, T its type (host_engine.h,
// export/files/runtime/host.h):
//
//   t.param                     the parameters by name: t.param.beta; a choice is compared with its words,
//                               t.param.resize == t.param.resize_auto
//   t.max_load()                the load factor that nearly all tables reach
//   t.key_bytes(), t.value_bytes(), t.answer_bytes()
//   t.pairs()                   the pairs in the table when the operation began; t.empty(): there were none
//   t.bulk()                    where a batch may be carried out part by part (host_bulk.h)
//   t.block()                   the table block, which every launch is given; changes are kept
//   t.layout(), t.lay(layout)   the regions and dimensions of the table; new ones
//   t.sized(slots)              the block and layout of an empty table with so many slots and the same hash functions,
//                               whose regions are not allocated yet
//   T::has<Op>                  whether the scheme has an operation
//   t.launch(op, batch)         launches a kernel, waits for it, and returns its counts
//   t.shared(kernel, block, n)  launches a kernel of all schemes (host_retrieve.h) on n items
//   t.allocate(region)          memory that belongs to the table; t.release(at) frees it
//   t.give_room(block, found)   memory for values that a batch has found (host_retrieve.h)
//   t.scratch(bytes)            memory until the operation ends
//   t.fill(at, byte, bytes), t.copy(to, from, bytes), t.read(to, at, bytes), t.write(at, from, bytes)
//   t.reseed()                  empties the table and draws other hash functions
//   t.note(text)                adds a note to the results
//
// The struct also says which memory a table takes, layout(param, shape). It may have max_load(param), the load factor
// that nearly all tables reach, if that depends on parameters; arguments(param, layout, arg), for parameters whose
// value 0 stands for one that depends on the table; and setup(t), for tables whose initial contents are no plain fills.
//
// A device without enough memory throws NoMemory. A function that lets it pass must not have changed anything:
// allocate first, change the table last.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "drive.h"
#include "layout.h"

namespace hz::host {

// Counts are the outcomes of a batch, the pairs that came and went, and what instrumented kernels count.
struct Counts {
#define HZ_FIELD(name, ...) u64 name = 0;
  HZ_COUNTERS(HZ_FIELD)
#undef HZ_FIELD

  u64* begin() { return &ok; }
  const u64* begin() const { return &ok; }
  static constexpr u64 size() { return sizeof(Counts) / sizeof(u64); }

  Counts& operator+=(const Counts& more) {
    for (u64 i = 0; i < size(); i++) begin()[i] += more.begin()[i];
    return *this;
  }
  // gained is by how many pairs the table has grown; it may have wrapped around.
  u64 gained() const { return added + failed + evicted - pairs - removed; }

  // set_inserts sets the outcomes of inserts that left pairs over. A rebuild may leave over more than they brought.
  void set_inserts(u64 asked, u64 left) {
    failed = std::min(left, asked);
    ok = added = asked - failed;
    pairs = left;
  }
  // only_work leaves the counters of work, which begin with the probes.
  void only_work() { std::fill(begin(), &probes, 0); }
  void set_work(const Counts& work) { std::copy(&work.probes, work.begin() + size(), &probes); }
};
static_assert(Counts::size() < HZ_COUNTER_STRIDE);

// Batch is n operations, or n items for a kernel of the scheme's own.
struct Batch {
  hz_batch block{};
  u64 n = 0;
  bool moved = false;  // its keys are copies of those of the batch that is carried out
  bool keyed = false;  // for a kernel of the scheme's own: each item is an operation on a key
};

// Result is what a batch gave. The pairs left over are in the pair arrays of its batch.
struct Result : Counts {
  Batch batch;
};

// Region, Layout and Body are the memory of a table (layout.h).
struct Region : hz_region {
  Region(const std::string& called, u64 size, u8 first = 0, bool of_table = false) : hz_region{} {
    called.copy(name, sizeof name - 1);
    bytes = size, fill = first, table = of_table;
  }
};
using Layout = hz_layout;
inline void add(Layout& l, const Region& r) { l.region[l.regions++] = r; }

using Body = hz_whole;

// NoMemory is thrown when a device has too little memory, or a table may not be larger.
class NoMemory : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Refused is thrown for a table that cannot be.
class Refused : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// text joins strings and whole numbers.
template <class... Part>
std::string text(const Part&... part) {
  std::string all;
  const auto append = [&](const auto& p) {
    if constexpr (requires { std::to_string(p); }) {
      all += std::to_string(p);
    } else {
      all += p;
    }
  };
  (append(part), ...);
  return all;
}

// decimal is a number to four digits.
inline std::string decimal(double x) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.4g", x);
  return digits;
}

// Shape is a table that is asked for: at least so many slots, for n pairs; 0: they were not said.
struct Shape {
  u64 key, value;  // bytes
  u64 slots, n;

  u64 pair() const { return key + value; }
  // slot is the size of a pair in an array of pairs, with the alignment of C++.
  u64 slot() const { return rounded(pair(), std::max(key, std::min<u64>(value, 8))); }
  static u64 rounded(u64 n, u64 to) { return (n + to - 1) / to * to; }
};

inline u64 ceil_of(u64 n, u64 by) { return (n + by - 1) / by; }

// prime returns the smallest prime that is at least n.
inline u64 prime(u64 n) {
  const auto is_prime = [](u64 p) {
    for (u64 d = 2; d * d <= p; d++) {
      if (p % d == 0) return false;
    }
    return true;
  };
  for (n = std::max<u64>(2, n); !is_prime(n);) n++;
  return n;
}

// in_buckets is the layout of most tables: slots in a number of buckets.
inline Layout in_buckets(const Shape& s, u64 buckets, u64 bucket) {
  Layout l{};
  l.buckets = buckets, l.capacity = buckets * bucket;
  add(l, {"slots", l.capacity * s.slot(), 0xff, true});
  return l;
}
inline Layout in_buckets(const Shape& s, u64 bucket) { return in_buckets(s, ceil_of(s.slots, bucket), bucket); }

// at_most refuses tables that are too large for a scheme.
inline Layout at_most(const Layout& l, u64 slots) {
  if (l.capacity <= slots) return l;
  throw Refused(text("capacity is ", l.capacity, ": tables have at most ", slots, " slots"));
}

// usual_chain is the evictions that one insert may cause. The longest chain that a table needs grows with the logarithm
// of its size. The factor is generous, because a chain that is cut short fails an insert, and long chains are rare.
inline u64 usual_chain(const Layout& l) { return 64 * u64(std::bit_width(l.capacity)); }

// usual_probes is the buckets that an operation reads before it gives up: several times the longest walk in a table
// that is as full as its scheme allows, so a full table fails quickly.
inline u64 usual_probes(const Layout& l) { return std::max<u64>(64, 16384 * l.buckets / l.capacity); }

// value and values read numbers from device memory, put writes one.
template <class V, class T>
V value(T& t, u64 at) {
  V v;
  t.read(&v, at, sizeof v);
  return v;
}
template <class V, class T>
std::vector<V> values(T& t, u64 at, u64 n) {
  std::vector<V> list(n);
  t.read(list.data(), at, n * sizeof(V));
  return list;
}
void put(auto& t, u64 at, const auto& v) { t.write(at, &v, sizeof v); }

// advance adds to an address, if one is given.
inline void advance(u64& address, u64 by) {
  if (address != 0) address += by;
}

// leave_after makes room in a batch for the pairs that it leaves over after n others.
void leave_after(auto& t, hz_batch& b, u64 n) {
  advance(b.PairKeys, n * t.key_bytes());
  advance(b.PairValues, n * t.value_bytes());
  b.PairLimit -= std::min(n, b.PairLimit);
}

// rest is a batch without its first n operations.
Batch rest(auto& t, Batch b, u64 n) {
  b.n -= n;
  advance(b.block.Keys, n * t.key_bytes());
  advance(b.block.Values, n * t.value_bytes());
  advance(b.block.Ops, n);
  advance(b.block.Status, n);
  advance(b.block.Out, n * t.answer_bytes());
  return b;
}

// make_room allocates memory for the pairs that a launch may leave over.
void make_room(auto& t, hz_batch& b, u64 pairs) {
  b.PairKeys = t.scratch(pairs * t.key_bytes());
  b.PairValues = t.scratch(pairs * t.value_bytes());
  b.PairLimit = pairs;
}

// roomy is a batch with room for all pairs that it may leave over, whatever its caller has room for.
Batch roomy(auto& t, Batch b) {
  if (b.block.PairLimit < b.n) make_room(t, b.block, b.n);
  return b;
}

// left_over is a batch of the pairs that a launch left over.
inline Batch left_over(const Result& done) {
  Batch b;
  b.block.Keys = done.batch.block.PairKeys, b.block.Values = done.batch.block.PairValues;
  b.n = done.pairs;
  return b;
}

// insert_left_over inserts them. Those that find no room go to other memory.
Result insert_left_over(auto& t, const Result& done) {
  Batch b = left_over(done);
  make_room(t, b.block, b.n);
  return t.launch(op_insert{}, b);
}

// absent is how many of the pairs left over have keys that are not in the table.
u64 absent(auto& t, const Result& done) {
  if (done.pairs == 0) return 0;
  Batch b = left_over(done);
  b.block.Values = 0, b.block.Out = t.scratch(b.n * t.answer_bytes());
  return t.launch(op_find{}, b).missing;
}

// everything is an insert batch of all pairs: those in the table, which also stay there, and those that a launch
// left over.
Batch everything(auto& t, const Result& done = {}) {
  Batch slots;
  slots.n = t.block().Capacity;
  const u64 inside = t.launch(op_count{}, slots).pairs, left = done.pairs;
  Batch all;
  all.n = inside + left;
  hz_batch pairs{};
  make_room(t, pairs, all.n);
  all.block.Keys = pairs.PairKeys, all.block.Values = pairs.PairValues;
  slots.block = pairs, slots.block.PairLimit = inside;
  if (t.launch(op_export{}, slots).pairs != inside)
    throw std::logic_error("the table does not export the pairs that it counts");
  t.copy(all.block.Keys + inside * t.key_bytes(), done.batch.block.PairKeys, left * t.key_bytes());
  t.copy(all.block.Values + inside * t.value_bytes(), done.batch.block.PairValues, left * t.value_bytes());
  make_room(t, all.block, all.n);
  return all;
}

// empty restores the initial contents of every region.
void empty(auto& t) {
  const Layout& l = t.layout();
  for (u64 i = 0; i < l.regions; i++) t.fill(t.block().Region[i], l.region[i].fill, l.region[i].bytes);
}

// remembered is a batch with a record of each operation's outcome.
Batch remembered(auto& t, Batch b) {
  if (b.block.Status != 0 || b.n == 0) return b;
  b.block.Status = t.scratch(b.n);
  t.fill(b.block.Status, 0, b.n);
  return b;
}

// only_failed is a batch of the operations that failed. Outcomes serve as operations; if the batch has several
// operations, a number that no kernel knows replaces those that did not fail.
inline Batch select_failed(Batch b) {
  b.block.Ops = b.block.Status, b.block.Select = u64(1) << k_failed;
  return b;
}
Batch only_failed(auto& t, const Batch& b) {
  if (b.block.Ops == 0) return select_failed(b);
  const std::vector<u8> status = values<u8>(t, b.block.Status, b.n);
  std::vector<u8> ops = values<u8>(t, b.block.Ops, b.n);
  for (u64 i = 0; i < b.n; i++) {
    if (status[i] != k_failed || (b.block.Select >> ops[i] & 1) == 0) ops[i] = 0xff;  // others failed in another phase
  }
  Batch failed = b;
  failed.block.Ops = t.scratch(b.n);
  t.write(failed.block.Ops, ops.data(), b.n);
  return failed;
}

// again carries out the operations of a batch that failed, and adds to its counts.
template <class T, class Op>
void again(T& t, Op op, const Batch& b, Result& done) {
  const Result more = t.launch(op, only_failed(t, b));
  done.failed = done.pairs = 0;
  done += more;
}

// repeat_failed repeats the operations of a batch that failed as long as more(done), which may make room, says that it
// helps.
template <class T, class Op, class F>
void repeat_failed(T& t, Op op, const Batch& b, Result& done, F&& more) {
  try {
    while (done.failed > 0 && more(done)) again(t, op, b, done);
  } catch (const NoMemory& e) {
    t.note(text("failures are not tried again: ", e.what()));
  }
}

// repeat carries out a batch, and repeats what failed.
template <class T, class Op, class F>
Result repeat(T& t, Op op, const Batch& b, F&& more) {
  const Batch all = remembered(t, b);
  Result done = t.launch(op, all);
  repeat_failed(t, op, all, done, more);
  done.batch = b;
  return done;
}

// retry is for operations that fail only because they race with each other. What one of them held is free when the
// launch ends, so another launch helps until one has helped none.
template <class T, class Op>
Result retry(T& t, Op op, const Batch& b) {
  u64 before = b.n + 1;
  return repeat(t, op, b, [&](const Result& done) { return done.failed < std::exchange(before, done.failed); });
}

// kShortChain is the most evictions of an insert into a table that is filled beyond what it can hold.
inline constexpr u64 kShortChain = 128;

// launch_bounded launches inserts that bring a table to the given number of pairs. Beyond its load factor many find
// no room, and with long chains each of those evicts a thousand pairs first: hundreds of millions, which looked like
// a hang.
template <class T, class F>
Result launch_bounded(T& t, const Batch& b, u64 pairs, F&& insert) {
  if constexpr (requires { T::Param::max_chain_arg; }) {
    u64& chain = t.block().Arg[T::Param::max_chain_arg];
    if (t.param.max_chain == 0 && double(pairs) > (t.max_load() + 0.02) * double(t.block().Capacity)) {
      const u64 usual = std::exchange(chain, std::min(kShortChain, chain));
      const Result done = insert(b);
      chain = usual;
      return done;
    }
  }
  return insert(b);
}

// rebuild is for inserts of schemes that can start over: when some find no room, all pairs, including evicted ones,
// are inserted again with other hash functions, at most `rebuilds` times. insert(batch) inserts.
Result rebuild(auto& t, const Batch& b, auto&& insert) {
  const bool report = t.param.on_failure == t.param.on_failure_report;
  Result done = launch_bounded(t, report ? b : roomy(t, b), t.pairs() + b.n, insert);
  if (report || done.failed == 0) return done;
  Counts work = done;
  const u64 asked = done.ok + done.failed;
  u64 attempts = 0;
  try {
    for (; done.failed > 0 && attempts < u64(t.param.rebuilds); attempts++) {
      const Batch all = everything(t, done);
      t.reseed();
      done = launch_bounded(t, all, all.n, insert);
      work += done;
    }
  } catch (const NoMemory& e) {
    t.note(text("no rebuild: ", e.what()));
  }
  t.note(text("rebuilt ", attempts, " times; ", done.failed, " pairs found no room in the end"));
  const u64 left = done.failed;
  static_cast<Counts&>(done) = work;
  done.set_inserts(asked, left);
  return done;
}

Result rebuild(auto& t, op_insert op, const Batch& b) {
  return rebuild(t, b, [&](const Batch& more) { return t.launch(op, more); });
}

struct Rebuilds {
  static Result run(auto& t, op_insert op, const Batch& b) { return rebuild(t, op, b); }
};

// flush_all takes all pairs out, empties the table and inserts them again: for tables that do not reuse the room of
// erased pairs. The result has only the pairs that found no room in another order.
Result flush_all(auto& t) {
  const Batch all = everything(t);
  empty(t);
  Result done = t.launch(op_insert{}, all);
  const u64 left = done.pairs;
  done.only_work();
  done.pairs = left;
  return done;
}

// flush_or_keep is flush_all for tables with bounded walks, which are put back if a pair finds no room.
Result flush_or_keep(auto& t) {
  const u64 slots = t.block().Region[0], bytes = t.layout().region[0].bytes, before = t.scratch(bytes);
  t.copy(before, slots, bytes);
  Result done = flush_all(t);
  if (done.pairs == 0) return done;
  t.note(text("not flushed: ", done.pairs, " pairs would have found no room within max_probes"));
  t.copy(slots, before, bytes);
  return {};
}

// allocate_all allocates all regions of a body, or none.
void allocate_all(auto& t, Body& body) {
  u64 done = 0;
  try {
    for (; done < body.layout.regions; done++) body.block.Region[done] = t.allocate(body.layout.region[done]);
  } catch (...) {
    while (done > 0) t.release(body.block.Region[--done]);
    throw;
  }
}
void release_all(auto& t, const Body& body) {
  for (u64 i = 0; i < body.layout.regions; i++) t.release(body.block.Region[i]);
}

// exchange puts a body in the place of the table's, and returns that.
Body exchange(auto& t, const Body& body) {
  const Body old{t.block(), t.layout()};
  t.block() = body.block;
  t.lay(body.layout);
  return old;
}

// Moved is what became of a move: pairs that would have found no room, if there were some.
struct Moved {
  bool done;
  u64 left;
};

// move brings all pairs to a table of at least the given number of slots. If some find no room there, or there is
// no memory, nothing changes.
Moved move(auto& t, u64 slots, const Result& more = {}) {
  const Batch all = everything(t, more);
  Body other = t.sized(slots);
  allocate_all(t, other);
  const Body old = exchange(t, other);
  const u64 left = t.launch(op_insert{}, all).failed;
  release_all(t, left == 0 ? old : exchange(t, old));
  return {left == 0, left};
}

}  // namespace hz::host
