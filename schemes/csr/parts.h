// parts.h: puts the rows of a batch in the order of the parts of a table.
//
// Rows come in any order, so two that follow each other go to distant slots, and a large
// directory is read and written at random. A part is a range of the directory that fits in a
// cache, with the places of its values:
//
//   rows     7=1 2=5 9=4 3=8 6=2      first every warp counts the rows of its piece by their
//   parts     2   0   2   0   1       part; the counts are scanned (kernels/scan.h)
//   moved    2=5 3=8 | 6=2 | 7=1 9=4  then it moves them to their places
//
// The first slot of a key says which part it belongs to: its bucket without its lowest bits. A
// warp has a counter for each part, in its scratch memory. Within a part, rows of a piece come
// before those of the next, so a part's rows are written almost in order, and in any order
// read.
// This pays if keys are many. Rows of few keys, however many rows these have, stay within few
// slots and the ends of few lists of values. A sample of the rows tells (kernels/sample.h).
#ifndef HZ_PARTS_H
#define HZ_PARTS_H

#include "drive.h"

namespace hz {

// RowMove is the batch that moves rows from Keys and Values to PairKeys and PairValues. The counts, of 4 bytes, have
// that of piece p of part q at q * pieces + p. A bucket's part is its number without its lowest `shift` bits; the
// number of parts is rounded up to a multiple of 32. `origin` is where to write which row went to each place, or 0.
template <class B>
struct RowMove {
  Field<B> rows, counts, shift, origin;
  HZ_BOTH explicit RowMove(B& b) : rows(b.FoundLimit), counts(b.FoundAt), shift(b.Select), origin(b.FoundOf) {}
};

template <class P>
class RowParts {
 public:
  static constexpr u32 kParts = 64;       // at most
  static constexpr u32 kPieceRows = 512;  // rows of a piece, which a warp moves
  using Warp = Tile<kWarp>;
  using Key = typename P::Key;
  using Value = typename P::Value;

  HZ_FN RowParts(const hz_batch* b, u64 buckets, u32* scratch)
      : block_(b),
        scratch_(scratch),
        rows_(RowMove(*b).rows),
        pieces_((rows_ + kPieceRows - 1) / kPieceRows),
        counts_(array<u32>(RowMove(*b).counts)),
        shift_(u32(RowMove(*b).shift)),
        parts_(u32((buckets - 1) >> RowMove(*b).shift) + 1) {}

  // count counts the rows of a piece; first(key) is the bucket where a key's walk begins.
  template <class F>
  HZ_FN void count(const Warp& warp, u64 piece, F&& first) const {
    each_part(warp, [&](u32 part) { scratch_[part] = 0; });
    warp.sync();
    each_row<false>(warp, piece, first, [&](u64, const P&, u32 part) { share_add(scratch_ + part, 1); });
    warp.sync();
    each_part(warp, [&](u32 part) { counts_[part * pieces_ + piece] = scratch_[part]; });
    warp.sync();
  }

  // move moves the rows of a piece.
  template <class F>
  HZ_FN void move(const Warp& warp, u64 piece, F&& first) const {
    each_part(warp, [&](u32 part) { scratch_[part] = counts_[part * pieces_ + piece]; });
    warp.sync();
    each_row<true>(warp, piece, first, [&](u64 row, const P& pair, u32 part) {
      const u32 to = share_add(scratch_ + part, 1);
      array<Key>(block_->PairKeys)[to] = pair.key;
      array<Value>(block_->PairValues)[to] = pair.value;
      if (RowMove(*block_).origin != 0) array<u32>(RowMove(*block_).origin)[to] = u32(row);
    });
    warp.sync();
  }

 private:
  static constexpr u32 kAtOnce = kOverlapped;  // rows of a lane that are read together

  template <class F>
  HZ_FN void each_part(const Warp& warp, F&& f) const {
    for (u32 from = 0; from < parts_; from += kWarp) warp.each([&](Lane l) { f(from + l.index()); });
  }

  // each_row calls f(row, pair, part) for the rows of a piece. Only Whole pairs have their values.
  template <bool Whole, class First, class F>
  HZ_FN void each_row(const Warp& warp, u64 piece, First&& first, F&& f) const {
    const u64 end = (piece + 1) * kPieceRows < rows_ ? (piece + 1) * kPieceRows : rows_;
    for (u64 base = piece * kPieceRows; base < end; base += kAtOnce * kWarp) {
      Lanes<P, kWarp> pair[kAtOnce];
#pragma GCC unroll 8
      for (u32 k = 0; k < kAtOnce; k++) {
        warp.each([&](Lane l) {
          const u64 row = base + k * kWarp + l.index(), at = row < end ? row : end - 1;
          pair[k][l].key = array<Key>(block_->Keys)[at];
          if constexpr (Whole) pair[k][l].value = array<Value>(block_->Values)[at];
        });
      }
#pragma GCC unroll 8
      for (u32 k = 0; k < kAtOnce; k++) {
        warp.each([&](Lane l) {
          const u64 row = base + k * kWarp + l.index();
          if (row < end) f(row, pair[k][l], first(pair[k][l].key) >> shift_);
        });
      }
    }
  }

  const hz_batch* block_;
  u32* scratch_;
  u64 rows_, pieces_;
  u32* counts_;
  u32 shift_, parts_;
};

}  // namespace hz

#endif
