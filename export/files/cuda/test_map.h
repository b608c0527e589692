// test_map.h: many random operations beside a map, in bulk and inside a kernel.
#pragma once

#include "test_expect.h"

template <class T>
class Beside {
 public:
  using Key = typename T::Key;
  using Value = typename T::Value;
  using Answer = typename T::Answer;
  using N = Numbers<Value>;

  explicit Beside(u64 n) : table_(n, 0.9 * T::Configuration::max_load, 7), n_(n) {}

  void run() {
    insert();
    look("after inserts");
    change();
    combine();
    erase();
    retrieve();
    several();
    mix();
    rearrange();
    overfill();
    in_kernels();
    refuse();
    table_.clear();
    expect(table_.count(), 0, "pairs after clear");
  }

 private:
  struct Rows {
    explicit Rows(u64 n) : keys(n), values(n), answers(n), status(n) {}
    Array<Key> keys;
    Array<Value> values;
    Array<Answer> answers;
    Array<u8> status;
    u64 size() const { return keys.size(); }
  };

  // key returns the i-th of many different keys.
  static Key key(u64 i) { return Key(hashzoo::Random(i * 0x9e3779b97f4a7c15).next() * 2 + 1) % Key(~Key(0) - 2); }
  u64 number() { return random_.next() & largest<Value>(); }

  // rows has the keys from..to, each with a random value. Keys that are equal are left out.
  void fill(Rows& rows, u64 from) {
    for (u64 i = 0; i < rows.size(); i++) {
      Key k = key(from + i);
      rows.keys[i] = k, rows.values[i] = N::of(number());
    }
  }

  // add_new fills rows and adds them to the map. Keys that it has already become one that is refused.
  void add_new(Rows& rows, u64 from) {
    fill(rows, from);
    for (u64 i = 0; i < rows.size(); i++) {
      if (!map_.emplace(rows.keys[i], N::from(rows.values[i])).second) rows.keys[i] = Key(~Key(0));
    }
  }

  void insert() {
    Rows rows(n_ * 3 / 4);
    fill(rows, 0);
    std::unordered_map<u64, u64> fresh;
    u64 m = 0;
    for (u64 i = 0; i < rows.size(); i++) {
      if (!fresh.emplace(rows.keys[i], N::from(rows.values[i])).second) continue;
      rows.keys[m] = rows.keys[i], rows.values[m++] = rows.values[i];
    }
    const u64 half = m / 2;
    Counts c = table_.insert(rows.keys.data(), rows.values.data(), half, {}, rows.status.data());
    c += table_.insert(rows.keys.data() + half, rows.values.data() + half, m - half);
    expect(c.ok, m, "inserts");
    expect(c.failed + c.pairs + c.rejected, 0, "failed inserts");
    for (u64 i = 0; i < half; i++) expect(rows.status[i] == hashzoo::ok, "the status of an insert");
    map_ = fresh;
  }

  // look finds keys that are there and keys that are not, and compares all pairs.
  void look(const std::string& when) {
    Rows rows(n_);
    Array<bool> there(n_);
    fill(rows, n_ / 4);
    const Counts c = table_.find(rows.keys.data(), rows.answers.data(), n_, {}, rows.status.data());
    table_.contains(rows.keys.data(), there.data(), n_);
    u64 present = 0;
    for (u64 i = 0; i < n_; i++) {
      const auto at = map_.find(rows.keys[i]);
      const bool is = at != map_.end();
      present += is;
      expect(rows.status[i] == (is ? hashzoo::ok : hashzoo::missing) && there[i] == is, "a find " + when);
      if (is && T::Pair::value_bytes > 0) expect(Numbers<Answer>::from(rows.answers[i]), at->second, "a value " + when);
    }
    expect(c.ok, present, "keys found " + when);
    contents(when);
  }

  void contents(const std::string& when) {
    expect(table_.count(), map_.size(), "pairs " + when);
    Array<Key> keys(map_.size());
    Array<Value> values(map_.size());
    expect(table_.pairs(keys.data(), values.data(), map_.size()), map_.size(), "pairs copied " + when);
    std::unordered_map<u64, u64> have;
    for (u64 i = 0; i < map_.size(); i++) have[keys[i]] = N::from(values[i]);
    expect(have == map_, "the pairs " + when);
  }

