// double.h: double hashing over probing windows, the scheme of WarpCore.
//
// Idea. Linear probing suffers from clustering: full stretches grow together because all
// keys walk the same way. With double hashing each key has its own step, so keys that
// meet separate again. But then every probe is a random access, and only one slot of the
// line it fetches matters. So the table is divided into windows of W slots, which a tile
// reads at once: probing is linear within a window, and double hashing between windows.
//
//   windows    0          1          2          3          4
//            [ | | | ]  [3|9|4|8]  [ | | | ]  [ | | | ]  [5|k| | ]
//                        ^-- H(k) = 1, full; step(k) = 3  ^-- 1 + 3
//
// The number of windows is a prime, and a step is between 1 and that prime minus 1, so
// the walk of every key visits all windows before it repeats one.
//
// Insert. Walk from window H(k), step by step, until a window has a slot that was never
// used, and put the pair there with a compare-and-swap. After max_probes windows, hand
// the pair back. Upsert searches for its key on the way and replaces its value; it is
// WarpCore's insert. Add, min, max and tally combine it with theirs. Find, update and erase walk the same way and stop
// at a window with an unused slot. An erased slot keeps a marker and is not reused, which makes all operations safe to
// run concurrently (probing.h has the argument).
//
// It differs from WarpCore in two ways. In WarpCore a window begins at any slot. Here it
// begins at multiples of W, so a window is one aligned access, as in its successor,
// cuCollections. And WarpCore writes the key first and its value later, so a find in
// between returns a value that was never inserted. Here a pair is one word.
//
// Limits. Absent keys cost 1/(1 - load) probes with W = 1, fewer with larger windows.
// Markers lengthen walks like pairs do, and take room until the table is cleared or
// flushed. Pairs do not move.
//
// Paper: Jünger, Kobus, Müller, Hundt, Xu, Liu, Schmidt: WarpCore: A Library for fast
// Hash Tables on GPUs.
#pragma once

#include "probing.h"

namespace hz {

// StepOfKey is the probe sequence in which each key has its own step.
class StepOfKey {
 public:
  HZ_FN explicit StepOfKey(const hz_table* t) : hashes_(t), table_(t), windows_(u32(t->Buckets)) {}

  template <class K>
  HZ_FN u32 first(K key) const {
    return hashes_.at(0, key);
  }
  template <class K>
  HZ_FN u32 next(u32 place, K key) const {
    u32 left = windows_ - place, step = step_of(key);
    return step < left ? place + step : step - left;
  }

 private:
  // A table of one window has no step.
  template <class K>
  HZ_FN u32 step_of(K key) const {
    return windows_ > 1 ? 1 + hash_to(table_->Hash[1], table_->Family, key, windows_ - 1) : 0;
  }

  Hashes hashes_;
  const hz_table* table_;
  u32 windows_;
};

template <class P, int W>
using Double = Probing<P, W, StepOfKey>;

}  // namespace hz
