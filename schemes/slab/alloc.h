// alloc.h: SlabAlloc, warp-synchronous allocation of slabs on the device.
//
// Idea. Slab lists need single slabs of 128 bytes, at unpredictable places, and a tile
// has one such request at a time. A tile therefore keeps a bitmap of the free units of
// one memory block in registers, and takes one of them with a single atomic, without
// coordination.
//
//   super block    one piece of memory:  | bitmaps | memory block 0 | memory block 1 | ...
//   memory block   1024 units of 128 bytes, and a bitmap of 128 bytes: 1 is free
//   unit           a slab
//
//   address   31    24 23            10 9        0
//            | super  | memory block   | unit     |     32 bits
//
// Allocate. Every tile has a resident block. Its bitmap is in the registers of the tile's
// lanes, 1024 / W bits in each; a tile of 4 lanes has only a quarter of a block resident,
// so that a lane has at most 64 bits. A lane with a free bit clears it in memory, by an
// atomic AND. If it was already clear, another tile has taken this unit; the lane now knows
// the current word, and the tile tries again. The tiles of a warp allocate in step, so those
// that need units at the same time wait for one atomic. When a resident block has nothing
// left, its tile switches to another one, selected by a hash of its request and of the
// number of such switches. Which lane and bit come first also depends on the request, so
// tiles that share a block seldom want the same unit.
//
// After a few futile switches the tile searches all memory blocks in order. If none has a
// unit, it sets the flag `exhausted`, which all tiles read before such a search. So an
// allocator that was once found full refuses quickly. Releasing a unit clears the flag.
// Kernels that allocate must not release: then free units only get fewer while they run,
// and a search that has found none has proved that there are none.
//
// Release. One atomic OR on the unit's word.
//
// Correctness. A unit belongs to the tile that cleared its bit, and only the owner sets
// the bit again, so no two tiles own a unit. The memory of a unit is all ones whenever
// its bit is 1: it starts that way, and a unit is wiped before its release. So a new slab
// needs no initialization, and no ordering is needed before it is linked.
//
// Growth. A kernel cannot ask for memory, so new super blocks come from the host, between
// launches. Their addresses are added to a directory, which a tile reads to decode an
// address. The directory stays in the L1 cache; the paper's is in shared memory. A request
// fails, and so asks for a super block, when no unit is free; or, as in the paper
// (changes=N), already after N futile changes of its resident block: then it searches for
// nothing, and sets the flag at once. Memory blocks are fuller at the first, and found
// sooner at the second.
//
// Light variant. All units follow the base slabs in one piece of memory, and an address
// is a slab number there: no directory, but no growth either.
//
// Differences from the paper. Its warps are identified by their number, our tiles by the
// key they are inserting, so that a CPU thread needs no number. It takes the lowest free
// unit by a compare-and-swap, which fails whenever others have taken any unit of the
// word. Its light variant keeps the three fields of an address; with one super block they
// are one number. Its super blocks all have the same size; our first one fits the table,
// so a table of a thousand pairs does not take megabytes.
//
// Paper: Ashkiani, Farach-Colton, Owens: A Dynamic Hash Table for the GPU, section V.
#pragma once

#include "hash.h"
#include "tally.h"

namespace hz {

// Addresses of slabs. Those below the number of buckets are base slabs. Links are addresses,
// all below kPending: that is the link of a tile that is allocating a slab. kNoSlab is all
// ones.
inline constexpr u32 kPending = 4294967294u, kNoSlab = kPending + 1;
inline constexpr int kSlabBytes = 128;
inline constexpr u32 kSlabsBin = 8;  // of look_slabs.h

enum class Addresses { super, light };

// BitmapWord is a lane's part of a bitmap.
template <int N>
struct BitmapWord;
template <>
struct BitmapWord<32> {
  using Type = u32;
};
template <>
struct BitmapWord<64> {
  using Type = u64;
};

template <int W, Addresses A>
class SlabAlloc {
 public:
  // Arg and Region index the table block; the host side writes it.
  enum Arg { kFirstUnits, kFurtherUnits, kSuperBlocks, kReuse, kChanges, kNextBucket };
  enum Region { kSlabs, kDirectory, kBitmaps };
  static constexpr u32 kUnits = 1024;           // units per memory block
  static constexpr u32 kSuperUnits = 1u << 24;  // the maximum number of units per super block
  static constexpr u32 kGuesses = 4;            // switches of the resident block before all are searched

  HZ_FN explicit SlabAlloc(const hz_table* t)
      : table_(t), slabs_(reinterpret_cast<char*>(t->Region[kSlabs])), buckets_(u32(t->Buckets)) {
    Tile<W>{}.each([&](Lane l) { free_[l] = 0; });
  }

