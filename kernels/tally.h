// tally.h: what kernels count.
//
// Scheme code reports its steps (probe, swap, evict) to a Tally. In timed kernels these
// functions are empty; in instrumented kernels they count in 64 bits. The counts are
// uniform: every lane of a GPU tile holds the same numbers, and one lane adds them up at
// the end.
#pragma once

#include "tile.h"

namespace hz {

// length_bin returns the bin of a length, of a walk or a list: 0 to 4, 5 to 8, 9 to 16,
// 17 and more.
HZ_FN u32 length_bin(u64 n) { return n <= 4 ? u32(n) : n <= 8 ? 5 : n <= 16 ? 6 : 7; }
inline constexpr int kLengths = kCount_probes_17 - kCount_probes_1 + 1;

template <bool Counted>
class Tally;

template <>
class Tally<false> {
 public:
  static constexpr bool counted = false, observed = false;
  HZ_FN void probe(const void*, int) {}
  HZ_FN void touch(const void*, int) {}
  HZ_FN void evict() {}
  HZ_FN void swap(const void*, int, bool) {}
  HZ_FN void stepped() {}
  HZ_FN void lanes(u64, u64) {}
  HZ_FN void allocate() {}
  template <class Tile>
  HZ_FN void combined(const Tile&, u32) {}
  HZ_FN void read_table(const void*, int) {}
  HZ_FN void write_table(const void*, int) {}
  HZ_FN u64 steps() const { return 0; }
  HZ_FN void took(u64) {}
  template <class Tile, class F>
  HZ_FN void took_of(const Tile&, u32, F&&) {}
  template <int W>
  HZ_FN void add_to(const Tile<W>&, u64*) const {}
};

template <>
class Tally<true> {
 public:
  static constexpr bool counted = true;

  // observed: steps are reported to the thread's observer, so addresses have to be those
  // of the memory that was touched, and not only aligned like it.
  static constexpr bool observed = kObserved;

  // probe counts the read of a bucket of `bytes` bytes.
  HZ_FN void probe(const void* at, int bytes) {
    probes_++;
    sectors(at, bytes);
    observe(kEvent_read, at, bytes);
  }
  // touch counts any other memory access: an atomic or a store, after it.
  HZ_FN void touch(const void* at, int bytes) {
    sectors(at, bytes);
    observe(kEvent_touch, at, bytes);
  }
  HZ_FN void evict() {
    evictions_++;
    observe(kEvent_evict, nullptr, 0);
  }
  // swap counts a compare-and-swap that succeeded or failed.
  HZ_FN void swap(const void* at, int bytes, bool won) {
    sectors(at, bytes);
    failed_cas_ += !won;
    observe(won ? kEvent_swap : kEvent_lost, at, bytes);
  }
  // visit and stepped count nothing: they tell observers where a walk is, and when its
  // step has ended.
  template <class Walk>
  HZ_FN void visit(const Walk& walk, const void* at) {
    observe(kEvent_visit, at, 0, walk.pair.key, walk.place, walk.step);
  }
  HZ_FN void stepped() { observe(kEvent_stepped, nullptr, 0); }
  HZ_FN void lanes(u64 active, u64 issued) {
    active_ += active;
    issued_ += issued;
  }
  HZ_FN void allocate() {
    allocations_++;
    observe(kEvent_allocate, nullptr, 0);
  }
  // combined counts the operations of the lanes in a mask, which met others before they
  // reached the table.
  template <class Tile>
  HZ_FN void combined(const Tile& tile, u32 lanes) {
    combined_ += u32(popcount(lanes));
    took_of(tile, lanes, [](Lane) { return 1; });
  }
  // read_table and write_table count accesses to the table proper, in schemes whose
  // probes are of a smaller structure in front of it.
  HZ_FN void read_table(const void* at, int bytes) {
    table_reads_++;
    sectors(at, bytes);
    observe(kEvent_read, at, bytes);
  }
  HZ_FN void write_table(const void* at, int bytes) {
    table_writes_++;
    touch(at, bytes);
  }

  // steps returns the tile's work so far; the drivers compare it between tiles.
  HZ_FN u64 steps() const { return probes_; }

  // took counts a completed operation by its number of probes. An operation that was
  // turned away before its first probe counts as 1. Indexing lengths_ by a run-time value
  // would move it from registers to local memory, so the loop selects the bin instead.
  HZ_FN void took(u64 probes) {
    const u32 bin = length_bin(probes == 0 ? 1 : probes);
#pragma GCC unroll 8
    for (u32 i = 0; i < kLengths; i++) lengths_[i] += bin == i + 1;
  }
  // took_of does the same for the operations of the lanes in a mask, which took f(lane)
  // probes.
  template <class Tile, class F>
  HZ_FN void took_of(const Tile& tile, u32 mask, F&& f) {
#pragma GCC unroll 8
    for (u32 i = 0; i < kLengths; i++) {
      lengths_[i] += u32(popcount(tile.ballot_of(mask, [&](Lane l) { return length_bin(f(l)) == i + 1; })));
    }
  }

  template <int W>
  HZ_FN void add_to(const Tile<W>& tile, u64* counters) const {
    tile.add(counters + kCount_probes, probes_);
    tile.add(counters + kCount_sectors, sectors_);
    tile.add(counters + kCount_evictions, evictions_);
    tile.add(counters + kCount_failed_cas, failed_cas_);
    tile.add(counters + kCount_lanes_active, active_);
    tile.add(counters + kCount_lanes_issued, issued_);
    tile.add(counters + kCount_allocations, allocations_);
    tile.add(counters + kCount_table_reads, table_reads_);
    tile.add(counters + kCount_table_writes, table_writes_);
    tile.add(counters + kCount_combined, combined_);
#pragma GCC unroll 8
    for (u32 i = 0; i < kLengths; i++) tile.add(counters + kCount_probes_1 + i, u64(lengths_[i]));
  }

 private:
  HZ_FN void sectors(const void* at, int bytes) {
    u64 from = reinterpret_cast<u64>(at) / 32, to = (reinterpret_cast<u64>(at) + u64(bytes) - 1) / 32;
    sectors_ += to - from + 1;
  }

  u64 probes_ = 0, sectors_ = 0, evictions_ = 0, failed_cas_ = 0, active_ = 0, issued_ = 0, allocations_ = 0;
  u64 table_reads_ = 0, table_writes_ = 0, combined_ = 0;
  u32 lengths_[kLengths] = {};  // no overflow: a tile carries out fewer than 2^32 operations
};

}  // namespace hz
