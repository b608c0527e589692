// rows.h: retrieve, which writes the pairs of each key side by side. The keys are looked up
// first. The sums of the numbers of pairs are the places where they go, and their total is
// known before anything is written.
#ifndef HASHZOO_ROWS_H
#define HASHZOO_ROWS_H

#include "scan.h"

namespace hashzoo {

// ScanSums and ScanPlaces are the two launches of a prefix sum (scan.h), and Matches writes
// what finds have found.
struct ScanSums {
  static constexpr const char* name = "hz_scan_sums";
  HZ_FN static void run(void* scan, u64 first, u64 count) { hz::scan_sums(nullptr, scan, first, count); }
};
struct ScanPlaces {
  static constexpr const char* name = "hz_scan_places";
  HZ_FN static void run(void* scan, u64 first, u64 count) { hz::scan_places(nullptr, scan, first, count); }
};
struct Matches {
  static constexpr const char* name = "hz_matches";
  HZ_FN static void run(void* scan, u64 first, u64 count) { hz::write_matches(nullptr, scan, first, count); }
};

// InDevice is a scan in device memory, where launches read it. Its owner waits for them.
class InDevice {
 public:
  InDevice(const hz_scan& scan, Stream stream) : block_(1, stream), stream_(stream) {
    copy(block_.data(), &scan, sizeof scan, stream);
  }
  template <class Body>
  void launch(u64 count, u64 piece) const {
    launch_block<Body>(block_.data(), count, stream_, piece);
  }

 private:
  const Scratch<hz_scan> block_;
  Stream stream_;
};

// Places finds where items of different sizes begin if they lie side by side.
class Places {
 public:
  Places(u64 items, Stream stream) : sums_(sums_for(items), stream) {}

  // of writes the sum of the sizes before each item, and returns the sum of all.
  u64 of(hz_scan scan, Stream stream) const {
    scan.Sum = address(sums_.data());
    return write(scan, stream);
  }

 private:
  static u64 pieces_of(u64 items) { return (items + HZ_SCAN_PIECE - 1) / HZ_SCAN_PIECE; }

  // sums_for is how many sums there are: one for each piece, for each piece of those, and so on.
  static u64 sums_for(u64 items) {
    const u64 pieces = pieces_of(items);
    return pieces <= 1 ? pieces : pieces + sums_for(pieces);
  }

  static u64 write(const hz_scan& scan, Stream stream) {
    const u64 pieces = pieces_of(scan.Items);
    const InDevice here(scan, stream);
    here.launch<ScanSums>(pieces * hz::kWarp, hz::kWarp);
    const u64 total = pieces > 1 ? write(of_pieces(scan, pieces), stream) : only(scan.Sum, stream);
    here.launch<ScanPlaces>(pieces * hz::kWarp, hz::kWarp);
    wait(stream);
    return total;
  }
  static hz_scan of_pieces(const hz_scan& scan, u64 pieces) {
    hz_scan inner{};
    inner.Items = pieces, inner.Number = inner.Place = scan.Sum, inner.Sum = scan.Sum + 8 * pieces;
    inner.Width = inner.Stride = inner.PlaceWidth = inner.PlaceStride = 8;
    return inner;
  }

  static u64 only(u64 sum, Stream stream) {
    u64 total = 0;
    copy(&total, reinterpret_cast<const void*>(sum), sizeof total, stream);
    wait(stream);
    return total;
  }

  const Scratch<u64> sums_;
};

// Rows are the keys of a batch that retrieves, and the places of what they have.
template <class T>
class Rows {
 public:
  explicit Rows(const Batch& b)
      : batch_(b), places_(b.n, b.stream), sums_(b.n, b.stream), status_(b.block.Status == 0 ? b.n : 0, b.stream) {}

  // retrieve looks the keys up by Op, and then has write(batch) put what is found to FoundOf and
  // FoundValues, that of key i from FoundAt[i] on, as far as there is room.
  template <class Op, class F>
  Counts retrieve(T& t, F&& write) {
    Batch look = batch_;
    if (needs_outcomes<Op>() && look.block.Status == 0) look.block.Status = address(status_.data());
    look.block.Op = Op::code, look.block.Select = u64(1) << Op::code;
    look.block.FoundOf = look.block.FoundValues = look.block.FoundLimit = 0;
    Counts counts = t.template launch<Op>(look);
    counts.found = places<Op>(look);
    look.block.FoundAt = address(places_.data());
    look.block.FoundOf = batch_.block.FoundOf, look.block.FoundValues = batch_.block.FoundValues;
    look.block.FoundLimit = std::min(counts.found, batch_.block.FoundLimit);
    const Counts more = write(look);
    for (u64 i = 0; i < std::size(counts.work); i++) counts.work[i] += more.work[i];
    return counts;
  }

 private:
  // needs_outcomes: answers alone do not say how many pairs each key has.
  template <class Op>
  bool needs_outcomes() const {
    return batch_.block.Ops != 0 || !std::is_same_v<Op, hz::op_find_all>;
  }

  // places says where the rows of each key begin, and returns how many rows there are. Answers of find_all
  // are the numbers of pairs; of find, each key found has one.
  template <class Op>
  u64 places(const Batch& look) const {
    hz_scan scan{};
    scan.Items = look.n;
    if (needs_outcomes<Op>()) scan.Batch = look.block;
    scan.Place = address(places_.data()), scan.PlaceWidth = scan.PlaceStride = 8;
    if (std::is_same_v<Op, hz::op_find_all>) {
      scan.Number = look.block.Out, scan.Stride = sizeof(typename T::Answer);
      scan.Width = std::min<u64>(8, scan.Stride);
    }
    return sums_.of(scan, look.stream);
  }

  Batch batch_;
  const Scratch<u64> places_;
  const Places sums_;
  const Scratch<u8> status_;
};

// RetrieveOne retrieves by find, where a key has one pair at most.
struct RetrieveOne {
  template <class>
  static constexpr bool only_in_bulk = true;

  template <class Op, class T>
  static Counts run(T& t, const Batch& b) {
    if (b.n == 0) return {};
    return Rows<T>(b).template retrieve<hz::op_find>(t, [](const Batch& found) {
      hz_scan matches{};
      matches.Batch = found.block;
      matches.Width = T::Pair::value_bytes, matches.Stride = sizeof(typename T::Answer);
      const InDevice here(matches, found.stream);
      here.launch<Matches>(found.n, found.piece);
      wait(found.stream);
      return Counts();
    });
  }
};

// RetrieveAll retrieves by find_all, which counts first.
struct RetrieveAll {
  template <class>
  static constexpr bool only_in_bulk = true;

  template <class Op, class T>
  static Counts run(T& t, const Batch& b) {
    if (b.n == 0) return {};
    return Rows<T>(b).template retrieve<hz::op_find_all>(
        t, [&](const Batch& found) { return t.template launch<hz::op_find_all>(found); });
  }
};

}  // namespace hashzoo

#endif