  // at returns the location of the slab with an address.
  HZ_FN char* at(u32 address) const {
    if constexpr (A == Addresses::super) {
      if (address >= buckets_) {
        return reinterpret_cast<char*>(directory()[address / kSuperUnits]) + u64(address % kSuperUnits) * kSlabBytes;
      }
    }
    return slabs_ + u64(address) * kSlabBytes;
  }

  // number returns the address of the i-th of all slabs: the base slabs, then all units.
  HZ_FN u32 number(u64 i) const {
    if (A == Addresses::light || i < buckets_) return u32(i);
    const u64 unit = i - buckets_, first = table_->Arg[kFirstUnits];
    if (unit < first) return address(0, u32(unit));
    const u64 further = table_->Arg[kFurtherUnits];
    return address(u32(1 + (unit - first) / further), u32((unit - first) % further));
  }

  // allocate returns the address of a new unit to each tile that wants one, or kNoSlab. It
  // may be used in step: tiles of a warp that want units at the same time wait once.
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, u32> allocate(const Tile& tile, bool wanted, u32 salt, T& tally) {
    u32 got = kNoSlab;
    for (u32 changes = 0; tile.any(wanted);) {
      const u32 left = tile.ballot([&](Lane l) { return free_[l] != 0; });
      const bool dry = wanted && left == 0;
      if (tile.any(dry)) {
        const bool more = change(tile, dry, salt, changes, tally);
        resident_ = more ? resident_ : kNoSlab;
        wanted = wanted && more;
        changes += dry;
      }
      const u32 unit = take(tile, wanted, salt, tally);
      got = unit != kNoSlab ? resident_ + unit : got;
      wanted = wanted && unit == kNoSlab;
    }
    return got;
  }

  // full: the tile has seen that no unit is free.
  HZ_FN bool full() const { return resident_ == kNoSlab; }

  // look_if has tiles find out whether any unit is free, if one of the warp wants to know.
  template <class Tile>
  HZ_FN void look_if(const Tile& tile, bool wanted) {
    if (!tile.any(wanted)) return;
    if (tile.read(exhausted()) == 0) return;
    resident_ = kNoSlab;
    tile.each([&](Lane l) { free_[l] = 0; });
  }

  // release frees a unit, whose memory must be all ones.
  template <class T>
  HZ_FN void release(u32 unit, T& tally) {
    const Tile<W> tile;
    const u32 bit = in_block(unit);
    u32* bits = bitmap(unit) + bit / 32;
    tile.each(1, [&](Lane l) { lane_or(l, bits, u32(1) << bit % 32); });
    tally.touch(bits, sizeof *bits);
    if (tile.read(exhausted()) != 0) tile.each(1, [&](Lane l) { lane_and(l, exhausted(), 0); });
  }

 private:
  static constexpr u32 kResident = kUnits / W <= 64 ? kUnits : u32(W) * 64;  // units in the resident bitmap
  static constexpr int kBitsOfLane = kResident / W;
  static constexpr u32 kLost = kUnits;  // set in the number of a unit that another tile took first
  using Bits = typename BitmapWord<kBitsOfLane>::Type;

  // take takes a free resident unit for a tile that wants one, starting at a lane and a
  // bit that depend on the salt. It fails if none is free or another tile was faster.
  template <class Tile, class T>
  HZ_FN CollectiveOf<Tile, u32> take(const Tile& tile, bool wanted, u32 salt, T& tally) {
    const u32 lanes = tile.ballot([&](Lane l) { return free_[l] != 0; }), from_start = lanes & ~u32(0) << salt % W;
    const int lane = lowest(from_start != 0 ? from_start : lanes | u32(1) << (W - 1));
    const bool takes = wanted && lanes != 0;
    u32* words = resident_words();
    Lanes<u32, W> taken;
    tile.each([&](Lane l) { taken[l] = 0; });
    tile.each(takes ? u32(1) << lane : 0, [&](Lane l) {
      const Bits from_bit = free_[l] & ~Bits(0) << salt / W % kBitsOfLane;
      const u32 bit = u32(__builtin_ctzll(from_bit != 0 ? from_bit : free_[l])), unit = l.index() * kBitsOfLane + bit;
      const u32 mask = u32(1) << bit % 32, old = lane_and(l, words + unit / 32, ~mask);
      taken[l] = unit | ((old & mask) != 0 ? 0 : kLost);
      const int shift = int(bit / 32 * 32);
      free_[l] = (free_[l] & ~(Bits(~u32(0)) << shift)) | Bits(old & ~mask) << shift;
    });
    const u32 tried = tile.pick(taken, lane), unit = tried & ~kLost;
    const bool won = takes && tried == unit;
    if (takes) tally.swap(words + unit / 32, sizeof *words, won);
    if (won) tally.allocate();
    return won ? unit : kNoSlab;
  }