  // compare carries out a bulk operation, and compares each status with the map's.
  void compare(const char* what, u64 from, auto&& table, auto&& map) {
    Rows rows(n_ / 3);
    fill(rows, from);
    std::unordered_map<u64, bool> seen;
    for (u64 i = 0; i < rows.size(); i++) {
      if (!seen.emplace(rows.keys[i], true).second) rows.keys[i] = Key(~Key(0));  // which is refused
    }
    table(rows);
    for (u64 i = 0; i < rows.size(); i++) {
      const u8 want =
          rows.keys[i] == Key(~Key(0)) ? u8(hashzoo::rejected) : map(u64(rows.keys[i]), N::from(rows.values[i]));
      expect(rows.status[i], want, std::string("the status of ") + what);
    }
    contents(std::string("after ") + what);
  }

// IN_TABLE is a bulk operation on rows.
#define IN_TABLE(op) [&](Rows& r) { table_.op(r.keys.data(), r.values.data(), r.size(), {}, r.status.data()); }

  void change() {
    if constexpr (requires { &T::update; }) {
      compare("update", n_ / 2, IN_TABLE(update),
              [&](u64 k, u64 v) { return map_.count(k) ? (map_[k] = v, u8(hashzoo::ok)) : u8(hashzoo::missing); });
    }
    if constexpr (requires { &T::upsert; }) {
      compare("upsert", n_ * 5 / 8, IN_TABLE(upsert), [&](u64 k, u64 v) {
        return map_.insert_or_assign(k, v).second ? u8(hashzoo::ok) : u8(hashzoo::replaced);
      });
    }
    if constexpr (requires { &T::put; }) overflow();
  }

  // overflow puts four times as many pairs as a table has slots: each is there, or was handed back.
  void overflow() {
    T cache(T::size_of(n_));
    Rows rows(4 * cache.capacity());
    for (u64 i = 0; i < rows.size(); i++) rows.keys[i] = Key(i), rows.values[i] = N::of(number());
    Array<Key> keys(rows.size());
    Array<Value> values(rows.size());
    const auto counts = cache.put(rows.keys.data(), rows.values.data(), rows.size(), {}, rows.status.data(),
                                  {keys.data(), values.data(), rows.size()});
    expect(counts.evicted + counts.failed, counts.pairs, "pairs handed back");
    expect(cache.pairs(keys.data() + counts.pairs, values.data() + counts.pairs, rows.size() - counts.pairs),
           rows.size() - counts.pairs, "pairs that stay");
    std::unordered_map<u64, u64> want, have;
    for (u64 i = 0; i < rows.size(); i++) {
      want[rows.keys[i]] = N::from(rows.values[i]), have[keys[i]] = N::from(values[i]);
    }
    expect(have == want, "the pairs in a cache and those that left");
  }

  void combine() {
    if constexpr (requires { &T::add; }) {
      const auto combined = [&](auto f) {
        return [&, f](u64 k, u64 v) {
          const auto at = map_.emplace(k, v);
          if (!at.second) at.first->second = f(at.first->second, v) & largest<Value>();
          return at.second ? u8(hashzoo::ok) : u8(hashzoo::replaced);
        };
      };
      compare("add", n_ / 2, IN_TABLE(add), combined([](u64 a, u64 b) { return a + b; }));
      compare("min", n_ / 8, IN_TABLE(min), combined([](u64 a, u64 b) { return std::min(a, b); }));
      compare("max", n_ / 4, IN_TABLE(max), combined([](u64 a, u64 b) { return std::max(a, b); }));
      count_many();
    }
  }

  // count_many counts the same few keys many times in one batch.
  void count_many() {
    Rows rows(4096);
    for (u64 i = 0; i < rows.size(); i++) {
      rows.keys[i] = key(i % 7);
      u64& v = map_[rows.keys[i]];
      v = (v + 1) & largest<Value>();
    }
    table_.tally(rows.keys.data(), rows.size());
    contents("after tally");
  }

  void erase() {
    if constexpr (requires { &T::erase; }) {
      compare(
          "erase", n_ / 2, [&](Rows& r) { table_.erase(r.keys.data(), r.size(), {}, r.status.data()); },
          [&](u64 k, u64) { return map_.erase(k) ? u8(hashzoo::ok) : u8(hashzoo::missing); });
      look("after erases");
    }
  }

