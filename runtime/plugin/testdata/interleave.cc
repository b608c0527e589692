// interleave.cc: many lanes work on one small table, in a random order, one memory access of
// one lane at a time. A data race that a GPU with a hundred thousand lanes runs into once in a
// million operations shows here within seconds, and again with the same seed.
//
// Lanes are contexts of one thread. The verbs that touch memory give way before they do, and
// the next lane is drawn at random. So all of a table's accesses have an order; what a memory
// model allows beyond that, this does not find.
//
//   interleave ROUNDS BUCKETS LOAD LANES
//
// In each round, one table is filled by inserts alone, and one while lanes find and update the
// keys that are there. Afterwards each key has to be in the table once, and to be found.
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "tile.h"

namespace {

std::mt19937_64 random_number;

class Lanes {
 public:
  void run(int count, auto&& body) {
    lanes_.clear();
    for (int i = 0; i < count; i++) lanes_.push_back(std::make_unique<One>([&body, i] { body(i); }));
    while (!lanes_.empty()) {
      const size_t drawn = random_number() % lanes_.size();
      // Now and then a lane is far ahead of the others.
      for (int steps = random_number() % 8 == 0 ? 20 : 1; steps > 0 && !lanes_[drawn]->ended; steps--) {
        current_ = lanes_[drawn].get();
        swapcontext(&main_, &current_->context);
        current_ = nullptr;
      }
      if (lanes_[drawn]->ended) lanes_.erase(lanes_.begin() + long(drawn));
    }
  }

  void give_way() {
    if (current_ != nullptr) swapcontext(&current_->context, &main_);
  }

 private:
  struct One {
    explicit One(std::function<void()> f) : work(std::move(f)), stack(1 << 16) {
      getcontext(&context);
      context.uc_stack.ss_sp = stack.data();
      context.uc_stack.ss_size = stack.size();
      makecontext(&context, begin, 0);
    }
    ucontext_t context;
    std::function<void()> work;
    std::vector<char> stack;
    bool ended = false;
  };

  static void begin();

  std::vector<std::unique_ptr<One>> lanes_;
  One* current_ = nullptr;
  ucontext_t main_;
};

Lanes lanes;

void Lanes::begin() {
  lanes.current_->work();
  lanes.current_->ended = true;
  lanes.give_way();
}

}  // namespace

// The verbs of a lane, each of which first gives way.
namespace hz {
template <class T>
T cas_in_turn(Lane l, T* at, T expected, T desired) {
  lanes.give_way();
  return lane_cas(l, at, expected, desired);
}
template <class T>
T read_in_turn(Lane l, const T* at) {
  lanes.give_way();
  return lane_read(l, at);
}
template <class T>
void write_in_turn(Lane l, T* at, T value) {
  lanes.give_way();
  lane_write(l, at, value);
}
inline u32 or_in_turn(Lane l, u32* at, u32 bits) {
  lanes.give_way();
  return lane_or(l, at, bits);
}
inline u32 and_in_turn(Lane l, u32* at, u32 bits) {
  lanes.give_way();
  return lane_and(l, at, bits);
}
}  // namespace hz
#define lane_cas cas_in_turn
#define lane_read read_in_turn
#define lane_write write_in_turn
#define lane_or or_in_turn
#define lane_and and_in_turn

#include "drive.h"
#include SCHEME_HEADER

namespace hz {

using P = Pair4;
using S = SCHEME;

// Known is what has to be true of a key: a find gives a value from `least` to `most`.
struct Known {
  u32 key;
  u32 least = 0, most = 0;
  bool there = false, updating = false;
};

class Trial {
 public:
  Trial(u32 buckets, double load, u64 together)
      : lines_((buckets * u64(SLOTS) + 7) / 8), slots_(lines_[0].pair, buckets * u64(SLOTS)) {
    std::ranges::fill(slots_, P::empty());
    table_.Region[0] = u64(slots_.data());
    for (int i = 1; i < HZ_MAX_REGIONS; i++) {
      small_[i].resize(slots_.size());
      table_.Region[i] = u64(small_[i].data());
    }
    table_.Buckets = buckets, table_.Capacity = slots_.size();
    table_.Seed = random_number(), table_.Here = u64(&table_), table_.Family = HZ_FAST, table_.Hashes = 3;
    for (auto& hash : table_.Hash) hash.A = random_number() | 1, hash.B = random_number();
    table_.Arg[0] = 1000;
    batch_.Select = together;
    std::vector<u32> keys(1 << 16);
    for (u32 i = 0; i < keys.size(); i++) keys[i] = i * 0x9e3779b1u;
    std::shuffle(keys.begin(), keys.end(), random_number);
    keys_.resize(u64(double(slots_.size()) * load));
    for (u64 i = 0; i < keys_.size(); i++) keys_[i].key = keys[i];
  }

