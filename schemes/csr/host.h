// host.h: how a table is built, how its values are retrieved, and what is shown of it.
#pragma once

#include "csr.h"
#include "host_bulk.h"
#include "host_show.h"
#include "host_side.h"

namespace hz::host {

using AnyCsr = Csr<Pair<u32>>;  // for the numbers that all tables have

// runs builds an empty table part by part, if that pays and succeeds: parts are for tables that are larger than caches,
// and rows of many keys, as others stay within few slots.
template <class K, class T>
bool runs(T& t, const Batch& b) {
  using Build = BulkRunsOf<T, K>;
  const u64 part = Csr<Pair<K>>::part_bits(u64(t.param.keys));
  if (!allowed(t, b) || t.pairs() > 0 || b.n > t.block().Capacity || !Build::fits(t, b, part)) return false;
  const bool always = t.param.bulk == t.param.bulk_always;
  if (!always && t.layout().region[0].bytes + t.layout().region[1].bytes < kBulkBytes) return false;
  const u64 keys = always ? u64(HZ_SORT_SAMPLE) : distinct(t, b);
  if (10 * keys < 9 * HZ_SORT_SAMPLE) return false;
  auto build = with_memory<Build>(t, b, AnyCsr::kBucket, part, t.block().Region[AnyCsr::kValues]);
  if (!build || build->run(all_different(keys))) return build.has_value();
  empty(t);
  return false;
}

// CsrBuild counts rows by key, adds the counts up, and scatters the values: of the pairs in the table, and of a batch.
// All memory is taken before anything changes.
template <class T>
class CsrBuild {
 public:
  CsrBuild(T& t, const Batch& b) : t_(t), given_(b) {
    if (t.pairs() > 0) {
      own_ = everything(t);
      make_room(t, given_.block, b.n + own_.n);
      note(own_);
    }
    note(given_);
    sums_ = t.scratch(8 * sums_of(slots()));
  }

  Result run() {
    if (own_.n > 0) empty(t_);
    launch(op_insert{}, own_);
    const Result counted = launch(op_insert{}, given_);
    places(t_, directory());
    launch(op_scatter{}, own_);
    launch(op_scatter{}, given_);
    return settled(counted);
  }

 private:
  // slots are those of the directory, and one for the end of the last.
  u64 slots() const { return t_.block().Buckets * AnyCsr::kBucket + 1; }

  // note makes room for what the count of a part notes for its scatter, and has it hand back pairs where the batch
  // does.
  void note(Batch& part) {
    const CountedRows rows(part.block);
    rows.notes = t_.scratch(8 * part.n);
    t_.fill(rows.notes, 0xff, 8 * part.n);
    part.block.PairKeys = given_.block.PairKeys, part.block.PairValues = given_.block.PairValues;
    part.block.PairLimit = given_.block.PairLimit;
  }

  // launch hands back pairs behind those that were handed back before.
  template <class Op>
  Result launch(Op op, Batch part) {
    if (part.n == 0) return {};
    if (__is_same(Op, op_scatter)) part.block.Status = 0;
    leave_after(t_, part.block, work_.pairs);
    const Result done = t_.launch(op, part);
    work_ += done;
    return done;
  }

  hz_scan directory() const {
    const u64 width = t_.value_bytes();
    hz_scan scan{};
    scan.Items = slots(), scan.Sum = sums_;
    scan.Number = scan.Place = t_.block().Region[AnyCsr::kDirectory] + t_.key_bytes();
    scan.Width = scan.PlaceWidth = width, scan.Stride = scan.PlaceStride = 2 * width;
    return scan;
  }

  Result settled(const Result& counted) {
    const u64 asked = counted.ok + counted.failed, left = work_.pairs;
    Result done{work_, given_};
    done.only_work();
    done.rejected = counted.rejected;
    done.set_inserts(asked, left);
    CountedRows(done.batch.block).notes = 0;
    if (own_.n > 0) {
      t_.note(text("built anew from ", own_.n, " pairs in the table and ", asked, " that came"));
    } else if (asked == left) {
      empty(t_);  // sums are no marks of empty slots
    }
    return done;
  }

  T& t_;
  Batch own_, given_;
  u64 sums_ = 0;
  Counts work_;
};

class CsrHost {
 public:
  static double max_load(const auto& p) { return p.keys >= 110 ? 1 : double(p.keys) / 110; }

