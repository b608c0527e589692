// table.h: a table on the host's side: its memory, and operations on many keys.
//
// Bulk operations work on arrays in device memory, in the order of a stream, and wait for
// the result. One table carries out one bulk operation at a time.
#ifndef HASHZOO_TABLE_H
#define HASHZOO_TABLE_H

namespace hashzoo {

// What becomes of an operation: the bytes of the arrays called status.
enum Status : u8 {
  none = hz::k_none,          // it was not carried out
  ok = hz::k_ok,              // it did what was asked
  failed = hz::k_failed,      // there was no room, or the key was there
  missing = hz::k_missing,    // the key is not there
  rejected = hz::k_rejected,  // the key is one of the two largest, which are reserved
  replaced = hz::k_replaced,  // the key was there: its value was replaced, or combined
  evicted = hz::k_evicted     // it took the place of another pair, which is handed back
};

// Counts are how many operations had each outcome, and how many pairs came and went; the rest is 0 but in tests, which
// have instrumented kernels.
using Counts = hz::host::Counts;

// PairFor is how a table stores a key and a value: void values make a set.
template <class K, class V>
struct PairFor {
  using Type = std::conditional_t<std::is_same_v<K, V>, hz::Pair<K>, hz::PairOf<K, V>>;
};
template <class K>
struct PairFor<K, void> {
  using Type = hz::PairOf<K, hz::Nothing>;
#if defined(__NVCC__) && !defined(__clang__)
  static_assert(sizeof(K) == 0, "nvcc 13.0 miscompiles tables of keys alone: take clang, or values of 4 bytes");
#endif
};

// Left is where failed inserts leave the pairs that are in no slot, and puts those that they evict. In schemes that
// move pairs those may be other pairs than the ones that were inserted.
template <class Pair>
struct Left {
  typename Pair::Key* keys = nullptr;
  typename Pair::Value* values = nullptr;
  u64 limit = 0;  // how many there is room for; more are counted, and lost
};

// Found is where find_all and retrieve write values, each with the number of the key it belongs
// to. Without any room, they count: then Counts::found is the room that all of them take.
template <class Pair>
struct Found {
  u32* of = nullptr;
  typename Pair::Value* values = nullptr;
  u64 limit = 0;  // how many there is room for; more are counted
};

// Layout is the memory and the dimensions of a table.
struct Layout : hz_layout {
  Layout() : hz_layout{} {}
  Layout(const hz_layout& l) : hz_layout(l) {}

  static u64 aligned(u64 bytes) { return (bytes + 255) / 256 * 256; }

  // bytes is the memory of a table: its regions, counters, and a copy of its table block.
  u64 bytes() const {
    u64 sum = own_bytes();
    for (u64 i = 0; i < regions; i++) sum += aligned(region[i].bytes);
    return sum;
  }
  static u64 counter_bytes() { return 8 * HZ_COUNTER_SETS * HZ_COUNTER_STRIDE; }
  static u64 own_bytes() { return aligned(counter_bytes()) + aligned(sizeof(hz_table)); }
};

// checked refuses impossible tables.
inline Layout checked(const Layout& l, u64 slots) {
  if (slots == 0 || l.capacity < slots) throw std::length_error("hashzoo: a table takes at least 1 slot");
  if (l.buckets == 0 || l.buckets >> 32 != 0) throw std::length_error("hashzoo: too many buckets: take larger ones");
  return l;
}

// Random is SplitMix64, from which hash functions get their constants.
class Random {
 public:
  explicit Random(u64 state) : state_(state) {}
  u64 next() {
    u64 z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

 private:
  u64 state_;
};

inline void draw_hash_functions(hz_table& block, u64 seed) {
  constexpr u64 prime = 4294967291;
  Random random(seed);
  for (hz_hash& h : block.Hash) {
    const u64 a = random.next(), b = random.next(), c = random.next();
    const bool universal = block.Family == HZ_UNIVERSAL;
    h = universal ? hz_hash{1 + a % (prime - 1), b % prime, 1 + c % (prime - 1)} : hz_hash{a | 1, b, c};
  }
}

// Batch is one bulk operation.
struct Batch {
  hz_batch block;
  u64 n;
  Stream stream;
  u64 piece = 1 << 13;  // how many operations a thread of a CPU takes at a time
};

template <class Table>
class HostTable;

// Table is a table of one configuration. Config, which is generated, has its layout, its parameters, and its host side.
template <class Config, class P>
class Table {
 public:
  using Configuration = Config;
  using Pair = P;
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Answer = typename P::Answer;
  using Host = typename Config::Host;
  template <class Op>
  using Scheme = hz::ClassFor<typename Config::template Scheme<P>, Op>;

