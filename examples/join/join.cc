// join.cc: a hash join of orders with customers, by a table that hashzoo exported:
//
//   hashzoo export bcht table && c++ -std=c++20 -O2 -march=native -I table examples/join/join.cc -pthread
//   hashzoo export bcht table && nvcc -std=c++20 -arch=native -I table -x cu examples/join/join.cc
//
// The build side is one bulk insert. The probe side is a kernel of this program: it filters
// orders, looks their customers up, and adds up amounts by country without writing any match.
#include <cstdio>

#include "bcht.h"

using Customers = hashzoo::Bcht<uint32_t, uint32_t>;  // customer -> country

struct Orders {
  const uint32_t *customer, *amount;
  uint32_t count;
};

// probe handles order i; those past the end, and small ones, take part without a key.
template <class Ref>
HZ_FN void probe(const Ref& customers, const Orders& orders, uint32_t i, unsigned long long* total) {
  const bool counts = i < orders.count && orders.amount[i] >= 100;
  const auto country = customers.find(counts ? orders.customer[i] : 0, counts);
  if (country.ok()) {
#if HZ_GPU
    atomicAdd(total + country.answer, orders.amount[i]);
#else
    total[country.answer] += orders.amount[i];
#endif
  }
}

#if HZ_GPU
template <class Ref>
__global__ void probe_all(Ref customers, Orders orders, unsigned long long* total) {
  probe(customers, orders, blockIdx.x * blockDim.x + threadIdx.x, total);
}
#endif

int main() {
  const uint32_t people = 100000, sales = 1000000, countries = 4;
  hashzoo::Array<uint32_t> id(people), country(people), customer(sales), amount(sales);
  hashzoo::Array<unsigned long long> total(countries);
  for (uint32_t i = 0; i < people; i++) id[i] = 17 * i, country[i] = i % countries;
  for (uint32_t i = 0; i < sales; i++) customer[i] = 17 * (i % (2 * people)), amount[i] = i % 1000;
  for (auto& sum : total) sum = 0;

  Customers table(people, 0.8);
  if (table.insert(id.data(), country.data(), people).failed > 0) return 1;
  const Orders orders{customer.data(), amount.data(), sales};
  const auto ref = table.ref<hashzoo::op::find>();
#if HZ_GPU
  probe_all<<<sales / 128 + 1, 128>>>(ref, orders, total.data());
  hashzoo::wait({});
#else
  for (uint32_t i = 0; i < sales; i++) probe(ref, orders, i, total.data());
#endif
  for (uint32_t c = 0; c < countries; c++) std::printf("country %u: %llu\n", c, total[c]);
}
