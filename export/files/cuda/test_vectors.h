// test_vectors.h: plays vectors.txt, which shows what is in every slot after each operation.
#pragma once

#include <fstream>
#include <sstream>

#include "test_expect.h"

inline u64 parsed(const std::string& word) { return std::strtoull(word.c_str(), nullptr, 0); }

inline std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

inline std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

struct OpName {
  const char* name;
  u8 code;
  bool counts;  // it answers with a number of pairs
  bool values;  // it answers with a value
};
#define OP_NAME(name, kind, takes, gives, ...)                                                               \
  {#name, hz::k_op_##name, hz::column::gives >= hz::column::number, hz::column::gives == hz::column::value},
inline const OpName op_names[] = {HZ_OPS(OP_NAME)};
inline const char* const outcome_names[] = {"none", "ok", "failed", "missing", "rejected", "replaced", "evicted"};

template <class P>
std::string slot_text(typename P::Key key, const typename P::Value& value) {
  if (key == P::kEmptyKey) return ".";
  if (key == P::kErasedKey) return "x";
  if (P::value_bytes == 0) return std::to_string(key);
  return std::to_string(key) + "=" + std::to_string(Numbers<typename P::Value>::from(value));
}

#define COUNTER_NAME(name, ...) #name,
inline const char* const counter_names[] = {HZ_COUNTERS(COUNTER_NAME)};

// Player carries out the lines of one table of vectors, an operation at a time.
template <class Config, class P>
class Player {
 public:
  using T = hashzoo::Table<Config, P>;
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Answer = typename P::Answer;

  // anywhere: pairs lie in other slots than on a CPU.
  Player(u64 capacity, u64 seed, bool anywhere) : table_(T::size_of(capacity), seed), anywhere_(anywhere) {}

  void play(const std::vector<std::string>& words, const std::vector<std::string>& rows, const std::string& where) {
    where_ = where;
    const std::string& what = words[0];
    if (what == "slots") return slots(rows);
    if (what == "counts") return counts(words);
    if (what == "words") return table_words(words);
    if (what == "clear") return table_.clear();
    if (what == "places") return;  // for the reader
    operations(words);
  }

 private:
  void operations(const std::vector<std::string>& words) {
    std::vector<std::string> asked, want, gave, left;
    bool arrow = false;
    for (u64 i = 1; i < words.size(); i++) {
      if (words[i] == "->") {
        arrow = true;
      } else {
        (arrow ? want : asked).push_back(words[i]);
      }
    }
    counted_ = Counts();
    if (!keyed(words[0], asked, gave, left)) return;
    if (!arrow) want.assign(asked.size(), "ok");
    if (HZ_GPU && !left.empty()) any_order(gave), any_order(want);  // one at a time, another one finds no room
    if (!left.empty()) gave.push_back("left"), gave.insert(gave.end(), left.begin(), left.end());
    if (anywhere_) any_left(gave), any_left(want);
    expect(gave == want, where_ + ": " + joined(gave) + ", not " + joined(want));
  }

  static void any_order(std::vector<std::string>& outcomes) {
    std::sort(outcomes.begin(), std::find(outcomes.begin(), outcomes.end(), "left"));
  }

  // any_left: where pairs lie in other slots, others are left over, as many.
  static void any_left(std::vector<std::string>& outcomes) {
    std::fill(std::find(outcomes.begin(), outcomes.end(), "left"), outcomes.end(), "left");
  }

  bool keyed(const std::string& op, const std::vector<std::string>& asked, std::vector<std::string>& gave,
             std::vector<std::string>& left) {
    if (op == "flush") return whole<hz::op_flush>(0), false;
    if (op == "resize") return whole<hz::op_resize>(asked.empty() ? 0 : parsed(asked[0])), false;
#if HZ_GPU
    for (const std::string& one : asked) batch(op, {one}, gave, left);
#else
    batch(op, asked, gave, left);
#endif
    return true;
  }

  template <class Op>
  void whole(u64 n) {
    if constexpr (Config::template has<Op>) table_.template run<Op>(0, {{}, n, {}});
  }

  void batch(const std::string& name, const std::vector<std::string>& asked, std::vector<std::string>& gave,
             std::vector<std::string>& left) {
    const u64 n = asked.size();
    Array<Key> keys(n), left_keys(n);
    Array<Value> values(n), left_values(n), found(64);
    Array<Answer> answers(n);
    Array<u8> ops(n), status(n);
    Array<u32> of(64);
    hz_batch b{};
    u8 code = 0;
    for (u64 i = 0; i < n; i++) {
      std::string word = asked[i], op = name;
      if (name == "mix") op = word.substr(0, word.find(':')), word = word.substr(word.find(':') + 1);
      keys[i] = Key(parsed(word));
      values[i] = Numbers<Value>::of(word.find('=') == std::string::npos ? 0 : parsed(word.substr(word.find('=') + 1)));
      for (const OpName& known : op_names) {
        if (op == known.name) ops[i] = code = known.code;
      }
      b.Select |= u64(1) << code;
    }
    using hashzoo::address;
    b.Keys = address(keys.data()), b.Values = address(values.data()), b.Out = address(answers.data());
    b.Status = address(status.data()), b.PairKeys = address(left_keys.data());
    b.PairValues = address(left_values.data()), b.PairLimit = n;
    b.FoundOf = address(of.data()), b.FoundValues = address(found.data()), b.FoundLimit = 64;
    if (name == "mix") b.Ops = address(ops.data()), b.Select = Config::mixed;
    const Counts counts = run(name == "mix" ? u8(hz::k_op_mix) : code, {b, n, {}});
    for (u64 i = 0; i < n; i++) gave.push_back(text(op_names[ops[i]], status[i], answers[i]));
    for (u64 i = 0; i < counts.pairs; i++) left.push_back(slot_text<P>(left_keys[i], left_values[i]));
    counted_ += counts;
  }

  static std::string text(const OpName& op, u8 status, const Answer& answer) {
    const bool number = status == hz::k_ok && (op.counts || (op.values && P::value_bytes > 0));
    return number ? std::to_string(Numbers<Answer>::from(answer)) : outcome_names[status];
  }

  // run chooses the kernel of an operation.
  Counts run(u8 code, const hashzoo::Batch& b) {
    Counts counts;
    if constexpr (Config::mixed != 0) {
      if (code == hz::k_op_mix) return table_.template run<hz::op_mix>(code, b);
    }
    bool done = false;
    Config::each_op([&](auto op) {
      using Op = decltype(op);
      if (Op::code == code) counts = table_.template run<typename Op::Kernel>(code, b), done = true;
    });
    expect(done, where_ + ": no such operation");
    return counts;
  }

  void counts(const std::vector<std::string>& words) {
    for (u64 i = 1; i < words.size(); i++) {
      const std::string name = words[i].substr(0, words[i].find('='));
      for (int c = 0; c < hz::kCounters; c++) {
        if (name != counter_names[c] || (!Config::counted && c > hz::kCount_found)) continue;
        expect(counted_.begin()[c], parsed(words[i].substr(name.size() + 1)), where_ + ": " + name);
      }
    }
  }

  void table_words(const std::vector<std::string>& words) {
    const u64 region = region_of(words[1]);
    std::vector<u32> have(words.size() - 2);
    hashzoo::copy(have.data(), table_.region(region), 4 * have.size(), {});
    hashzoo::wait({});
    for (u64 i = 2; i < words.size(); i++) {
      expect(have[i - 2], std::strtoull(words[i].c_str(), nullptr, 16), where_ + ": a word of " + words[1]);
    }
  }

  u64 region_of(const std::string& name) const {
    u64 region = 0;
    while (table_.layout().region[region].name != name) region++;
    return region;
  }

  // slots compares every slot, or, if lists are not buckets or a GPU takes other slots, all pairs in any order.
  void slots(const std::vector<std::string>& rows) {
    if (!rows_are_buckets || anywhere_) return all_pairs(rows);
    const u64 region = region_of("slots");
    std::vector<P> have(table_.capacity());
    hashzoo::copy(static_cast<void*>(have.data()), table_.region(region), have.size() * sizeof(P), {});
    hashzoo::wait({});
    const u64 bucket = have.size() / rows.size();
    for (u64 i = 0; i < rows.size(); i++) {
      std::vector<std::string> found, want = unfolded(words_of(rows[i]));
      for (u64 j = i * bucket; j < (i + 1) * bucket; j++) found.push_back(slot_text<P>(have[j].key, have[j].value));
      compare(found, want, i);
    }
  }
  void compare(std::vector<std::string>& found, std::vector<std::string>& want, u64 row) {
    if (!want.empty() && want[0] == "any") {
      want.erase(want.begin());
      std::sort(want.begin(), want.end());
      std::sort(found.begin(), found.end());
    }
    expect(found == want, where_ + ": row " + std::to_string(row) + " has " + joined(found) + ", not " + joined(want));
  }
  static std::vector<std::string> unfolded(const std::vector<std::string>& row) {
    std::vector<std::string> list;
    for (u64 i = 1; i < row.size(); i++) {
      const bool run = row[i].substr(0, 2) == ".*";
      for (u64 j = 0; j < (run ? parsed(row[i].substr(2)) : 1); j++) list.push_back(run ? "." : row[i]);
    }
    return list;
  }

  void all_pairs(const std::vector<std::string>& rows) {
    std::vector<std::string> want, found;
    for (const std::string& row : rows) {
      for (const std::string& word : unfolded(words_of(row))) {
        if (word != "x" && word != "|" && word != "." && word != "any") want.push_back(word);
      }
    }
    side_by_side(want);
    Array<Key> keys(table_.capacity());
    Array<Value> values(table_.capacity());
    const u64 n = table_.copy_pairs(keys.data(), values.data(), table_.capacity(), {}).pairs;
    for (u64 i = 0; i < n; i++) found.push_back(slot_text<P>(keys[i], values[i]));
    std::sort(want.begin(), want.end());
    std::sort(found.begin(), found.end());
    expect(found == want, where_ + ": the table has " + joined(found) + ", not " + joined(want));
  }

  // side_by_side makes pairs of keys with the places of their first values, and of values.
  static void side_by_side(std::vector<std::string>& words) {
    const auto is_value = [](const std::string& word) { return word.find('=') == std::string::npos; };
    const auto first = std::find_if(words.begin(), words.end(), is_value);
    if (P::value_bytes == 0 || first == words.end()) return;
    const std::vector<std::string> values(first, words.end());
    std::map<u64, std::string> keys;  // by place
    for (auto word = words.begin(); word != first; word++) {
      keys[parsed(word->substr(word->find('=') + 1))] = word->substr(0, word->find('='));
    }
    words.clear();
    for (u64 i = 0; i < values.size(); i++) words.push_back(std::prev(keys.upper_bound(i))->second + "=" + values[i]);
  }

  T table_;
  bool anywhere_;
  std::string where_;
  Counts counted_;
};

struct Line {
  std::vector<std::string> words, rows;
  int number;
};

inline void play(const std::vector<Line>& lines) {
  std::map<std::string, std::string> set;
  for (u64 i = 2; i < lines[0].words.size(); i++) {
    const std::string& word = lines[0].words[i];
    set[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  }
  with_vectors(lines[0].words[1], set["pair"], [&](auto types) {
    Player<typename decltype(types)::Key, typename decltype(types)::Value> player(
        parsed(set["capacity"]), parsed(set["seed"]), HZ_GPU && set["gpu"] == "pairs");
    for (u64 i = 1; i < lines.size(); i++) {
      player.play(lines[i].words, lines[i].rows, "vectors.txt:" + std::to_string(lines[i].number));
    }
  });
}

inline void test_vectors() {
  std::ifstream in("vectors.txt");
  expect(in.good(), "vectors.txt cannot be read");
  std::vector<Line> table;
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    number++;
    const std::vector<std::string> words = words_of(text);
    if (words.empty()) continue;
    if (text[0] == ' ') {
      table.back().rows.push_back(text);
      continue;
    }
    if (words[0] == "table" && !table.empty()) play(table), table.clear();
    table.push_back({words, {}, number});
  }
  if (!table.empty()) play(table);
}
