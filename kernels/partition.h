// partition.h: splits a batch by the parts of a device that own its keys, and puts the
// answers back into order.
//
//   keys      7  3  9  4  1  8         a tile notes the owner of each key of a piece of 1024,
//   owner     1  0  1  0  0  1         and counts those of each part; the piece takes that
//   place     3  0  4  1  2  5         many places of each part; then the tile moves all
//   split     3  4  1 | 7  9  8        columns there
//
// Owners follow from a hash of the key that no scheme uses, so what a part gets looks
// random to its table. What a device owns itself goes where its table reads it, without
// a copy.
//
// How many keys each part owns is counted ahead, for the sizes of copies: split_count
// counts those of each piece, and split_starts adds up the counts before each piece. In a
// batch whose answers are in the order of its keys, such as find_all, these are the places,
// and split_move moves the columns there. Otherwise pieces may take places in any order,
// and split_scatter does all with a single launch, which reads the keys from memory once:
// three took twice as long.
//
// A tile handles some rows of 32 items at a time, so that their loads overlap. Owners are
// kept as ballots: of each row, the lanes whose owner's number has a bit set, for each bit
// (Ashkiani and others: GPU Multisplit, 2016). From these a lane gets its item's owner, the
// lanes with the same one before it, and how many have the owner that the lane counts for.
// So places are not stored either: when answers are put into order, they are found again
// from the ballots and the counts of the piece.
#pragma once

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

// Votes are the lanes of a row whose owners have each bit set, as far as they have items.
template <int bits>
struct Votes {
  u32 valid, of[bits];
  HZ_FN u32 lanes(u32 part) const {
    u32 mask = valid;
    each_number<0, bits>([&](auto b) { mask &= of[b] ^ ((part >> b & 1) - 1); });
    return mask;
  }
  HZ_FN u32 owner(u32 lane) const {
    u32 part = 0;
    each_number<0, bits>([&](auto b) { part |= (of[b] >> lane & 1) << b; });
    return part;
  }
};

// Ballots are the votes of all rows of a piece, a lane for each row.
template <int bits>
struct Ballots {
  Lanes<u32, kWarp> of[bits];
};

// Splitter goes through a piece, some rows at a time. Numbers of parts have `bits` bits.
template <int bits, u32 rows>
class Splitter {
 public:
  using Row = Lanes<u32, kWarp>;
  template <class T>
  struct Rows {
    Lanes<T, kWarp> row[rows];
  };
  using Places = Rows<u32>;

  // kOwn marks a place among the part's own operations; a share has fewer than 2^31 items.
  static constexpr u32 kOwn = u32(1) << 31;

  HZ_FN Splitter(const Tile<kWarp>& tile, const hz_split* s, u64 piece)
      : tile_(tile), s_(s), piece_(piece), at_(piece * HZ_SPLIT_PIECE) {
    items_ = s->Items - at_ < HZ_SPLIT_PIECE ? u32(s->Items - at_) : u32(HZ_SPLIT_PIECE);
  }

  // each calls f(base) for some rows at a time.
  template <class F>
  HZ_FN void each(F&& f) const {
    for (u32 base = 0; base < items_; base += rows * kWarp) f(base);
  }

  // count notes the owners of some rows and adds them to the sums: lane q has that of part q.
  template <class K>
  HZ_FN void count(Row& sums, Ballots<bits>& ballots, u32 base) const {
    const Rows<K> keys = read(array<K>(s_->Keys), base);
    const u32 parts = u32(s_->Parts);
    each_row([&](auto r) {
      Row owner;
      tile_.each([&](Lane l) { owner[l] = owner_of(keys.row[r][l], parts); });
      Votes<bits> votes;
      votes.valid = valid(base, r);
      each_number<0, bits>([&](auto b) {
        votes.of[b] = tile_.ballot([&](Lane l) { return (owner[l] >> b & 1) != 0; });
        tile_.each([&](Lane l) { ballots.of[b][l] = l.index() == base / kWarp + r ? votes.of[b] : ballots.of[b][l]; });
      });
      tile_.each([&](Lane l) { sums[l] += u32(popcount(votes.lanes(l.index()))); });
    });
  }

