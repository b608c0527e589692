// host.h: how many buckets and slabs a table has, memory for SlabAlloc, inserts that find none, flush, and what is
// shown of the lists.
#pragma once

#include <bit>
#include <cmath>

#include "alloc.h"
#include "host_show.h"
#include "host_side.h"

namespace hz::host {

class SlabHashHost {
 public:
  // layout chooses the number of buckets and of slabs to allocate. Capacity is all memory in slabs, including
  // pointers, so the load factor of a full table is what the paper calls its memory utilization, at most 15/16.
  //
  // Without beta the number of buckets is the largest for which the memory suffices for the pairs at the requested
  // load factor; one that slabs cannot reach is refused. With beta the number of buckets follows from it, and memory
  // is added if beta needs more than the load factor leaves. Spare slabs are added to both.
  static Layout layout(const auto& param, const Shape& s) {
    const u64 places = places_of(s.key + s.value), items = items_of(s.key + s.value), spare = u64(param.spare);
    u64 slabs = (s.slots + places - 1) / places, buckets;
    const double pairs = s.n > 0 ? double(s.n) : kUsualLoad * double(slabs * places), beta = double(param.beta) / 100;
    if (param.beta == 0) {
      if (s.n > (slabs + slabs * spare / 100) * items)  // one list of all pairs would never end
        throw Refused(text("load ", decimal(double(s.n) / double(s.slots)), ": slabs hold pairs in ", items, " of ",
                           places, " places, so it is at most ", decimal(double(items) / double(places)),
                           "; hint: a lower load, or beta, which adds memory"));
      buckets = most(slabs, [&](u64 b) { return slabs_for(pairs, b, items) <= double(slabs); });
    } else if (s.n == 0) {
      buckets = most(slabs, [&](u64 b) { return slabs_for(beta * double(items * b), b, items) <= double(slabs); });
    } else {
      buckets = std::max<u64>(1, u64(std::round(pairs / (beta * double(items)))));
      slabs = std::max(slabs, u64(slabs_for(pairs, buckets, items)));
    }
    return regions(param, buckets, slabs + slabs * spare / 100 - buckets, places);
  }

  static double max_load(const auto& param) {
    if (param.beta == 0) return kUsualLoad;
    const double beta = double(param.beta) / 100, items = double(items_of(8)), places = double(places_of(8));
    return 0.97 * beta / slabs_of_bucket(beta * items, items) * items / places;
  }

  // setup tells the kernels where the super blocks are, and marks units that do not exist as taken.
  static void setup(auto& t) {
    hz_table& b = t.block();
    const u64 units = b.Capacity / places_of(pair_bytes(t)) - b.Buckets;
    b.Arg[Memory::kReuse] = t.param.erased == t.param.erased_reused;
    b.Arg[Memory::kNextBucket] = 0;
    if (is_light(t.param)) {
      b.Arg[Memory::kFirstUnits] = units, b.Arg[Memory::kSuperBlocks] = 1;
      return trim(t, b.Region[Memory::kBitmaps], units, false);
    }
    const std::vector<u64> supers = super_blocks(units);
    b.Arg[Memory::kFirstUnits] = supers[0], b.Arg[Memory::kFurtherUnits] = further(supers);
    b.Arg[Memory::kSuperBlocks] = 0, b.Arg[Memory::kChanges] = u64(t.param.changes);
    for (u64 i = 0; i < supers.size(); i++) add_super(t, b.Region[Memory::kBitmaps + i], supers[i]);
  }

  // Operations that failed for lack of a slab are repeated after a flush, and after each super block that the table may
  // grow by; with the parameter changes, super blocks come first.
  template <class T, class Op>
    requires(__is_same(Op, op_insert) || __is_same(Op, op_upsert) || __is_same(Op, op_combine) || __is_same(Op, op_mix))
  static Result run(T& t, Op op, const Batch& b) {
    bool flushed = false;
    return repeat(t, op, b, [&](const Result& done) {
      const bool more = find_room(t, flushed);
      if (!more) t.note(text("no memory for slabs: ", done.failed, " inserts failed"));
      return more;
    });
  }

