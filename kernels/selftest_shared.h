// selftest_shared.h: tests in which many tiles access the same few words, and in which
// lanes share unfinished work.
#pragma once

#include "pair.h"
#include "queue.h"
#include "selftest.h"
#include "selftest_abi.h"

namespace hz {

// count_up increments a word by compare-and-swap and returns the old value.
template <int W, class T>
HZ_FN T count_up(const Tile<W>& tile, T* at) {
  for (T seen = tile.read(at);;) {
    T old = tile.cas(at, seen, seen + 1);
    if (old == seen) return old;
    seen = old;
  }
}
HZ_FN u32 lane_count_up(Lane l, u32* at) {
  for (u32 seen = lane_read(l, at);;) {
    u32 old = lane_cas(l, at, seen, seen + 1);
    if (old == seen) return old;
    seen = old;
  }
}

// message has each tile write 32 words and publish a flag, then check the words of
// another tile that has published its flag. It returns 0 if the other flag is not set
// yet, 1 if the words are visible, 2 if they are not.
template <int W>
HZ_FN u32 message(const SelfTest* t, const Tile<W>& tile, u64 item) {
  u64* flags = reinterpret_cast<u64*>(t->Shared) + HZ_WORDS * 16;
  u64* text = reinterpret_cast<u64*>(t->Memory);
  for (u32 at = 0; at < 32; at += W)
    tile.each([&](Lane l) { text[item * 64 + at + l.index()] = item * 1000 + at + l.index(); });
  tile.publish(flags + item, item + 1);
  const u64 other = (item * 7919 + 13) % t->Items;
  if (tile.acquire(flags + other) != other + 1) return 0;
  u32 wrong = 0;
  for (u32 at = 0; at < 32; at += W)
    wrong |= tile.ballot([&](Lane l) { return text[other * 64 + at + l.index()] != other * 1000 + at + l.index(); });
  return wrong == 0 ? 1 : 2;
}

template <int W>
HZ_FN void contention(const void* block, void*, u64 first, u64 count) {
  const SelfTest* t = static_cast<const SelfTest*>(block);
  u64* shared = reinterpret_cast<u64*>(t->Shared);
  auto narrow = [&](int word) { return reinterpret_cast<u32*>(shared + word * 16); };
  auto wide = [&](int word) { return shared + word * 16; };
  for_each_tile<W>(first, count, [&](const Tile<W>& tile, u64 item) {
    Results<W> out(t, tile, item);
    out.uniform(tile.fetch_add(wide(HZ_ADD8), u64(1)));
    out.uniform(tile.fetch_add(narrow(HZ_ADD4), u32(1)));
    out.uniform(count_up(tile, wide(HZ_CAS8)));
    out.uniform(count_up(tile, narrow(HZ_CAS4)));
    out.uniform(tile.exchange(wide(HZ_EXCHANGE8), item + 1));
    out.uniform(tile.exchange(narrow(HZ_EXCHANGE4), u32(item) + 1));
    Lanes<u64, W> add8, add4, cas4;
    tile.each([&](Lane l) {
      add8[l] = lane_add(l, wide(HZ_LANE_ADD8), u64(1));
      add4[l] = lane_add(l, narrow(HZ_LANE_ADD4), u32(1));
      cas4[l] = lane_count_up(l, narrow(HZ_LANE_CAS4));
      const u64 mine = item * W + l.index();
      lane_or(l, narrow(HZ_OR) + mine / 32 % 16, u32(1) << mine % 32);
      lane_and(l, narrow(HZ_AND) + mine / 32 % 16, ~(u32(1) << mine % 32));
    });
    out.lanes(add8);
    out.lanes(add4);
    out.lanes(cas4);
    out.uniform(message(t, tile, item));
    out.end();
  });
}

// claiming has each tile put a pair into the first open slot, starting at a bucket that
// tiles far away in the batch start at too. A loaded bucket must be one consistent
// snapshot: for the ballot that looks for open slots, and for the compare-and-swap that
// expects what was seen.
template <int W>
HZ_FN void claiming(const void* block, void*, u64 first, u64 count) {
  const SelfTest* t = static_cast<const SelfTest*>(block);
  Pair4* slots = reinterpret_cast<Pair4*>(t->Memory);
  const u64 buckets = t->Items / W + 1, near = 8192 / W;
  for_each_tile<W>(first, count, [&](const Tile<W>& tile, u64 item) {
    const Pair4 mine{u32(item) + 1, (u32(item) + 1) * 3};
    u64 bucket = item / W % near;
    for (;;) {
      const Lanes<Pair4, W> seen = tile.load(slots + bucket * W);
      const u32 open = tile.ballot([&](Lane l) { return seen[l].key == 0; });
      if (open == 0) {
        bucket = bucket + 1 == buckets ? 0 : bucket + 1;
        continue;
      }
      const u32 won = tile.ballot_of(
          open & -open, [&](Lane l) { return lane_cas(l, slots + bucket * W + l.index(), seen[l], mine) == seen[l]; });
      if (won == 0) continue;
      Results<W> out(t, tile, item);
      out.uniform(bucket * W + u64(lowest(won)));
      out.end();
      return;
    }
  });
}

// locking has each lane increment two words under one of HZ_LOCKS locks by reading and writing them, as a scheme does
// that has no atomic operation for its pairs. A holder that does not see what the last one wrote returns its number
// again, and one that sees half of it returns no number at all.
template <int W>
HZ_FN void locking(const void* block, void*, u64 first, u64 count) {
  const SelfTest* t = static_cast<const SelfTest*>(block);
  for_each_tile<W>(first, count, [&](const Tile<W>& tile, u64 item) {
    auto word = [&](Lane l, u64 i) {
      return reinterpret_cast<u32*>(t->Memory) + (i * HZ_LOCKS + (item + l.index()) % HZ_LOCKS) * 128;
    };
    Lanes<u64, W> seen;
    for (u32 todo = Tile<W>::all; tile.any(todo != 0);) {
      const u32 mine = tile.lock_of(todo, [&](Lane l) { return word(l, 0); });
      tile.each(mine, [&](Lane l) {
        const u32 one = lane_read(l, word(l, 1)), two = lane_read(l, word(l, 2));
        seen[l] = one == two ? u64(one) : ~u64(0);
        lane_write(l, word(l, 1), one + 1);
        lane_write(l, word(l, 2), two + 1);
      });
      tile.unlock_of(mine, [&](Lane l) { return word(l, 0); });
      todo &= ~mine;
    }
    Results<W> out(t, tile, item);
    out.lanes(seen);
    out.end();
  });
}

// wide_contention counts in 16-byte words whose halves must always match, and looks for
// torn ones.
template <int W>
HZ_FN void wide_contention(const void* block, void*, u64 first, u64 count) {
  const SelfTest* t = static_cast<const SelfTest*>(block);
  Pair8* shared = reinterpret_cast<Pair8*>(t->Shared);
  for_each_tile<W>(first, count, [&](const Tile<W>& tile, u64 item) {
    Results<W> out(t, tile, item);
    Pair8 seen = tile.read(shared);
    for (;;) {
      Pair8 old = tile.cas(shared, seen, Pair8{seen.key + 1, (seen.key + 1) * 3});
      if (old == seen) break;
      seen = old;
    }
    out.uniform(seen.key);
    Pair8 before = tile.exchange(shared + 32 + item % 32, Pair8{item + 1, (item + 1) * 3});
    out.uniform(before.key);
    Lanes<Pair8, W> many = tile.load(shared + 32);
    u32 torn = tile.ballot([&](Lane l) { return many[l].value != many[l].key * 3; });
    out.uniform(u64(torn) << 2 | u64(seen.value != seen.key * 3) << 1 | u64(before.value != before.key * 3));
    out.end();
  });
}

// helping gives each lane an operation that takes 1 to 8 attempts, as its input word
// says, and lets lanes share unfinished operations through a queue. It records the
// attempts of each operation, and the number of rounds.
template <int W>
HZ_FN void helping(const void* block, void*, u64 first, u64 count) {
  struct Work {
    u32 item, attempts;
  };
  const SelfTest* t = static_cast<const SelfTest*>(block);
  for_each_tile<W>(first, count, [&](const Tile<W>& tile, u64 item) {
    const u64* x = reinterpret_cast<const u64*>(t->Input) + item * 64;
    u64* done = reinterpret_cast<u64*>(t->Memory) + item * 64;
    HZ_SCRATCH(Work, memory, W, W);
    Queue<Work, W> queue(memory);
    Lanes<Work, W> work;
    u64 rounds = 0;
    auto attempt = [&](u32 busy) {
      rounds++;
      return tile.ballot([&](Lane l) {
        if (!(busy >> l.index() & 1)) return false;
        work[l].attempts++;
        if (work[l].attempts <= x[work[l].item] % 8) return true;
        lane_add(l, done + work[l].item, u64(work[l].attempts));
        return false;
      });
    };
    for (u32 at = 0; at < 64; at += W) {
      tile.each([&](Lane l) { work[l] = {at + l.index(), 0}; });
      u32 busy = attempt(Tile<W>::all);
      while (u32(popcount(busy)) > queue.room()) {
        busy |= queue.pop(tile, ~busy & Tile<W>::all, work);
        busy = attempt(busy);
      }
      queue.push(tile, busy, work);
    }
    for (u32 busy = queue.pop(tile, Tile<W>::all, work); busy != 0;) {
      busy = attempt(busy);
      busy |= queue.pop(tile, ~busy & Tile<W>::all, work);
    }
    Results<W> out(t, tile, item);
    out.uniform(rounds);
    out.end();
  });
}

}  // namespace hz
