// partition.h: splits a batch by the parts of a device that own its keys, and puts the
// answers back into order.
//
//   keys      7  3  9  4  1  8         one launch counts the keys of each part in each
//   owner     1  0  1  0  0  1         piece of 1024; the counts are scanned (scan.h)
//   place     3  0  4  1  2  5         another one writes the place of each key
//   split     3  4  1 | 7  9  8        columns are moved to their places, one by one,
//                                      and answers are fetched back from there
//
// Owners follow from a hash of the key that no scheme uses, so what a part gets looks
// random to its table. Places keep the order of the batch within a part: the same batch
// is split in the same way each time. A tile keeps the histogram of its piece in its lanes,
// one for each part, and finds equal owners by a ballot for each part.
#ifndef HZ_PARTITION_H
#define HZ_PARTITION_H

#include "batch.h"
#include "drive.h"
#include "hash.h"
#include "partition_abi.h"

namespace hz {

// owner_of returns the part that owns a key: the upper half of a hash, scaled. Digits of e
// separate it from the other uses of mix64.
HZ_FN u32 owner_of(u64 key, u32 parts) {
  return multiply_high(u32(mix64(mix64(key ^ 0xb7e151628aed2a6aull) + 0xbf7158809cf4f3c7ull) >> 32), parts);
}

HZ_FN u64 key_at(const hz_split* s, u64 i) {
  return s->KeyWidth == sizeof(u32) ? array<u32>(s->Keys)[i] : array<u64>(s->Keys)[i];
}

HZ_FN u64 pieces_of(const hz_split* s) { return (s->Items + HZ_SPLIT_PIECE - 1) / HZ_SPLIT_PIECE; }

// each_owned calls f(tile, base, valid, owners) for the rows of 32 items of a piece.
template <class F>
HZ_FN void each_owned(const Tile<kWarp>& tile, const hz_split* s, u64 piece, F&& f) {
  for (u64 base = piece * HZ_SPLIT_PIECE; base < (piece + 1) * HZ_SPLIT_PIECE && base < s->Items; base += kWarp) {
    const u64 left = s->Items - base;
    const u32 valid = left >= kWarp ? ~u32(0) : (u32(1) << left) - 1;
    Lanes<u32, kWarp> owner;
    tile.each([&](Lane l) { owner[l] = ~u32(0); });
    tile.each(valid, [&](Lane l) { owner[l] = owner_of(key_at(s, base + l.index()), u32(s->Parts)); });
    f(base, valid, owner);
  }
}

// split_count is the body of the kernel hz_split_count, split_places that of
// hz_split_places. Both are launched for pieces.
HZ_FN void split_count(const void*, void* block, u64 first, u64 count) {
  const hz_split* s = static_cast<const hz_split*>(block);
  const u32 parts = u32(s->Parts);
  for_each_tile<kWarp>(first, count, [&](const Tile<kWarp>& tile, u64 piece) {
    Lanes<u64, kWarp> sum;
    tile.each([&](Lane l) { sum[l] = 0; });
    each_owned(tile, s, piece, [&](u64, u32, const Lanes<u32, kWarp>& owner) {
      for (u32 part = 0; part < parts; part++) {
        const u32 n = u32(popcount(tile.ballot_equal(owner, part)));
        tile.each(u32(1) << part, [&](Lane l) { sum[l] += n; });
      }
    });
    tile.each([&](Lane l) {
      if (l.index() < parts) array<u64>(s->Counts)[l.index() * pieces_of(s) + piece] = sum[l];
    });
  });
}

HZ_FN void split_places(const void*, void* block, u64 first, u64 count) {
  const hz_split* s = static_cast<const hz_split*>(block);
  const u32 parts = u32(s->Parts);
  for_each_tile<kWarp>(first, count, [&](const Tile<kWarp>& tile, u64 piece) {
    Lanes<u64, kWarp> next;
    tile.each(
        [&](Lane l) { next[l] = l.index() < parts ? array<u64>(s->Counts)[l.index() * pieces_of(s) + piece] : 0; });
    each_owned(tile, s, piece, [&](u64 base, u32 valid, const Lanes<u32, kWarp>& owner) {
      for (u32 part = 0; part < parts; part++) {
        const u32 own = tile.ballot_equal(owner, part);
        const u64 place = tile.pick(next, int(part));
        tile.each(own & valid,
                  [&](Lane l) { array<u32>(s->Place)[base + l.index()] = u32(place + tile.rank(own, l)); });
        tile.each(u32(1) << part, [&](Lane l) { next[l] += u32(popcount(own)); });
      }
    });
  });
}

// copy_item copies an item of a column.
HZ_FN void copy_item(const hz_split* s, u64 to, u64 from) {
  if (s->Width == 1) array<u8>(s->To)[to] = array<u8>(s->From)[from];
  if (s->Width == sizeof(u32)) array<u32>(s->To)[to] = array<u32>(s->From)[from];
  const u64 words = s->Width / 8;
  for (u64 i = 0; i < words; i++) array<u64>(s->To)[to * words + i] = array<u64>(s->From)[from * words + i];
}

// split_move is the body of the kernel hz_split_move, which moves a column to its places.
HZ_FN void split_move(const void*, void* block, u64 first, u64 count) {
  const hz_split* s = static_cast<const hz_split*>(block);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) {
      const u64 i = base + l.index(), place = array<u32>(s->Place)[i];
      if (s->From == 0) {
        array<u32>(s->To)[place] = u32(s->First + i);
      } else {
        copy_item(s, place, i);
      }
    });
  });
}

// split_fetch is the body of the kernel hz_split_fetch: item i of a column comes from its
// place. It puts answers back into the order of the batch, and with the numbers of
// operations as places it turns those of a part into those of the batch.
HZ_FN void split_fetch(const void*, void* block, u64 first, u64 count) {
  const hz_split* s = static_cast<const hz_split*>(block);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) { copy_item(s, base + l.index(), array<u32>(s->Place)[base + l.index()]); });
  });
}

}  // namespace hz

#endif
