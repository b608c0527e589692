// tile_gpu.h: a tile as W neighboring lanes of a warp. See tile.h.
//
// No CUDA header is needed: clang compiles this to PTX with its own builtins, and inline
// PTX covers what has no builtin. A verb's mask names only the tile's own lanes unless
// the tile runs in step, so the tiles of a warp may diverge.
#pragma once

#define HZ_FN __attribute__((device, always_inline)) inline
#define HZ_BOTH __attribute__((host, device, always_inline)) inline
#define HZ_CALLED HZ_FN
#define HZ_ROLLED _Pragma("unroll 1")
#define HZ_UNROLLED _Pragma("unroll")
// HZ_GLOBAL is for pointers to memory that all blocks share: others take longer, as they may be to any.
#if defined(__clang__) && defined(__CUDA_ARCH__)
#define HZ_GLOBAL __attribute__((address_space(1)))
#else
#define HZ_GLOBAL
#endif

namespace hz {

HZ_FN u32 thread_in_block() { return __nvvm_read_ptx_sreg_tid_x(); }
HZ_FN u32 threads_in_block() { return __nvvm_read_ptx_sreg_ntid_x(); }
HZ_FN u32 lane_in_warp() {
  return __nvvm_read_ptx_sreg_tid_x() % kWarp;
}  // blocks are one-dimensional and consist of whole warps
HZ_FN u64 thread_in_grid() {
  return u64(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() + thread_in_block();
}
HZ_FN u64 threads_in_grid() { return u64(__nvvm_read_ptx_sreg_nctaid_x()) * __nvvm_read_ptx_sreg_ntid_x(); }

// The same of now: a compiler would keep what it has read in a register, over a loop that needs all of them.
HZ_FN u32 lane_now() {
  u32 thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread % kWarp;
}
HZ_FN u32 warps_now() {
  u32 blocks;
  asm volatile("mov.u32 %0, %%nctaid.x;" : "=r"(blocks));
  return blocks * (threads_in_block() / kWarp);
}

// counter_set returns a number below n that differs between neighboring blocks.
HZ_FN u32 counter_set(u32 n) {
  u32 block;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
  return block % n;
}

// kBlock is the number of threads per block. The launcher reads it from the kernel
// (.maxntid).
inline constexpr int kBlock = 128;

}  // namespace hz

#include "collective.h"

namespace hz {

template <class T, int W>
struct Lanes {
  T v;
  HZ_FN T& operator[](Lane) { return v; }
  HZ_FN const T& operator[](Lane) const { return v; }
};

struct Two {
  u64 lo, hi;
};

}  // namespace hz

#include "tile_words_gpu.h"

namespace hz {

// prefetch does nothing: a GPU hides latency with loads in flight (drive.h).
HZ_FN void prefetch(const void*, int) {}

// Lanes are threads, each with registers of its own.
inline constexpr bool kLanesAreThreads = true;

// Only threads of a CPU have observers.
inline constexpr bool kObserved = false;
HZ_FN void observe(Event, const void*, int, u64 = 0, u32 = 0, u32 = 0) {}

template <int W, bool InStep>
class Tile {
 public:
  static constexpr int width = W;
  static constexpr bool in_step_with_others = InStep;
  static constexpr u32 all = W == 32 ? ~u32(0) : (u32(1) << W) - 1;
  static_assert(W == 1 || W == 2 || W == 4 || W == 8 || W == 16 || W == 32, "a tile has 1, 2, 4, 8, 16 or 32 lanes");

  HZ_FN Tile() : lane_(lane_in_warp() % W), shift_(lane_in_warp() / W * W) {}
  HZ_FN explicit Tile(bool busy) : Tile() { busy_ = busy; }

  HZ_FN Tile<W, true> in_step(bool busy) const { return Tile<W, true>(busy); }
  HZ_FN Tile only_if(bool condition) const { return Tile(busy_ && condition); }
  HZ_FN bool busy() const { return busy_; }

  template <class F>
  HZ_FN void each(u32 mask, F&& f) const {
    if (mask >> lane_ & 1) f(Lane{lane_});
  }
  template <class F>
  HZ_FN void each(F&& f) const {
    f(Lane{lane_});
  }

