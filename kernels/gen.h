// gen.h: the generators. A stream of numbers is a function of an index, given as a
// program of steps (abi.h). This header defines the steps.
//
// Invariant: the number at index i depends only on the program and on i. Its bits are the
// same on every backend, for every thread count and every split of a batch into launches.
// So steps are pure, random numbers are hashes of (seed, index) instead of a state, and
// doubles are only used as real.h allows. No step branches on a number: a choice computes
// both sides and selects one.
//
// A step processes 32 indices at a time, which amortizes decoding it. On a GPU they are
// the lanes of a warp.
#pragma once

#include "drive.h"
#include "hash.h"
#include "real.h"

namespace hz {

// random_bits is number i of the random sequence of a seed: the i-th output of SplitMix64
// (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014) with that
// seed. The state of SplitMix64 is a counter times an odd constant, so any output can be
// computed directly. It passes BigCrush and costs two multiplications. A nonzero attempt
// selects the sequence of another seed, for generators that reject some numbers.
inline constexpr u64 kGamma = 0x9e3779b97f4a7c15ull;
inline constexpr u64 kAttemptGamma = 0xd1342543de82ef95ull;
HZ_FN u64 random_bits(u64 seed, u64 i, u64 attempt) { return mix64(seed + attempt * kAttemptGamma + (i + 1) * kGamma); }

// unit turns random bits into a double in [0, 1).
HZ_FN double unit(u64 random) { return double(int64_t(random >> 11)) * 0x1p-53; }

// inner_unit turns random bits into a double in (0, 1).
HZ_FN double inner_unit(u64 random) { return (double(int64_t(random >> 12)) + 0.5) * 0x1p-52; }

// Numbers holds one number for each of the 32 indices.
using Numbers = Lanes<u64, kWarp>;

// Permutation is a permutation of the numbers below n, selected by a seed, that needs no
// memory: a Feistel network over just enough bits, with halves that differ by at most one
// bit. A result of n or above is fed back until it is below n. That terminates because
// the network is a permutation, and takes fewer than two passes on average because the
// network has no bit to spare. The round function is a full 32-bit mix (hash.h) and the
// keys are a Weyl sequence, as in Philox (Salmon and others: Parallel Random Numbers,
// 2011). Six rounds are enough. With few bits the round functions have little to choose
// from, and it takes 24 rounds until all permutations are about equally likely.
class Permutation {
 public:
  HZ_FN Permutation(u64 seed, u64 n) : n_(n), key_(u32(seed)), step_(u32(seed >> 32) | 1) {
    const int bits = n <= 4 ? 2 : 64 - __builtin_clzll(n - 1);
    low_ = bits / 2;
    high_ = bits - low_;
    round_pairs_ = bits < 16 ? 12 : 3;
  }

  // apply permutes each number; numbers of n or above wrap around first.
  HZ_FN void apply(const Tile<kWarp>& tile, Numbers& x) const {
    tile.each([&](Lane l) {
      if (x[l] >= n_) x[l] = n_ == 0 ? 0 : x[l] % n_;
    });
    pass(tile, x);
    while (n_ != 0 && tile.ballot([&](Lane l) { return x[l] >= n_; }) != 0) {
      Numbers again = x;
      pass(tile, again);
      tile.each([&](Lane l) { x[l] = x[l] >= n_ ? again[l] : x[l]; });
    }
  }

 private:
  HZ_FN void pass(const Tile<kWarp>& tile, Numbers& x) const {
    Lanes<u32, kWarp> low, high;
    tile.each([&](Lane l) {
      low[l] = u32(x[l]) & u32((u64(1) << low_) - 1);
      high[l] = u32(x[l] >> low_);
    });
    u32 key = key_;
    for (int pair = 0; pair < round_pairs_; pair++) {
      tile.each([&](Lane l) { high[l] ^= mix32(low[l] ^ key) >> (32 - high_); });
      key += step_;
      tile.each([&](Lane l) { low[l] ^= mix32(high[l] ^ key) >> (32 - low_); });
      key += step_;
    }
    tile.each([&](Lane l) { x[l] = u64(high[l]) << low_ | low[l]; });
  }