  // insert_only has each lane insert its part of the keys.
  void insert_only(int count) {
    using I = ClassFor<S, op_insert>;
    lanes.run(count, [&](int lane) {
      for (u64 i = u64(lane); i < keys_.size(); i += u64(count)) insert<I>(keys_[i]);
    });
  }

  // beside_searches has every other lane find and update keys meanwhile.
  void beside_searches(int count) {
    using M = ClassFor<S, op_mix>;
    lanes.run(count, [&](int lane) {
      if (lane % 2 == 0) {
        for (u64 i = u64(lane) / 2; i < keys_.size(); i += u64(count) / 2) insert<M>(keys_[i]);
      } else {
        while (inserted_ < keys_.size()) search<M>(keys_[random_number() % keys_.size()]);
      }
    });
  }

  // wrong returns how much was not as it should be.
  u64 wrong() {
    batch_.Select = 1 << k_op_find;
    for (Known& known : keys_) {
      u64 places = 0;
      for (const P& pair : slots_) places += pair.key == known.key;
      wrong_ += places != 1;
      find<ClassFor<S, op_find>>(known);
    }
    return wrong_;
  }

 private:
  // carry_out_in_turn is carry_out, between whose steps others have their turns.
  template <class Op, class C>
  Done<P> carry_out_in_turn(P pair) {
    C scheme(&table_, &batch_);
    const Tile<C::width> tile;
    Tally<false> tally;
    Walk<P> walk{pair, scheme.first(pair.key)};
    walk.op = Op::code;
    for (;;) {
      lanes.give_way();
      BucketOf<C> bucket;
      if constexpr (kReads<C, Op, Tally<false>>) bucket = read_chunk<Op>(scheme, tile, walk, true);
      lanes.give_way();
      const Done<P> done = act<Op>(scheme, tile, walk, bucket, tally);
      if (done.outcome != k_none) return done;
    }
  }

  template <class C>
  void insert(Known& known) {
    known.there = carry_out_in_turn<op_insert, C>({known.key, 0}).outcome == k_ok;
    wrong_ += !known.there;
    inserted_++;
  }

  template <class C>
  void search(Known& known) {
    if (!known.there || known.updating || random_number() % 2 == 0) return find<C>(known);
    known.updating = true;
    wrong_ += carry_out_in_turn<op_update, C>({known.key, ++known.most}).outcome != k_ok;
    known.least = known.most;
    known.updating = false;
  }

  template <class C>
  void find(Known& known) {
    const bool there = known.there;
    const u32 least = known.least;
    const Done<P> done = carry_out_in_turn<op_find, C>({known.key, 0});
    const bool found = done.outcome == k_ok;
    wrong_ += found ? done.answer < least || done.answer > known.most : there;
  }

  struct alignas(64) Line {
    P pair[8];
  };
  hz_table table_ = {};
  hz_batch batch_ = {};
  std::vector<Line> lines_;
  std::span<P> slots_;
  std::vector<u32> small_[HZ_MAX_REGIONS];
  std::vector<Known> keys_;
  u64 inserted_ = 0, wrong_ = 0;
};

}  // namespace hz

int main(int, char** args) {
  const int rounds = atoi(args[1]), buckets = atoi(args[2]), count = atoi(args[4]);
  uint64_t wrong = 0;
  for (int i = 0; i < rounds; i++) {
    hz::Trial alone(hz::u32(buckets), atof(args[3]), 1 << hz::k_op_insert);
    alone.insert_only(count);
    hz::Trial beside(hz::u32(buckets), atof(args[3]), 1 << hz::k_op_insert | 1 << hz::k_op_find | 1 << hz::k_op_update);
    beside.beside_searches(count);
    wrong += alone.wrong() + beside.wrong();
  }
  printf("%llu wrong\n", static_cast<unsigned long long>(wrong));
  return wrong != 0;
}
