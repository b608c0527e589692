// digest.h: digests of numbers, computed on the device.
//
// An item is a position together with the numbers that up to four arrays hold there. Each
// item is mixed into two words, and the words of all items are summed modulo 2^64.
// Addition is commutative, so the sums are the same for any number of threads and any
// split of a batch into launches. With the position mixed in, equal sums mean equal
// batches. Without it, equal sums mean equal sets of results or exported pairs, in any
// order.
//
// The two words are chains of different 64-bit mixes, and every part passes through its
// own round: swapping the numbers of two parts, or moving a number to another item,
// changes both words. Accidental collisions are as unlikely as for random sums. The
// digest is not cryptographic and does not resist deliberate collisions.
//
// Go completes a digest (runtime/digest) by hashing the sums together with a description
// of what was digested.
#pragma once

#include "drive.h"
#include "hash.h"

namespace hz {

// mix64b is like mix64 with other shifts and constants: the finalizer of MurmurHash3.
HZ_FN u64 mix64b(u64 x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}

// Mixed are the two words of one item.
struct Mixed {
  u64 a = 0x243f6a8885a308d3ull, b = 0x13198a2e03707344ull;  // digits of pi

  HZ_FN void add(u64 number) {
    a = mix64((a ^ number) + 0x9e3779b97f4a7c15ull);
    b = mix64b((b + number) ^ 0xd1342543de82ef95ull);
  }
};

// number_at reads number i of an array with `width` bytes per number. It folds the words
// of a wide number into one, so that each of them counts.
HZ_FN u64 number_at(u64 array, u64 width, u64 i) {
  if (width >= 8) {
    const u64* words = reinterpret_cast<const u64*>(array + i * width);
    u64 number = words[0];
    for (u64 k = 1; k < width / 8; k++) number = mix64(number) ^ words[k];
    return number;
  }
  if (width == 4) return reinterpret_cast<const u32*>(array)[i];
  return reinterpret_cast<const u8*>(array)[i];
}

// digest is the body of the kernel hz_digest_run. Numbers of the first array may be
// positions in a batch, so they count from First if the items have no positions themselves.
HZ_FN void digest(const void*, void* block, u64 first, u64 count) {
  hz_digest* d = static_cast<hz_digest*>(block);
  Tile<kWarp> whole;
  const u64 from = d->Positional ? 0 : d->First;
  Lanes<u64, kWarp> a, b;
  whole.each([&](Lane l) { a[l] = b[l] = 0; });
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    Lanes<Mixed, kWarp> mixed;
    tile.each([&](Lane l) { mixed[l] = Mixed(); });
    if (d->Positional) tile.each([&](Lane l) { mixed[l].add(d->First + base + l.index()); });
    for (int part = 0; part < 4; part++) {
      const u64 array = d->Part[part], width = d->PartWidth[part];
      if (array == 0) continue;
      tile.each(valid,
                [&](Lane l) { mixed[l].add(number_at(array, width, base + l.index()) + (part == 0 ? from : 0)); });
    }
    tile.each(valid, [&](Lane l) {
      a[l] += mixed[l].a;
      b[l] += mixed[l].b;
    });
  });
  whole.fetch_add(&d->Sum[0], whole.total(a));
  whole.fetch_add(&d->Sum[1], whole.total(b));
}

}  // namespace hz
