// partition.h: splits a batch by the parts of a device that own its keys, and puts the
// answers back into order.
//
//   keys      7  3  9  4  1  8         one launch counts the keys of each part in each
//   owner     1  0  1  0  0  1         piece of 1024, a second one adds up the counts
//   place     3  0  4  1  2  5         before each piece
//   split     3  4  1 | 7  9  8        a third one moves all columns to their places
//
// Owners follow from a hash of the key that no scheme uses, so what a part gets looks
// random to its table. Places keep the order of the batch within a part: the same batch
// is split in the same way each time. Places are not stored: a tile finds them again from
// the keys and the counts of its piece, when it moves columns and when it fetches answers.
// What a device owns itself goes where its table reads it, without a copy.
//
// Ranks come from ballots (Ashkiani and others: GPU Multisplit, 2016): one for each bit of
// the owners' numbers. They give each lane both the lanes with its own item's owner and
// those with the owner that it counts for. A tile handles eight rows of 32 items at a
// time, so that their loads overlap.
#ifndef HZ_PARTITION_H
#define HZ_PARTITION_H

#include "batch.h"
#include "drive.h"
#include "hash.h"
#include "partition_abi.h"

namespace hz {

// owner_of returns the part that owns a key: a hash, scaled. Its multipliers are those of
// no other hash here: lowbias32 of Wellons and moremur of Evensen.
HZ_FN u32 owner_of(u32 key, u32 parts) {
  u32 x = key ^ 0xb7e15162u;
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return multiply_high(x ^ x >> 16, parts);
}
HZ_FN u32 owner_of(u64 key, u32 parts) {
  u64 x = key ^ 0xb7e151628aed2a6aull;
  x = (x ^ x >> 27) * 0x3c79ac492ba7b653ull;
  x = (x ^ x >> 33) * 0x1c69b3f74ac4ae35ull;
  return multiply_high(u32(x >> 32), parts);
}

HZ_FN u64 pieces_of(const hz_split* s) { return (s->Items + HZ_SPLIT_PIECE - 1) / HZ_SPLIT_PIECE; }
HZ_FN u64 groups_of(const hz_split* s) { return (pieces_of(s) + s->Group - 1) / s->Group; }

// each_piece calls f(tile, piece) for the pieces of a launch over 32 items for each: a GPU
// gives each a warp.
template <class F>
HZ_FN void each_piece(u64 first, u64 count, F&& f) {
  const u64 from = (first + kWarp - 1) / kWarp, to = (first + count + kWarp - 1) / kWarp;
  for_each_tile<kWarp>(from, to - from, f);
}

// Rows are neighboring items, a lane of each row for each; each_row calls f(r) for each row,
// with a constant, so that a GPU keeps them in registers.
inline constexpr u32 kRows = 8;
template <class T>
struct Rows {
  Lanes<T, kWarp> row[kRows];
};
template <u32 n>
struct Number {
  HZ_FN constexpr operator u32() const { return n; }
};
template <u32 from = 0, u32 to = kRows, class F>
HZ_FN void each_row(F&& f) {
  if constexpr (from < to) {
    f(Number<from>());
    each_row<from + 1, to>(f);
  }
}

// Votes are the lanes of a row whose owners have each bit set.
template <int bits>
struct Votes {
  u32 valid, of[bits];
  HZ_FN u32 lanes(u32 part) const {
    u32 mask = valid;
    each_row<0, bits>([&](auto b) { mask &= of[b] ^ ((part >> b & 1) - 1); });
    return mask;
  }
};

// Splitter goes through a piece. Numbers of parts have `bits` bits.
template <class K, int bits>
class Splitter {
 public:
  using Row = Lanes<u32, kWarp>;

  HZ_FN Splitter(const Tile<kWarp>& tile, const hz_split* s, u64 piece)
      : tile_(tile), s_(s), piece_(piece), at_(piece * HZ_SPLIT_PIECE), parts_(u32(s->Parts)), own_(u32(s->Own)) {
    items_ = s->Items - at_ < HZ_SPLIT_PIECE ? u32(s->Items - at_) : HZ_SPLIT_PIECE;
  }