  // change makes another block resident where a tile is dry: one with free units, except
  // for the first few guesses. It returns false if there is none.
  template <class Tile, class T>
  HZ_FN bool change(const Tile& tile, bool dry, u32 salt, u32 changes, T& tally) {
    const u32 count = blocks();
    if (count == 0) return !dry;
    // The first guess nearly always has a unit, so the flag is read only after it.
    bool full = false;
    if (tile.any(dry && changes > 0)) {
      const u32 none_free = tile.read(exhausted());
      full = none_free != 0 && changes > 0;
    }
    const u32 guess = multiply_high(mix32(salt + changes * 0x9e3779b9u), count);
    if constexpr (A == Addresses::super) {
      if (table_->Arg[kChanges] != 0) return change_or_ask(dry, full, guess, changes, tally);
    }
    if (dry && changes < kGuesses) reside(guess, tally);
    if (dry && changes >= kGuesses && !full) full = !search(guess, count, tally);
    return !dry || !full;
  }

  // change_or_ask does not search: after some changes, it asks for another super block, and all tiles give up.
  template <class T>
  HZ_FN bool change_or_ask(bool dry, bool full, u32 guess, u32 changes, T& tally) {
    const bool asks = dry && changes >= table_->Arg[kChanges];
    if (dry && !asks) reside(guess, tally);
    if (asks && !full) Tile<W>{}.publish(exhausted(), u32(1));
    return !dry || !(asks || full);
  }

  // search makes the first block resident that has free units. A tile calls it alone.
  template <class T>
  HZ_FN bool search(u32 guess, u32 count, T& tally) {
    const Tile<W> tile;
    for (u32 i = 0; i < count; i++) {
      reside((guess + i) % count, tally);
      if (tile.ballot([&](Lane l) { return free_[l] != 0; }) != 0) return true;
    }
    tile.publish(exhausted(), u32(1));
    return false;
  }

  template <class T>
  HZ_FN void reside(u32 block, T& tally) {
    resident_ = first_unit(block);
    const Bits* words = reinterpret_cast<const Bits*>(resident_words());
    free_ = Tile<W>{}.load(words);
    tally.touch(words, W * sizeof(Bits));
  }

  // blocks counts what can be resident: blocks, or halves of them.
  HZ_FN static u32 blocks_of(u64 units) { return u32((units + kUnits - 1) / kUnits * (kUnits / kResident)); }
  HZ_FN u32 blocks() const {
    const u32 further = u32(table_->Arg[kSuperBlocks]) - 1;
    return blocks_of(table_->Arg[kFirstUnits]) + further * blocks_of(table_->Arg[kFurtherUnits]);
  }

  HZ_FN u32 first_unit(u32 block) const {
    const u32 first = blocks_of(table_->Arg[kFirstUnits]), further = blocks_of(table_->Arg[kFurtherUnits]);
    return block < first ? address(0, block * kResident)
                         : address(1 + (block - first) / further, (block - first) % further * kResident);
  }

  // Base slabs occupy the addresses of the first super blocks.
  HZ_FN u32 first_super() const { return (buckets_ - 1) / kSuperUnits + 1; }
  HZ_FN u32 address(u32 super, u32 unit) const {
    return A == Addresses::light ? buckets_ + unit : (first_super() + super) * kSuperUnits + unit;
  }

  // bitmap returns the bitmap of the memory block that contains a unit. In a super block
  // the bitmaps come before the units, in reverse order, so the address of the units
  // determines them.
  HZ_FN u32* bitmap(u32 unit) const {
    if constexpr (A == Addresses::light) {
      return reinterpret_cast<u32*>(table_->Region[kBitmaps]) + (unit - buckets_) / kUnits * 32;
    } else {
      u32* units = reinterpret_cast<u32*>(directory()[unit / kSuperUnits]);
      return units - (unit % kSuperUnits / kUnits + 1) * 32;
    }
  }

  HZ_FN u32 in_block(u32 unit) const { return (A == Addresses::light ? unit - buckets_ : unit) % kUnits; }
  HZ_FN u32* resident_words() const { return bitmap(resident_) + in_block(resident_) / 32; }

  HZ_FN const u64* directory() const { return reinterpret_cast<const u64*>(table_->Region[kDirectory]); }
  HZ_FN u32* exhausted() const { return reinterpret_cast<u32*>(table_->Region[kDirectory] + 256 * sizeof(u64)); }

  const hz_table* table_;
  char* slabs_;
  u32 buckets_;
  u32 resident_ = 0;     // the address of the resident block's first unit
  Lanes<Bits, W> free_;  // its bitmap, as last read
};

}  // namespace hz
