// selftest_verbs.h: tests every verb by itself, on memory that no other tile uses, the
// queue of queue.h, and the hash functions.
#pragma once

#include "hash.h"
#include "queue.h"
#include "selftest.h"

namespace hz {

// fold depends on the order of its inputs, so it reveals the order in which lanes had
// their turns.
HZ_FN u64 fold(u64 so_far, u64 next) { return so_far * 33 + next + 1; }

// masked_verbs runs each() over a mask, and ranks.
template <int W>
HZ_FN void masked_verbs(const Tile<W>& tile, const u64* x, Results<W>& out) {
  const u32 mask = u32(x[32]) & Tile<W>::all;
  Lanes<u64, W> a;
  tile.each([&](Lane l) { a[l] = l.index(); });
  tile.each(mask, [&](Lane l) { a[l] += x[l.index()]; });
  out.lanes(a);
  Lanes<u32, W> ranks;
  tile.each([&](Lane l) { ranks[l] = tile.rank(mask, l); });
  out.lanes(ranks);
  u64 order = 0;
  for_each_pending(mask, [&](int i) { order = fold(order, u64(i)); });
  out.uniform(order);
  out.uniform(u64(popcount(mask)) * 100 + (mask != 0 ? u64(lowest(mask)) : 99));

  // Lane i needs as many turns as the low two bits of its word say, plus one.
  Lanes<u32, W> left;
  tile.each([&](Lane l) { left[l] = u32(x[l.index()] & 3) + 1; });
  order = 0;
  take_turns(mask, [&](int i) {
    order = fold(order, u64(i));
    tile.each(u32(1) << i, [&](Lane l) { left[l]--; });
    return tile.pick(left, i) == 0;
  });
  out.uniform(order);
}

// collective_verbs runs the verbs that combine the lanes' values.
template <int W>
HZ_FN void collective_verbs(const Tile<W>& tile, const u64* x, Results<W>& out) {
  Lanes<u64, W> words;
  Lanes<u32, W> halves;
  Lanes<u8, W> bytes;
  Lanes<Pair8, W> pairs;
  Lanes<Pair4, W> small;
  const u32 wanted = u32(x[33]) % 4 - 2;  // one of the two reserved keys and the first two others
  tile.each([&](Lane l) {
    words[l] = x[l.index()];
    halves[l] = u32(x[l.index()]) % 4;
    bytes[l] = u8(x[l.index()]);
    pairs[l] = {x[l.index()], ~x[l.index()]};
    small[l] = {halves[l] - 2, wanted};
  });
  out.uniform(tile.ballot([&](Lane l) { return (x[l.index()] & 1) != 0; }));
  out.uniform(tile.ballot_equal(halves, u32(x[33]) % 4));
  tile.each([&](Lane l) { words[l] %= 4; });
  out.uniform(tile.ballot_equal(words, x[33] % 4));
  out.uniform(tile.ballot_key(small, wanted));
  out.uniform(tile.ballot_key_from(small, Pair4::kErasedKey));
  tile.each([&](Lane l) { words[l] = x[l.index()]; });
  const int from = int(x[34] % W);
  out.uniform(tile.pick(words, from));
  out.uniform(tile.pick(halves, from));
  out.uniform(tile.pick(bytes, from));
  out.uniform(tile.pick(pairs, from).key ^ 3 * tile.pick(pairs, from).value);
  out.uniform(tile.largest(halves));
  out.uniform(tile.total(words));
  out.lanes(tile.before(words));
  Lanes<u32, W> sources;
  tile.each([&](Lane l) { sources[l] = u32(x[l.index()] % W); });
  out.lanes(tile.gather(words, sources));
  out.lanes(tile.peers(halves));
  tile.each([&](Lane l) { words[l] %= 4; });
  out.lanes(tile.peers(words));
  Lanes<u32, W> ascending, most;
  tile.each([&](Lane l) {
    ascending[l] = u32(x[l.index()] % 4) + 3 * l.index();
    most[l] = u32(x[35] % 8) + 2 * l.index();
  });
  out.lanes(tile.upto(ascending, most));
}

// word_verbs runs the verbs on single words of memory.
template <int W, class T, class Value>
HZ_FN void word_verbs(const Tile<W>& tile, T* at, const Value& value, Results<W>& out) {
  out.uniform(value.number(tile.exchange(at, value(1))));
  out.uniform(value.number(tile.cas(at, value(1), value(2))));
  out.uniform(value.number(tile.cas(at, value(1), value(3))));  // fails
  out.uniform(value.number(tile.read(at)));
  tile.publish(at, value(4));
  out.uniform(value.number(tile.acquire(at)));
}

// Plain maps small numbers to words of an integer type and back.
template <class T>
struct Plain {
  T base;
  HZ_FN T operator()(u32 i) const { return base + i; }
  HZ_FN u64 number(T word) const { return word; }
};
// Twice maps them to pairs.
template <class P>
struct Twice {
  typename P::Key base;
  HZ_FN P operator()(u32 i) const { return {base + i, typename P::Value(~base - i)}; }
  HZ_FN u64 number(P pair) const { return u64(pair.key) ^ u64(pair.value) * 3; }
};

template <int W>
HZ_FN void memory_verbs(const Tile<W>& tile, const u64* x, u64* memory, Results<W>& out) {
  out.lanes(tile.load(x));
  out.lanes(tile.load(reinterpret_cast<const u32*>(x)));
  Lanes<Pair4, W> pairs = tile.load(reinterpret_cast<const Pair4*>(x));
  Lanes<u64, W> both;
  tile.each([&](Lane l) { both[l] = u64(pairs[l].key) << 32 | pairs[l].value; });
  out.lanes(both);
  word_verbs(tile, memory, Plain<u64>{x[35]}, out);
  word_verbs(tile, reinterpret_cast<u32*>(memory + 1), Plain<u32>{u32(x[35])}, out);
  word_verbs(tile, reinterpret_cast<Pair4*>(memory + 2), Twice<Pair4>{u32(x[35])}, out);
  tile.add(memory, x[35]);
  out.uniform(tile.fetch_add(memory, x[36]));
  out.uniform(tile.fetch_add(reinterpret_cast<u32*>(memory + 1), u32(x[36])));
  out.uniform(tile.read(memory));
  out.uniform(tile.read(reinterpret_cast<u32*>(memory + 1)));
}

// reductions folds what lane_sum, lane_least and lane_most leave in a word.
template <class T>
HZ_FN u64 reductions(Lane l, T* at, T from, T with) {
  u64 left = 0;
  lane_exchange(l, at, from);
  lane_least(l, at, with);
  left = left * 3 + lane_read(l, at);
  lane_exchange(l, at, from);
  lane_most(l, at, with);
  left = left * 3 + lane_read(l, at);
  lane_sum(l, at, with);
  return left * 3 + lane_read(l, at);
}

// lane_verbs runs the atomics of single lanes, each on its own word.
template <int W>
HZ_FN void lane_verbs(const Tile<W>& tile, const u64* x, u64* words, Results<W>& out) {
  Lanes<u64, W> got[13];
  tile.each([&](Lane l) {
    u64* wide = words + l.index();
    got[0][l] = lane_exchange(l, wide, x[l.index()]);
    got[1][l] = lane_cas(l, wide, x[l.index()], u64(7));
    got[2][l] = lane_cas(l, wide, x[l.index()], u64(9));  // fails
    got[3][l] = lane_add(l, wide, x[37]);
    got[4][l] = lane_read(l, wide);
    u32* narrow = reinterpret_cast<u32*>(wide);
    lane_exchange(l, narrow, u32(x[l.index()]));
    got[5][l] = lane_or(l, narrow, u32(x[38]));
    got[6][l] = lane_and(l, narrow, u32(x[39]));
    got[7][l] = lane_add(l, narrow, u32(x[37]));
    got[8][l] = lane_cas(l, narrow, u32(1), u32(2)) * 2 + lane_read(l, narrow);
    got[9][l] = reductions(l, wide, x[l.index()], x[38]);
    got[10][l] = reductions(l, wide, x[38], x[l.index()]);
    got[11][l] = reductions(l, narrow, u32(x[l.index()]), u32(x[38]));
    got[12][l] = reductions(l, narrow, u32(x[38]), u32(x[l.index()]));
  });
  for (const Lanes<u64, W>& row : got) out.lanes(row);
}

// row_verbs has each lane read adjacent words, of 4 bytes and of 8.
template <int W>
HZ_FN void row_verbs(const Tile<W>& tile, const u64* x, Results<W>& out) {
  Lanes<u64, W> words, pairs;
  tile.each([&](Lane l) {
    u32 narrow[4];
    Pair4 wide[4];
    lane_read_row(l, reinterpret_cast<const u32*>(x) + 4 * (l.index() % 8), narrow);
    lane_read_row(l, reinterpret_cast<const Pair4*>(x) + 4 * (l.index() % 8), wide);
    words[l] = pairs[l] = 0;
    for (u32 word : narrow) words[l] = words[l] * 3 + word;
    for (const Pair4& pair : wide) pairs[l] = pairs[l] * 3 + pair.key + u64(pair.value) * 5;
  });
  out.lanes(words);
  out.lanes(pairs);
}

template <int W>
HZ_FN void arithmetic(const Tile<W>& tile, const u64* x, Results<W>& out) {
  Lanes<u64, W> high, narrow_high, root, multiplied;
  tile.each([&](Lane l) {
    const u64 a = x[l.index()], b = x[32 + l.index()];
    high[l] = multiply_high(a, b);
    narrow_high[l] = multiply_high(u32(a), u32(b));
    const double p = double(a >> 11), q = double(b >> 11);
    root[l] = bits<u64>(square_root(p));
    multiplied[l] = bits<u64>(product(p, q) + product(q, q));
  });
  out.lanes(high);
  out.lanes(narrow_high);
  out.lanes(root);
  out.lanes(multiplied);
}

// scratch_verbs has lanes read what others wrote, twice in the same memory.
template <int W>
HZ_FN void scratch_verbs(const Tile<W>& tile, const u64* x, Results<W>& out) {
  HZ_SCRATCH(u64, scratch, W, W);
  for (u64 round = 0; round < 2; round++) {
    tile.each([&](Lane l) { scratch[l.index()] = x[l.index()] + round; });
    tile.sync();
    Lanes<u64, W> other;
    tile.each([&](Lane l) { other[l] = scratch[W - 1 - l.index()]; });
    tile.sync();
    out.lanes(other);
  }
  HZ_SCRATCH(u32, number, 1, W);
  tile.each(1, [&](Lane) { number[0] = u32(x[35] % 8); });
  tile.sync();
  Lanes<u64, W> before;
  tile.each([&](Lane l) { before[l] = u64(1) << share_add(number, 1); });
  tile.sync();
  out.uniform(tile.total(before));
  out.uniform(share_read(number));
}

// queue_verbs pushes and pops with changing masks, enough to wrap around.
template <int W>
HZ_FN void queue_verbs(const Tile<W>& tile, const u64* x, Results<W>& out) {
  HZ_SCRATCH(u64, memory, 2 * W, W);
  Queue<u64, W, 2 * W> queue(memory);
  for (u32 round = 0; round < 8; round++) {
    const u32 in = u32(x[40 + round]) & Tile<W>::all, to = u32(x[48 + round]) & Tile<W>::all;
    Lanes<u64, W> items;
    tile.each([&](Lane l) { items[l] = x[l.index()] + round; });
    if (u32(popcount(in)) <= queue.room()) queue.push(tile, in, items);
    tile.each([&](Lane l) { items[l] = 0; });
    u32 served = queue.pop(tile, to, items);
    tile.each([&](Lane l) { items[l] += u64(served) * 1000 + queue.size() * 100 + queue.room(); });
    out.lanes(items);
  }
}

template <int W>
HZ_FN void verbs(const void* block, void*, u64 first, u64 count) {
  const SelfTest* t = static_cast<const SelfTest*>(block);
  for_each_tile<W>(first, count, [&](const Tile<W>& tile, u64 item) {
    const u64* x = reinterpret_cast<const u64*>(t->Input) + item * 64;
    u64* memory = reinterpret_cast<u64*>(t->Memory) + item * 64;
    Results<W> out(t, tile, item);
    masked_verbs(tile, x, out);
    collective_verbs(tile, x, out);
    memory_verbs(tile, x, memory, out);
    lane_verbs(tile, x, memory + 16, out);
    row_verbs(tile, x, out);
    arithmetic(tile, x, out);
    scratch_verbs(tile, x, out);
    queue_verbs(tile, x, out);
    out.end();
  });
}

// Verbs under conditions compile for a tile by itself, and must not in step.
template <class Tile>
concept AfterAnd = requires(const Tile& tile, bool c, Bucket<Pair4, 4> at) { c&& at.unused(tile) != 0; };
template <class Tile>
concept AfterOr = requires(const Tile& tile, bool c) { c || !tile.any(c); };
template <class Tile>
concept InChoice = requires(const Tile& tile, bool c, u64* at) { c ? tile.read(at) : 0; };
static_assert(AfterAnd<Tile<4>> && AfterOr<Tile<4>> && InChoice<Tile<4>>);
static_assert(!AfterAnd<Tile<4, true>> && !AfterOr<Tile<4, true>> && !InChoice<Tile<4, true>>);

// in_step_verbs runs the verbs that tiles execute in step. Some tiles are idle, as their
// input says, but all of them execute every verb.
template <int W>
HZ_FN void in_step_verbs(const void* block, void*, u64 first, u64 count) {
  const SelfTest* t = static_cast<const SelfTest*>(block);
  for_each_tile_in_step<W>(first, count, [&](const Tile<W>& alone, u64 item, bool valid) {
    const u64* x = reinterpret_cast<const u64*>(t->Input) + (valid ? item : 0) * 64;
    u64* memory = reinterpret_cast<u64*>(t->Memory) + (valid ? item : 0) * 64;
    const bool busy = valid && (x[41] & 1) != 0, condition = (x[43] & 1) != 0;
    const Tile<W, true> tile = alone.in_step(busy);
    const u32 odd = tile.ballot([&](Lane l) { return (x[l.index()] & 1) != 0; });
    const u32 some = tile.ballot_of(u32(x[42]) & Tile<W>::all, [&](Lane l) { return (x[l.index()] & 1) != 0; });
    const u64 picked = tile.pick_of(int(x[44] % W), [&](Lane l) { return x[l.index()] + 1; });
    const u64 exchanged = tile.exchange_if(condition, memory, x[45]);
    const u64 left = tile.read(memory);
    const bool any = tile.any(valid && condition), none = tile.any(false);
    const Lanes<u64, W> loaded = tile.load(x);
    const u32 won = tile.ballot_of(u32(x[46]) & Tile<W>::all, [&](Lane l) {
      u64* mine = memory + 1 + l.index();
      return lane_cas(l, mine, u64(0), u64(1)) == 0;
    });
    const bool done = tile.done_by(condition, int(x[47] % W), [&](Lane l) { return (x[l.index()] & 1) != 0; });
    if (!valid) return;
    Results<W> out(t, alone, item);
    out.uniform(odd);
    out.uniform(some);
    out.uniform(done);
    out.uniform(picked);
    out.uniform(exchanged);
    out.uniform(left);
    out.uniform(u64(any || !condition) << 1 | u64(none));  // `any` includes other tiles, which are not checked
    out.lanes(loaded);
    out.uniform(won);
    out.end();
  });
}

// wide_verbs runs the verbs on 16-byte words, which not every machine supports.
template <int W>
HZ_FN void wide_verbs(const void* block, void*, u64 first, u64 count) {
  const SelfTest* t = static_cast<const SelfTest*>(block);
  for_each_tile<W>(first, count, [&](const Tile<W>& tile, u64 item) {
    const u64* x = reinterpret_cast<const u64*>(t->Input) + item * 64;
    Pair8* memory = reinterpret_cast<Pair8*>(t->Memory) + item * 32;
    Results<W> out(t, tile, item);
    Lanes<Pair8, W> pairs = tile.load(reinterpret_cast<const Pair8*>(x));
    Lanes<u64, W> both;
    tile.each([&](Lane l) { both[l] = pairs[l].key ^ pairs[l].value * 3; });
    out.lanes(both);
    word_verbs(tile, memory, Twice<Pair8>{x[35]}, out);
    Lanes<u64, W> got[4];
    tile.each([&](Lane l) {
      const Twice<Pair8> value{x[l.index()]};
      Pair8* at = memory + l.index();
      got[0][l] = value.number(lane_exchange(l, at, value(5)));
      got[1][l] = value.number(lane_cas(l, at, value(5), value(6)));
      got[2][l] = value.number(lane_cas(l, at, value(5), value(7)));  // fails
      got[3][l] = value.number(lane_read(l, at));
    });
    for (const Lanes<u64, W>& row : got) out.lanes(row);
    out.end();
  });
}

// hashes writes the bucket of each key in the batch block's Keys under each of the table
// block's functions.
template <class Key>
HZ_FN void hashes(const void* table_block, void* batch_block, u64 first, u64 count) {
  const hz_table* table = static_cast<const hz_table*>(table_block);
  const hz_batch* batch = static_cast<const hz_batch*>(batch_block);
  const Hashes h(table);
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each(valid, [&](Lane l) {
      const u64 i = base + l.index();
      const Key key = reinterpret_cast<const Key*>(batch->Keys)[i];
      u64* out = reinterpret_cast<u64*>(batch->Out) + i * h.count();
      for (u32 f = 0; f < h.count(); f++) out[f] = h.at(f, key);
    });
  });
}

}  // namespace hz