  // each calls f(base, keys, owners) for eight rows at a time. Behind the last item there are
  // copies of it.
  template <class F>
  HZ_FN void each(F&& f) const {
    const K* column = array<K>(s_->Keys);
    for (u32 base = 0; base < items_; base += kRows * kWarp) {
      const Rows<K> keys = read(column, base);
      Rows<u32> owners;
      each_row([&](auto r) { tile_.each([&](Lane l) { owners.row[r][l] = owner_of(keys.row[r][l], parts_); }); });
      f(base, keys, owners);
    }
  }

  // count adds eight rows to the sums: lane q has that of part q.
  HZ_FN void count(Row& sums, u32 base, const Rows<u32>& owners) const {
    each_row([&](auto r) {
      const Votes<bits> votes = vote(owners.row[r], valid(base, r));
      tile_.each([&](Lane l) { sums[l] += u32(popcount(votes.lanes(l.index()))); });
    });
  }

  // places returns the places of eight rows; lane q of next has that of part q, and advances.
  HZ_FN Rows<u32> places(Row& next, u32 base, const Rows<u32>& owners) const {
    Rows<u32> places;
    each_row([&](auto r) {
      const Votes<bits> votes = vote(owners.row[r], valid(base, r));
      const Row begin = tile_.gather(next, owners.row[r]);
      tile_.each([&](Lane l) {
        places.row[r][l] = begin[l] + tile_.rank(votes.lanes(owners.row[r][l]), l);
        next[l] += u32(popcount(votes.lanes(l.index())));
      });
    });
    return places;
  }

  // counts returns the address of the piece's count for a part.
  HZ_FN u64* counts(u32 part) const { return array<u64>(s_->Counts) + part * pieces_of(s_) + piece_; }

  HZ_FN u64 group() const { return piece_ / s_->Group; }

  // begin returns where the items of the piece begin in each part.
  HZ_FN Row begin() const {
    Row next;
    tile_.each([&](Lane l) { next[l] = l.index() < parts_ ? u32(*counts(l.index())) : 0; });
    return next;
  }

  // put writes eight rows to their places.
  template <class T>
  HZ_FN void put(const hz_split_column& c, u32 base, const Rows<u32>& owners, const Rows<u32>& places,
                 const Rows<T>& rows) const {
    T *own = array<T>(c.Own), *away = array<T>(c.Away);
    each_row([&](auto r) {
      tile_.each(valid(base, r),
                 [&](Lane l) { (owners.row[r][l] == own_ ? own : away)[places.row[r][l]] = rows.row[r][l]; });
    });
  }

  // move copies eight rows of a column to their places, fetch from them.
  HZ_FN void move(const hz_split_column& c, u32 base, const Rows<u32>& owners, const Rows<u32>& places) const {
    if (c.Width == 1) put(c, base, owners, places, read(array<u8>(c.Here), base));
    if (c.Width == sizeof(u32))
      put(c, base, owners, places, c.Here == 0 ? numbers(base) : read(array<u32>(c.Here), base));
    if (c.Width == sizeof(u64)) put(c, base, owners, places, read(array<u64>(c.Here), base));
    if (c.Width > sizeof(u64)) each_word(c, base, owners, places, [](u64& here, u64& there) { there = here; });
  }
  HZ_FN void fetch(const hz_split_column& c, u32 base, const Rows<u32>& owners, const Rows<u32>& places) const {
    if (c.Width == 1) get<u8>(c, base, owners, places);
    if (c.Width == sizeof(u32)) get<u32>(c, base, owners, places);
    if (c.Width == sizeof(u64)) get<u64>(c, base, owners, places);
    if (c.Width > sizeof(u64)) each_word(c, base, owners, places, [](u64& here, u64& there) { here = there; });
  }

