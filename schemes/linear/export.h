// export.h: host.lua in C++, for exported tables.
#ifndef HASHZOO_LINEAR_EXPORT_H
#define HASHZOO_LINEAR_EXPORT_H

namespace hashzoo {

struct LinearSide {
  template <class Op, class T>
  static Counts run(T& t, const Batch& b) {
    using Param = typename T::Configuration::Param;
    if constexpr (Param::resize == 0) {
      return t.template launch<Op>(b);
    } else {
      if (std::is_same_v<Op, hz::op_insert>) ahead(t, b);
      const Counts counts = std::is_same_v<Op, hz::op_erase> ? t.template launch<Op>(b) : grown<Op>(t, b);
      fit(t, counts, b.stream);
      return counts;
    }
  }

  // A flush makes room of what was erased.
  template <class T>
  static Counts flush(T& t, Stream stream) {
    return FlushOrKeep::flush(t, stream);
  }

  // A resize gives the slots that are asked for, or those that the pairs need.
  template <class T>
  static bool resize(T& t, u64 slots, Stream stream) {
    constexpr u64 beta = T::Configuration::Param::beta;
    const u64 least = std::max<u64>(1, (100 * t.count_pairs(stream).pairs + beta - 1) / beta);
    return t.move(std::max(slots, least), stream);
  }

 private:
  template <class T>
  static u64 size_after(const T& t, const Counts& c) {
    return t.contents() + c.added + c.failed - c.pairs - c.removed;
  }

  // enough returns the slots needed for `pairs` pairs: the present number, doubled until the
  // load is below beta.
  template <class T>
  static u64 enough(const T& t, u64 pairs) {
    u64 slots = t.capacity();
    while (pairs * 100 > slots * T::Configuration::Param::beta) slots *= 2;
    return slots;
  }

  // fewer is the slots after erases: half as many as long as fewer than alpha percent are filled
  // and beta is kept.
  template <class T>
  static u64 fewer(const T& t, u64 pairs) {
    using Param = typename T::Configuration::Param;
    u64 slots = t.capacity();
    while (slots > 1 && 100 * pairs < slots * Param::alpha && 200 * pairs <= slots * Param::beta)
      slots = (slots + 1) / 2;
    return slots;
  }

  // fit brings the table back between its bounds. Only erases make it smaller.
  template <class T>
  static void fit(T& t, const Counts& counts, Stream stream) {
    const u64 pairs = size_after(t, counts);
    u64 slots = enough(t, pairs);
    if (slots == t.capacity() && counts.removed > 0) slots = fewer(t, pairs);
    if (slots != t.capacity()) t.move(slots, stream);
  }

  // Before inserts, whose keys are new, the table grows: each that finds no room would look at
  // max_probes buckets first.
  template <class T>
  static void ahead(T& t, const Batch& b) {
    const u64 pairs = t.contents() + b.n;
    if (double(pairs) > 0.95 * double(t.capacity())) t.move(enough(t, pairs), b.stream);
  }

  // homeless is how many of the pairs left over found no room: the keys of others are there.
  template <class T>
  static u64 homeless(T& t, const hz_batch& left, u64 pairs, Stream stream) {
    if (pairs == 0) return 0;
    const Scratch<typename T::Answer> answers(pairs, stream);
    hz_batch find{};
    find.Keys = left.PairKeys, find.Out = address(answers.data()), find.Select = u64(1) << hz::k_op_find;
    return t.template launch<hz::op_find>({find, pairs, stream}).missing;
  }

  // grown repeats what fails in a larger table. The first time the slots may do that there are,
  // without markers. A table that is nearly empty is not doubled: more slots do not help.
  template <class Op, class T>
  static Counts grown(T& t, const Batch& b) {
    const Scratch<typename T::Key> keys(b.n, b.stream);
    const Scratch<typename T::Value> values(b.n, b.stream);
    Batch all = b;
    all.block.PairKeys = address(keys.data()), all.block.PairValues = address(values.data());
    all.block.PairLimit = b.n;
    u64 slots = t.capacity(), moves = 0;
    return repeat<Op>(t, all, [&](const Counts& so_far) {
      const u64 out = homeless(t, all.block, so_far.pairs, b.stream), pairs = size_after(t, so_far) + out;
      if (out == 0 || (moves++ > 0 && pairs * 10 < slots)) return false;
      slots = std::max(slots, enough(t, pairs));
      const bool moved = t.move(slots, b.stream);
      slots *= 2;
      return moved;
    });
  }
};

}  // namespace hashzoo

#endif
