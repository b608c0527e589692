// tile_cpu.h: a tile as a W-wide vector in one thread. See tile.h.
//
// Lanes are arrays and lane-wise loops have constant bounds, so the compiler vectorizes
// them. A thread finishes one tile before it starts the next. Other threads run other
// tiles at the same time, so changes to table words are still atomic.
#pragma once

#include <sched.h>
#include <string.h>

#include "collective.h"
#include "compare_cpu.h"
#include "observe_cpu.h"

namespace hz {

template <class T, int W>
struct Lanes {
  alignas(sizeof(T) * W >= 32 ? 32 : alignof(T)) T v[W];
  HZ_FN T& operator[](Lane l) { return v[l.i]; }
  HZ_FN const T& operator[](Lane l) const { return v[l.i]; }
};

}  // namespace hz

#include "tile_words_cpu.h"

namespace hz {

// copy_once copies N bytes that other threads may change, and reads each word exactly
// once. After an ordinary copy the compiler may read the memory again instead of the
// copy. A slot could then look open in one read and hold another pair in the next.
//
// C++ has no vector loads that are atomic. Processors do: an aligned vector load of x86-64 or arm64 reads each 8 bytes
// of it whole, as a relaxed load does, and pairs of 16 bytes are read by read_word. The thread sanitizer sees relaxed
// loads.
template <int N>
HZ_FN void copy_once(void* to, const void* from) {
#if defined(__SANITIZE_THREAD__)
  constexpr int step = N % 8 == 0 ? 8 : 4;
  for (int i = 0; i < N; i += step) {
    using W = typename WordOf<step>::type;
    const W word = __atomic_load_n(reinterpret_cast<const W*>(static_cast<const char*>(from) + i), __ATOMIC_RELAXED);
    __builtin_memcpy(static_cast<char*>(to) + i, &word, step);
  }
#else
#if defined(__AVX2__)
  constexpr int step = N % 32 == 0 ? 32 : N % 16 == 0 ? 16 : N % 8 == 0 ? 8 : 4;
#else
  constexpr int step = N % 16 == 0 ? 16 : N % 8 == 0 ? 8 : 4;
#endif
  for (int i = 0; i < N; i += step) {
    typename VectorOf<step>::type word;
    __builtin_memcpy(&word, static_cast<const char*>(from) + i, step);
    asm volatile("" : HZ_VECTOR_REGISTER(word));
    __builtin_memcpy(static_cast<char*>(to) + i, &word, step);
  }
#endif
}

// prefetch requests the cache lines of [at, at + bytes).
HZ_FN void prefetch(const void* at, int bytes) {
  for (int i = 0; i < bytes; i += 64) __builtin_prefetch(static_cast<const char*>(at) + i, 1, 3);
}

// try_lock takes a lock if it is free.
HZ_FN bool try_lock(u32* lock) { return read_word(lock) == 0 && compare_and_swap(lock, u32(0), u32(1)) == 0; }

// counter_set returns a number below n. It is always 0 here: a CPU has few workers, so
// they share one set of counters.
HZ_FN u32 counter_set(u32) { return 0; }

// Lanes are elements of one thread's vectors.
inline constexpr bool kLanesAreThreads = false;

template <int W, bool InStep>
class Tile {
 public:
  static constexpr int width = W;
  static constexpr bool in_step_with_others = false;  // a thread has one tile
  static constexpr bool compared = InStep;
  static constexpr u32 all = W == 32 ? ~u32(0) : (u32(1) << W) - 1;
  static_assert(W == 1 || W == 2 || W == 4 || W == 8 || W == 16 || W == 32, "a tile has 1, 2, 4, 8, 16 or 32 lanes");

  // in_step returns this tile as one that runs in step with the rest of its warp
  // (tile.h).
  HZ_FN Tile<W, true> in_step(bool busy) const { return Tile<W, true>(busy); }
  // only_if returns this tile, idle unless the condition holds.
  HZ_FN Tile only_if(bool condition) const { return Tile(busy_ && condition); }
  HZ_FN bool busy() const { return busy_; }
  HZ_FN Tile() {}
  HZ_FN explicit Tile(bool busy) : busy_(busy) {}

  // each calls f once per lane of the mask.
  template <class F>
  HZ_FN void each(u32 mask, F&& f) const {
    for (; mask != 0; mask &= mask - 1) f(Lane{u32(__builtin_ctz(mask))});
  }
  template <class F>
  HZ_FN void each(F&& f) const {
    for (u32 i = 0; i < W; i++) f(Lane{i});
  }

