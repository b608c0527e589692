// host.h: rebuilds, and tables that double and halve as a whole, as in the measurements of DyCuckoo.
#pragma once

#include "host_grow.h"
#include "host_side.h"

namespace hz::host {

struct MegaKvHost {
  // With the default max_chain; with hundreds, larger tables fill to 0.97 and more.
  static double max_load(const auto& p) {
    if (p.resize == p.resize_auto) return double(p.beta) / 100;
    return p.bucket == 8 ? 0.55 : p.bucket == 16 ? 0.7 : 0.8;
  }

  static Layout layout(const auto& p, const Shape& s) { return in_buckets(s, u64(p.bucket)); }

  static Result run(auto& t, op_insert op, const Batch& b) {
    if (t.param.resize == t.param.resize_manual) return rebuild(t, op, b);
    const u64 slots = enough(t, t.pairs() + asked(t, b));
    if (slots > t.block().Capacity) change(t, slots);
    return doubled(t, t.launch(op, roomy(t, b)));
  }

  // Erases that leave less than alpha halve the table.
  static Result run(auto& t, op_erase op, const Batch& b) {
    const Result done = t.launch(op, b);
    if (t.param.resize == t.param.resize_manual) return done;
    const u64 pairs = t.pairs() - done.removed;
    u64 slots = t.block().Capacity;
    while (slots > u64(t.param.bucket) && 100 * pairs < slots * u64(t.param.alpha) &&
           200 * pairs <= slots * u64(t.param.beta))
      slots = (slots + 1) / 2;
    if (slots < t.block().Capacity) change(t, slots);
    return done;
  }

  // A resize gives the slots that are asked for, or those that the pairs need.
  static Result run(auto& t, op_resize, const Batch& asked) {
    const u64 beta = t.param.beta, least = std::max<u64>(1, (100 * t.pairs() + beta - 1) / beta);
    if (asked.n > 0 && asked.n < least) t.note(text(asked.n, " slots are too few for ", t.pairs(), " pairs"));
    change(t, std::max(asked.n, least));
    return {};
  }

 private:
  static void change(auto& t, u64 slots) {
    try {
      const Moved moved = move(t, slots);
      if (!moved.done) t.note(text("not moved to ", slots, " slots: ", moved.left, " pairs would have found no room"));
    } catch (const NoMemory& e) {
      t.note(text("no memory for ", slots, " slots: ", e.what()));
    }
  }

  // enough returns the slots needed for some pairs: the present number, doubled until the load is below beta.
  static u64 enough(auto& t, u64 pairs) {
    u64 slots = t.block().Capacity;
    while (pairs * 100 > slots * u64(t.param.beta)) slots *= 2;
    return slots;
  }

  // doubled inserts what found no room together with all other pairs in a table twice as large. That does not help
  // pairs whose keys are in the table twice, or if it is nearly empty.
  static Result doubled(auto& t, Result done) {
    Counts work = done;
    const u64 asked = done.ok + done.failed;
    u64 attempts = 0;
    try {
      while (done.failed > 0 && attempts < 40 && absent(t, done) > 0) {
        const Batch all = everything(t, done);
        Body other = t.sized(2 * t.block().Capacity);
        allocate_all(t, other);
        release_all(t, exchange(t, other));
        done = t.launch(op_insert{}, all);
        work += done;
        t.note(text("doubled, ", ++attempts, " times"));
        if (all.n * 10 < t.block().Capacity) break;
      }
    } catch (const NoMemory& e) {
      t.note(text("no memory for ", 2 * t.block().Capacity, " slots: ", e.what()));
    }
    const u64 left = done.pairs;
    static_cast<Counts&>(done) = work;
    done.set_inserts(asked, left);
    return done;
  }
};

}  // namespace hz::host
