// show.h: how subtables lie in memory, and what is shown of them.
#pragma once

#include "host_show.h"
#include "host_side.h"
#include "subtables.h"

namespace hz::host {

using AnySubtables = Subtables<Pair<u32>, Whole>;  // for the numbers that all have

// Storage is how a subtable stores its pairs: whole, slot after slot, or all keys and then all values.
struct Storage {
  bool whole;
  u64 key, value;  // bytes

  Storage(const auto& param, u64 key_bytes, u64 value_bytes)
      : whole(param.pairs == param.pairs_whole), key(key_bytes), value(value_bytes) {}

  u64 bucket() const { return whole ? kBucketPairs : kBucketKeyBytes / key; }  // slots

  // slot is the distance from one key to the next.
  u64 slot() const { return whole ? key + value : key; }

  // place returns where a slot of a subtable of n slots is: its key, and its value.
  std::pair<Span, Span> place(u64 subtable, u64 n, u64 i) const {
    const u64 at = subtable + i * slot();
    return {{at, key}, {whole ? at + key : subtable + n * slot() + i * value, value}};
  }

  // regions returns the memory of a subtable: its pairs, and the locks, which are always on the device.
  std::vector<Region> regions(u64 i, u64 buckets) const {
    const u64 bytes = buckets * bucket() * (key + value);
    return {{text("subtable ", i), bytes, 0xff, true}, {text("locks of subtable ", i), buckets * sizeof(u32)}};
  }
};

// SubtablesShown is a table whose subtables are looked at.
template <class T>
class SubtablesShown {
 public:
  explicit SubtablesShown(T& t) : t_(t), kept_(t.param, t.key_bytes(), t.value_bytes()), bucket_(kept_.bucket()) {}

  void bucket_fill() {
    hz_look sum{};
    for (u64 i = 0; i < count(); i++) {
      const hz_look seen = look(i);
      for (u64 bin = 0; bin < HZ_BINS; bin++) sum.Bin[bin] += seen.Bin[bin];
    }
    fill_bars(t_, sum, bucket_);
  }
  void pairs() {
    for (u64 i = 0; i < count(); i++)
      t_.bar(text("subtable ", i), double(look(i).Bin[kPairsBin]), double(buckets(i) * bucket_));
  }

  // row shows a bucket: its pairs, or its keys and its values.
  void row(u64 subtable, u64 bucket) {
    const u64 at = t_.block().Region[2 * subtable], n = buckets(subtable) * bucket_, first = bucket * bucket_;
    t_.row(text("bucket ", bucket, " of subtable ", subtable));
    const auto [keys, values] = kept_.place(at, n, first);
    t_.span(keys.at, bucket_ * kept_.slot());
    if (!kept_.whole) t_.span(values.at, bucket_ * values.bytes);
    for (u64 i = first; i < first + bucket_; i++) {
      const auto [key, value] = kept_.place(at, n, i);
      t_.slot(read(key), read(value), {key, value});
    }
  }

  u64 count() const { return t_.block().Hashes; }
  u64 buckets(u64 i) const { return t_.block().Arg[AnySubtables::kBase] << t_.block().Arg[AnySubtables::kLevel + i]; }

 private:
  // look counts the pairs in the buckets of a subtable.
  hz_look look(u64 i) {
    hz_look where{};
    where.At = t_.block().Region[2 * i], where.Slots = buckets(i) * bucket_, where.Bucket = bucket_;
    where.Stride = kept_.slot(), where.Key = kept_.key;
    return look_at_slots(t_, where);
  }
  u64 read(const Span& s) {
    u64 word = 0;
    t_.read(&word, s.at, std::min<u64>(s.bytes, sizeof word));
    return word;
  }

  T& t_;
  const Storage kept_;
  const u64 bucket_;  // slots
};

struct DyCuckooShow {
  template <class T>
  static Gauges<T> gauges() {
    return {{"bucket fill", [](T& t) { SubtablesShown<T>(t).bucket_fill(); }},
            {"subtables", [](T& t) { SubtablesShown<T>(t).pairs(); }}};
  }

  // rows shows the buckets, those of subtable 0 first.
  template <class T>
  static void rows(T& t) {
    SubtablesShown<T> shown(t);
    for (u64 i = 0; i < shown.count(); i++) {
      for (u64 bucket = 0; bucket < shown.buckets(i); bucket++) shown.row(i, bucket);
    }
  }
};

}  // namespace hz::host
