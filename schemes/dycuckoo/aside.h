// aside.h: pairs for which a larger table has no more room than a smaller one.
#ifndef HZ_DYCUCKOO_ASIDE_H
#define HZ_DYCUCKOO_ASIDE_H

#include "host_side.h"

namespace hz::host {

// SetAside keeps those of the pairs left over whose keys are in the table, which were inserted more than once: they
// have the same few slots in a table of any size, and take them from other pairs in vain. All memory is taken at once.
template <class T>
class SetAside {
 public:
  SetAside(T& t, const Result& done)
      : t_(t), status_(t.scratch(done.pairs)), answers_(t.scratch(done.pairs * t.answer_bytes())) {
    make_room(t, room_, done.pairs);
  }

  // take takes them out of what a launch left over, and returns whether other pairs are left.
  bool take(Result& done) {
    if (done.pairs == 0) return false;
    Batch b = left_over(done);
    b.block.Values = 0, b.block.Out = answers_, b.block.Status = status_;
    t_.fill(status_, 0, b.n);
    const u64 others = t_.launch(op_find{}, b).missing;
    if (others == b.n) return true;
    const std::vector<u8> status = values<u8>(t_, status_, b.n);
    keep(status, done.batch.block.PairKeys, t_.key_bytes(), keys_);
    keep(status, done.batch.block.PairValues, t_.value_bytes(), values_);
    pairs_ += b.n - others;
    done.pairs = done.failed = others;
    return others > 0;
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

  u64 pairs() const { return pairs_; }

 private:
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
  const u64 status_, answers_;
  hz_batch room_{};
  std::vector<u8> keys_, values_;
  u64 pairs_ = 0;
};

}  // namespace hz::host

#endif
