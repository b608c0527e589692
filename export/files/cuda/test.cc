// test.cc: does the exported table do what hashzoo's does? Its sizes, its vectors (vectors.txt,
// which show what is in every slot), many random operations beside a map, and operations inside
// a kernel.
#include "test_expect.h"
#include "test_map.h"
#include "test_vectors.h"

static void test_sizes() {
  each_pair([](auto types) {
    using T = Table<typename decltype(types)::Key, typename decltype(types)::Value>;
    for (const Size& s : sizes) {
      if (s.key != sizeof(typename T::Key) || s.value != T::Pair::value_bytes) continue;
      const hashzoo::Layout l = T::size(s.n, s.load);
      expect(l.capacity, s.capacity, "capacity for " + std::to_string(s.n));
      expect(l.buckets, s.buckets, "buckets for " + std::to_string(s.n));
    }
  });
}

// A table in memory of its user's.
template <class T>
void test_borrowed() {
  const hashzoo::Layout layout = T::size(1000, 0.5 * T::Configuration::max_load);
  void* memory = hashzoo::allocate(layout.bytes());
  {
    T table(layout, 3, memory);
    Array<typename T::Key> keys(1000);
    Array<typename T::Value> values(1000);
    for (u64 i = 0; i < 1000; i++) keys[i] = typename T::Key(i), values[i] = Numbers<typename T::Value>::of(i);
    expect(table.insert(keys.data(), values.data(), 1000).ok, 1000, "inserts into borrowed memory");
    expect(table.count(), 1000, "pairs in borrowed memory");
  }
  hashzoo::release(memory);
}

int main() {
  test_sizes();
  test_vectors();
  each_pair([](auto types) {
    using T = Table<typename decltype(types)::Key, typename decltype(types)::Value>;
    for (const u64 n : {40, 30000}) Beside<T>(n).run();
    test_borrowed<T>();
  });
  std::printf("%s: %d checks, %d wrong\n", HZ_GPU ? "GPU" : "CPU", checked, wrong);
  return wrong != 0;
}
