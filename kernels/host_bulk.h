// host_bulk.h: large batches part by part of the table (bulk.h), for tables whose first region is an array of buckets,
// and whose operations try the first bucket of a key first.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "bulk_runs.h"
#include "host_retrieve.h"
#include "host_sample.h"
#include "host_side.h"

namespace hz::host {

// The fewest rows, and bytes of a table, with which a GPU gains: its cache holds smaller tables.
inline constexpr u64 kBulkRows = u64(4) << 20, kBulkBytes = u64(64) << 20;
// With fewer slots, partial aggregates of parts are faster (ahead.h).
inline constexpr u64 kBulkGroups = u64(4) << 20;

// The kernels of bulk.h, by the bytes of a key.
template <class Step>
struct BulkKernel {
  static constexpr u32 threads = HZ_BULK_THREADS;
  HZ_FN static void run(void* block, u64 first, u64 count) { bulk<Step>(nullptr, block, first, count); }
};
template <class K>
struct SplitKernel : BulkKernel<BulkSplit<K>> {
  static constexpr const char* name = sizeof(K) == 4 ? "hz_bulk_split_k4" : "hz_bulk_split_k8";
  static constexpr u32 blocks = HZ_SPLIT_BLOCKS;
};
template <class K>
struct BuildKernel : BulkKernel<BulkBuild<K>> {
  static constexpr const char* name = sizeof(K) == 4 ? "hz_bulk_build_k4" : "hz_bulk_build_k8";
  static constexpr u32 blocks = HZ_BUILD_BLOCKS;
};
template <class K>
struct SinglesKernel : BulkKernel<BulkSingles<K>> {
  static constexpr const char* name = sizeof(K) == 4 ? "hz_bulk_singles_k4" : "hz_bulk_singles_k8";
  static constexpr u32 blocks = HZ_BUILD_BLOCKS;
};
template <class K>
struct RunsKernel : BulkKernel<BulkRuns<K>> {
  static constexpr const char* name = sizeof(K) == 4 ? "hz_bulk_runs_k4" : "hz_bulk_runs_k8";
  static constexpr u32 blocks = HZ_BUILD_BLOCKS;
};
struct OutcomesKernel {
  static constexpr const char* name = "hz_bulk_outcomes";
  HZ_FN static void run(void* block, u64 first, u64 count) { bulk_outcomes(nullptr, block, first, count); }
};

// Places says where a scheme puts a pair: into the first unused slot of its bucket, and if that is full, of
// the next ones, `reach` buckets in all. With `search` it refuses a key that is there. Above the load `most`, finds
// would take longer than after other inserts: the rows that are left come last, and walk the farthest. A key has a
// bucket by each of `hashes` functions, one after the other. If `second` is a word of the table that is 1, the second
// one is in the page of the first (hash.h), and pages are parts.
struct Places {
  u64 bucket, reach;
  bool search;
  double most;
  u64 hashes = 1;
  u64* second = nullptr;

  bool paged() const { return second != nullptr && *second == 1; }
};

// page_of_part is the number of buckets of a part, in tables that are built part by part by themselves, or always; 0 in
// smaller ones.
inline u64 page_of_part(const Layout& l, bool always) {
  const u64 bytes = l.regions == 0 ? 0 : l.region[0].bytes;
  return bytes < (always ? u64(HZ_BULK_BYTES) : kBulkBytes) ? 0 : HZ_BULK_BYTES / (bytes / l.buckets);
}

// Beginning has walks begin at another bucket of a key than the first, as long as it lives.
class Beginning {
 public:
  Beginning(hz_table& t, const Places& how, u64 at) : hash_(t.Hash), how_(how), at_(at) {
    std::rotate(hash_, hash_ + at, hash_ + how.hashes);
    if (at > 0 && how.paged()) *how.second = how.hashes + 1 - at;
  }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;
  ~Beginning() {
    std::rotate(hash_, hash_ + how_.hashes - at_, hash_ + how_.hashes);
    if (at_ > 0 && how_.second != nullptr && *how_.second != 0) *how_.second = 1;
  }