  u64 n_;
  u32 key_, step_;
  int low_, high_;  // bits in each half, at least 1
  int round_pairs_;
};

// Zipfian draws ranks 1 to n with a probability proportional to rank^-theta, by
// rejection-inversion: Hoermann and Derflinger, Rejection-Inversion to Generate Variates
// from Monotone Discrete Distributions, 1996. H is the integral of the density x^-theta
// with H(1) = 0. A random number between H(1.5) - 1 and H(n + 0.5) goes through the
// inverse of H, is rounded to a rank, and is nearly always accepted at once.
//
// With q = 1 - theta, H(x) = (x^q - 1) / q, which is ln x at q = 0 and numerically
// unstable near it. H and its inverse are therefore written with (e^t - 1) / t and ln(1 +
// t) / t, which Kahan's method computes accurately for every t.
class Zipfian {
 public:
  // Takes the constants that compute wrote.
  HZ_FN explicit Zipfian(const u64* c)
      : Zipfian(c[0], bits<double>(c[1]), bits<double>(c[2]), bits<double>(c[3]), bits<double>(c[4])) {}

  // compute writes the five constants of a distribution: n, theta, the ends of the range
  // of random numbers, and how far above the inverse a rank may be to be accepted without
  // computing H.
  HZ_FN static void compute(u64 n, double theta, u64* c) {
    const Zipfian z(n, theta, 0, 0, 0);
    c[0] = n;
    c[1] = bits<u64>(theta);
    c[2] = bits<u64>(z.integral(1.5) - 1.0);
    c[3] = bits<u64>(z.integral(double(int64_t(n)) + 0.5));
    c[4] = bits<u64>(2.0 - z.inverse(z.integral(2.5) - z.density(2.0)));
  }

  // draw turns a random number in [0, 1) into a rank and returns whether it is accepted.
  HZ_FN bool draw(double random, u64& rank) const {
    const double u = last_ + product(random, first_ - last_);
    const double x = inverse(u);
    double k = double(int64_t(x + 0.5));
    k = k < 1.0 ? 1.0 : k;
    k = k > n_ ? n_ : k;
    rank = u64(int64_t(k));
    return k - x <= squeeze_ || k > kAlwaysAccepted || u >= integral(k + 0.5) - density(k);
  }

 private:
  // The rejected fraction of rank k is theta (theta + 1) / 24 k^2, which is less than
  // 2^-33 above this rank. Far above it, rounding errors of H exceed the density.
  static constexpr double kAlwaysAccepted = 65536;

  HZ_FN Zipfian(u64 n, double theta, double first, double last, double squeeze)
      : n_(double(int64_t(n))), theta_(theta), q_(1.0 - theta), first_(first), last_(last), squeeze_(squeeze) {}

  HZ_FN static double growth(double t) {  // (e^t - 1) / t
    const double e = exponential(t);
    return e == 1.0 ? 1.0 : (e - 1.0) / natural_log(e);
  }
  HZ_FN static double log_growth(double t) {  // ln(1 + t) / t
    const double e = 1.0 + t;
    return e == 1.0 ? 1.0 : natural_log(e) / (e - 1.0);
  }
  HZ_FN double density(double x) const { return exponential(-theta_ * natural_log(x)); }
  HZ_FN double integral(double x) const {
    const double log = natural_log(x);
    return growth(q_ * log) * log;
  }
  HZ_FN double inverse(double y) const {
    double t = q_ * y;
    t = t < -0x1.fffffffffffffp-1 ? -0x1.fffffffffffffp-1 : t;  // ln's argument stays above 0 despite rounding
    return exponential(log_growth(t) * y);
  }