 private:
  // valid returns which lanes of a row have items.
  HZ_FN u32 valid(u32 base, u32 r) const {
    const u32 from = base + r * kWarp, left = items_ > from ? items_ - from : 0;
    return left >= kWarp ? ~u32(0) : (u32(1) << left) - 1;
  }

  HZ_FN Votes<bits> vote(const Row& owners, u32 valid) const {
    Votes<bits> votes;
    votes.valid = valid;
    each_row<0, bits>([&](auto b) { votes.of[b] = tile_.ballot([&](Lane l) { return (owners[l] >> b & 1) != 0; }); });
    return votes;
  }

  template <class T>
  HZ_FN Rows<T> read(const T* column, u32 base) const {
    column += at_;
    Rows<T> rows;
    each_row([&](auto r) {
      tile_.each([&](Lane l) {
        const u32 i = base + r * kWarp + l.index();
        rows.row[r][l] = column[i < items_ ? i : items_ - 1];
      });
    });
    return rows;
  }
  HZ_FN Rows<u32> numbers(u32 base) const {
    const u32 first = u32(s_->First + at_ + base);
    Rows<u32> rows;
    each_row([&](auto r) { tile_.each([&](Lane l) { rows.row[r][l] = first + r * kWarp + l.index(); }); });
    return rows;
  }

  template <class T>
  HZ_FN void get(const hz_split_column& c, u32 base, const Rows<u32>& owners, const Rows<u32>& places) const {
    const T *own = array<T>(c.Own), *away = array<T>(c.Away);
    T* here = array<T>(c.Here) + at_ + base;
    Rows<T> rows;
    each_row([&](auto r) {
      tile_.each(valid(base, r),
                 [&](Lane l) { rows.row[r][l] = (owners.row[r][l] == own_ ? own : away)[places.row[r][l]]; });
    });
    each_row(
        [&](auto r) { tile_.each(valid(base, r), [&](Lane l) { here[r * kWarp + l.index()] = rows.row[r][l]; }); });
  }

  // each_word calls f(here, there) for the words of wide items.
  template <class F>
  HZ_FN void each_word(const hz_split_column& c, u32 base, const Rows<u32>& owners, const Rows<u32>& places,
                       F&& f) const {
    const u64 words = c.Width / sizeof(u64);
    u64 *here = array<u64>(c.Here) + (at_ + base) * words, *own = array<u64>(c.Own), *away = array<u64>(c.Away);
    for (u64 word = 0; word < words; word++) {
      each_row([&](auto r) {
        tile_.each(valid(base, r), [&](Lane l) {
          u64* there = owners.row[r][l] == own_ ? own : away;
          f(here[(r * kWarp + l.index()) * words + word], there[places.row[r][l] * words + word]);
        });
      });
    }
  }