  // A flush compacts all buckets, or the next few of them.
  static Result run(auto& t, op_flush, const Batch&) {
    const u64 buckets = t.block().Buckets, each = u64(t.param.flush);
    if (each == 0) {
      const Freed freed = compact(t, 0, buckets);
      t.note(text("took out ", freed.markers, " erased pairs and gave ", freed.slabs, " slabs back"));
      return {};
    }
    const u64 from = t.block().Arg[Memory::kNextBucket], n = std::min(each, buckets - from);
    const Freed freed = compact(t, from, n);
    t.note(text("buckets ", from, " to ", from + n - 1, " of ", buckets, ": took out ", freed.markers,
                " erased pairs and gave ", freed.slabs, " slabs back"));
    t.block().Arg[Memory::kNextBucket] = (from + n) % buckets;
    return {};
  }

  template <class T>
  static Gauges<T> gauges() {
    return {{"slabs per bucket", slabs_per_bucket<T>}, {"items", item_use<T>}, {"allocated", allocated<T>}};
  }

  // rows shows the slabs of the buckets in order, separated by bars, each up to the last item that was used.
  static void rows(auto& t) {
    for (u64 bucket = 0; bucket < t.block().Buckets; bucket++) {
      t.row(text("bucket ", bucket), "item");
      for (u64 address = bucket; address < kPending;) {
        const u64 at = slab_at(t, address);
        const std::vector<u8> slab = values<u8>(t, at, kSlabBytes);
        if (address != bucket) t.cell("|");
        t.span(at, kSlabBytes);
        show_items(t, at, slab.data());
        address = number(&slab[kSlabBytes - sizeof(u32)], sizeof(u32));
      }
    }
  }

 private:
  using Memory = SlabAlloc<32, Addresses::light>;  // for its numbers

  // Addresses of super blocks; the flag that says that no unit is free follows them.
  static constexpr u64 kDirectoryEntries = 256, kOwnBytes = 8 * kDirectoryEntries + 256;
  static constexpr u64 kMostRegions = HZ_MAX_REGIONS - 2;

  // kUsualLoad is the target load factor of a table whose shape gives its size but not the number of pairs.
  static constexpr double kUsualLoad = 0.86;

  // places_of is how many pairs a slab would hold without its pointer, items_of how many it holds.
  static u64 places_of(u64 pair) { return kSlabBytes / pair; }
  static u64 items_of(u64 pair) { return places_of(pair) - 8 / pair; }
  static bool is_light(const auto& param) { return param.alloc == param.alloc_light; }

  // most returns a number from 1 to n that fits, of which the next does not; 1 if none does.
  static u64 most(u64 n, auto&& fits) {
    u64 least = 1, most = n;
    while (least < most) {
      const u64 middle = (least + most) / 2;
      if (fits(middle + 1)) {
        least = middle + 1;
      } else {
        most = middle;
      }
    }
    return least;
  }

  // slabs_for returns how many slabs hold `pairs` pairs in `buckets` buckets in nearly all cases: the expected number
  // plus five standard deviations. The total number of pairs is fixed, so only the unused part of each bucket's last
  // slab varies: by at most half a slab per bucket.
  static double slabs_for(double pairs, u64 buckets, u64 items) {
    const double b = double(buckets), m = double(items);
    const double always = std::floor(pairs / m) + b;  // no distribution takes more
    return std::ceil(std::min(always, b * slabs_of_bucket(pairs / b, m) + 5 * 0.5 * std::sqrt(b)));
  }

  // slabs_of_bucket returns the expected number of slabs of a bucket if the number of its pairs is Poisson
  // distributed: 1, plus one for each multiple of a slab's items that is exceeded.
  static double slabs_of_bucket(double mean, double items) {
    const double spread = 12 * std::sqrt(mean) + 12, log = std::log(std::max(mean, 1e-300));
    double slabs = 0;
    for (double k = std::floor(std::max(0.0, mean - spread)); k <= mean + spread; k++)
      slabs += std::exp(k * log - mean - std::lgamma(k + 1)) * std::max(1.0, std::ceil(k / items));
    return slabs;
  }