  template <class F>
  HZ_FN CollectiveOf<Tile, u32> ballot(F&& predicate) const {
    bool mine = predicate(Lane{lane_});
    if constexpr (W == 1) return mine;
    return __nvvm_vote_ballot_sync(members(), mine) >> shift_ & all;
  }

  template <class F>
  HZ_FN CollectiveOf<Tile, u32> ballot_of(u32 mask, F&& predicate) const {
    return ballot([&](Lane l) { return busy_ && (mask >> l.index() & 1) && predicate(l); });
  }

  template <class F>
  HZ_FN CollectiveOf<Tile, bool> done_by(bool condition, int lane, F&& f) const {
    return ballot([&](Lane l) { return busy_ && condition && l.index() == u32(lane) && f(l); }) != 0;
  }

  template <class T>
  HZ_FN CollectiveOf<Tile, u32> ballot_equal(const Lanes<T, W>& lanes, T value) const {
    return ballot([&](Lane l) { return lanes[l] == value; });
  }

  template <class P>
  HZ_FN CollectiveOf<Tile, u32> ballot_key(const Lanes<P, W>& pairs, typename P::Key key) const {
    return ballot([&](Lane l) { return pairs[l].key == key; });
  }
  template <class P>
  HZ_FN CollectiveOf<Tile, u32> ballot_key_from(const Lanes<P, W>& pairs, typename P::Key least) const {
    return ballot([&](Lane l) { return pairs[l].key >= least; });
  }

  template <class T>
  HZ_FN CollectiveOf<Tile, T> pick(const Lanes<T, W>& lanes, int i) const {
    return broadcast(lanes.v, i);
  }
  template <class F>
  HZ_FN auto pick_of(int i, F&& f) const {
    return broadcast(f(Lane{lane_}), i);
  }

  template <class T>
  HZ_FN Lanes<T, W> gather(const Lanes<T, W>& lanes, const Lanes<u32, W>& from) const {
    return {broadcast(lanes.v, int(from.v))};
  }
  template <class T>
  HZ_FN Lanes<u32, W> peers(const Lanes<T, W>& lanes) const {
    if constexpr (sizeof(T) == 8) return {__nvvm_match_any_sync_i64(all << shift_, lanes.v) >> shift_ & all};
    return {__nvvm_match_any_sync_i32(all << shift_, u32(lanes.v)) >> shift_ & all};
  }

  HZ_FN Lanes<u32, W> upto(const Lanes<u32, W>& numbers, const Lanes<u32, W>& most) const {
    u32 last = 0;
#pragma unroll
    for (u32 step = W / 2; step > 0; step /= 2) last += broadcast(numbers.v, int(last + step)) <= most.v ? step : 0;
    return {last};
  }

  HZ_FN u32 rank(u32 mask, Lane l) const { return u32(__builtin_popcount(mask & ((u32(1) << l.i) - 1))); }

  HZ_FN CollectiveOf<Tile, u32> largest(const Lanes<u32, W>& lanes) const {
    u32 most = lanes.v;
    for (int step = W / 2; step > 0; step /= 2) {
      u32 other = swap_lanes(most, step);
      most = other > most ? other : most;
    }
    return most;
  }

  HZ_FN CollectiveOf<Tile, u64> total(const Lanes<u64, W>& lanes) const {
    u64 sum = lanes.v;
    for (int step = W / 2; step > 0; step /= 2) {
      u32 lo = swap_lanes(u32(sum), step), hi = swap_lanes(u32(sum >> 32), step);
      sum += u64(hi) << 32 | lo;
    }
    return sum;
  }

  HZ_FN Lanes<u64, W> before(const Lanes<u64, W>& lanes) const {
    u64 sum = lanes.v;
    for (u32 step = 1; step < W; step *= 2) {
      const u32 lo = shuffle(members(), u32(sum), lane_ - step), hi = shuffle(members(), u32(sum >> 32), lane_ - step);
      if (lane_ >= step) sum += u64(hi) << 32 | lo;
    }
    return {sum - lanes.v};
  }

  template <class T>
  HZ_FN Lanes<T, W> load(const T* at) const {
    return {read_word(at + lane_)};
  }