  // ballot returns a mask in which bit i is set if the predicate holds in lane i.
  template <class F>
  HZ_FN CollectiveOf<Tile, u32> ballot(F&& predicate) const {
    noted(kVerb_ballot);
    u32 mask = 0;
    for (u32 i = 0; i < W; i++) mask |= u32(bool(predicate(Lane{i}))) << i;
    return mask;
  }

  // ballot_of evaluates the predicate only in the lanes of the mask, and in no lane of an
  // idle tile.
  template <class F>
  HZ_FN CollectiveOf<Tile, u32> ballot_of(u32 mask, F&& predicate) const {
    noted(kVerb_ballot_of);
    u32 held = 0;
    for (mask = busy_ ? mask : 0; mask != 0; mask &= mask - 1) {
      u32 i = u32(__builtin_ctz(mask));
      held |= u32(bool(predicate(Lane{i}))) << i;
    }
    return held;
  }

  // done_by calls f in one lane if the condition holds, and returns whether f succeeded.
  template <class F>
  HZ_FN CollectiveOf<Tile, bool> done_by(bool condition, int lane, F&& f) const {
    noted(kVerb_done_by);
    return busy_ && condition && f(Lane{u32(lane)});
  }

  // ballot_equal is ballot(lane == value) for words.
  template <class T>
  HZ_FN CollectiveOf<Tile, u32> ballot_equal(const Lanes<T, W>& lanes, T value) const {
    noted(kVerb_ballot_equal);
#if defined(__AVX2__)
    if constexpr (sizeof(T) == 8 && W >= 4) return equal_words<W>(lanes.v, value);
    if constexpr (sizeof(T) == 4 && W >= 8) return equal_words<W>(lanes.v, value);
#endif
    return ballot([&](Lane l) { return lanes[l] == value; });
  }

  // ballot_key is ballot(the lane's key == key) for pairs, and ballot_key_from is ballot(the
  // lane's key >= least).
  template <class P>
  HZ_FN CollectiveOf<Tile, u32> ballot_key(const Lanes<P, W>& pairs, typename P::Key key) const {
    noted(kVerb_ballot_key);
#if defined(__AVX2__)
    if constexpr (kQuads<P>) return keys_equal<W>(pairs.v, key);
#endif
    return ballot([&](Lane l) { return pairs[l].key == key; });
  }
  template <class P>
  HZ_FN CollectiveOf<Tile, u32> ballot_key_from(const Lanes<P, W>& pairs, typename P::Key least) const {
    noted(kVerb_ballot_key_from);
#if defined(__AVX2__)
    if constexpr (kQuads<P>) return keys_from<W>(pairs.v, least);
#endif
    return ballot([&](Lane l) { return pairs[l].key >= least; });
  }

  // pick returns lane i's value to all lanes.
  template <class T>
  HZ_FN CollectiveOf<Tile, T> pick(const Lanes<T, W>& lanes, int i) const {
    noted(kVerb_pick);
    return lanes.v[i];
  }
  // pick_of returns f(lane i) to all lanes.
  template <class F>
  HZ_FN auto pick_of(int i, F&& f) const -> CollectiveOf<Tile, decltype(f(Lane{0}))> {
    noted(kVerb_pick_of);
    return f(Lane{u32(i)});
  }

  // gather returns to each lane the value of the lane that it names.
  template <class T>
  HZ_FN Lanes<T, W> gather(const Lanes<T, W>& lanes, const Lanes<u32, W>& from) const {
    noted(kVerb_gather);
    Lanes<T, W> got;
    for (u32 i = 0; i < W; i++) got.v[i] = lanes.v[from.v[i]];
    return got;
  }
  // peers returns to each lane the lanes that have the same value as it.
  template <class T>
  HZ_FN Lanes<u32, W> peers(const Lanes<T, W>& lanes) const {
    noted(kVerb_peers);
    Lanes<u32, W> same;
    for (u32 i = 0; i < W; i++) same.v[i] = ballot_equal(lanes, lanes.v[i]);
    return same;
  }

  // upto returns to each lane the last lane whose number in `numbers` is at most its own in
  // `most`, or lane 0. Both ascend from lane to lane.
  HZ_FN Lanes<u32, W> upto(const Lanes<u32, W>& numbers, const Lanes<u32, W>& most) const {
    noted(kVerb_upto);
    Lanes<u32, W> last;
    for (u32 i = 0, at = 0; i < W; last.v[i++] = at) {
      while (at + 1 < W && numbers.v[at + 1] <= most.v[i]) at++;
    }
    return last;
  }

