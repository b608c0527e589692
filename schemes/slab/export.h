// export.h: the host side of slab hash in C++, for exported tables: memory for SlabAlloc, inserts
// that find none, flush. The Go in host/ explains the sizes.
#ifndef HASHZOO_SLAB_EXPORT_H
#define HASHZOO_SLAB_EXPORT_H

namespace hashzoo {

struct SlabHashSide {
  using Memory = hz::SlabAlloc<32, hz::Addresses::light>;  // for its numbers
  static constexpr u64 slab_bytes = hz::kSlabBytes, directory_entries = 256;
  static constexpr u64 own_bytes = 8 * directory_entries + 256;
  static constexpr double usual_load = 0.86;

  // places is how many pairs a slab would hold without its pointer, items how many it holds.
  template <class P>
  static constexpr u64 places = slab_bytes / sizeof(P);
  template <class P>
  static constexpr u64 items = places<P> - 8 / sizeof(P);

  template <class Config, class P>
  static Layout layout(double n, double, double slots, bool by_slots) {
    using Param = typename Config::Param;
    const u64 one = items<P>;
    u64 slabs = (u64(slots) + places<P> - 1) / places<P>;
    const double pairs = by_slots ? usual_load * double(slabs * places<P>) : n;
    [[maybe_unused]] const double beta = double(Param::beta) / 100;
    u64 buckets = 0;
    if constexpr (Param::beta == 0) {
      buckets = most(slabs, [&](u64 b) { return slabs_for(pairs, b, one) <= double(slabs); });
    } else if (by_slots) {
      buckets = most(slabs, [&](u64 b) { return slabs_for(beta * double(one * b), b, one) <= double(slabs); });
    } else {
      buckets = std::max<u64>(1, u64(std::round(pairs / (beta * double(one)))));
      slabs = std::max(slabs, u64(slabs_for(pairs, buckets, one)));
    }
    return regions<Config, P>(buckets, slabs + slabs * u64(Param::spare) / 100 - buckets);
  }

  // setup tells the kernels where the super blocks are, and marks units that do not exist as taken.
  template <class T>
  static void setup(T& t, Stream stream) {
    hz_table& block = t.block();
    const u64 units = t.capacity() / places<typename T::Pair> - block.Buckets;
    block.Arg[Memory::kNextBucket] = 0;
    if constexpr (is_light<T>()) {
      block.Arg[Memory::kFirstUnits] = units, block.Arg[Memory::kSuperBlocks] = 1;
      trim(block.Region[Memory::kBitmaps], units, false, stream);
    } else {
      const std::vector<u64> supers = super_blocks(units);
      block.Arg[Memory::kFirstUnits] = supers[0], block.Arg[Memory::kSuperBlocks] = 0;
      block.Arg[Memory::kFurtherUnits] =
          supers.size() > 1 ? Memory::kSuperUnits : std::max<u64>(1, blocks_of(supers[0])) * Memory::kUnits;
      for (u64 i = 0; i < supers.size(); i++) add_super(t, block.Region[Memory::kBitmaps + i], supers[i], stream);
    }
  }

  // run repeats the operations that failed for lack of a slab after a flush, and after each super
  // block that the table may grow by. The parameter changes has no effect: an insert in a kernel of
  // the program's own could not have memory added, so it searches for a unit instead.
  template <class Op, class T>
  static Counts run(T& t, const Batch& b) {
    bool flushed = false;
    return repeat<Op>(t, b, [&](const Counts&) {
      if (!std::exchange(flushed, true) && compact(t, 0, t.block().Buckets, b.stream) > 0) return true;
      return grow(t, b.stream);
    });
  }

  // flush compacts all buckets, or the next few of them.
  template <class T>
  static Counts flush(T& t, Stream stream) {
    const u64 each = u64(T::Configuration::Param::flush), buckets = t.block().Buckets;
    const u64 from = t.block().Arg[Memory::kNextBucket], n = std::min(each == 0 ? buckets : each, buckets - from);
    compact(t, from, n, stream);
    t.block().Arg[Memory::kNextBucket] = (from + n) % buckets;
    return {};
  }

 private:
  template <class T>
  static constexpr bool is_light() {
    return T::Configuration::Param::alloc == 0;
  }

  // most returns the largest number from 1 to n that fits; 1 if none does.
  template <class F>
  static u64 most(u64 n, F&& fits) {
    u64 fit = 1, over = n + 1;
    while (over - fit > 1) {
      const u64 middle = fit + (over - fit) / 2;
      (fits(middle) ? fit : over) = middle;
    }
    return fit;
  }

  static double slabs_for(double pairs, u64 buckets, u64 one) {
    const double b = double(buckets), m = double(one), always = std::floor(pairs / m) + b;
    return std::ceil(std::min(always, b * slabs_of_bucket(pairs / b, m) + 5 * 0.5 * std::sqrt(b)));
  }

