// double.h: double hashing over probing windows, WarpCore's scheme.
//
// The idea. Linear probing suffers from full stretches that grow together, since all
// keys walk the same way. With double hashing each key has a step of its own, so keys
// that meet once part again. That costs an access to a far place per probe, of which
// a fetched line has only one slot of interest. So the table is cut into windows of W
// slots, which a tile of W lanes reads at once: within a window the probing is
// linear, from window to window it is double hashing.
//
//   windows    0          1          2          3          4
//            [ | | | ]  [3|9|4|8]  [ | | | ]  [ | | | ]  [5|k| | ]
//                        ^-- H(k) = 1, full; step(k) = 3  ^-- 1 + 3
//
// The number of windows is a prime, and a step is 1 to that number less one: so the
// walk of every key visits all windows before it comes to one again.
//
// Insert. Walk from window H(k) on, step by step, until one has a slot that was never
// used, and put the pair there with a compare-and-swap. After max_probes windows hand
// the pair back. Upsert looks for its key on the way, and replaces its value: that is
// WarpCore's insert. Find, update and erase walk in the same way, and stop at a window
// with an unused slot. An erased slot keeps a marker; it is not used again, which is
// what makes all operations safe at the same time (probing.h has the argument).
//
// Two things differ from WarpCore. There a window begins at any slot, here at multiples
// of W: a window is one aligned access, as in its successor, cuCollections. And there
// a key is put in first and its value written after, so a find at that moment sees a
// value that was never put in; here a pair is one word.
//
// Limits. Absent keys cost 1/(1 - load) probes with W = 1, fewer with larger windows.
// Markers lengthen walks as pairs do, and take room until the table is cleared or
// flushed. Pairs do not move.
//
// Paper: Jünger, Kobus, Müller, Hundt, Xu, Liu, Schmidt: WarpCore: A Library for fast
// Hash Tables on GPUs.
#ifndef HZ_DOUBLE_H
#define HZ_DOUBLE_H

#include "probing.h"

namespace hz {

// StepOfKey is the sequence with a step of the key's own.
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
  // A table of one window has no step to choose.
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

#endif
