// choices.h: the base of tables in which a key has a few candidate buckets.
//
// The pair of key k is in one of the buckets H_0(k), ..., H_{h-1}(k). Finds, updates and
// erases read those buckets in order, at most h of them, until they see the key.
//
// Early exit. It depends on how inserts place pairs:
//
//   - If inserts fill the buckets of a key in order, a pair is in H_i only because the
//     buckets before it were full. If used slots never become unused again (an erase
//     leaves a marker), a walk may stop at the first bucket with an unused slot.
//   - If inserts choose among the buckets, an unused slot proves nothing, and an erase
//     simply makes its slot unused.
//   - Some inserts leave H_0 only once more than a given number of its slots were used.
//     Up to that number a walk may stop at H_0, but at no later bucket.
//
// Linearization. An update or erase takes effect at its compare-and-swap on the slot in
// which it saw the key. If the swap fails, another update or erase of the same key
// succeeded in between, and the bucket is read again. Every failed round means that
// another operation succeeded. Two erases of one key cannot both succeed. Each scheme
// states which operations may run concurrently: a walk does not return to buckets that it
// has passed.
#pragma once

#include "drive.h"
#include "hash.h"
#include "line.h"

namespace hz {

template <class P, int B, class Pages = NoPages>
class Choices {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Slots = Line<P, B>;
  using Chunk = Slots;
  static constexpr int width = Slots::width;
  static constexpr Traits traits{.gpu_width = Slots::gpu_width};

  HZ_FN Choices(const hz_table* t, bool early_exit, int most_in_first = -1)
      : slots_(reinterpret_cast<P*>(t->Region[0])), hashes_(t), early_exit_(early_exit), most_(most_in_first) {}

  HZ_FN P* slots() const { return slots_; }
  HZ_FN u32 first(Key key) const { return hashes_.at(0, key); }
  HZ_FN P* bucket(u32 number) const { return slots_ + u64(number) * B; }

  template <class Tile, class T>
  HZ_FN Done<P> find_in(const Tile& tile, Walk<P>& walk, const Slots& at, T&) const {
    const auto found = at.find(tile, walk.pair.key);
    typename P::Value value = at.value(tile, found);
    if (tile.branch(found.any())) return Done<P>::found(value);
    return Done<P>::either(found.any(), Done<P>::found(value), absent(tile, walk, at, !found.any()));
  }

  template <class Tile, class T>
  HZ_FN Done<P> update_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    return change(tile, walk, walk.pair, at, tally);
  }

  template <class Tile, class T>
  HZ_FN Done<P> erase_in(const Tile& tile, Walk<P>& walk, const Slots& at, T& tally) const {
    return change(tile, walk, early_exit_ ? P::erased() : P::empty(), at, tally);
  }

 protected:
  // change replaces the pair of a key. After a lost compare-and-swap the walk stays at
  // its bucket.
  template <class Tile, class T>
  HZ_FN Done<P> change(const Tile& tile, Walk<P>& walk, P pair, const Slots& at, T& tally) const {
    return change(tile, walk, pair, at, tally, [](bool, typename Slots::Set) {});
  }
  // `then` is called with whether the pair was replaced, and its slot.
  template <class Tile, class T, class F>
  HZ_FN Done<P> change(const Tile& tile, Walk<P>& walk, P pair, const Slots& at, T& tally, F&& then) const {
    const auto found = at.find(tile, walk.pair.key);
    bool won = at.put(tile, found, pair, tally);
    then(won, found);
    if (tile.branch(won)) return Done<P>::ok();
    Done<P> here = Done<P>::either(won, Done<P>::ok(), Done<P>::undecided());
    return Done<P>::either(found.any(), here, absent(tile, walk, at, !found.any()));
  }

  // absent continues after a bucket without the key: the search ends, or the walk moves
  // to the next bucket.
  template <class Tile>
  HZ_FN Done<P> absent(const Tile& tile, Walk<P>& walk, const Slots& at, bool not_here) const {
    bool stop = ends(tile, walk, at);
    if (tile.any(not_here && !stop)) {
      stop = stop || walk.step + 1 == hashes_.count();
      if (not_here && !stop) walk.place = hashes_.at(++walk.step, walk.pair.key, walk.place);
    }
    return Done<P>::either(stop, Done<P>::missing(), Done<P>::undecided());
  }

  // ends returns whether a key that is not in this bucket cannot be in later ones.
  template <class Tile>
  HZ_FN CollectiveOf<Tile, bool> ends(const Tile& tile, const Walk<P>& walk, const Slots& at) const {
    if (!early_exit_ && most_ < 0) return false;
    const auto unused = at.unused(tile);  // verbs: all tiles execute them, wherever their walks are
    if (early_exit_) return unused.any();
    const int used = B - at.count(tile, unused);
    return walk.step == 0 && used <= most_;
  }

  P* slots_;
  HashesOf<Pages> hashes_;
  bool early_exit_;
  int most_;  // while H_0 has at most this many used slots, inserts put its keys nowhere else; -1 if inserts choose
};

}  // namespace hz
