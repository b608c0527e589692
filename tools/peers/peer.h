// peer.h: measures one hash table of another library as `hashzoo bench` measures ours. A peer
// defines a class Peer and has
//
//   Peer(n)                        a table with room for n pairs
//   static constexpr bool shared   may two threads insert at once?
//   void insert(key, value)
//   bool find(key, value&) const   called by all threads at once
//   void add(key, value)           adds to the value of a key, which is 0 at first
//   void each(f)                   if not shared: f(key, value) for all pairs
//
// The program prints: insert, present and absent in millions of operations per second, and the
// bytes of memory that a pair takes. Each find looks up as many keys as there are pairs, in
// random order; its rate is the median of several passes.
//
//   NAME groups ROWS THREADS GROUPS uniform|zipfian
//
// instead aggregates rows and prints millions of rows per second. Threads add to one table if
// they may, and otherwise each to one of its own, to whose first all others are added at the end.
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace peer {

using Key = uint32_t;
using Keys = std::vector<Key>;

constexpr int kPasses = 5;

// key returns the i-th key: a permutation of the 32-bit numbers, so no two are equal.
inline Key key(uint32_t i) {
  i = (i ^ i >> 16) * 0x21f0aaadu;
  i = (i ^ i >> 15) * 0x735a2d97u;
  return i ^ i >> 15;
}

inline double seconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

// resident returns the bytes of memory that the process has.
inline double resident() {
  long pages = 0;
  if (FILE* file = fopen("/proc/self/statm", "r")) {
    if (fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    fclose(file);
  }
  return double(pages) * double(sysconf(_SC_PAGESIZE));
}

// rate runs f(first, end) on so many threads, which share n operations, and returns millions
// of operations per second.
template <class F>
double rate(size_t n, size_t threads, F&& f) {
  std::vector<std::thread> others;
  const double began = seconds();
  for (size_t t = 1; t < threads; t++) others.emplace_back([=, &f] { f(n * t / threads, n * (t + 1) / threads); });
  f(0, n / threads);
  for (auto& other : others) other.join();
  return double(n) / (seconds() - began) * 1e-6;
}

// finds returns the median rate of finds of keys that are all there, or none.
template <class Peer>
double finds(const Peer& table, const Keys& keys, size_t threads, bool present) {
  std::vector<double> rates;
  for (int pass = 0; pass < kPasses; pass++) {
    std::atomic<size_t> found = 0;
    rates.push_back(rate(keys.size(), threads, [&](size_t first, size_t end) {
      size_t mine = 0;
      for (size_t i = first; i < end; i++) {
        uint32_t value = 0;
        mine += table.find(keys[i], value) && value == ~keys[i];
      }
      found += mine;
    }));
    if (found != (present ? keys.size() : 0)) {
      fprintf(stderr, "peer: %zu of %zu keys were found\n", found.load(), keys.size());
      exit(1);
    }
  }
  std::sort(rates.begin(), rates.end());
  return rates[kPasses / 2];
}

inline uint64_t random_bits(uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15u;
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
  i = (i ^ i >> 27) * 0x94d049bb133111ebu;
  return i ^ i >> 31;
}

// Zipfian draws a rank below n with probability proportional to (rank + 1)^-0.99 (Gray et al.,
// Quickly Generating Billion-Record Synthetic Databases).
class Zipfian {
 public:
  explicit Zipfian(size_t n) : n_(double(n)) {
    for (size_t i = 1; i <= n; i++) zeta_ += pow(double(i), -theta);
    eta_ = (1 - pow(2 / n_, 1 - theta)) / (1 - (1 + pow(2, -theta)) / zeta_);
  }
  size_t operator()(double unit) const {
    const double scaled = unit * zeta_;
    if (scaled < 1) return 0;
    if (scaled < 1 + pow(2, -theta)) return n_ > 1 ? 1 : 0;
    return std::min(size_t(n_) - 1, size_t(n_ * pow(eta_ * unit - eta_ + 1, 1 / (1 - theta))));
  }

 private:
  static constexpr double theta = 0.99;
  double n_, zeta_ = 0, eta_ = 0;
};

// column returns the groups of rows.
inline Keys column(size_t rows, size_t groups, bool skewed) {
  const Zipfian zipfian(skewed ? groups : 1);
  Keys keys(rows);
  for (size_t i = 0; i < rows; i++) {
    const double unit = double(random_bits(i) >> 11) * 0x1p-53;
    keys[i] = key(uint32_t(skewed ? zipfian(unit) : size_t(unit * double(groups))) + 1);
  }
  return keys;
}

// aggregated returns the rate at which rows are added up in new tables, after checking one group.
template <class Peer>
double aggregated(const Keys& rows, size_t threads, size_t groups) {
  std::deque<Peer> tables;
  for (size_t t = 0; t < (Peer::shared ? 1 : threads); t++) tables.emplace_back(groups);
  std::atomic<size_t> next = 0;
  const double began = seconds();
  rate(rows.size(), threads, [&](size_t first, size_t end) {
    Peer& mine = tables[Peer::shared ? 0 : next++];
    for (size_t i = first; i < end; i++) mine.add(rows[i], uint32_t(i % 1000));
  });
  if constexpr (!Peer::shared) {
    for (size_t t = 1; t < threads; t++) tables[t].each([&](Key k, uint32_t v) { tables[0].add(k, v); });
  }
  const double took = seconds() - began;
  uint32_t first = 0, expected = 0;
  for (size_t i = 0; i < rows.size(); i++) expected += rows[i] == rows[0] ? uint32_t(i % 1000) : 0;
  if (!tables[0].find(rows[0], first) || first != expected) {
    fprintf(stderr, "peer: a group adds up to %u instead of %u\n", first, expected);
    exit(1);
  }
  return double(rows.size()) / took * 1e-6;
}

template <class Peer>
int group(int count, char** words) {
  const size_t n = count > 2 ? strtoul(words[2], nullptr, 10) : 0, threads = count > 3 ? strtoul(words[3], nullptr, 10) : 0;
  const size_t groups = count > 4 ? strtoul(words[4], nullptr, 10) : 0;
  const std::string skew = count > 5 ? words[5] : "";
  if (n < 1 || n > 1u << 30 || threads < 1 || threads > 1024 || groups < 1 || (skew != "uniform" && skew != "zipfian")) {
    fprintf(stderr, "usage: %s groups ROWS THREADS GROUPS uniform|zipfian\n", words[0]);
    return 2;
  }
  const Keys rows = column(n, groups, skew == "zipfian");
  std::vector<double> rates;
  for (int pass = 0; pass < kPasses; pass++) rates.push_back(aggregated<Peer>(rows, threads, groups));
  std::sort(rates.begin(), rates.end());
  printf("%.1f\n", rates[kPasses / 2]);
  return 0;
}

template <class Peer>
int run(int count, char** words) {
  if (count > 1 && std::string(words[1]) == "groups") return group<Peer>(count, words);
  const size_t n = count > 1 ? strtoul(words[1], nullptr, 10) : 1000000;
  const size_t threads = count > 2 ? strtoul(words[2], nullptr, 10) : 2;
  if (n < 1 || n > 1u << 30 || threads < 1 || threads > 1024) {
    fprintf(stderr, "usage: %s PAIRS THREADS\n", words[0]);
    return 2;
  }
  Keys inserted(n), present(n), absent(n);
  for (size_t i = 0; i < n; i++) {
    inserted[i] = key(uint32_t(i) + 1);
    absent[i] = key(uint32_t(n + i) + 1);
  }
  for (size_t i = 0; i < n; i++) present[i] = inserted[(i * 2654435761u + 12345) % n];

  const double before = resident();
  Peer table(n);
  const double insert = rate(n, Peer::shared ? threads : 1, [&](size_t first, size_t end) {
    for (size_t i = first; i < end; i++) table.insert(inserted[i], ~inserted[i]);
  });
  const double bytes = (resident() - before) / double(n);
  const double hit = finds(table, present, threads, true), miss = finds(table, absent, threads, false);
  printf("%.1f %.1f %.1f %.1f\n", insert, hit, miss, bytes);
  return 0;
}

}  // namespace peer