  // retrieve asks for keys that are there, in part twice, and for keys that are not: without room
  // for values, with too little and with enough.
  void retrieve() {
    if constexpr (requires { &T::retrieve; }) {
      Rows rows(n_);
      fill(rows, n_ / 4);
      for (u64 i = 0; i < n_ / 8; i++) rows.keys[i] = rows.keys[n_ / 2 + i];
      u64 all = 0;
      for (u64 i = 0; i < n_; i++) all += map_.count(rows.keys[i]);
      for (const u64 room : {u64(0), all / 2, all}) retrieve(rows, all, room);
    }
  }
  void retrieve(const Rows& rows, u64 all, u64 room) {
    Array<u32> of(room);
    Array<Value> values(room);
    const Counts c = table_.retrieve(rows.keys.data(), rows.answers.data(), n_, {of.data(), values.data(), room}, {},
                                     rows.status.data());
    expect(c.found, all, "values that retrieve finds");
    expect(c.ok, all, "keys that retrieve finds");
    u64 at = 0;
    for (u64 i = 0; i < n_; i++) {
      const auto pair = map_.find(rows.keys[i]);
      const bool is = pair != map_.end();
      expect(rows.status[i], is ? hashzoo::ok : hashzoo::missing, "the status of a retrieve");
      if (!is) continue;
      expect(Numbers<Answer>::from(rows.answers[i]), 1, "pairs of a key that retrieve finds");
      if (at < room) expect(of[at] == i && N::from(values[at]) == pair->second, "a row of retrieve");
      at++;
    }
  }

  // several is for tables that hold a key more than once.
  void several() {
    if constexpr (requires { &T::find_all; }) {
      Rows rows(3);
      for (u64 i = 0; i < 3; i++) rows.keys[i] = Key(i < 2 ? 5 : 6), rows.values[i] = N::of(40 + i);
      const u64 before = table_.count();
      table_.insert(rows.keys.data(), rows.values.data(), 3);
      Array<u32> of(8);
      Array<Value> values(8);
      const Counts c = table_.find_all(rows.keys.data() + 1, rows.answers.data(), 2, {of.data(), values.data(), 8});
      expect(c.found, 3, "values of two keys");
      expect(Numbers<Answer>::from(rows.answers[0]) * 10 + Numbers<Answer>::from(rows.answers[1]), 21,
             "values of each key");
      table_.retrieve(rows.keys.data() + 1, rows.answers.data(), 2, {of.data(), values.data(), 8});
      expect(of[0] == 0 && of[1] == 0 && of[2] == 1 && N::from(values[2]) == N::from(rows.values[2]),
             "values side by side");
      expect(N::from(values[0]) + N::from(values[1]), N::from(rows.values[0]) + N::from(rows.values[1]),
             "both values of a key");
      remove(rows, before);
    }
  }

  // remove removes the keys of several.
  void remove(const Rows& rows, u64 before) {
    if constexpr (requires { &T::erase_all; }) {
      table_.erase_all(rows.keys.data() + 1, rows.answers.data(), 2);
      expect(table_.count(), before, "pairs after erase_all");
    } else {
      Array<Key> keys(map_.size());
      Array<Value> values(map_.size());
      u64 i = 0;
      for (const auto& [key, value] : map_) keys[i] = Key(key), values[i++] = N::of(value);
      table_.clear();
      expect(table_.insert(keys.data(), values.data(), map_.size()).ok, map_.size(), "inserts after clear");
      look("of a table that was cleared");
    }
  }

  // mix carries out one operation after the other on different keys, in one batch.
  void mix() {
    if constexpr (requires { &T::mix; }) {
      Rows rows(n_ / 3);
      Array<u8> ops(rows.size());
      fill(rows, n_ / 4);
      std::unordered_map<u64, bool> seen;
      for (u64 i = 0; i < rows.size(); i++) {
        const u8 op = i % 2 ? hashzoo::op::update::code : hashzoo::op::find::code;
        ops[i] = seen.emplace(rows.keys[i], true).second ? op : hashzoo::kNoOperation;
      }
      table_.mix(ops.data(), rows.keys.data(), rows.values.data(), rows.answers.data(), rows.size(), {},
                 rows.status.data());
      for (u64 i = 0; i < rows.size(); i++) {
        const auto at = map_.find(rows.keys[i]);
        if (ops[i] == hashzoo::kNoOperation) continue;
        expect(rows.status[i] == (at != map_.end() ? hashzoo::ok : hashzoo::missing),
               "the status of a mixed operation");
        if (at != map_.end() && i % 2) at->second = N::from(rows.values[i]);
      }
      contents("after a mixed batch");
    }
  }