  const Tile<kWarp>& tile_;
  const hz_split* s_;
  u64 piece_, at_;  // and its first item
  u32 items_, parts_, own_;
};

// each_split calls f(tile, splitter) for the pieces of a launch.
template <class K, int bits, class F>
HZ_FN void each_split_of(const hz_split* s, u64 first, u64 count, F&& f) {
  each_piece(first, count, [&](const Tile<kWarp>& tile, u64 piece) { f(tile, Splitter<K, bits>(tile, s, piece)); });
}
template <class F>
HZ_FN void each_split(const hz_split* s, u64 first, u64 count, F&& f) {
  const bool two = s->Parts <= 2, narrow = s->KeyWidth == sizeof(u32);
  if (two && narrow) each_split_of<u32, 1>(s, first, count, f);
  if (two && !narrow) each_split_of<u64, 1>(s, first, count, f);
  if (!two && narrow) each_split_of<u32, 5>(s, first, count, f);
  if (!two && !narrow) each_split_of<u64, 5>(s, first, count, f);
}

// split_count is the body of the kernel hz_split_count.
HZ_FN void split_count(const void*, void* block, u64 first, u64 count) {
  const hz_split* s = static_cast<const hz_split*>(block);
  each_split(s, first, count, [&](const Tile<kWarp>& tile, const auto& splitter) {
    Lanes<u32, kWarp> sums;
    tile.each([&](Lane l) { sums[l] = 0; });
    splitter.each([&](u32 base, const auto&, const Rows<u32>& owners) { splitter.count(sums, base, owners); });
    tile.each([&](Lane l) {
      if (l.index() >= s->Parts) return;
      *splitter.counts(l.index()) = sums[l];
      lane_add(l, array<u64>(s->Sums) + l.index() * groups_of(s) + splitter.group(), u64(sums[l]));
    });
  });
}

// split_starts is the body of the kernel hz_split_starts, launched for 32 items for each
// group of each part: it replaces the counts of the group by the sums of those before.
HZ_FN void split_starts(const void*, void* block, u64 first, u64 count) {
  const hz_split* s = static_cast<const hz_split*>(block);
  const u64 pieces = pieces_of(s), groups = groups_of(s);
  each_piece(first, count, [&](const Tile<kWarp>& tile, u64 group) {
    Lanes<u64, kWarp> sum;
    tile.each([&](Lane l) {
      sum[l] = 0;
      for (u64 i = l.index(); i < group; i += kWarp) sum[l] += array<u64>(s->Sums)[i];
    });
    u64 before = tile.total(sum);
    const u64 from = group % groups * s->Group, to = from + s->Group < pieces ? from + s->Group : pieces;
    u64* counts = array<u64>(s->Counts) + group / groups * pieces;
    for (u64 base = from; base < to; base += kWarp) {
      Lanes<u64, kWarp> sizes;
      tile.each([&](Lane l) { sizes[l] = base + l.index() < to ? counts[base + l.index()] : 0; });
      const Lanes<u64, kWarp> starts = tile.before(sizes);
      tile.each([&](Lane l) {
        if (base + l.index() < to) counts[base + l.index()] = before + starts[l];
      });
      before += tile.total(sizes);
    }
  });
}

// split_move is the body of the kernel hz_split_move. The first column is the keys.
HZ_FN void split_move(const void*, void* block, u64 first, u64 count) {
  const hz_split* s = static_cast<const hz_split*>(block);
  each_split(s, first, count, [&](const Tile<kWarp>&, const auto& splitter) {
    Lanes<u32, kWarp> next = splitter.begin();
    splitter.each([&](u32 base, const auto& keys, const Rows<u32>& owners) {
      const Rows<u32> places = splitter.places(next, base, owners);
      splitter.put(s->Column[0], base, owners, places, keys);
      each_row<1, HZ_SPLIT_COLUMNS>([&](auto c) { splitter.move(s->Column[c], base, owners, places); });
    });
  });
}

// split_order is the body of the kernel hz_split_order, which brings the first two columns
// from their places into the order of the batch.
HZ_FN void split_order(const void*, void* block, u64 first, u64 count) {
  const hz_split* s = static_cast<const hz_split*>(block);
  each_split(s, first, count, [&](const Tile<kWarp>&, const auto& splitter) {
    Lanes<u32, kWarp> next = splitter.begin();
    splitter.each([&](u32 base, const auto&, const Rows<u32>& owners) {
      const Rows<u32> places = splitter.places(next, base, owners);
      each_row<0, 2>([&](auto c) { splitter.fetch(s->Column[c], base, owners, places); });
    });
  });
}

// split_rename is the body of the kernel hz_split_rename: numbers of operations on a part
// become those of the batch, which the part has in Away.
HZ_FN void split_rename(const void*, void* block, u64 first, u64 count) {
  const hz_split_column& c = static_cast<const hz_split*>(block)->Column[0];
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) {
      u32& number = array<u32>(c.Here)[base + l.index()];
      number = array<u32>(c.Away)[number];
    });
  });
}

}  // namespace hz

#endif
