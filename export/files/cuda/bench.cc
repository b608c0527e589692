// bench.cc: rates of this table, to hold beside those of `hashzoo bench`: 2 million pairs of 4+4 bytes for a CPU, 50
// million for a GPU, at a load factor of 0.8. Other numbers: bench_gpu PAIRS LOAD
#include <chrono>
#include <cstdio>

#include "test.h"

using Map = Table<uint32_t, uint32_t>;

// key returns different keys for different numbers.
static uint32_t key(uint32_t i) {
  i = (i ^ i >> 16) * 0x85ebca6bu;
  i = (i ^ i >> 13) * 0xc2b2ae35u;
  return i ^ i >> 16;
}

#if HZ_GPU
constexpr unsigned pairs = 50000000;

// seconds is how long the GPU takes for an operation.
double seconds(auto&& operation) {
  cudaEvent_t from, to;
  cudaEventCreate(&from), cudaEventCreate(&to);
  cudaEventRecord(from);
  operation();
  cudaEventRecord(to);
  cudaEventSynchronize(to);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, from, to);
  cudaEventDestroy(from), cudaEventDestroy(to);
  return milliseconds / 1000;
}
#else
constexpr unsigned pairs = 2000000;

double seconds(auto&& operation) {
  const auto from = std::chrono::steady_clock::now();
  operation();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}
#endif

// Numbers are an array where the table is.
struct Numbers : hashzoo::Scratch<uint32_t> {
  Numbers(unsigned n, auto&& number) : Scratch(n, {}) {
    std::vector<uint32_t> all(n);
    for (unsigned i = 0; i < n; i++) all[i] = number(i);
    hashzoo::copy(data(), all.data(), n * sizeof all[0], {});
    hashzoo::wait({});
  }
};

struct Rates {
  const char* operation;
  std::vector<double> all;

  void print() {
    std::sort(all.begin(), all.end());
    const std::size_t quarter = all.size() / 4;
    std::printf("%-12s %8.0f million/s, quartiles %.0f and %.0f\n", operation, all[all.size() / 2], all[quarter],
                all[all.size() - 1 - quarter]);
  }
};

int main(int count, char** arguments) {
  const unsigned n = count > 1 ? unsigned(std::atof(arguments[1])) : pairs;
  Map map(n, count > 2 ? std::atof(arguments[2]) : 0.8);
  const Numbers values(n, [](unsigned i) { return i; }), answers(n, [](unsigned) { return 0; });
  const Numbers present(n, key), absent(n, [&](unsigned i) { return key(n + i); });
  // Looked up in another order: pairs that were inserted at the same time may lie side by side.
  const Numbers shuffled(n, [&](unsigned i) { return key(unsigned(i * 2654435761ull % n)); });

  Rates inserts{"insert", {}}, hits{"find 100 %", {}}, misses{"find 0 %", {}};
  const auto start = std::chrono::steady_clock::now();
  for (int run = 0; run < 12 || std::chrono::steady_clock::now() - start < std::chrono::seconds(1); run++) {
    map.clear();
    hashzoo::Counts inserted, found;
    const double insert = seconds([&] { inserted = map.insert(present.data(), values.data(), n); });
    const double find = seconds([&] { found = map.find(shuffled.data(), answers.data(), n); });
    const double miss = seconds([&] { map.find(absent.data(), answers.data(), n); });
    if (found.ok != inserted.ok) return std::printf("not all that was inserted was found\n"), 1;
    if (run == 0) continue;  // memory is touched for the first time
    inserts.all.push_back(n / insert / 1e6), hits.all.push_back(n / find / 1e6), misses.all.push_back(n / miss / 1e6);
  }
  inserts.print(), hits.print(), misses.print();
}