  template <class T>
  HZ_FN CollectiveOf<Tile, T> cas(T* at, T expected, T desired) const {
    T old = expected;
    if (lane_ == 0) old = compare_and_swap(at, expected, desired);
    return broadcast(old, 0);
  }

  template <class T>
  HZ_FN CollectiveOf<Tile, T> exchange(T* at, T desired) const {
    T old = desired;
    if (lane_ == 0) old = atomic_exchange(at, desired);
    return broadcast(old, 0);
  }

  template <class T>
  HZ_FN CollectiveOf<Tile, T> exchange_if(bool condition, T* at, T desired) const {
    T old = desired;
    if (condition && busy_ && lane_ == 0) old = atomic_exchange(at, desired);
    return broadcast(old, 0);
  }

  HZ_FN static constexpr bool branch(bool) { return false; }

  HZ_FN CollectiveOf<Tile, bool> any(bool condition) const {
    if constexpr (W == 1 && !InStep) return condition;
    return __nvvm_vote_any_sync(members(), condition);
  }

  template <class T>
  HZ_FN CollectiveOf<Tile, T> read(const T* at) const {
    T word;
    if (lane_ == 0) word = read_word(at);
    return broadcast(word, 0);
  }

  template <class T>
  HZ_FN CollectiveOf<Tile, T> acquire(const T* at) const {
    T word = read(at);
    fence();
    sync();  // the reading lane's fence covers the whole tile
    return word;
  }

  template <class T>
  HZ_FN void publish(T* at, T value) const {
    sync();  // orders the other lanes' writes before the publishing lane's fence
    if (lane_ == 0) {
      fence();
      atomic_exchange(at, value);
    }
  }

  // lock_of is relaxed, although PTX orders later reads only behind an acquire: the hardware does not issue the
  // reads of a branch before the condition is known, and table words are read past the L1 cache. That is an
  // assumption, which the self-test `locking` tries; an acquire empties the L1 cache of the multiprocessor, and
  // takes 9 to 10 % off the rate of inserts under locks.
  template <class F>
  HZ_FN CollectiveOf<Tile, u32> lock_of(u32 mask, F&& f) const {
    return ballot_of(mask, [&](Lane l) { return compare_and_swap(f(l), u32(0), u32(1)) == 0; });
  }

  template <class F>
  HZ_FN void unlock_of(u32 mask, F&& f) const {
    sync();  // orders the other lanes' writes before the unlocking lane's release
    if (busy_) each(mask, [&](Lane l) { release_word(f(l), 0); });
  }

  HZ_FN void add(u64* at, u64 amount) const {
    if (lane_ != 0) return;
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(at), "l"(amount) : "memory");
  }

  template <class T>
  HZ_FN CollectiveOf<Tile, T> fetch_add(T* at, u64 amount) const {
    T old = 0;
    if (lane_ == 0) old = atomic_add(at, T(amount));
    return broadcast(old, 0);
  }

  // Warps wait for memory while others run, so nothing is to be fetched ahead.
  static constexpr bool fetches = false;
  HZ_FN void fetch(const void*) const {}

  HZ_FN void sync() const {
    if constexpr (W > 1) __nvvm_bar_warp_sync(members());
  }

  // neighbor returns the value of the lane with this lane's number in the other tile of a pair: tiles 0 and 1, 2 and 3,
  // and so on. second is set for the second of a pair. Only GPUs have this verb, and only in step.
  HZ_FN CollectiveOf<Tile, u64> neighbor(u64 value) const {
    static_assert(InStep && W < kWarp, "a neighboring tile answers only in step");
    const u32 lo = u32(__nvvm_shfl_sync_bfly_i32(~0, int(u32(value)), W, kWarp - 1));
    const u32 hi = u32(__nvvm_shfl_sync_bfly_i32(~0, int(u32(value >> 32)), W, kWarp - 1));
    return u64(hi) << 32 | lo;
  }
  HZ_FN bool second() const { return (shift_ & W) != 0; }

  // slot is the tile's index within its block, for scratch memory.
  HZ_FN u32 slot() const { return thread_in_block() / W; }

