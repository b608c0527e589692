// host_retrieve.h: retrieve, which writes the pairs of each key side by side. The keys are looked up first. Sums of
// the numbers of pairs (scan.h) are the places where they go, and their total is known before memory is taken for them.
#pragma once

#include "host_side.h"
#include "scan.h"

namespace hz::host {

// The kernels of scan.h.
struct ScanSums {
  static constexpr const char* name = "hz_scan_sums";
  HZ_FN static void run(void* scan, u64 first, u64 count) { scan_sums(nullptr, scan, first, count); }
};
struct ScanPlaces {
  static constexpr const char* name = "hz_scan_places";
  HZ_FN static void run(void* scan, u64 first, u64 count) { scan_places(nullptr, scan, first, count); }
};
struct Matches {
  static constexpr const char* name = "hz_matches";
  HZ_FN static void run(void* scan, u64 first, u64 count) { write_matches(nullptr, scan, first, count); }
};

// pieces_of is how many pieces of a scan items are, sums_of how many sums it takes: one for each piece, for each
// piece of those, and so on.
inline u64 pieces_of(u64 items) { return (items + HZ_SCAN_PIECE - 1) / HZ_SCAN_PIECE; }
inline u64 sums_of(u64 items) {
  const u64 pieces = pieces_of(items);
  return pieces <= 1 ? pieces : pieces + sums_of(pieces);
}

// places writes the sum of the sizes before each item, and returns the sum of all. s.Sum has room for sums_of.
u64 places(auto& t, const hz_scan& s) {
  const u64 pieces = pieces_of(s.Items);
  t.shared(ScanSums{}, s, pieces * kWarp);
  u64 total;
  if (pieces > 1) {
    hz_scan inner{};
    inner.Items = pieces, inner.Number = inner.Place = s.Sum, inner.Sum = s.Sum + 8 * pieces;
    inner.Width = inner.Stride = inner.PlaceWidth = inner.PlaceStride = 8;
    total = places(t, inner);
  } else {
    total = value<u64>(t, s.Sum);
  }
  t.shared(ScanPlaces{}, s, pieces * kWarp);
  return total;
}

// needs_outcomes: do answers alone not say how many pairs each key has?
template <class Op>
bool needs_outcomes(Op, const Batch& b) {
  return b.block.Ops != 0 || !__is_same(Op, op_find_all);
}

// room_for finds the places for the pairs that a batch has found, and takes memory for them, unless its caller
// has given some.
template <class T, class Op>
u64 room_for(T& t, Op op, Batch& b) {
  b.block.FoundAt = t.scratch(8 * b.n);
  hz_scan s{};
  s.Items = b.n, s.Place = b.block.FoundAt, s.PlaceWidth = s.PlaceStride = 8;
  s.Sum = t.scratch(8 * sums_of(b.n));
  if (needs_outcomes(op, b)) s.Batch = b.block;
  if (__is_same(Op, op_find_all)) {
    s.Number = b.block.Out, s.Stride = t.answer_bytes();
    s.Width = std::min<u64>(8, s.Stride);
  }
  const u64 found = places(t, s);
  t.give_room(b.block, found);
  return found;
}

// retrieve_by looks up the keys of a batch by an operation. Then write(batch) puts the values of operation i to FoundOf
// and FoundValues from FoundAt[i] on. Answers of find_all are the numbers of pairs; of find, each key found has one.
template <class T, class Op, class F>
Result retrieve_by(T& t, Op op, Batch b, F&& write) {
  if (b.n == 0) return {{}, b};
  if (needs_outcomes(op, b)) b = remembered(t, b);
  const hz_batch given = b.block;
  b.block.FoundOf = b.block.FoundValues = b.block.FoundLimit = 0;
  Result done = t.launch(op, b);
  done.batch.block.FoundOf = given.FoundOf, done.batch.block.FoundValues = given.FoundValues;
  done.batch.block.FoundLimit = given.FoundLimit;
  done.found = room_for(t, op, done.batch);
  Counts work = done;
  work += write(done.batch);
  done.set_work(work);
  return done;
}

// retrieve is that of schemes with find_all, and of those with find and unique keys.
template <class T>
Result retrieve(T& t, op_retrieve, const Batch& b) {
  if constexpr (T::template has<op_find_all>) {
    return retrieve_by(t, op_find_all{}, b, [&](const Batch& found) { return t.launch(op_find_all{}, found); });
  } else {
    return retrieve_by(t, op_find{}, b, [&](const Batch& found) {
      hz_scan matches{};
      matches.Batch = found.block, matches.Width = t.value_bytes(), matches.Stride = t.answer_bytes();
      t.shared(Matches{}, matches, found.n);
      return Result();
    });
  }
}

// kCarriesOut: has a host side a function for an operation?
template <class Side, class T, class Op>
concept kCarriesOut = requires(T& t, const Batch& b) { Side::run(t, Op{}, b); };

// kOnHost: is an operation carried out on the host, by its function or by that of all schemes?
template <class Side, class T, class Op>
inline constexpr bool kOnHost = T::template has<Op> && (kCarriesOut<Side, T, Op> || __is_same(Op, op_retrieve));

template <class Side, class T, class Op>
Result carry_out(T& t, Op op, const Batch& b) {
  if constexpr (kCarriesOut<Side, T, Op>) {
    return Side::run(t, op, b);
  } else {
    return retrieve(t, op, b);
  }
}

// NoHost is the host side of a scheme without a host.h.
struct NoHost {};

}  // namespace hz::host