  // slabs_of_bucket is the expected number of slabs of a bucket with a Poisson number of pairs.
  static double slabs_of_bucket(double mean, double one) {
    const double spread = 12 * std::sqrt(mean) + 12, log = std::log(std::max(mean, 1e-300));
    double slabs = 0;
    for (double k = std::floor(std::max(0.0, mean - spread)); k <= mean + spread; k++) {
      slabs += std::exp(k * log - mean - std::lgamma(k + 1)) * std::max(1.0, std::ceil(k / one));
    }
    return slabs;
  }

  template <class Config, class P>
  static Layout regions(u64 buckets, u64 units) {
    if (buckets + units >= 0xffffffff) throw std::length_error("hashzoo: too many slabs: addresses have 32 bits");
    Layout l;
    l.buckets = buckets, l.capacity = (buckets + units) * places<P>;
    constexpr bool light = Config::Param::alloc == 0;
    l.add(double((buckets + (light ? units : 0)) * slab_bytes), 0xff);
    l.add(double(own_bytes), 0);
    if constexpr (light) {
      l.add(double(blocks_of(units) * slab_bytes), 0xff);
    } else {
      for (const u64 u : super_blocks(units)) {
        if (l.regions == HZ_MAX_REGIONS) throw std::length_error("hashzoo: too many slabs: take alloc=light");
        l.add(double((blocks_of(u) + u) * slab_bytes), 0xff);
      }
    }
    return l;
  }

  static u64 blocks_of(u64 units) { return (units + Memory::kUnits - 1) / Memory::kUnits; }

  // super_blocks are the units of the super blocks that a table starts with.
  static std::vector<u64> super_blocks(u64 units) {
    const u64 first = units == 0 ? 0 : (units - 1) % Memory::kSuperUnits + 1;
    std::vector<u64> list{first};
    for (u64 rest = units - first; rest > 0; rest -= Memory::kSuperUnits) list.push_back(Memory::kSuperUnits);
    return list;
  }

  // add_super enters a super block into the directory. Its bitmaps come first, then the units.
  template <class T>
  static void add_super(T& t, u64 at, u64 units, Stream stream) {
    hz_table& block = t.block();
    trim(at, units, true, stream);
    const u64 start = at + blocks_of(units) * slab_bytes;
    const u64 entry = (block.Buckets - 1) / Memory::kSuperUnits + 1 + block.Arg[Memory::kSuperBlocks]++;
    copy(reinterpret_cast<u64*>(block.Region[Memory::kDirectory]) + entry, &start, sizeof start, stream);
    wait(stream);
  }

  // trim marks the units after the last one of a memory block as taken.
  static void trim(u64 bitmaps, u64 units, bool backwards, Stream stream) {
    const u64 there = units % Memory::kUnits;
    if (there == 0) return;
    u8 bits[slab_bytes] = {};
    for (u64 unit = 0; unit < there; unit++) bits[unit / 8] |= u8(1 << (unit % 8));
    const u64 last = backwards ? 0 : blocks_of(units) - 1;
    copy(reinterpret_cast<u8*>(bitmaps) + last * slab_bytes, bits, sizeof bits, stream);
    wait(stream);
  }

  // grow adds a super block, if the table may have one more and there is memory.
  template <class T>
  static bool grow(T& t, Stream stream) {
    hz_table& block = t.block();
    if (is_light<T>() || block.Arg[Memory::kSuperBlocks] >= u64(T::Configuration::Param::super_blocks)) return false;
    const u64 units = block.Arg[Memory::kFurtherUnits];
    void* at = nullptr;
    try {
      at = t.more((blocks_of(units) + units) * slab_bytes, 0xff, stream);
    } catch (const std::exception&) {
      return false;
    }
    add_super(t, address(at), units, stream);
    block.Capacity += units * places<typename T::Pair>;
    not_exhausted(t, stream);
    return true;
  }

  // not_exhausted makes kernels look for free units again.
  template <class T>
  static void not_exhausted(T& t, Stream stream) {
    fill(reinterpret_cast<u64*>(t.block().Region[Memory::kDirectory]) + directory_entries, 0, sizeof(u32), stream);
  }

  // compact compacts n buckets, and returns how many markers of erased pairs went.
  template <class T>
  static u64 compact(T& t, u64 from, u64 n, Stream stream) {
    const u64 next = std::exchange(t.block().Arg[Memory::kNextBucket], from);
    const Scratch<u64> out(2, stream);
    fill(out.data(), 0, 2 * sizeof(u64), stream);
    hz_batch b{};
    b.Out = address(out.data());
    t.template launch<hz::op_flush>({b, n, stream});
    t.block().Arg[Memory::kNextBucket] = next;
    not_exhausted(t, stream);
    u64 both[2];
    copy(both, out.data(), sizeof both, stream);
    wait(stream);
    return both[1];
  }
};

}  // namespace hashzoo

#endif
