// aside.h: pairs for which a larger table has no more room than a smaller one.
#pragma once

#include "host_side.h"

namespace hz::host {

// SetAside keeps those of the pairs left over whose keys are in the table, which were inserted more than once: they
// have the same few slots in a table of any size, and take them from other pairs in vain.
template <class T>
class SetAside {
 public:
  explicit SetAside(T& t) : t_(t) {}

  // take takes them out of what a launch left over, if other pairs are left too, and returns whether there are any.
  // Without memory for that, all stay.
  bool take(Result& done) {
    try {
      const u64 others = absent(t_, done);
      if (others > 0 && others < done.pairs) take_present(done, others);
      return others > 0;
    } catch (const NoMemory&) {
      return done.pairs > 0;
    }
  }

  // give_back puts them behind the pairs that are left.
  void give_back(Result& done) {
    if (pairs_ == 0) return;
    hz_batch& b = done.batch.block;
    const u64 keys = done.pairs * t_.key_bytes(), values = done.pairs * t_.value_bytes();
    t_.copy(room_.PairKeys, b.PairKeys, keys);
    t_.copy(room_.PairValues, b.PairValues, values);
    t_.write(room_.PairKeys + keys, keys_.data(), keys_.size());
    t_.write(room_.PairValues + values, values_.data(), values_.size());
    b.PairKeys = room_.PairKeys, b.PairValues = room_.PairValues, b.PairLimit = room_.PairLimit;
    done.pairs += pairs_, done.failed += pairs_;
  }

 private:
  void take_present(Result& done, u64 others) {
    if (room_.PairLimit == 0) make_room(t_, room_, done.pairs);
    Batch b = left_over(done);
    b.block.Values = 0, b.block.Out = t_.scratch(b.n * t_.answer_bytes());
    const u64 own = b.block.Status = t_.scratch(b.n);
    t_.fill(own, 0, b.n);
    t_.launch(op_find{}, b);
    const std::vector<u8> status = values<u8>(t_, own, b.n);
    keep(status, done.batch.block.PairKeys, t_.key_bytes(), keys_);
    keep(status, done.batch.block.PairValues, t_.value_bytes(), values_);
    pairs_ += b.n - others;
    done.pairs = done.failed = others;
  }

  // keep moves the numbers of pairs that were found to a list, and the others together.
  void keep(const std::vector<u8>& status, u64 at, u64 width, std::vector<u8>& list) {
    if (width == 0) return;
    std::vector<u8> all = values<u8>(t_, at, status.size() * width);
    auto rest = all.begin();
    for (u64 i = 0; i < status.size(); i++) {
      const auto from = all.begin() + std::ptrdiff_t(i * width), to = from + std::ptrdiff_t(width);
      if (status[i] == k_missing) {
        rest = std::copy(from, to, rest);
      } else {
        list.insert(list.end(), from, to);
      }
    }
    t_.write(at, all.data(), u64(rest - all.begin()));
  }

  T& t_;
  hz_batch room_{};
  std::vector<u8> keys_, values_;
  u64 pairs_ = 0;
};

}  // namespace hz::host