  // regions returns a table of `buckets` base slabs and `units` slabs to allocate.
  static Layout regions(const auto& param, u64 buckets, u64 units, u64 places) {
    const u64 most = ~u32(0) - 1;
    if (buckets + units > most)
      throw Refused(text(buckets + units, " slabs are too many: addresses of 32 bits reach ", most));
    Layout l{};
    l.capacity = (buckets + units) * places, l.buckets = buckets;
    if (is_light(param)) {
      add(l, {"slabs", (buckets + units) * kSlabBytes, 0xff, true});
      add(l, {"directory", kOwnBytes});
      add(l, {"bitmaps", blocks_of(units) * kSlabBytes, 0xff});
      return l;
    }
    const std::vector<u64> supers = super_blocks(units);
    if (supers.size() + 2 > kMostRegions)
      throw Refused(text(units, " slabs take more than ", kMostRegions,
                         " super blocks at first: take alloc=light, or a smaller load factor"));
    add(l, {"base slabs", buckets * kSlabBytes, 0xff, true});
    add(l, {"directory", kOwnBytes});
    for (const u64 u : supers) add(l, {"super block", (blocks_of(u) + u) * kSlabBytes, 0xff, true});
    return l;
  }

  // super_blocks returns the units of the super blocks that a table starts with.
  static std::vector<u64> super_blocks(u64 units) {
    const u64 first = units == 0 ? 0 : (units - 1) % Memory::kSuperUnits + 1;
    std::vector<u64> list{first};
    for (u64 rest = units - first; rest > 0; rest -= Memory::kSuperUnits) list.push_back(Memory::kSuperUnits);
    return list;
  }

  // further returns the units of the super blocks after the first: as many as that one has, in whole memory blocks.
  static u64 further(const std::vector<u64>& supers) {
    return supers.size() > 1 ? Memory::kSuperUnits : std::max<u64>(1, blocks_of(supers[0])) * Memory::kUnits;
  }

  // blocks_of returns how many memory blocks `units` units are.
  static u64 blocks_of(u64 units) { return (units + Memory::kUnits - 1) / Memory::kUnits; }

  // first_entry is the directory's entry of the first super block.
  static u64 first_entry(const hz_table& b) { return (b.Buckets - 1) / Memory::kSuperUnits + 1; }

  // add_super enters a super block into the directory. Its bitmaps come first, that of the first memory block last,
  // then the units, whose address is what kernels need.
  static void add_super(auto& t, u64 at, u64 units) {
    trim(t, at, units, true);
    hz_table& b = t.block();
    const u64 entry = first_entry(b) + b.Arg[Memory::kSuperBlocks]++;
    put(t, b.Region[Memory::kDirectory] + 8 * entry, at + blocks_of(units) * kSlabBytes);
  }

  // trim marks the units after the last one of a memory block as taken.
  static void trim(auto& t, u64 bitmaps, u64 units, bool backwards) {
    const u64 there = units % Memory::kUnits;
    if (there == 0) return;
    u8 bits[kSlabBytes] = {};
    for (u64 unit = 0; unit < there; unit++) bits[unit / 8] |= u8(1 << (unit % 8));
    const u64 last = backwards ? 0 : blocks_of(units) - 1;
    t.write(bitmaps + last * kSlabBytes, bits, sizeof bits);
  }

  // find_room makes room for slabs, once by a flush, then by growing, and returns whether it succeeded.
  static bool find_room(auto& t, bool& flushed) {
    if (t.block().Arg[Memory::kChanges] > 0) return grow_as_asked(t);
    if (!std::exchange(flushed, true)) {
      const Freed freed = compact(t, 0, t.block().Buckets);
      if (freed.markers + freed.slabs > 0) {
        t.note(text("no memory for slabs: a flush took out ", freed.markers, " erased pairs and gave ", freed.slabs,
                    " slabs back"));
        return true;
      }
    }
    return grow(t);
  }

  // grow_as_asked adds a super block for tiles that gave up before memory was full. If there can be no more, they are
  // to search from now on.
  static bool grow_as_asked(auto& t) {
    if (grow(t)) return true;
    t.block().Arg[Memory::kChanges] = 0;
    not_exhausted(t);
    return true;
  }