  // size returns the layout of a table for n keys at a load factor; size_of that of one
  // with at least the given number of slots.
  static Layout size(u64 n, double load = Config::max_load) {
    if (!(load > 0 && load <= 1)) throw std::invalid_argument("hashzoo: a load factor is more than 0 and at most 1");
    return Config::template layout<P>(n, u64(std::ceil(double(n) / load)), false);
  }
  static Layout size_of(u64 slots) { return Config::template layout<P>(slots, slots, true); }

  // A table owns its memory, or borrows layout.bytes() bytes of device memory, aligned to 256: then it does not grow.
  explicit Table(u64 n, double load = Config::max_load, u64 seed = 1) : Table(size(n, load), seed) {}
  explicit Table(const Layout& layout, u64 seed = 1, void* memory = nullptr, Stream stream = {})
      : made_(layout), borrowed_(static_cast<char*>(memory)), seed_(seed), stream_(stream) {
    occupy();
    begin();
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() { leave(); }

  u64 capacity() const { return block_.Capacity; }
  const Layout& layout() const { return layout_; }
  u64 bytes() const {
    u64 sum = Layout::own_bytes();
    for (const auto& piece : pieces_) sum += Layout::aligned(piece.second);
    return sum;
  }

  // clear removes all pairs. The table is as it was made again.
  void clear(Stream stream = {}) {
    stream_ = stream;
    if (changed_) {
      leave();
      occupy();
    }
    begin();
  }

  // launch carries out a batch by one launch and waits for it.
  template <class Op>
  Counts launch(const Batch& b) {
    start<Op>(b);
    return counts(b.stream);
  }

  // start is launch without waiting; counts waits.
  template <class Op>
  void start(const Batch& b) {
    hashzoo::launch<Op, Config, P>(block_, ready(b), b.n, b.stream, b.piece);
  }
  Counts counts(Stream stream) {
    u64 all[HZ_COUNTER_SETS * HZ_COUNTER_STRIDE];
    fetch(all, counters_, sizeof all, stream);
    Counts sum;
    for (u64 i = 0; i < HZ_COUNTER_SETS * HZ_COUNTER_STRIDE; i++) {
      if (i % HZ_COUNTER_STRIDE < Counts::size()) sum.begin()[i % HZ_COUNTER_STRIDE] += all[i];
    }
    return sum;
  }
  // fetch reads from the device, a few numbers by pinned memory, which takes less time.
  void fetch(void* to, const void* at, u64 bytes, Stream stream) {
    const bool few = bytes <= Layout::counter_bytes();
    if (bytes > 0) copy(few ? landing_.get() : to, at, bytes, stream);
    wait(stream);
    if (few) std::memcpy(to, landing_.get(), bytes);
  }

  // ready prepares a launch: it clears the counters, and brings the copy of the table block
  // in device memory up to date.
  hz_batch ready(const Batch& b) {
    synchronize_block(b.stream);
    fill(counters_, 0, Layout::counter_bytes(), b.stream);
    hz_batch ready = b.block;
    ready.Counters = address(counters_);
    return ready;
  }
  void synchronize_block(Stream stream) {
    if (std::memcmp(&block_, &copied_, sizeof block_) == 0) return;
    copied_ = block_;
    copy(here_, &copied_, sizeof copied_, stream);
  }

  // run carries out a batch of one operation, on the host if that takes more than a launch.
  template <class Op>
  Counts run(u8 op, const Batch& b) {
    Batch one = b;
    one.block.Op = op;
    if (one.block.Select == 0) one.block.Select = u64(1) << op;
    const Counts counts = carried_out<Op>(one);
    size_ += counts.gained();
    return counts;
  }

  Counts count_pairs(Stream stream) { return launch<hz::op_count>({{}, capacity(), stream}); }
  Counts copy_pairs(Key* keys, Value* values, u64 limit, Stream stream) {
    hz_batch b{};
    b.PairKeys = address(keys), b.PairValues = address(values), b.PairLimit = limit;
    return launch<hz::op_export>({b, capacity(), stream});
  }

  // What the host side needs (host.h).
  u64 contents() const { return size_; }  // pairs, by the counters of bulk operations
  bool empty() const { return size_ == 0 && !lent_; }
  hz_table& block() { return block_; }
  void* region(u64 i) const { return reinterpret_cast<void*>(block_.Region[i]); }
  void lay(const hz_layout& l) { layout_ = l, changed_ = true; }

  // sized describes an empty table with other slots and the same hash functions.
  hz::host::Body sized(u64 slots) const {
    const Layout l = size_of(slots);
    hz::host::Body body{described(l), l};
    std::copy(std::begin(block_.Hash), std::end(block_.Hash), body.block.Hash);
    body.block.Seed = block_.Seed, body.block.Here = block_.Here;
    return body;
  }

  // more allocates memory that belongs to the table until it is given back.
  u64 more(const hz_region& r, Stream stream) {
    if (borrowed_ != nullptr) throw hz::host::NoMemory("hashzoo: a table in borrowed memory does not grow");
    changed_ = true;
    const u64 at = taken(r.bytes);
    if (!r.raw) fill(reinterpret_cast<void*>(at), r.fill, r.bytes, stream);
    return at;
  }
  void give_back(u64 at) {
    if (pieces_.erase(at) > 0) release(reinterpret_cast<void*>(at));
  }

  // reseed empties the table and draws other hash functions.
  void reseed(Stream stream) {
    reseeds_++;
    clear(stream);
  }

 protected:
  // bulk carries out one operation on n keys.
  template <class O>
  Counts bulk(const Key* keys, const Value* values, Answer* answers, u64 n, Stream stream, u8* status,
              Left<P> left = {}, Found<P> found = {}, u64 truths = 0) {
    hz_batch b{};
    b.Truths = truths;
    b.Keys = address(keys), b.Values = address(values), b.Out = address(answers), b.Status = address(status);
    b.PairKeys = address(left.keys), b.PairValues = address(left.values), b.PairLimit = left.limit;
    b.FoundOf = found.of != nullptr ? address(found.of) : address(counters_);  // 0 asks for no count of them
    b.FoundValues = address(found.values), b.FoundLimit = found.limit;
    return run<typename O::Kernel>(O::code, {b, n, stream});
  }

  // ask carries out one that answers, and says which keys are there.
  template <class O>
  Counts ask(const Key* keys, Answer* answers, bool* found, u64 n, Stream stream) {
    return bulk<O>(keys, nullptr, answers, n, stream, reinterpret_cast<u8*>(found), {}, {}, 1);
  }

  // whole carries out an operation on the whole table.
  template <class Op>
  Counts whole(u64 n, Stream stream) {
    return run<Op>(0, {{}, n, stream});
  }

  // look finds which keys are there.
  Counts look(const Key* keys, bool* found, u64 n, Stream stream) {
    const Scratch<Answer> answers(n, stream);
    return ask<op::find>(keys, answers.data(), found, n, stream);
  }

  // mixed carries out a batch of several operations: ops[i] is the code of operation i.
  Counts mixed(const u8* ops, const Key* keys, const Value* values, Answer* answers, u64 n, Stream stream, u8* status,
               Left<P> left) {
    hz_batch b{};
    b.Ops = address(ops), b.Select = Config::mixed;
    b.Keys = address(keys), b.Values = address(values), b.Out = address(answers), b.Status = address(status);
    b.PairKeys = address(left.keys), b.PairValues = address(left.values), b.PairLimit = left.limit;
    return run<hz::op_mix>(hz::k_op_mix, {b, n, stream});
  }

 public:
  // in_kernels: may a kernel of the caller's carry out an operation?
  template <class Op>
  static constexpr bool in_kernels() {
    using Kernel = typename Op::Kernel;
    if constexpr (requires { Host::template only_in_bulk<Kernel>; }) {
      if (Host::template only_in_bulk<Kernel>) return false;
    }
    return !std::is_same_v<Kernel, hz::op_retrieve>;
  }

 protected:
  template <class... Op>
  auto make_ref(Stream stream) {
    static_assert((in_kernels<Op>() && ...), "the scheme carries this operation out in bulk only");
    static_assert(sizeof...(Op) == 1 || (Config::template concurrent<Op> && ...),
                  "these operations cannot share a launch: make a Ref of one operation");
    synchronize_block(stream);
    lent_ = true;
    return Ref<P, typename Config::template Scheme<P>, Op...>(block_);
  }

 private:
  template <class Op>
  Counts carried_out(const Batch& b) {
    using T = HostTable<Table>;
    if constexpr (!hz::host::kOnHost<Host, T, Op>) {
      return launch<Op>(b);
    } else {
      T t(*this, b);
      const hz::host::Result done = hz::host::carry_out<Host>(t, Op{}, hz::host::Batch{b.block, b.n});
      hand_over(done, b);
      if (t.launches() > 1 && b.block.Status != 0 && hz::may_be(u8(b.block.Op), hz::k_failed)) settle(done.failed, b);
      return done;
    }
  }

  // hand_over copies pairs that were left over in other memory to the caller's.
  void hand_over(const hz::host::Result& done, const Batch& b) {
    const u64 n = std::min(done.pairs, b.block.PairLimit);
    if (n == 0 || done.batch.block.PairKeys == b.block.PairKeys) return;
    const auto at = [](u64 address) { return reinterpret_cast<char*>(address); };
    copy(at(b.block.PairKeys), at(done.batch.block.PairKeys), n * sizeof(Key), b.stream);
    copy(at(b.block.PairValues), at(done.batch.block.PairValues), n * P::value_bytes, b.stream);
    wait(b.stream);
  }

  // settle makes the outcomes of inserts agree with the counts after some were repeated. Which are said to have failed
  // is a free choice: rather keep failures than make some.
  void settle(u64 failed, const Batch& b) {
    std::vector<u8> status(b.n);
    u8* const at = reinterpret_cast<u8*>(b.block.Status);
    copy(status.data(), at, b.n, b.stream);
    wait(b.stream);
    for (u8& s : status) {
      if (s == hz::k_failed) s = failed > 0 ? (failed--, hz::k_failed) : hz::k_ok;
    }
    for (u64 i = 0; i < b.n && failed > 0; i++) {
      if (status[i] == hz::k_ok) status[i] = hz::k_failed, failed--;
    }
    copy(at, status.data(), b.n, b.stream);
    wait(b.stream);
  }

  u64 taken(u64 bytes) {
    const u64 at = address(allocate(std::max<u64>(1, bytes)));
    pieces_[at] = bytes;
    return at;
  }

  // occupy takes the memory that the table has at first.
  void occupy() {
    layout_ = made_, changed_ = false;
    char* at = borrowed_;
    const auto next = [&](u64 bytes) {
      if (borrowed_ == nullptr) return taken(bytes);
      return address(std::exchange(at, at + Layout::aligned(bytes)));
    };
    for (u64 i = 0; i < made_.regions; i++) block_.Region[i] = next(made_.region[i].bytes);
    counters_ = reinterpret_cast<u64*>(next(Layout::counter_bytes()));
    here_ = reinterpret_cast<void*>(next(sizeof(hz_table)));
  }
  void leave() {
    for (const auto& piece : pieces_) release(reinterpret_cast<void*>(piece.first));
    pieces_.clear();
  }

  // described is the block of a table with a layout.
  hz_table described(const Layout& l) const {
    hz_table block{};
    block.Here = address(here_);
    block.Capacity = l.capacity, block.Buckets = l.buckets;
    block.Family = Config::family, block.Hashes = Config::hashes;
    Config::arguments(block.Arg);
    constexpr typename Config::Param param{};
    if constexpr (requires { Host::arguments(param, l, block.Arg); }) Host::arguments(param, l, block.Arg);
    return block;
  }

  // begin writes the first contents of every region, and the table block.
  void begin() {
    hz_table block = described(layout_);
    for (u64 i = 0; i < layout_.regions; i++) {
      block.Region[i] = block_.Region[i];
      fill(region(i), layout_.region[i].fill, layout_.region[i].bytes, stream_);
    }
    const u64 seed = seed_ + reseeds_ * 0x9e3779b97f4a7c15;
    block.Seed = Random(~seed).next();
    draw_hash_functions(block, seed);
    block_ = block;
    copied_ = hz_table{};
    size_ = 0;
    HostTable<Table> t(*this, stream_);
    if constexpr (requires { Host::setup(t); }) Host::setup(t);
    wait(stream_);
  }

  Layout made_, layout_;
  char* borrowed_ = nullptr;
  std::map<u64, u64> pieces_;  // the memory that it owns: address and bytes
  bool changed_ = false;       // its memory is no longer as it was made
  u64* counters_ = nullptr;
  struct Release {
    void operator()(u64* at) const { release_host(at); }
  };
  std::unique_ptr<u64[], Release> landing_{static_cast<u64*>(allocate_host(Layout::counter_bytes()))};  // of counters
  void* here_ = nullptr;
  hz_table block_{}, copied_{};
  u64 seed_, reseeds_ = 0, size_ = 0;
  bool lent_ = false;  // kernels of the caller's may have changed the table
  Stream stream_;
};

}  // namespace hashzoo

#endif