 private:
  hz_hash* hash_;
  const Places& how_;
  u64 at_;
};

// Bins splits the rows of a batch by the parts of a table, of 1 << part buckets. All memory is taken before anything
// changes.
template <class T, class K>
class Bins {
 protected:
  // Bins have room for rows_of_key rows of each key; `most` bounds the rows of a part.
  Bins(T& t, const Batch& given, u64 bucket, u64 part, double rows_of_key, u64 most)
      : t_(t), given_(given), part_(part), rows_of_key_(rows_of_key) {
    const hz_table& table = t.block();
    b_.Keys = given.block.Keys, b_.Values = given.block.Values, b_.Items = given.n, b_.Status = given.block.Status;
    b_.Op = given.block.Op;
    if (!takes_value(u8(b_.Op))) b_.Values = 0;
    b_.Slots = table.Region[0], b_.Buckets = table.Buckets, b_.Bucket = bucket;
    b_.Hash = table.Hash[0], b_.Family = table.Family, b_.Fresh = t.empty();
    const u64 parts = ceil_of(table.Buckets, u64(1) << part_);
    if (parts > HZ_BULK_PARTS) step_ = u64(std::bit_width(parts) + 1) / 2;
    bins_ = bins(part_, most);
    if (step_ > 0) wide_ = bins(part_ + step_, given_.n);
    zeros_ = 3 * sizeof(u64) + (bins_.Number + wide_.Number) * sizeof(u32);
    b_.Left = t.scratch(zeros_);
    b_.Added = b_.Left + sizeof(u64), b_.Full = b_.Added + sizeof(u64), bins_.Next = b_.Full + sizeof(u64),
    wide_.Next = bins_.Next + bins_.Number * sizeof(u32);
  }

  // fit: two steps suffice, and the numbers of rows have 32 bits.
  static bool fit(T& t, const Batch& b, u64 part) {
    return b.n < u64(1) << 31 && ceil_of(t.block().Buckets, u64(1) << part) < u64(HZ_BULK_PARTS) * HZ_BULK_PARTS;
  }

  void split() {
    t_.fill(b_.Left, 0, zeros_);
    if (step_ > 0) split({}, wide_, part_ + step_);
    split(step_ > 0 ? wide_ : hz_bins{}, bins_, part_);
    b_.From = bins_;
  }

  // Told counts rows that are left or brought a key, and the rows, or parts, that Full counts.
  struct Told {
    u64 left, added, full;
  };
  Told told() { return value<Told>(t_, b_.Left); }

  T& t_;
  Batch given_;
  hz_bulk b_{};
  hz_bins bins_{};

 private:
  // bins are those of the parts of 1 << shift buckets.
  hz_bins bins(u64 shift, u64 most) {
    hz_bins made{};
    made.Number = ceil_of(b_.Buckets, u64(1) << shift);
    const double rows = double(given_.n) * double(u64(1) << shift) / double(b_.Buckets);
    made.Room = std::min({given_.n, most, u64(rows + 7 * std::sqrt(rows * rows_of_key_) + 32)});
    made.Rows = t_.scratch(made.Number * made.Room * 2 * sizeof(K));
    return made;
  }

  void split(const hz_bins& from, const hz_bins& to, u64 shift) {
    b_.From = from, b_.To = to, b_.Shift = shift;
    b_.To.Number = from.Number == 0 ? to.Number : u64(1) << step_;
    const u64 tiles = from.Number == 0 ? BulkSplit<K>::tiles(b_.Items) : from.Number * BulkSplit<K>::tiles(from.Room);
    t_.shared(SplitKernel<K>{}, b_, tiles * HZ_BULK_THREADS);
  }

  u64 part_, step_ = 0, zeros_ = 0;
  double rows_of_key_;
  hz_bins wide_{};
};

// BulkBatch carries out a batch.
template <class T, class K>
class BulkBatch : Bins<T, K> {
 public:
  BulkBatch(T& t, const Batch& given, const Places& how)
      : Bins<T, K>(t, given, how.bucket, part(how.bucket), 1, given.n), how_(how) {
    b_.Reach = how.reach, b_.Search = how.search;
    b_.Paged = how.paged(), b_.Second = t.block().Hash[1];
    b_.LeftKeys = t.scratch(2 * given.n * sizeof(K)), b_.LeftValues = b_.LeftKeys + given.n * sizeof(K);
    if (b_.Status != 0) b_.LeftOf = t.scratch(given.n * sizeof(u32)), outcomes_ = t.scratch(given.n);
  }

  static bool fits(T& t, const Batch& b, u64 bucket) {
    return std::has_single_bit(bucket) && bucket <= BulkRows<K>::kTile && Bins<T, K>::fit(t, b, part(bucket));
  }

  // run calls rest(batch) for the rows that are left.
  Result run(auto&& rest) {
    this->split();
    t_.shared(BuildKernel<K>{}, b_, bins_.Number * HZ_BULK_THREADS);
    return with_rest(rest);
  }

 private:
  using Bins<T, K>::t_, Bins<T, K>::given_, Bins<T, K>::b_, Bins<T, K>::bins_;

  static u64 part(u64 bucket) { return u64(std::bit_width(BulkRows<K>::kTile / bucket)) - 1; }

