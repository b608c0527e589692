// weights.h: the weights with which subtables get pairs, so that all are filled to the same share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace hz::host {

using Shares = std::vector<double>;

// kEvenWeight is the largest weight.
inline constexpr double kEvenWeight = 1 << 20;

inline Shares to_one(Shares list) {
  double sum = 0;
  for (const double x : list) sum += x;
  for (double& x : list) x /= sum;
  return list;
}

// feasible returns shares of which none exceeds the keys that have a place in its subtable.
inline Shares feasible(Shares shares, double most) {
  for (double& x : shares) x = std::min(x, 0.98 * most);
  return to_one(shares);
}

// weights_of_two returns weights with which subtables get shares of keys that have places in two of them each. Every
// two have equally many keys, which go to i rather than j with probability w[i] / (w[i] + w[j]). The weights are the
// fixed point of w[i] = share[i] / sum over j of 2 / (d (d - 1)) / (w[i] + w[j]), known from the model of Bradley and
// Terry.
inline Shares weights_of_two(Shares shares) {
  const double d = double(shares.size());
  shares = feasible(shares, 2 / d);
  Shares w = shares;
  for (int round = 0; round < 64; round++) {
    Shares next(w.size());
    for (std::size_t i = 0; i < w.size(); i++) {
      double sum = 0;
      for (std::size_t j = 0; j < w.size(); j++) {
        if (j != i) sum += 2 / (d * (d - 1)) / (w[i] + w[j]);
      }
      next[i] = shares[i] / sum;
    }
    w = to_one(next);
  }
  return w;
}

// whole_weights scales weights to whole numbers.
inline std::vector<std::uint64_t> whole_weights(const Shares& weights) {
  const double most = *std::max_element(weights.begin(), weights.end());
  std::vector<std::uint64_t> scaled;
  for (const double w : weights)
    scaled.push_back(std::max<std::uint64_t>(1, std::uint64_t(std::round(kEvenWeight * w / most))));
  return scaled;
}

}  // namespace hz::host
