// host_show.h: what host sides show of tables, between batches: gauges, and rows.
//
// A gauge is a quantity inside a table, such as how full its buckets are. Those that scheme.toml declares without a
// look are listed by a function of the host side, with what reads them:
//
//   template <class T>
//   static Gauges<T> gauges() {
//     return {{"pool", pool<T>}};
//   }
//
// It must be cheap however large the table is: kernels visit the slots, and only their counts come to the host. Rows
// are the table's buckets or lists as vectors and single steps show them; a function rows(t) gives them, if a division
// of the region called slots into buckets does not. Neither may change the table, which has, besides reading
// (host_side.h):
//
//   t.look(kernel, n, where)       launches a kernel that looks at n items (look.h), and returns its bins
//   t.bar(label, value, of)        adds a bar to the gauge, with its upper bound, if there is one
//   t.row(name, cell)              begins a row. Without a name, its number says which bucket it is; cell is what its
//                                  cells are called, if not slots
//   t.span(at, bytes)              memory of the row
//   t.slot(key, value, {spans})    a slot of it: a pair, an erased one or an unused one, and its memory
//   t.cell(text, {spans})          another cell; a bar between nodes has no memory
//
// Exported tables show nothing, and make none of these functions.
#pragma once

#include "host_side.h"
#include "look_bins.h"

namespace hz::host {

using Span = hz_span;

// Gauge is what reads a gauge; fits throws Refused for tables that it does not suit.
template <class T>
struct Gauge {
  const char* name;
  void (*read)(T& t);
  void (*fits)(const Layout& l, u64 key, u64 value) = nullptr;
};
template <class T>
using Gauges = std::vector<Gauge<T>>;

// number is the number in a key or a value, of which eight bytes count.
inline u64 number(const u8* at, u64 bytes) {
  u64 word = 0;
  std::memcpy(&word, at, std::min<u64>(bytes, sizeof word));
  return word;
}

u64 pair_bytes(auto& t) { return t.key_bytes() + t.value_bytes(); }

// look_at_slots counts the pairs in each bucket of an array (look.h).
hz_look look_at_slots(auto& t, const hz_look& where) {
  const u64 row = std::max<u64>(where.Bucket, kWarp);
  return t.look("hz_look_buckets", (where.Slots + row - 1) / row, where);
}

// slot_array is where a table is whose first region is an array of slots.
hz_look slot_array(auto& t) {
  const Layout& l = t.layout();
  hz_look where{};
  where.At = t.block().Region[0], where.Slots = l.capacity, where.Bucket = l.capacity / l.buckets;
  where.Stride = Shape{t.key_bytes(), t.value_bytes(), 0, 0}.slot(), where.Key = t.key_bytes();
  return where;
}

// fill_bars are a bar for each number of pairs that a bucket may hold; large buckets share bars.
void fill_bars(auto& t, const hz_look& seen, u64 bucket) {
  const u64 step = std::max<u64>(1, bucket / kWarp);
  t.bar("0", double(seen.Bin[0]));
  for (u64 i = 1; i <= bucket / step; i++)
    t.bar(step > 1 ? text((i - 1) * step + 1, "-", i * step) : text(i), double(seen.Bin[i]));
}

// use_bars are how the places for pairs are used.
void use_bars(auto& t, u64 pairs, u64 erased, u64 all) {
  t.bar("pairs", double(pairs), double(all));
  t.bar("erased", double(erased), double(all));
  t.bar("unused", double(all - pairs - erased), double(all));
}

// length_label is the label of a bin of length_bin: 0, 1, 5-8, 17+.
inline std::string length_label(u64 bin) {
#define HZ_LENGTH_NAME(name, ...) #name,
  static const char* const names[] = {"probes_0", HZ_LENGTHS(HZ_LENGTH_NAME)};
#undef HZ_LENGTH_NAME
  std::string label = names[bin] + std::strlen("probes_");
  std::replace(label.begin(), label.end(), '_', '-');
  return bin == u64(kLengths) ? label + "+" : label;
}

// length_bars are lists by their lengths, from length 0 or 1 on.
void length_bars(auto& t, const hz_look& seen, u64 from) {
  for (u64 bin = from; bin <= u64(kLengths); bin++) t.bar(length_label(bin), double(seen.Bin[bin]));
}

// These gauges are of tables that are an array of slots.
void bucket_fill(auto& t) {
  const hz_look where = slot_array(t);
  fill_bars(t, look_at_slots(t, where), where.Bucket);
}
void slot_use(auto& t) {
  const hz_look seen = look_at_slots(t, slot_array(t));
  use_bars(t, seen.Bin[kPairsBin], seen.Bin[kErasedBin], t.layout().capacity);
}

}  // namespace hz::host