  // rank returns the number of lanes in the mask below lane l.
  HZ_FN u32 rank(u32 mask, Lane l) const { return u32(__builtin_popcount(mask & ((u32(1) << l.i) - 1))); }

  // largest returns the maximum over the lanes.
  HZ_FN CollectiveOf<Tile, u32> largest(const Lanes<u32, W>& lanes) const {
    noted(kVerb_largest);
    u32 most = 0;
    for (int i = 0; i < W; i++) most = lanes.v[i] > most ? lanes.v[i] : most;
    return most;
  }

  // total returns the sum over the lanes.
  HZ_FN CollectiveOf<Tile, u64> total(const Lanes<u64, W>& lanes) const {
    noted(kVerb_total);
    u64 sum = 0;
    for (int i = 0; i < W; i++) sum += lanes.v[i];
    return sum;
  }

  // before returns, for each lane, the sum over the lanes below it.
  HZ_FN Lanes<u64, W> before(const Lanes<u64, W>& lanes) const {
    noted(kVerb_before);
    Lanes<u64, W> sums;
    u64 sum = 0;
    for (int i = 0; i < W; sum += lanes.v[i++]) sums.v[i] = sum;
    return sums;
  }

  // load reads W neighboring words, lane i the i-th, each without tearing.
  template <class T>
  HZ_FN Lanes<T, W> load(const T* at) const {
    Lanes<T, W> lanes;
    asm volatile("" ::: "memory");  // re-read what another thread may have changed
    if constexpr (sizeof(T) <= 8) {
      copy_once<sizeof lanes.v>(lanes.v, at);  // vector moves: x86-64 and arm64 do not tear 8 bytes
    } else {
      for (int i = 0; i < W; i++) lanes.v[i] = read_word(at + i);
    }
    return lanes;
  }

  // cas writes desired to *at if *at equals expected, and returns the old value.
  template <class T>
  HZ_FN CollectiveOf<Tile, T> cas(T* at, T expected, T desired) const {
    noted(kVerb_cas);
    return compare_and_swap(at, expected, desired);
  }

  // exchange writes desired to *at and returns the old value.
  template <class T>
  HZ_FN CollectiveOf<Tile, T> exchange(T* at, T desired) const {
    noted(kVerb_exchange);
    return atomic_exchange(at, desired);
  }

  // exchange_if exchanges if the condition holds; otherwise it returns desired. It may be
  // used in step.
  template <class T>
  HZ_FN CollectiveOf<Tile, T> exchange_if(bool condition, T* at, T desired) const {
    noted(kVerb_exchange_if);
    return condition && busy_ ? atomic_exchange(at, desired) : desired;
  }

  // branch returns whether the condition holds, if the tile may branch on that: tiles of a
  // GPU, which move in step, never may. It saves a CPU work whose result is known.
  HZ_FN bool branch(bool condition) const {
    noted(kVerb_branch, condition);
    return condition;
  }

  // any returns whether the condition holds for any of the tiles that run in step. Verbs
  // may be put under its result.
  HZ_FN CollectiveOf<Tile, bool> any(bool condition) const {
    noted(kVerb_any, condition);
    return condition;
  }

  // read returns *at, without tearing.
  template <class T>
  HZ_FN CollectiveOf<Tile, T> read(const T* at) const {
    noted(kVerb_read);
    return read_word(at);
  }

  // acquire is a read with acquire order: everything written before the matching publish
  // is visible afterwards.
  template <class T>
  HZ_FN CollectiveOf<Tile, T> acquire(const T* at) const {
    noted(kVerb_acquire);
    T word = read_word(at);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return word;
  }

  // publish writes *at with release order, after everything the tile wrote before.
  template <class T>
  HZ_FN void publish(T* at, T value) const {
    noted(kVerb_publish);
    atomic_exchange(at, value);
  }

  // lock_of tries to take the lock f(l) for each lane in the mask, for none if the tile
  // is idle, and returns the lanes that succeeded. A lock is a word that is 0 while it is
  // free. Writes of the previous holder are visible afterwards. A tile that fails to get
  // a lock must not wait for it in the same step: the holder may be a tile of the same
  // warp.
  template <class F>
  HZ_FN CollectiveOf<Tile, u32> lock_of(u32 mask, F&& f) const {
    noted(kVerb_lock_of);
    const u32 got = ballot_of(mask, [&](Lane l) { return try_lock(f(l)); });
    if (got == 0 && mask != 0 && busy_) sched_yield();  // the holders may not be running
    return got;
  }

