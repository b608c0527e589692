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
  replaced = hz::k_replaced   // the key was there: its value was replaced, or combined
};

// Counts are how many operations had each outcome, and how many pairs came and went.
struct Counts {
  u64 ok = 0, failed = 0, missing = 0, rejected = 0;
  u64 pairs = 0;  // pairs that left the table: left over by failed inserts, or exported
  u64 replaced = 0, added = 0, removed = 0;
  u64 found = 0;                         // values that find_all or retrieve found
  u64 work[HZ_COUNTER_STRIDE - 9] = {};  // what instrumented kernels count: only tests have them

  u64* begin() { return &ok; }
  const u64* begin() const { return &ok; }
  Counts& operator+=(const Counts& more) {
    for (int i = 0; i < HZ_COUNTER_STRIDE; i++) begin()[i] += more.begin()[i];
    return *this;
  }
};
static_assert(sizeof(Counts) == 8 * HZ_COUNTER_STRIDE && hz::kCount_found == 8);

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

// Left is where failed inserts leave the pairs that are in no slot. In schemes that move
// pairs those may be other pairs than the ones that were inserted.
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
struct Layout {
  struct Region {
    u64 bytes = 0;
    u8 fill = 0;  // its first contents
  };
  u64 capacity = 0;  // slots
  u64 buckets = 0;   // range of the hash functions
  Region region[HZ_MAX_REGIONS] = {};
  int regions = 0;

  void add(double bytes, u8 fill) { region[regions++] = {u64(bytes), fill}; }
  static u64 aligned(u64 bytes) { return (bytes + 255) / 256 * 256; }

  // bytes is the memory of a table: its regions, counters, and a copy of its table block.
  u64 bytes() const {
    u64 sum = own_bytes();
    for (int i = 0; i < regions; i++) sum += aligned(region[i].bytes);
    return sum;
  }
  static u64 counter_bytes() { return 8 * HZ_COUNTER_SETS * HZ_COUNTER_STRIDE; }
  static u64 own_bytes() { return aligned(counter_bytes()) + aligned(sizeof(hz_table)); }
};

// checked refuses impossible tables.
inline Layout checked(const Layout& l, double slots, u64 most) {
  if (!(slots >= 1) || l.capacity < u64(slots)) throw std::length_error("hashzoo: a table takes at least 1 slot");
  if (l.buckets == 0 || l.buckets >> 32 != 0) throw std::length_error("hashzoo: too many buckets: take larger ones");
  if (most > 0 && l.capacity > most) throw std::length_error("hashzoo: too many slots for this scheme");
  return l;
}

// least and most of several numbers.
inline double least(std::initializer_list<double> list) { return std::min(list); }
inline double most(std::initializer_list<double> list) { return std::max(list); }