  double n_, theta_, q_, first_, last_, squeeze_;
};

// round_clamped rounds x to an integer between low and high.
HZ_FN u64 round_clamped(double x, u64 low, u64 high) {
  if (!(x > 0.0)) return low;
  if (x >= 0x1p64) return high;
  const double half_up = x + 0.5;
  const u64 whole = half_up >= 0x1p64 ? ~u64(0) : u64(half_up);
  return whole < low ? low : whole > high ? high : whole;
}

// The steps, one function each. The operands are a[0], a[1] ... in each lane, the result
// replaces a[0], and c points to the constants.
#define HZ_STEP(name)                                                                                                 \
  HZ_FN void step_##name([[maybe_unused]] const Tile<kWarp>& tile, [[maybe_unused]] const Numbers* stack, Numbers* a, \
                         [[maybe_unused]] const u64* c)
#define HZ_STEP_IS(name, expression)                  \
  HZ_STEP(name) {                                     \
    tile.each([&](Lane l) { a[0][l] = expression; }); \
  }

HZ_STEP_IS(get, stack[c[0]][l])
HZ_STEP_IS(keep, a[1][l])
HZ_STEP_IS(constant, c[0])
HZ_STEP_IS(add, a[0][l] + a[1][l])
HZ_STEP_IS(sub, a[0][l] - a[1][l])
HZ_STEP_IS(mul, a[0][l] * a[1][l])
HZ_STEP_IS(div, a[1][l] == 0 ? 0 : a[0][l] / a[1][l])
HZ_STEP_IS(mod, a[1][l] == 0 ? 0 : a[0][l] % a[1][l])
HZ_STEP_IS(xor, a[0][l] ^ a[1][l])
HZ_STEP_IS(less, a[0][l] < a[1][l])
HZ_STEP_IS(select, a[2][l] != 0 ? a[0][l] : a[1][l])
HZ_STEP_IS(scale, multiply_high(a[0][l], c[0]))
HZ_STEP_IS(random, random_bits(c[0], a[0][l], 0))
HZ_STEP_IS(chance, random_bits(c[0], a[0][l], 0) >> 1 < c[1])

HZ_STEP(normal) {
  const double mean = bits<double>(c[1]), deviation = bits<double>(c[2]);
  tile.each([&](Lane l) {
    const double z = normal_quantile(inner_unit(random_bits(c[0], a[0][l], 0)));
    a[0][l] = round_clamped(mean + product(deviation, z), c[3], c[4]);
  });
}

HZ_STEP(permute) { Permutation(c[0], c[1]).apply(tile, a[0]); }

// retry calls draw(lane, attempt) with attempt 0, 1, 2 ... in each lane until it returns
// true there. After kAttempts the last number stands: at least half of all attempts are
// accepted, so this practically never happens, but a kernel must terminate whatever its
// constants are.
inline constexpr u64 kAttempts = 64;
template <class F>
HZ_FN void retry(const Tile<kWarp>& tile, F&& draw) {
  u32 pending = ~u32(0);
  for (u64 attempt = 0; pending != 0 && attempt < kAttempts; attempt++) {
    pending = tile.ballot([&](Lane l) { return (pending >> l.index() & 1) && !draw(l, attempt); });
  }
}

// uniform follows Lemire, Fast Random Integer Generation in an Interval, 2019. The upper
// half of random * n is below n. Rejecting 2^64 mod n of the lower halves makes all
// results equally likely.
HZ_STEP(uniform) {
  const u64 n = c[1], excess = n == 0 ? 0 : (0 - n) % n;
  Numbers drawn;
  retry(tile, [&](Lane l, u64 attempt) {
    const u64 random = random_bits(c[0], a[0][l], attempt);
    drawn[l] = multiply_high(random, n);
    return random * n >= excess;
  });
  tile.each([&](Lane l) { a[0][l] = drawn[l]; });
}

HZ_STEP(zipfian) {
  const Zipfian zipfian(c + 1);
  Numbers rank;
  retry(tile, [&](Lane l, u64 attempt) { return zipfian.draw(unit(random_bits(c[0], a[0][l], attempt)), rank[l]); });
  tile.each([&](Lane l) { a[0][l] = rank[l] - 1; });
}

