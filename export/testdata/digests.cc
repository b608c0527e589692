// digests.cc: carries out batches on an exported table, and prints what the engine makes digests of.
//
// digests N LOAD SEED THREADS WRONG, with batches as lines OP FROM N ANSWERS. WRONG spoils something in each before
// it is digested.
#include HEADER

#include <iostream>

#include "digest.h"

using hz::u32;
using hz::u64;
using hz::u8;

template <class T>
class Player {
 public:
  using Key = typename T::Key;
  using Value = typename T::Value;
  using Answer = typename T::Answer;

  Player(u64 n, double load, u64 seed) : table_(n, load, seed) {}

  // play carries out a batch, and prints it. answers: its operations give more than an outcome.
  void play(const std::string& op, u64 from, u64 n, bool answers, bool wrong) {
    const bool contents = op == "contents";
    Rows b(contents ? table_.count() : n, n + table_.count());
    for (u64 i = 0; i < n; i++) b.set(i, from + i, n);
    Counts c;
    if (contents) {
      table_.pairs(b.keys.data(), b.values.data(), b.keys.size());
    } else {
      c = run(table_, op, b, n);
    }
    if (wrong) b.spoil(contents, c.found > 0, answers);
    print(op, c);
    if (contents) {
      digest({part(b.keys), part(b.values)}, b.keys.size());
    } else {
      digest({part(b.keys), op == "mix" ? part(b.ops) : Part(), part(b.status), answers ? part(b.answers) : Part()}, n);
    }
    digest({part(b.of), part(b.found)}, c.found);
    std::cout << std::endl;
  }

 private:
  using Counts = hashzoo::Counts;
  template <class E>
  using Array = hashzoo::Array<E>;

  // mixed are the operations of a mixed batch: no inserts, since keys may be there, and none that lists.
  static const std::vector<u8>& mixed() {
    static const std::vector<u8> list = [] {
      std::vector<u8> some;
      for (u8 op = 0; op < 64; op++) {
        const bool left_out = op == hz::k_op_insert || op == hz::k_op_find_all;
        if ((T::Configuration::mixed >> op & 1) != 0 && !left_out) some.push_back(op);
      }
      return some;
    }();
    return list;
  }

  struct Rows {
    Rows(u64 n, u64 room) : keys(n), values(n), found(room), answers(n), status(n), ops(n), of(room) {}
    void set(u64 i, u64 number, u64 more) {
      keys[i] = Key(number * 0x9e3779b97f4a7c15), values[i] = Value(number * 7 + more);
      answers[i] = 0, status[i] = 0, ops[i] = mixed().empty() ? 0 : mixed()[i % mixed().size()];
    }
    // spoil changes one bit of what matters most.
    void spoil(bool contents, bool lists, bool answered) {
      const u64 at = keys.size() / 2;
      if (contents) {
        values[at] ^= 1;
      } else if (lists) {
        found[0] ^= 1;
      } else if (answered) {
        answers[at] ^= 1;
      } else if (keys.size() > 0) {
        status[at] ^= 1;
      }
    }
    Array<Key> keys;
    Array<Value> values, found;
    Array<Answer> answers;
    Array<u8> status, ops;
    Array<u32> of;
  };

  struct Part {
    u64 at = 0, width = 0;
  };
  template <class E>
  static Part part(const Array<E>& a) {
    return {hashzoo::address(a.data()), sizeof(E)};
  }

  void print(const std::string& op, const Counts& c) {
    std::cout << op;
    for (const u64 count : {c.ok, c.failed, c.missing, c.rejected, c.replaced, c.added, c.removed, c.found})
      std::cout << ' ' << count;
    std::cout << ' ' << table_.count() << ' ' << table_.capacity();
  }

  // digest prints the sums that the engine's kernel gives.
  static void digest(std::initializer_list<Part> parts, u64 n) {
    hz_digest d{};
    u64 i = 0;
    for (const Part& p : parts) d.Part[i] = p.at, d.PartWidth[i++] = p.width;
    if (n > 0) hz::digest(nullptr, &d, 0, n);
    std::cout << ' ' << d.Sum[0] << ' ' << d.Sum[1];
  }

  // run calls the method of an operation, if the table has it.
  static Counts run(auto& t, const std::string& op, Rows& b, u64 n) {
    const Key* keys = b.keys.data();
    const Value* values = b.values.data();
    Answer* out = b.answers.data();
    u8* status = b.status.data();
    const hashzoo::Found<typename T::Pair> found{b.of.data(), b.found.data(), b.of.size()};
#define METHOD(name, ...)                            \
  if constexpr (requires { t.name(__VA_ARGS__); }) { \
    if (op == #name) return t.name(__VA_ARGS__);     \
  }
    METHOD(insert, keys, values, n, {}, status)
    METHOD(update, keys, values, n, {}, status)
    METHOD(upsert, keys, values, n, {}, status)
    METHOD(add, keys, values, n, {}, status)
    METHOD(min, keys, values, n, {}, status)
    METHOD(max, keys, values, n, {}, status)
    METHOD(tally, keys, n, {}, status)
    METHOD(find, keys, out, n, {}, status)
    METHOD(find_all, keys, out, n, found, {}, status)
    METHOD(retrieve, keys, out, n, found, {}, status)
    METHOD(erase, keys, n, {}, status)
    METHOD(erase_all, keys, out, n, {}, status)
    METHOD(mix, b.ops.data(), keys, values, out, n, {}, status)
    METHOD(flush)
#undef METHOD
    if constexpr (requires { t.resize(n); }) {
      if (op == "resize") return t.resize(n), Counts();
    }
    throw std::invalid_argument("the table has no " + op);
  }

  T table_;
};

int main(int, char** arg) {
  hashzoo::threads = unsigned(std::stoul(arg[4]));
  Player<TABLE> player(std::stoull(arg[1]), std::stod(arg[2]), std::stoull(arg[3]));
  const bool wrong = arg[5] == std::string("true");
  std::string op;
  u64 from = 0, n = 0;
  for (bool answers; std::cin >> op >> from >> n >> answers;) player.play(op, from, n, answers, wrong);
}