  // places returns those of some rows; lane q of next has the next one of part q, and advances.
  HZ_FN Places places(Row& next, const Ballots<bits>& ballots, u32 base) const {
    Places places;
    const u32 own = u32(s_->Own);
    each_row([&](auto r) {
      Votes<bits> votes;
      votes.valid = valid(base, r);
      each_number<0, bits>([&](auto b) { votes.of[b] = tile_.pick(ballots.of[b], int(base / kWarp + r)); });
      Row owner;
      tile_.each([&](Lane l) { owner[l] = votes.owner(l.index()); });
      const Row begin = tile_.gather(next, owner);
      tile_.each([&](Lane l) {
        places.row[r][l] = (begin[l] + tile_.rank(votes.lanes(owner[l]), l)) | (owner[l] == own ? kOwn : 0);
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
    tile_.each([&](Lane l) { next[l] = l.index() < s_->Parts ? u32(*counts(l.index())) : 0; });
    return next;
  }

  // claim takes places for the piece: as many in part q as lane q says. It returns the first ones.
  HZ_FN Row claim(const Row& sums) const {
    Row next;
    tile_.each([&](Lane l) {
      next[l] = 0;
      if (l.index() >= s_->Parts) return;
      const u64 before = lane_add(l, array<u64>(s_->Sums) + l.index(), u64(sums[l]));
      next[l] = u32(array<u64>(s_->Starts)[l.index()] + before);
      *counts(l.index()) = next[l];
    });
    return next;
  }

  // load and store are for the ballots of the piece.
  HZ_FN Ballots<bits> load() const {
    Ballots<bits> ballots;
    each_number<0, bits>([&](auto b) { tile_.each([&](Lane l) { ballots.of[b][l] = kept(b)[l.index()]; }); });
    return ballots;
  }
  HZ_FN void store(const Ballots<bits>& ballots) const {
    each_number<0, bits>([&](auto b) { tile_.each([&](Lane l) { kept(b)[l.index()] = ballots.of[b][l]; }); });
  }

  // read reads some rows of a column; behind the last item there are zeroes. A lane has one address, to which rows add
  // constants: with one for each row, a GPU would run out of registers.
  template <class T>
  HZ_FN Rows<T> read(const T* column, u32 base) const {
    column += at_ + base;
    Rows<T> read;
    each_row([&](auto r) {
      tile_.each([&](Lane l) { read.row[r][l] = 0; });
      tile_.each(valid(base, r), [&](Lane l) { read.row[r][l] = (column + l.index())[r * kWarp]; });
    });
    return read;
  }

  // put writes some rows to their places.
  template <class T>
  HZ_FN void put(const hz_split_column& c, u32 base, const Places& places, const Rows<T>& read) const {
    T *own = array<T>(c.Own), *away = array<T>(c.Away);
    each_row([&](auto r) {
      tile_.each(valid(base, r), [&](Lane l) { *at(own, away, places.row[r][l], 1) = read.row[r][l]; });
    });
  }

  // move copies some rows of a column to their places, fetch from them.
  HZ_FN void move(const hz_split_column& c, u32 base, const Places& places) const {
    if (c.Width == 1) put(c, base, places, read(array<u8>(c.Here), base));
    if (c.Width == sizeof(u32)) put(c, base, places, c.Here == 0 ? numbers(base) : read(array<u32>(c.Here), base));
    if (c.Width == sizeof(u64)) put(c, base, places, read(array<u64>(c.Here), base));
    if (c.Width > sizeof(u64)) each_word(c, base, places, [](u64& here, u64& there) { there = here; });
  }
  HZ_FN void fetch(const hz_split_column& c, u32 base, const Places& places) const {
    if (c.Width == 1) get<u8>(c, base, places);
    if (c.Width == sizeof(u32)) get<u32>(c, base, places);
    if (c.Width == sizeof(u64)) get<u64>(c, base, places);
    if (c.Width > sizeof(u64)) each_word(c, base, places, [](u64& here, u64& there) { here = there; });
  }

 private:
  template <class F>
  HZ_FN static void each_row(F&& f) {
    each_number<0, rows>(f);
  }

  // valid returns which lanes of a row have items.
  HZ_FN u32 valid(u32 base, u32 r) const {
    const u32 from = base + r * kWarp, left = items_ > from ? items_ - from : 0;
    return left >= kWarp ? ~u32(0) : (u32(1) << left) - 1;
  }

  HZ_FN u32* kept(u32 bit) const {
    return array<u32>(s_->Ballots) + (pieces_of(s_) * bit + piece_) * (HZ_SPLIT_PIECE / kWarp);
  }

  template <class T>
  HZ_FN static T* at(T* own, T* away, u32 place, u64 words) {
    return (place & kOwn ? own : away) + (place & ~kOwn) * words;
  }

  HZ_FN Rows<u32> numbers(u32 base) const {
    const u32 first = u32(s_->First + at_ + base);
    Rows<u32> read;
    each_row([&](auto r) { tile_.each([&](Lane l) { read.row[r][l] = first + r * kWarp + l.index(); }); });
    return read;
  }

  template <class T>
  HZ_FN void get(const hz_split_column& c, u32 base, const Places& places) const {
    const T *own = array<T>(c.Own), *away = array<T>(c.Away);
    T* here = array<T>(c.Here) + at_ + base;
    Rows<T> read;
    each_row([&](auto r) {
      tile_.each(valid(base, r), [&](Lane l) { read.row[r][l] = *at(own, away, places.row[r][l], 1); });
    });
    each_row(
        [&](auto r) { tile_.each(valid(base, r), [&](Lane l) { (here + l.index())[r * kWarp] = read.row[r][l]; }); });
  }

  // each_word calls f(here, there) for the words of wide items.
  template <class F>
  HZ_FN void each_word(const hz_split_column& c, u32 base, const Places& places, F&& f) const {
    const u64 words = c.Width / sizeof(u64);
    u64 *here = array<u64>(c.Here) + (at_ + base) * words, *own = array<u64>(c.Own), *away = array<u64>(c.Away);
    each_row([&](auto r) {
      tile_.each(valid(base, r), [&](Lane l) {
        u64 *item = here + u64(r * kWarp + l.index()) * words, *place = at(own, away, places.row[r][l], words);
        HZ_ROLLED for (u64 word = 0; word < words; word++) f(item[word], place[word]);
      });
    });
  }

  const Tile<kWarp>& tile_;
  const hz_split* s_;
  u64 piece_, at_;  // and its first item
  u32 items_;
};

// each_split calls f(tile, splitter) for the pieces of a launch.
template <class Splitter, class F>
HZ_FN void each_split(const hz_split* s, u64 first, u64 count, F&& f) {
  each_piece(first, count, [&](const Tile<kWarp>& tile, u64 piece) { f(tile, Splitter(tile, s, piece)); });
}

// each_column calls f(column) for columns from one number to another.
template <u32 from, u32 to, class F>
HZ_FN void each_column(const hz_split* s, F&& f) {
  HZ_ROLLED for (u32 c = from; c < to && s->Column[c].Width != 0; c++) f(s->Column[c]);
}

// Rows at a time: counting needs few registers, and moving about twice as many for each row.
template <int bits>
using Scout = Splitter<bits, 8>;
template <int bits>
using Mover = Splitter<bits, 4>;

// counted counts the keys of each part in a piece, and keeps the ballots.
template <class K, int bits>
HZ_FN Lanes<u32, kWarp> counted(const Tile<kWarp>& tile, const Scout<bits>& scout, Ballots<bits>& ballots) {
  Lanes<u32, kWarp> sums;
  tile.each([&](Lane l) { sums[l] = 0; });
  each_number<0, bits>([&](auto b) { tile.each([&](Lane l) { ballots.of[b][l] = 0; }); });
  scout.each([&](u32 base) { scout.template count<K>(sums, ballots, base); });
  scout.store(ballots);
  return sums;
}

// move_columns moves a piece. The first column is the keys, which are under way while a tile
// looks for their places.
template <class K, int bits>
HZ_FN void move_columns(const hz_split* s, const Mover<bits>& mover, Lanes<u32, kWarp> next,
                        const Ballots<bits>& ballots) {
  mover.each([&](u32 base) {
    const auto keys = mover.read(array<K>(s->Column[0].Here), base);
    const auto places = mover.places(next, ballots, base);
    mover.put(s->Column[0], base, places, keys);
    each_column<1, HZ_SPLIT_COLUMNS>(s, [&](const hz_split_column& c) { mover.move(c, base, places); });
  });
}

// split_count is the body of the kernels hz_split_count.
template <int bits, class K>
HZ_FN void split_count(const void*, void* block, u64 first, u64 count) {
  const hz_split* s = static_cast<const hz_split*>(block);
  each_split<Scout<bits>>(s, first, count, [&](const Tile<kWarp>& tile, const Scout<bits>& scout) {
    Ballots<bits> ballots;
    const Lanes<u32, kWarp> sums = counted<K>(tile, scout, ballots);
    tile.each([&](Lane l) {
      if (l.index() >= s->Parts) return;
      *scout.counts(l.index()) = sums[l];
      lane_add(l, array<u64>(s->Sums) + l.index() * groups_of(s) + scout.group(), u64(sums[l]));
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

// split_move is the body of the kernels hz_split_move.
template <int bits, class K>
HZ_FN void split_move(const void*, void* block, u64 first, u64 count) {
  const hz_split* s = static_cast<const hz_split*>(block);
  each_split<Mover<bits>>(s, first, count, [&](const Tile<kWarp>&, const Mover<bits>& mover) {
    move_columns<K>(s, mover, mover.begin(), mover.load());
  });
}

// split_scatter is the body of the kernels hz_split_scatter.
template <int bits, class K>
HZ_FN void split_scatter(const void*, void* block, u64 first, u64 count) {
  const hz_split* s = static_cast<const hz_split*>(block);
  each_piece(first, count, [&](const Tile<kWarp>& tile, u64 piece) {
    Ballots<bits> ballots;
    const Lanes<u32, kWarp> sums = counted<K>(tile, Scout<bits>(tile, s, piece), ballots);
    const Mover<bits> mover(tile, s, piece);
    move_columns<K>(s, mover, mover.claim(sums), ballots);
  });
}

// split_order is the body of the kernels hz_split_order, which bring the first two columns
// from their places into the order of the batch.
template <int bits>
HZ_FN void split_order(const void*, void* block, u64 first, u64 count) {
  const hz_split* s = static_cast<const hz_split*>(block);
  each_split<Mover<bits>>(s, first, count, [&](const Tile<kWarp>&, const Mover<bits>& mover) {
    Lanes<u32, kWarp> next = mover.begin();
    const Ballots<bits> ballots = mover.load();
    mover.each([&](u32 base) {
      const auto places = mover.places(next, ballots, base);
      each_column<0, 2>(s, [&](const hz_split_column& c) { mover.fetch(c, base, places); });
    });
  });
}

// split_own is the body of the kernels hz_split_own. Of each part there are Items pairs, first
// all keys and then all values; they become two columns, in which keys that other parts own are
// empty.
template <class K>
HZ_FN void split_own(const void*, void* block, u64 first, u64 count) {
  const hz_split* s = static_cast<const hz_split*>(block);
  const hz_split_column keys = s->Column[0], values = s->Column[1];
  const u64 words = values.Width / sizeof(u32);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) {
      const u64 to = base + l.index(), part = to / s->Items, i = to % s->Items;
      const u64 pairs = keys.Here + part * s->Items * (sizeof(K) + values.Width);
      const K key = array<K>(pairs)[i];
      const bool own = owner_of(key, u32(s->Parts)) == s->Own;
      array<K>(keys.Away)[to] = own ? key : K(~K(0));
      for (u64 w = 0; own && w < words; w++)
        array<u32>(values.Away)[to * words + w] = array<u32>(pairs + s->Items * sizeof(K))[i * words + w];
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