  // grow adds a super block, if the table may have one more.
  static bool grow(auto& t) {
    hz_table& b = t.block();
    if (is_light(t.param) || b.Arg[Memory::kSuperBlocks] >= u64(t.param.super_blocks)) return false;
    const u64 units = b.Arg[Memory::kFurtherUnits];
    u64 at;
    try {
      at = t.allocate(Region("super block", (blocks_of(units) + units) * kSlabBytes, 0xff));
    } catch (const NoMemory& e) {
      t.note(text("no memory for another super block: ", e.what()));
      return false;
    }
    add_super(t, at, units);
    Layout l = t.layout();
    b.Capacity = l.capacity += units * places_of(pair_bytes(t));
    t.lay(l);
    t.note(text("no memory for slabs: super block ", b.Arg[Memory::kSuperBlocks], " added"));
    not_exhausted(t);
    return true;
  }

  // not_exhausted makes kernels look for free units again. The flag may be set although a unit was released at the
  // moment when it was set.
  static void not_exhausted(auto& t) {
    t.fill(t.block().Region[Memory::kDirectory] + 8 * kDirectoryEntries, 0, sizeof(u32));
  }

  // Freed is what a flush frees.
  struct Freed {
    u64 slabs, markers;
  };

  // compact compacts n buckets.
  static Freed compact(auto& t, u64 from, u64 n) {
    Batch b;
    b.n = n, b.block.Out = t.scratch(sizeof(Freed));
    t.fill(b.block.Out, 0, sizeof(Freed));
    const u64 next = std::exchange(t.block().Arg[Memory::kNextBucket], from);
    t.launch(op_compact_buckets{}, b);
    t.block().Arg[Memory::kNextBucket] = next;
    not_exhausted(t);
    return value<Freed>(t, b.block.Out);
  }

  // look counts the slabs of all lists.
  static hz_look look(auto& t) {
    hz_look where{};
    where.Stride = pair_bytes(t);
    return t.look(is_light(t.param) ? "hz_look_slabs_light" : "hz_look_slabs_super", t.block().Buckets, where);
  }
  static void slabs_per_bucket(auto& t) { length_bars(t, look(t), 1); }
  static void item_use(auto& t) {
    const hz_look seen = look(t);
    use_bars(t, seen.Bin[kPairsBin], seen.Bin[kErasedBin], seen.Bin[kSlabsBin] * items_of(pair_bytes(t)));
  }

  // allocated counts in the bitmaps, which are a thousandth of the size of the slabs.
  static void allocated(auto& t) {
    const hz_table& b = t.block();
    u64 units = b.Arg[Memory::kFirstUnits];
    if (is_light(t.param)) return show_units(t, "", b.Region[Memory::kBitmaps], units);
    const u64 entries = b.Region[Memory::kDirectory] + 8 * first_entry(b);
    const std::vector<u64> starts = values<u64>(t, entries, b.Arg[Memory::kSuperBlocks]);
    for (u64 i = 0; i < starts.size(); i++) {
      show_units(t, text("super block ", i), starts[i] - blocks_of(units) * kSlabBytes, units);
      units = b.Arg[Memory::kFurtherUnits];
    }
  }

  // show_units shows how many units are in use: a bit is 1 if its unit is free.
  static void show_units(auto& t, const std::string& label, u64 bitmaps, u64 units) {
    u64 used = units;
    for (const u64 word : values<u64>(t, bitmaps, blocks_of(units) * kSlabBytes / 8)) used -= u64(std::popcount(word));
    t.bar(label, double(used), double(units));
  }

  // show_items shows pairs, or keys, up to the last one that is or was there.
  static void show_items(auto& t, u64 at, const u8* slab) {
    const u64 pair = pair_bytes(t), key = t.key_bytes(), unused = ~u64(0) >> (64 - 8 * key);
    u64 items = items_of(pair);
    while (items > 0 && number(slab + (items - 1) * pair, key) == unused) items--;
    for (u64 i = 0; i < items; i++, slab += pair)
      t.slot(number(slab, key), number(slab + key, t.value_bytes()), {{at + i * pair, pair}});
  }

  // slab_at returns where the slab with an address is, decoded as kernels do (SlabAlloc::at).
  static u64 slab_at(auto& t, u64 address) {
    const hz_table& b = t.block();
    if (is_light(t.param) || address < b.Buckets) return b.Region[Memory::kSlabs] + address * kSlabBytes;
    const u64 start = value<u64>(t, b.Region[Memory::kDirectory] + 8 * (address / Memory::kSuperUnits));
    return start + address % Memory::kSuperUnits * kSlabBytes;
  }
};

}  // namespace hz::host
