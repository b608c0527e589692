// sides.h: operations that take more than one launch of their kernel.
#ifndef HASHZOO_SIDES_H
#define HASHZOO_SIDES_H

namespace hashzoo {

// Plain is one launch.
struct Plain {
  template <class Op, class T>
  static Counts run(T& t, const Batch& b) {
    return t.template launch<Op>(b);
  }
};

// repeat carries out a batch, and repeats the operations that failed as long as more(counts)
// says that it helps.
template <class Op, class T, class F>
Counts repeat(T& t, const Batch& b, F&& more) {
  const Scratch<u8> status(b.block.Status == 0 ? b.n : 0, b.stream);
  Batch all = b;
  if (b.block.Status == 0) all.block.Status = address(status.data());
  Counts counts = t.template launch<Op>(all);
  const Scratch<u8> again(counts.failed > 0 ? b.n : 0, b.stream);
  while (counts.failed > 0 && more(counts)) {
    Batch failed = all;
    const u8* ops = reinterpret_cast<const u8*>(all.block.Ops);
    mark_failed(reinterpret_cast<const u8*>(all.block.Status), ops, u8(all.block.Op), again.data(), b.n, b.stream);
    failed.block.Ops = address(again.data());
    counts.failed = counts.pairs = 0;
    counts += t.template launch<Op>(failed);
  }
  return counts;
}

// Retry repeats failed operations until none of them is helped: they may have failed only
// because others held what they give back.
struct Retry {
  template <class Op, class T>
  static Counts run(T& t, const Batch& b) {
    u64 before = ~u64(0);
    return repeat<Op>(t, b, [&](const Counts& done) { return done.failed < std::exchange(before, done.failed); });
  }
};

// AllPairs are the pairs of a table, and those that an insert left over.
template <class T>
class AllPairs {
 public:
  AllPairs(T& t, u64 left, const typename T::Key* left_keys, const typename T::Value* left_values, Stream stream)
      : AllPairs(t, t.count_pairs(stream).pairs, left, left_keys, left_values, stream) {}
  Counts insert_into(T& t, hz_batch to, Stream stream) const {
    to.Keys = address(keys_.data()), to.Values = address(values_.data());
    to.Select = u64(1) << hz::k_op_insert;
    to.Status = to.Ops = 0;
    return t.template launch<hz::op_insert>({to, n_, stream});
  }
  u64 size() const { return n_; }

 private:
  AllPairs(T& t, u64 here, u64 left, const typename T::Key* left_keys, const typename T::Value* left_values,
           Stream stream)
      : n_(here + left), keys_(n_, stream), values_(n_, stream) {
    t.copy_pairs(keys_.data(), values_.data(), here, stream);
    copy(keys_.data() + here, left_keys, left * sizeof(typename T::Key), stream);
    copy(values_.data() + here, left_values, left * sizeof(typename T::Value), stream);
    wait(stream);
  }

  u64 n_;
  Scratch<typename T::Key> keys_;
  Scratch<typename T::Value> values_;
};

// Rebuild inserts all pairs again, with other hash functions, if some find no room: at most
// `rebuilds` times, and only if on_failure is rebuild.
struct Rebuild {
  template <class Op, class T>
  static Counts run(T& t, const Batch& b) {
    using Param = typename T::Configuration::Param;
    if constexpr (Param::on_failure == 0) {
      return t.template launch<Op>(b);
    } else {
      const Scratch<typename T::Key> keys(b.n, b.stream);
      const Scratch<typename T::Value> values(b.n, b.stream);
      Batch batch = b;
      batch.block.PairKeys = address(keys.data()), batch.block.PairValues = address(values.data());
      batch.block.PairLimit = b.n;
      Counts counts = t.template launch<Op>(batch);
      const u64 asked = counts.ok + counts.failed;
      for (int i = 0; i < Param::rebuilds && counts.failed > 0; i++) counts.failed = again(t, batch, counts.failed);
      hand_over<T>(counts.failed, b.block, batch.block, b.stream);
      counts.pairs = counts.failed;
      counts.failed = std::min(counts.failed, asked);
      counts.ok = counts.added = asked - counts.failed;
      return counts;
    }
  }