 private:
  // members are the lanes that take part in a verb: those of this tile or, in step, of
  // the whole warp. Only with the same mask in all lanes is a verb a single instruction.
  HZ_FN u32 members() const { return InStep ? ~u32(0) : all << shift_; }

  HZ_FN static u32 shuffle(u32 mask, u32 value, u32 from) {
    return __nvvm_shfl_sync_idx_i32(mask, value, from, (kWarp - W) << 8 | (kWarp - 1));
  }

  HZ_FN u32 swap_lanes(u32 value, int step) const { return shuffle(members(), value, lane_ ^ step); }

  template <class T>
  HZ_FN CollectiveOf<Tile, T> broadcast(const T& value, int from) const {
    if constexpr (W == 1) {
      return value;
    } else if constexpr (sizeof(T) < 4) {
      return T(shuffle(members(), u32(value), from));
    } else {
      struct Parts {
        u32 part[sizeof(T) / 4];
      } p = bits<Parts>(value);
#pragma unroll
      for (u32 k = 0; k < sizeof(T) / 4; k++) p.part[k] = shuffle(members(), p.part[k], from);
      return bits<T>(p);
    }
  }

  u32 lane_;   // this thread's lane within the tile
  u32 shift_;  // the tile's first lane within the warp
  bool busy_ = true;
};

template <class T, int N>
HZ_FN void lane_read_row(Lane, const T* at, T (&row)[N]) {
  Word<T> seen[N];
  read_row(at, seen);
#pragma unroll
  for (int i = 0; i < N; i++) row[i] = bits<T>(seen[i]);
}
HZ_FN void lane_fence(Lane) { fence(); }
// Reads of table words bypass the L1 cache, and what depends on a read is not issued before
// its result is there, so there is nothing to do for lane_after.
HZ_FN void lane_after(Lane) { asm volatile("" ::: "memory"); }
HZ_FN u64 lane_add(Lane, u64* at, u64 amount) { return atomic_add(at, amount); }
HZ_FN u32 lane_add(Lane, u32* at, u32 amount) { return atomic_add(at, amount); }
#define HZ_REDUCTION(name, op)                                                                   \
  HZ_FN void name(Lane, u32* at, u32 with) {                                                     \
    asm volatile("red.relaxed.gpu.global." op ".u32 [%0], %1;" ::"l"(at), "r"(with) : "memory"); \
  }                                                                                              \
  HZ_FN void name(Lane, u64* at, u64 with) {                                                     \
    asm volatile("red.relaxed.gpu.global." op ".u64 [%0], %1;" ::"l"(at), "l"(with) : "memory"); \
  }
HZ_REDUCTION(lane_sum, "add")
HZ_REDUCTION(lane_least, "min")
HZ_REDUCTION(lane_most, "max")
#undef HZ_REDUCTION
HZ_FN u32 lane_or(Lane, u32* at, u32 bits) {
  u32 old;
  asm volatile("atom.relaxed.gpu.global.or.b32 %0, [%1], %2;" : "=r"(old) : "l"(at), "r"(bits) : "memory");
  return old;
}
HZ_FN u32 lane_and(Lane, u32* at, u32 bits) {
  u32 old;
  asm volatile("atom.relaxed.gpu.global.and.b32 %0, [%1], %2;" : "=r"(old) : "l"(at), "r"(bits) : "memory");
  return old;
}

HZ_FN u64 multiply_high(u64 a, u64 b) {
  u64 hi;
  asm("mul.hi.u64 %0, %1, %2;" : "=l"(hi) : "l"(a), "l"(b));
  return hi;
}

HZ_FN double square_root(double x) {
  double r;
  asm("sqrt.rn.f64 %0, %1;" : "=d"(r) : "d"(x));
  return r;
}

HZ_FN double product(double a, double b) {
  double r;
  asm("mul.rn.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b));
  return r;
}

// On a GPU, scratch is shared memory, one array for each tile of the block.
#define HZ_SCRATCH(T, name, N, W)                                                \
  static __attribute__((device, shared)) T name##_of_block[hz::kBlock / (W)][N]; \
  T* name = name##_of_block[hz::thread_in_block() / (W)]

}  // namespace hz

#include "tile_block_gpu.h"
