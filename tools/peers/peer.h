// peer.h: measures one hash table of another library as `hashzoo bench` measures ours. A peer
// defines a class Peer and has
//
//   Peer(n)                        a table with room for n pairs
//   static constexpr bool shared   may two threads insert at once?
//   void insert(key, value)
//   bool find(key, value&) const   called by all threads at once
//
// The program prints: insert, present and absent in millions of operations per second, and the
// bytes of memory that a pair takes. Each find looks up as many keys as there are pairs, in
// random order; its rate is the median of several passes.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
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

template <class Peer>
int run(int count, char** words) {
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