 private:
  template <class T>
  static u64 again(T& t, const Batch& b, u64 left) {
    const AllPairs<T> all(t, left, reinterpret_cast<const typename T::Key*>(b.block.PairKeys),
                          reinterpret_cast<const typename T::Value*>(b.block.PairValues), b.stream);
    t.reseed(b.stream);
    return all.insert_into(t, b.block, b.stream).failed;
  }
  template <class T>
  static void hand_over(u64 left, const hz_batch& to, const hz_batch& from, Stream stream) {
    const u64 n = std::min(left, to.PairLimit);
    if (n == 0) return;
    copy(reinterpret_cast<void*>(to.PairKeys), reinterpret_cast<void*>(from.PairKeys), n * sizeof(typename T::Key),
         stream);
    copy(reinterpret_cast<void*>(to.PairValues), reinterpret_cast<void*>(from.PairValues),
         n * sizeof(typename T::Value), stream);
    wait(stream);
  }
};

// Flush takes all pairs out and inserts them again, which gives room back.
struct Flush {
  template <class T>
  static Counts flush(T& t, Stream stream) {
    const AllPairs<T> all(t, 0, nullptr, nullptr, stream);
    t.clear(stream);
    Counts counts = all.insert_into(t, {}, stream);
    t.set_contents(counts.ok);
    Counts flushed;
    flushed.pairs = counts.failed;
    return flushed;
  }
};

// FlushOrKeep is Flush where pairs may find no room in another order: then the table stays
// as it was.
struct FlushOrKeep {
  template <class T>
  static Counts flush(T& t, Stream stream) {
    const u64 bytes = t.layout().region[0].bytes, size = t.contents();
    const Scratch<char> before(bytes, stream);
    copy(before.data(), t.region(0), bytes, stream);
    const Counts counts = Flush::flush(t, stream);
    if (counts.pairs == 0) return counts;
    copy(t.region(0), before.data(), bytes, stream);
    wait(stream);
    t.set_contents(size);
    return {};
  }
};

// UntilFull is for tables behind a board of tickets. If a batch may fill the table, the
// first insert that finds no room tells the others: region, word and argument are where.
template <int region, int word, int argument>
struct UntilFull {
  template <class Op, class T>
  static Counts run(T& t, const Batch& b) {
    return run_to<Op>(t, b, t.contents() + b.n);
  }
  template <class Op, class T>
  static Counts run_to(T& t, const Batch& b, u64 pairs) {
    if (pairs <= t.capacity()) return t.template launch<Op>(b);
    fill(static_cast<u32*>(t.region(region)) + word, 0, sizeof(u32), b.stream);
    t.block().Arg[argument] = 1;
    const Counts counts = t.template launch<Op>(b);
    t.block().Arg[argument] = 0;
    return counts;
  }
};

// AloneUntilFull is UntilFull after an insert by lanes that do not help each other, up to
// `threshold` percent of the slots.
template <class Alone, class Full>
struct AloneUntilFull {
  template <class Op, class T>
  static Counts run(T& t, const Batch& b) {
    const u64 limit = u64(std::ceil(double(T::Configuration::Param::threshold) / 100 * double(t.capacity())));
    const u64 before = t.contents(), n = before < limit ? std::min(b.n, limit - before) : 0;
    if (n == 0) return Full::template run<Op>(t, b);
    Counts counts = t.template launch<Alone>({b.block, n, b.stream});
    if (n == b.n) return counts;
    Batch rest = b;
    rest.n -= n;
    rest.block.Keys += n * sizeof(typename T::Key);
    rest.block.Values += n * sizeof(typename T::Value);
    if (rest.block.Status != 0) rest.block.Status += n;
    const u64 left = std::min(counts.pairs, b.block.PairLimit);
    rest.block.PairLimit -= left;
    rest.block.PairKeys += left * sizeof(typename T::Key);
    rest.block.PairValues += left * sizeof(typename T::Value);
    return counts += Full::template run_to<Op>(t, rest, before + b.n);
  }
};

}  // namespace hashzoo

#endif