  // unlock_of releases locks, after everything the tile wrote before.
  template <class F>
  HZ_FN void unlock_of(u32 mask, F&& f) const {
    noted(kVerb_unlock_of);
    if (busy_) each(mask, [&](Lane l) { __atomic_store_n(f(l), 0, __ATOMIC_RELEASE); });
  }

  // add adds to *at and does not wait for the result.
  HZ_FN void add(u64* at, u64 amount) const {
    observe_change(at);
    __atomic_fetch_add(at, amount, __ATOMIC_RELAXED);
  }

  // fetch_add adds to *at and returns the old value.
  template <class T>
  HZ_FN CollectiveOf<Tile, T> fetch_add(T* at, u64 amount) const {
    noted(kVerb_fetch_add);
    observe_change(at);
    return __atomic_fetch_add(at, T(amount), __ATOMIC_RELAXED);
  }

  // fetch requests a cache line that the next step of a walk writes to.
  static constexpr bool fetches = true;
  HZ_FN void fetch(const void* at) const {
#ifdef __x86_64__
    asm volatile("prefetchw %0" ::"m"(*static_cast<const char*>(at)));
#else
    prefetch(at, 1);
#endif
  }

  // sync makes what each lane wrote to the tile's scratch memory visible to the others.
  HZ_FN void sync() const { noted(kVerb_sync); }

 private:
  HZ_FN static void noted(Verb verb, bool answer = false) {
    if constexpr (InStep) observe_verb(verb, answer);
  }

  // kQuads: pairs of 4+4 bytes, of which a vector has four.
  template <class P>
  static constexpr bool kQuads = sizeof(P) == 8 && sizeof(typename P::Key) == 4 && W >= 4;

  bool busy_ = true;
};

// lane_read_row reads adjacent words, each without tearing.
template <class T, int N>
HZ_FN void lane_read_row(Lane, const T* at, T (&row)[N]) {
  for (int i = 0; i < N; i++) row[i] = read_word(at + i);
}
// lane_fence orders this lane's earlier accesses before its later ones, for readers that
// use a lane_fence between theirs.
HZ_FN void lane_fence(Lane) { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
HZ_FN void lane_after(Lane) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
template <class T>
HZ_FN T lane_add_to(T* at, T amount) {
  observe_change(at);
  return __atomic_fetch_add(at, amount, __ATOMIC_RELAXED);
}
HZ_FN u64 lane_add(Lane, u64* at, u64 amount) { return lane_add_to(at, amount); }
HZ_FN u32 lane_add(Lane, u32* at, u32 amount) { return lane_add_to(at, amount); }
// lane_sum, lane_least and lane_most change a word to the sum, the least or the most of
// itself and another, and do not wait for the result.
template <class T>
HZ_FN void lane_sum(Lane, T* at, T amount) {
  lane_add_to(at, amount);
}
template <class T>
HZ_FN void lane_least(Lane, T* at, T bound) {
  for (T seen = read_word(at), old; bound < seen; seen = old) {
    if ((old = compare_and_swap(at, seen, bound)) == seen) return;
  }
}
template <class T>
HZ_FN void lane_most(Lane, T* at, T bound) {
  for (T seen = read_word(at), old; bound > seen; seen = old) {
    if ((old = compare_and_swap(at, seen, bound)) == seen) return;
  }
}
HZ_FN u32 lane_or(Lane, u32* at, u32 bits) {
  observe_change(at);
  return __atomic_fetch_or(at, bits, __ATOMIC_RELAXED);
}
HZ_FN u32 lane_and(Lane, u32* at, u32 bits) {
  observe_change(at);
  return __atomic_fetch_and(at, bits, __ATOMIC_RELAXED);
}

HZ_FN u64 multiply_high(u64 a, u64 b) { return u64((static_cast<unsigned __int128>(a) * b) >> 64); }

// square_root is correctly rounded, so its bits are the same everywhere.
HZ_FN double square_root(double x) { return __builtin_sqrt(x); }

// product returns the rounded product: the compiler cannot fuse it with an addition,
// whose result would differ from that of a processor without FMA.
HZ_FN double product(double a, double b) {
  double r = a * b;
#if defined(__x86_64__)
  asm("" : "+x"(r));
#elif defined(__aarch64__)
  asm("" : "+w"(r));
#else
  asm("" : "+m"(r));
#endif
  return r;
}

// HZ_SCRATCH declares an array of N elements that belongs to the tile. On a CPU the tile
// is one thread, so the array is on its stack.
#define HZ_SCRATCH(T, name, N, W) T name[N]

}  // namespace hz

#include "tile_block_cpu.h"