  void rearrange() {
    if constexpr (requires { &T::flush; }) {
      table_.flush();
      look("after a flush");
    }
    if constexpr (requires { &T::resize; }) {
      expect(table_.resize(2 * table_.capacity()), "a resize");
      look("after a resize");
    }
  }

  // overfill inserts more than there is room for. No pair is lost: it is in the table, or left over.
  void overfill() {
    Rows rows(n_ / 2);
    Array<Key> keys(n_);
    Array<Value> values(n_);
    add_new(rows, 2 * n_);
    const Counts c =
        table_.insert(rows.keys.data(), rows.values.data(), rows.size(), {}, nullptr, {keys.data(), values.data(), n_});
    if (grows) expect(c.failed, 0, "failed inserts of a table that grows");
    for (u64 i = 0; i < c.pairs; i++) map_.erase(keys[i]);
    contents("after too many inserts");
  }

  void in_kernels();

  // refuse: the two largest keys are reserved.
  void refuse() {
    Rows rows(2);
    rows.keys[0] = Key(~Key(0)), rows.keys[1] = Key(~Key(0) - 1);
    rows.values[0] = rows.values[1] = N::of(1);
    expect(table_.insert(rows.keys.data(), rows.values.data(), 2).rejected, 2, "reserved keys");
  }

  T table_;
  u64 n_;
  hashzoo::Random random_{1};
  std::unordered_map<u64, u64> map_;
};

// Operations inside a kernel: whole warps call a Ref.

template <class R, class K, class V>
HZ_FN void insert_one(const R& ref, const K* keys, const V* values, u64 n, u8* status, u64 i) {
  const bool active = i < n;
  const auto done = ref.insert(active ? keys[i] : K(0), active ? values[i] : V{}, active);
  if (active) status[i] = done.outcome;
}
template <class R, class K, class A>
HZ_FN void find_one(const R& ref, const K* keys, A* answers, u64 n, u8* status, u64 i) {
  const bool active = i < n;
  const auto done = ref.find(active ? keys[i] : K(0), active);
  if (active) status[i] = done.outcome, answers[i] = done.answer;
}

#if HZ_GPU
template <class R, class K, class V>
__global__ void insert_each(R ref, const K* keys, const V* values, u64 n, u8* status) {
  insert_one(ref, keys, values, n, status, u64(blockIdx.x) * blockDim.x + threadIdx.x);
}
template <class R, class K, class A>
__global__ void find_each(R ref, const K* keys, A* answers, u64 n, u8* status) {
  find_one(ref, keys, answers, n, status, u64(blockIdx.x) * blockDim.x + threadIdx.x);
}
#define EACH(kernel, n, ...) kernel##_each<<<unsigned(n / 128 + 1), 128>>>(__VA_ARGS__), hashzoo::wait({})
#else
#define EACH(kernel, n, ...)                               \
  for (u64 i = 0; i < n; i++) kernel##_one(__VA_ARGS__, i)
#endif

template <class T>
void Beside<T>::in_kernels() {
  table_.clear();
  map_.clear();
  Rows rows(n_ / 2);
  add_new(rows, 0);
  if constexpr (T::template in_kernels<hashzoo::op::insert>()) {
    const auto inserting = table_.template ref<hashzoo::op::insert>();
    EACH(insert, rows.size(), inserting, rows.keys.data(), rows.values.data(), rows.size(), rows.status.data());
  } else {
    table_.insert(rows.keys.data(), rows.values.data(), rows.size(), {}, rows.status.data());
  }
  for (u64 i = 0; i < rows.size(); i++) {
    expect(rows.status[i], rows.keys[i] == Key(~Key(0)) ? hashzoo::rejected : hashzoo::ok, "an insert in a kernel");
  }
  const auto finding = table_.template ref<hashzoo::op::find>();
  EACH(find, rows.size(), finding, rows.keys.data(), rows.answers.data(), rows.size(), rows.status.data());
  for (u64 i = 0; i < rows.size(); i++) {
    if (rows.keys[i] == Key(~Key(0))) continue;
    expect(rows.status[i], hashzoo::ok, "a find in a kernel");
    if (T::Pair::value_bytes > 0)
      expect(Numbers<Answer>::from(rows.answers[i]), map_[rows.keys[i]], "a value in a kernel");
  }
  look("after inserts in a kernel");
}