// The engine puts the addresses of arrays into the program. An index may be out of range
// in a number that is computed but not selected; then nothing is read.
HZ_STEP(load) {
  const u64* numbers = reinterpret_cast<const u64*>(c[0]);
  tile.each([&](Lane l) { a[0][l] = a[0][l] < c[1] ? numbers[a[0][l]] : 0; });
}

HZ_STEP(search) {
  const u64* ascending = reinterpret_cast<const u64*>(c[0]);
  tile.each([&](Lane l) {
    u64 below = 0;  // the first `below` numbers are known to be at most a[0]; the next `open` are undecided
    for (u64 open = c[1]; open > 0;) {
      const u64 half = open / 2;
      const bool go_right = ascending[below + half] <= a[0][l];
      below += go_right ? half + 1 : 0;
      open = go_right ? open - half - 1 : half;
    }
    a[0][l] = below;
  });
}

HZ_STEP(fnv) {
  tile.each([&](Lane l) {
    u64 hash = 0xcbf29ce484222325ull;
    for (int byte = 0; byte < 8; byte++) hash = (hash ^ (a[0][l] >> 8 * byte & 0xff)) * 0x100000001b3ull;
    a[0][l] = int64_t(hash) < 0 ? 0 - hash : hash;
  });
}

#define HZ_AS_ENUM(name, ...) kStep_##name,
enum StepOp : u32 { HZ_STEP_OPS(HZ_AS_ENUM) kStepOps };
#undef HZ_AS_ENUM

// run_program leaves the results for its 32 indices in stack[0].
HZ_FN void run_program(const Tile<kWarp>& tile, const hz_program* program, Numbers* stack) {
  u32 top = 0;
  for (u64 k = 0; k < program->Steps; k++) {
    const u64* constants = program->Constant + program->Step[k].First;
    switch (program->Step[k].Op) {
#define HZ_CARRY_OUT(name, pops, ...)                 \
  case kStep_##name:                                  \
    top += 1 - (pops);                                \
    step_##name(tile, stack, stack + top, constants); \
    break;
      HZ_STEP_OPS(HZ_CARRY_OUT)
#undef HZ_CARRY_OUT
    }
  }
  tile.each([&](Lane l) { stack[0][l] = stack[top][l]; });
}

// put writes the numbers of the valid lanes, truncated to T.
template <class T>
HZ_FN void put(const Tile<kWarp>& tile, u64 out, u64 base, u32 valid, const Numbers& numbers) {
  T* to = reinterpret_cast<T*>(out) + base;
  auto write = [&](Lane l) { to[l.index()] = T(numbers[l]); };
  if (valid == Tile<kWarp>::all) {
    tile.each(write);
  } else {
    tile.each(valid, write);
  }
}

// put_wide writes wide values: each number and the words derived from it (pair.h).
HZ_FN void put_wide(const Tile<kWarp>& tile, u64 out, u64 words, u64 base, u32 valid, const Numbers& numbers) {
  u64* to = reinterpret_cast<u64*>(out) + base * words;
  tile.each(valid, [&](Lane l) {
    for (u64 i = 0; i < words; i++) to[l.index() * words + i] = Wide<8>::nth(numbers[l], i);
  });
}

// generate is the body of the kernel hz_generate.
HZ_FN void generate(const void* program_block, void* fill_block, u64 first, u64 count) {
  const hz_program* program = static_cast<const hz_program*>(program_block);
  const hz_fill* fill = static_cast<const hz_fill*>(fill_block);
  Numbers stack[HZ_MAX_STACK];
  for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
    tile.each([&](Lane l) { stack[0][l] = fill->First + base + l.index(); });
    run_program(tile, program, stack);
    if (fill->Width > 8) put_wide(tile, fill->Out, fill->Width / 8, base, valid, stack[0]);
    if (fill->Width == 8) put<u64>(tile, fill->Out, base, valid, stack[0]);
    if (fill->Width == 4) put<u32>(tile, fill->Out, base, valid, stack[0]);
    if (fill->Width == 1) put<u8>(tile, fill->Out, base, valid, stack[0]);
  });
}

}  // namespace hz