  Result with_rest(auto&& rest) {
    const auto told = this->told();
    const u64 seen = how_.paged() ? 2 : 1;  // buckets that are full, of all rows that are left
    const Beginning further(t_.block(), how_, told.full == told.left && how_.hashes > seen ? seen : 0);
    Batch left = given_;
    left.n = told.left, left.moved = true;
    left.block.Keys = b_.LeftKeys, left.block.Values = b_.LeftValues, left.block.Status = outcomes_;
    Result done = left.n > 0 ? rest(left) : Result{};
    if (left.n > 0 && b_.Status != 0) {
      b_.Keys = outcomes_;
      t_.shared(OutcomesKernel{}, b_, left.n);
    }
    done.ok += told.added, done.added += told.added, done.replaced += given_.n - left.n - told.added;
    done.batch = given_;
    return done;
  }

  u64 outcomes_ = 0;
  Places how_;
};

// BulkRunsOf lays the values of each key side by side (bulk_runs.h), in an empty table.
template <class T, class K>
class BulkRunsOf : Bins<T, K> {
 public:
  static constexpr u64 kMost = BulkRows<K>::kTile;

  // A part of the directory has 1 << part buckets, with room for kRowsOfKey rows of a key and more.
  BulkRunsOf(T& t, const Batch& given, u64 bucket, u64 part, u64 values)
      : Bins<T, K>(t, given, bucket, part, kRowsOfKey, kMost) {
    b_.Reach = kMost, b_.Search = 1, b_.Runs = values;
    starts_.Items = bins_.Number, starts_.Number = bins_.Next, starts_.Place = b_.Starts = t.scratch(4 * bins_.Number);
    starts_.Width = starts_.Stride = starts_.PlaceWidth = starts_.PlaceStride = sizeof(u32);
    starts_.Sum = t.scratch(8 * sums_of(starts_.Items));
    laid_ = t.scratch(bins_.Number);
  }

  static bool fits(T& t, const Batch& b, u64 part) {
    return Bins<T, K>::fit(t, b, part) &&
           double(b.n) * double(u64(1) << part) < 0.95 * kMost * double(t.block().Buckets);
  }

  // run returns false, with the table to be emptied, if not all rows found room: those of a key are too many. If all
  // keys may be different, it first tries what is faster then.
  bool run(bool different) {
    this->split();
    if (this->told().left > 0) return false;
    places(t_, starts_);
    if (different) {
      b_.LeftOf = laid_;
      t_.fill(laid_, 0, bins_.Number);
      t_.shared(SinglesKernel<K>{}, b_, bins_.Number * HZ_BULK_THREADS);
      if (this->told().full == 0) return true;
    }
    t_.shared(RunsKernel<K>{}, b_, bins_.Number * HZ_BULK_THREADS);
    return this->told().left == 0;
  }

 private:
  using Bins<T, K>::t_, Bins<T, K>::b_, Bins<T, K>::bins_;
  static constexpr double kRowsOfKey = 8;

  hz_scan starts_{};
  u64 laid_ = 0;
};

// allowed: may a batch be carried out part by part? With bulk=always, it is wherever it may.
bool allowed(auto& t, const Batch& b) {
  return t.bulk() != HZ_BULK_NOWHERE && t.param.bulk != t.param.bulk_never && b.n > 0 && b.block.Ops == 0 &&
         t.key_bytes() == t.value_bytes();
}
// worth: do rows and slots make up for the passes over all of them?
bool worth(auto& t, const Batch& b, const Places& how) {
  const u64 slots = t.block().Capacity, bytes = slots * (t.key_bytes() + t.value_bytes());
  if (!allowed(t, b)) return false;
  if (t.param.bulk == t.param.bulk_always) return true;
  if (t.bulk() != HZ_BULK_ON_GPU || b.n < kBulkRows || b.n * 4 < slots) return false;
  if (combines(u8(b.block.Op))) return slots >= kBulkGroups && 8 * distinct(t, b) >= 7 * HZ_SORT_SAMPLE;
  return bytes >= kBulkBytes && double(t.pairs() + b.n) <= how.most * double(slots);
}

// with_memory makes a B of a table and more, if there is memory for it.
template <class B, class T, class... More>
std::optional<B> with_memory(T& t, const More&... more) {
  try {
    return std::optional<B>(std::in_place, t, more...);
  } catch (const NoMemory& e) {
    t.note(text("not part by part: ", e.what()));
    return std::nullopt;
  }
}

// part_by_part carries out a batch so if that pays: what is left of it, or all, by a launch.
template <class T, class Op>
Result part_by_part(T& t, Op op, const Batch& b, const Places& how) {
  const auto launch = [&](const Batch& rest) { return t.launch(op, rest); };
  if (!worth(t, b, how)) return launch(b);
  return with_key(t, [&](auto key) {
    using Parts = BulkBatch<T, decltype(key)>;
    if (!Parts::fits(t, b, how.bucket)) return launch(b);
    auto parts = with_memory<Parts>(t, b, how);
    return parts ? parts->run(launch) : launch(b);
  });
}

}  // namespace hz::host