  static Layout layout(const auto& p, const Shape& s) {
    Layout l{};
    l.buckets = ceil_of(s.slots * u64(p.keys), 100 * AnyCsr::kBucket), l.capacity = s.slots;
    add(l, {"directory", (AnyCsr::kBucket * l.buckets + 1) * s.pair(), 0xff, true});
    add(l, {"values", l.capacity * s.value, 0xff, true});
    return at_most(l, 4000000000);
  }

  static void arguments(const auto& p, const Layout& l, u64* arg) {
    if (p.max_probes == 0) arg[p.max_probes_arg] = std::max<u64>(256, l.buckets / 1000);
  }

  // A kernel cannot insert, because an insert builds the table from a whole batch, nor list values.
  template <class Op>
  static constexpr bool only_in_bulk = __is_same(Op, op_insert) || __is_same(Op, op_find_all);

  template <class T>
  static Result run(T& t, op_insert, const Batch& b) {
    const auto by_parts = [&](auto key) { return runs<decltype(key)>(t, b); };
    if (b.n > 0 && !with_key(t, by_parts)) return CsrBuild<T>(t, b).run();
    Result done{{}, b};
    done.set_inserts(b.n, 0);
    return done;
  }

  // Both look up how many values each key has and where they begin, and copy them.
  static Result run(auto& t, op_find_all, const Batch& b) {
    Batch look = b;
    FoundRuns(look.block).begins = t.scratch(sizeof(u32) * b.n);
    return retrieve_by(t, op_find_all{}, look, [&](const Batch& found) {
      const u64 piece = Copy<u32>::kPiece;
      Batch copies = found;
      copies.n = (found.block.FoundLimit + piece - 1) / piece * kWarp, FoundRuns(copies.block).rows = b.n;
      return copies.n == 0 ? Result() : t.launch(op_copy{}, copies);
    });
  }
  static Result run(auto& t, op_retrieve, const Batch& b) { return run(t, op_find_all{}, b); }

  template <class T>
  static Gauges<T> gauges() {
    return {{"directory fill", directory_fill<T>}, {"keys", keys<T>}, {"pairs of a key", pairs_of_a_key<T>}};
  }

  // rows shows the buckets of the directory with the first place of each key, then the values.
  static void rows(auto& t) {
    const hz_look where = directory(t);
    const std::vector<u8> all = values<u8>(t, where.At, where.Slots * where.Stride);
    for (u64 i = 0; i < where.Slots; i++) {
      const Span memory{where.At + i * where.Stride, where.Stride};
      if (i % where.Bucket == 0) {
        t.row();
        t.span(memory.at, where.Bucket * where.Stride);
      }
      const u8* slot = all.data() + i * where.Stride;
      t.slot(number(slot, where.Key), number(slot + where.Key, t.value_bytes()), {memory});
    }
    show_values(t);
  }

 private:
  static void show_values(auto& t) {
    const u64 at = t.block().Region[AnyCsr::kValues], width = t.value_bytes();
    const std::vector<u8> all = values<u8>(t, at, t.pairs() * width);
    t.row("values", "place");
    t.span(at, width * t.layout().capacity);
    for (u64 i = 0; i < all.size(); i += width) t.cell(text(number(&all[i], width)), {{at + i, width}});
  }

  // directory is where the directory is, which is an array of slots.
  static hz_look directory(auto& t) {
    hz_look where{};
    where.At = t.block().Region[AnyCsr::kDirectory], where.Slots = t.block().Buckets * AnyCsr::kBucket;
    where.Stride = pair_bytes(t), where.Key = t.key_bytes(), where.Bucket = AnyCsr::kBucket;
    return where;
  }
  static void directory_fill(auto& t) { fill_bars(t, look_at_slots(t, directory(t)), AnyCsr::kBucket); }
  static void keys(auto& t) {
    const hz_look where = directory(t);
    use_bars(t, look_at_slots(t, where).Bin[kPairsBin], 0, where.Slots);
  }
  static void pairs_of_a_key(auto& t) {
    const u64 keys = look_at_slots(t, directory(t)).Bin[kPairsBin];
    t.bar("", double(t.pairs()) / double(std::max<u64>(1, keys)));
  }
};

}  // namespace hz::host