// power2 and prime return the smallest power of two, or prime, that is at least x.
inline double power2(double x) { return x <= 1 ? 1 : std::exp2(std::ceil(std::log2(x))); }
inline double prime(double x) {
  const auto is_prime = [](u64 n) {
    for (u64 d = 2; d * d <= n; d++) {
      if (n % d == 0) return false;
    }
    return true;
  };
  u64 n = u64(std::max(2.0, std::ceil(x)));
  while (!is_prime(n)) n++;
  return double(n);
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

// Table is a table of one configuration. Config, which is generated, has its layout, its
// parameters, and what carries out operations that take more than one launch.
template <class Config, class P>
class Table {
 public:
  using Configuration = Config;
  using Pair = P;
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Answer = typename P::Answer;
  template <class Op>
  using Scheme = hz::ClassFor<typename Config::template Scheme<P>, Op>;

  // size returns the layout of a table for n keys at a load factor; size_of that of one
  // with at least the given number of slots.
  static Layout size(u64 n, double load = Config::max_load) {
    if (!(load > 0 && load <= 1)) throw std::invalid_argument("hashzoo: a load factor is more than 0 and at most 1");
    return Config::template layout<P>(double(n), load, std::ceil(double(n) / load), false);
  }
  static Layout size_of(u64 slots) { return Config::template layout<P>(double(slots), 1, double(slots), true); }

  // A table owns its memory, or borrows layout.bytes() bytes of device memory, aligned to 256.
  explicit Table(u64 n, double load = Config::max_load, u64 seed = 1) : Table(size(n, load), seed) {}
  explicit Table(const Layout& layout, u64 seed = 1, void* memory = nullptr, Stream stream = {})
      : seed_(seed), stream_(stream) {
    occupy(layout, memory);
    begin();
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() { leave(); }

  u64 capacity() const { return block_.Capacity; }
  const Layout& layout() const { return layout_; }
  u64 bytes() const { return layout_.bytes(); }

  // clear removes all pairs.
  void clear(Stream stream = {}) {
    stream_ = stream;
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
    u64 sets[HZ_COUNTER_SETS * HZ_COUNTER_STRIDE];
    copy(sets, counters_, sizeof sets, stream);
    wait(stream);
    Counts sum;
    for (int i = 0; i < HZ_COUNTER_SETS * HZ_COUNTER_STRIDE; i++) sum.begin()[i % HZ_COUNTER_STRIDE] += sets[i];
    return sum;
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

  // run carries out a batch of one operation, by the scheme's host side if it has one.
  template <class Op>
  Counts run(u8 op, const Batch& b) {
    Batch one = b;
    one.block.Op = op;
    if (one.block.Select == 0) one.block.Select = u64(1) << op;
    using Side = decltype(Config::host(Op{}));
    const Counts counts = Side::template run<Op>(*this, one);
    size_ += counts.added + counts.failed - counts.pairs - counts.removed;
    return counts;
  }

  Counts count_pairs(Stream stream) { return launch<hz::op_count>({{}, capacity(), stream}); }
  Counts copy_pairs(Key* keys, Value* values, u64 limit, Stream stream) {
    hz_batch b{};
    b.PairKeys = address(keys), b.PairValues = address(values), b.PairLimit = limit;
    return launch<hz::op_export>({b, capacity(), stream});
  }

  // size_of_contents is how many pairs there are, by the counters of bulk operations.
  u64 contents() const { return size_; }
  void set_contents(u64 pairs) { size_ = pairs; }

  // What host sides need.
  hz_table& block() { return block_; }
  void* region(int i) const { return reinterpret_cast<void*>(block_.Region[i]); }

  // reseed empties the table and draws other hash functions.
  void reseed(Stream stream) {
    reseeds_++;
    clear(stream);
  }

  // more allocates memory that belongs to the table.
  void* more(u64 bytes, u8 byte, Stream stream) {
    extra_.push_back(allocate(bytes));
    fill(extra_.back(), byte, bytes, stream);
    return extra_.back();
  }

  // move gives the table new memory with at least the given number of slots, and brings all
  // pairs there. If some find no room, the table stays as it is.
  bool move(u64 slots, Stream stream) {
    if (!owned_) throw std::logic_error("hashzoo: a table in borrowed memory cannot be resized");
    Table other(size_of(slots), seed_, nullptr, stream);
    const u64 n = count_pairs(stream).pairs;
    Scratch<Key> keys(n, stream);
    Scratch<Value> values(n, stream);
    copy_pairs(keys.data(), values.data(), n, stream);
    if (other.insert_all(keys.data(), values.data(), n, stream).failed > 0) return false;
    swap(other);
    return true;
  }

  // insert_all inserts by a single launch.
  Counts insert_all(const Key* keys, const Value* values, u64 n, Stream stream) {
    hz_batch b{};
    b.Keys = address(keys), b.Values = address(values), b.Select = u64(1) << hz::k_op_insert;
    return launch<hz::op_insert>({b, n, stream});
  }

 protected:
  void swap(Table& other) {
    std::swap(layout_, other.layout_);
    std::swap(memory_, other.memory_);
    std::swap(counters_, other.counters_);
    std::swap(here_, other.here_);
    std::swap(block_, other.block_);
    std::swap(copied_, other.copied_);
    std::swap(extra_, other.extra_);
    std::swap(owned_, other.owned_);
  }

  // bulk carries out one operation on n keys.
  template <class O>
  Counts bulk(const Key* keys, const Value* values, Answer* answers, u64 n, Stream stream, u8* status,
              Left<P> left = {}, Found<P> found = {}) {
    hz_batch b{};
    b.Keys = address(keys), b.Values = address(values), b.Out = address(answers), b.Status = address(status);
    b.PairKeys = address(left.keys), b.PairValues = address(left.values), b.PairLimit = left.limit;
    b.FoundOf = found.of != nullptr ? address(found.of) : address(counters_);  // 0 asks for no count of them
    b.FoundValues = address(found.values), b.FoundLimit = found.limit;
    return run<typename O::Kernel>(O::code, {b, n, stream});
  }

  // look finds which keys are there.
  Counts look(const Key* keys, bool* found, u64 n, Stream stream) {
    const Scratch<u8> status(n, stream);
    const Scratch<Answer> answers(n, stream);
    const Counts counts = bulk<op::find>(keys, nullptr, answers.data(), n, stream, status.data());
    mark_found(status.data(), found, n, stream);
    wait(stream);
    return counts;
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
    using Side = decltype(Config::host(Kernel{}));
    if constexpr (requires { Side::template only_in_bulk<Kernel>; }) return !Side::template only_in_bulk<Kernel>;
    return true;
  }

 protected:
  template <class... Op>
  auto make_ref(Stream stream) {
    static_assert((in_kernels<Op>() && ...), "the scheme carries this operation out in bulk only");
    static_assert(sizeof...(Op) == 1 || (Config::template concurrent<Op> && ...),
                  "these operations cannot share a launch: make a Ref of one operation");
    synchronize_block(stream);
    return Ref<P, typename Config::template Scheme<P>, Op...>(block_);
  }

 private:
  void occupy(const Layout& layout, void* memory) {
    layout_ = layout;
    owned_ = memory == nullptr;
    memory_ = owned_ ? allocate(layout.bytes()) : memory;
  }

  void leave() {
    if (owned_ && memory_ != nullptr) release(memory_);
    release_extra();
  }
  void release_extra() {
    for (void* at : extra_) release(at);
    extra_.clear();
  }

  // begin writes the first contents of every region, and the table block.
  void begin() {
    release_extra();
    char* at = static_cast<char*>(memory_);
    hz_table block{};
    for (int i = 0; i < layout_.regions; i++) {
      block.Region[i] = address(at);
      fill(at, layout_.region[i].fill, layout_.region[i].bytes, stream_);
      at += Layout::aligned(layout_.region[i].bytes);
    }
    counters_ = reinterpret_cast<u64*>(at);
    here_ = at + Layout::aligned(Layout::counter_bytes());
    block.Here = address(here_);
    block.Capacity = layout_.capacity, block.Buckets = layout_.buckets;
    block.Family = Config::family, block.Hashes = Config::hashes;
    const u64 seed = seed_ + reseeds_ * 0x9e3779b97f4a7c15;
    block.Seed = Random(~seed).next();
    draw_hash_functions(block, seed);
    Config::arguments(block.Arg, layout_);
    block_ = block;
    copied_ = hz_table{};
    size_ = 0;
    if constexpr (requires { Config::setup(*this, stream_); }) Config::setup(*this, stream_);
    wait(stream_);
  }

  Layout layout_;
  void* memory_ = nullptr;
  bool owned_ = false;
  u64* counters_ = nullptr;
  void* here_ = nullptr;
  hz_table block_{}, copied_{};
  u64 seed_, reseeds_ = 0, size_ = 0;
  Stream stream_;
  std::vector<void*> extra_;
};

}  // namespace hashzoo

#endif
