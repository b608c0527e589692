// host_engine.h: host sides for the engine. A host side asks the engine for everything that it does (library.h);
// each request is a call.
#pragma once

#include "host_retrieve.h"
#include "host_show.h"
#include "host_side.h"
#include "kernel.h"

namespace hz::host {

// Failed is thrown when a request fails. The engine knows why.
struct Failed {};

// OpList are the operations of a scheme.
template <class... Op>
struct OpList {
  template <class Which>
  static constexpr bool has = (__is_same(Which, Op) || ...);
};

// EngineTable is a table of the engine during an operation, or while it is looked at. P are the scheme's parameters,
// Has its operations.
template <class P, class Has>
class EngineTable {
 public:
  using Param = P;
  template <class Op>
  static constexpr bool has = Has::template has<Op>;

  const Param param;

  explicit EngineTable(hz_operation& call) : param(Param::of(call.param)), call_(call) {}

  double max_load() const { return call_.max_load; }
  u64 key_bytes() const { return call_.key; }
  u64 value_bytes() const { return call_.value; }
  u64 answer_bytes() const { return call_.answer; }
  u64 pairs() const { return call_.pairs; }
  bool empty() const { return call_.pairs == 0; }
  u64 bulk() const { return call_.bulk; }
  hz_table& block() { return call_.table; }
  const Layout& layout() const { return call_.layout; }

  template <class Op>
  Result launch(Op, const Batch& b, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    if (std::strstr(file, "host_") == nullptr) call_.file = file, call_.line = line;  // else it is this folder's
    hz_ask ask{};
    ask.name = Op::name, ask.batch = b.block, ask.n = b.n, ask.keyed = b.keyed, ask.moved = b.moved;
    request(HZ_LAUNCH, ask);
    Result done;
    std::memcpy(done.begin(), ask.counts, sizeof(Counts));
    done.batch = b;
    return done;
  }
  template <class Kernel, class Block>
  void shared(Kernel, const Block& block, u64 n) {
    request(HZ_SHARED, {.name = Kernel::name, .bytes = sizeof block, .n = n, .memory = &block});
  }

  u64 allocate(const hz_region& region) { return request(HZ_ALLOCATE, {.memory = &region}).at; }
  void release(u64 at) { request(HZ_RELEASE, {.at = at}); }
  // give_room allocates memory for the values that a batch has found.
  void give_room(hz_batch& b, u64 found) {
    try {
      b.FoundOf = scratch(4 * found), b.FoundValues = scratch(found * value_bytes()), b.FoundLimit = found;
    } catch (const NoMemory& e) {
      throw NoMemory(text("retrieve of ", call_.n, " keys gives ", found, " pairs, which take ",
                          found * (4 + value_bytes()), " bytes: ", e.what(),
                          "; hint: a smaller table leaves more memory"));
    }
  }
  u64 scratch(u64 bytes) { return request(HZ_SCRATCH, {.bytes = bytes}).at; }
  void fill(u64 at, u8 byte, u64 bytes) { move(HZ_FILL, at, bytes, byte, nullptr); }
  void copy(u64 to, u64 from, u64 bytes) { move(HZ_COPY, to, bytes, from, nullptr); }
  void read(void* to, u64 at, u64 bytes) { move(HZ_READ, at, bytes, 0, to); }
  void write(u64 at, const void* from, u64 bytes) { move(HZ_WRITE, at, bytes, 0, from); }

  void note(const std::string& event) { request(HZ_NOTE, {.name = event.c_str()}); }
  void reseed() { request(HZ_RESEED, {}); }
  Body sized(u64 slots) {
    Body body;
    request(HZ_SIZED, {.n = slots, .memory = &body});
    return body;
  }
  void lay(const Layout& layout) {
    call_.layout = layout;
    request(HZ_LAID, {});
  }

  hz_look look(const char* kernel, u64 n, hz_look where = {}) {
    request(HZ_LOOK, {.name = kernel, .n = n, .memory = &where});
    return where;
  }
  void bar(const std::string& label, double value, double of = 0) {
    request(HZ_BAR, {.name = label.c_str(), .value = value, .of = of});
  }
  void row(const std::string& name = "", const char* cell = "") {
    request(HZ_ROW, {.name = name.c_str(), .memory = cell});
  }
  void span(u64 at, u64 bytes) { request(HZ_SPAN, {.at = at, .bytes = bytes}); }
  using Spans = std::initializer_list<Span>;
  void slot(u64 key, u64 value, Spans memory) { cell(HZ_SLOT, {}, key, value, memory); }
  void cell(const std::string& text, Spans memory = {}) { cell(HZ_CELL, text, 0, 0, memory); }
  void board(u64 region, u64 bits) { request(HZ_BOARD, {.at = region, .n = bits}); }

 private:
  // Ask lists the fields of an hz_ask that most requests set.
  struct Ask {
    const char* name = nullptr;
    u64 at = 0, bytes = 0, n = 0;
    const void* memory = nullptr;
    double value = 0, of = 0;
  };

  void move(hz_request what, u64 at, u64 bytes, u64 n, const void* memory) {
    if (bytes > 0) request(what, {.at = at, .bytes = bytes, .n = n, .memory = memory});
  }
  void cell(hz_request what, const std::string& text, u64 key, u64 value, Spans memory) {
    request(what, {.name = text.c_str(), .at = key, .bytes = value, .n = memory.size(), .memory = memory.begin()});
  }
  hz_ask request(hz_request what, const Ask& a) {
    hz_ask ask{};
    ask.name = a.name, ask.at = a.at, ask.bytes = a.bytes, ask.n = a.n, ask.memory = const_cast<void*>(a.memory);
    ask.value = a.value, ask.of = a.of;
    return request(what, ask);
  }
  hz_ask& request(hz_request what, hz_ask& ask) {
    ask.what = what;
    const int ended = call_.ask(call_.who, &call_, &ask);
    if (ended == HZ_NO_MEMORY) throw NoMemory(ask.name);
    if (ended == HZ_FAILED) throw Failed{};
    return ask;
  }

  hz_operation& call_;
};

// HostSide is the host side of a scheme for the engine. P are the scheme's parameters, Has its operations.
template <class Side, class P, class Has>
class HostSide {
 public:
  static hz_host of(const char* scheme) {
    hz_host host{scheme, ops(), gauges(), run, nullptr, nullptr, nullptr, nullptr, nullptr};
    if constexpr (requires(const P& p, const Shape& s) { Side::layout(p, s); }) host.size = size;
    if constexpr (requires(const P& p) { Side::max_load(p); }) host.max_load = max_load;
    if constexpr (requires(const P& p, const Layout& l, u64* arg) { Side::arguments(p, l, arg); })
      host.arguments = arguments;
    if constexpr (reads_gauges) host.fits = fits;
    return host;
  }

 private:
  using T = EngineTable<P, Has>;

  static constexpr bool sets_up = requires(T& t) { Side::setup(t); };
  static constexpr bool has_rows = requires(T& t) { Side::rows(t); };
  static constexpr bool has_board = requires(T& t) { Side::board(t); };
  static constexpr bool reads_gauges = requires { Side::template gauges<T>(); };

  // each calls f for the operations that the scheme carries out on the host.
  static void each(auto&& f) {
#define HZ_EACH(name, ...) one(f, op_##name{});
    HZ_OPS(HZ_EACH)
#undef HZ_EACH
  }
  template <class F, class Op>
  static void one(F& f, Op op) {
    if constexpr (kOnHost<Side, T, Op>) f(op);
  }

  static const char* ops() {
    static const std::string names = [] {
      std::string list = sets_up ? "setup " : "";
      if (has_rows) list += "rows ";
      each([&](auto op) { list += text(op.name, " "); });
      return list;
    }();
    return names.c_str();
  }

  static const char* gauges() {
    static const std::string names = [] {
      std::string list;
      if constexpr (reads_gauges) {
        for (const Gauge<T>& g : Side::template gauges<T>()) list += text(g.name, "\n");
      }
      return list;
    }();
    return names.c_str();
  }
  static const Gauge<T>* gauge(const std::string& name) {
    static const Gauges<T> list = Side::template gauges<T>();
    for (const Gauge<T>& g : list) {
      if (g.name == name) return &g;
    }
    throw std::logic_error("the host side has no gauge " + name);
  }

  // show is for a table that is looked at.
  static bool show(T& t, const std::string& what) {
    static const std::string of_gauge = "gauge ";
    if constexpr (has_rows) {
      if (what == "rows") return Side::rows(t), true;
    }
    if constexpr (has_board) {
      if (what == "board") return Side::board(t), true;
    }
    if constexpr (reads_gauges) {
      if (what.starts_with(of_gauge)) return gauge(what.substr(of_gauge.size()))->read(t), true;
    }
    return false;
  }

  static int run(hz_operation* call) {
    return guarded(call->wrong, sizeof call->wrong, [&] {
      T t(*call);
      const std::string name = call->op;
      if constexpr (sets_up) {
        if (name == "setup") return Side::setup(t);
      }
      if (show(t, name)) return;
      Batch b;
      b.block = call->batch, b.n = call->n;
      Result done;
      each([&](auto op) {
        if (name == op.name) done = carry_out<Side>(t, op, b);
      });
      call->batch = done.batch.block, call->n = done.batch.n;
      std::memcpy(call->counts, done.begin(), sizeof(Counts));
    });
  }

  static int size(hz_sizing* s) {
    return guarded(s->wrong, sizeof s->wrong,
                   [&] { s->layout = Side::layout(P::of(s->param), Shape{s->key, s->value, s->slots, s->n}); });
  }
  static int fits(const char* name, hz_sizing* s) {
    return guarded(s->wrong, sizeof s->wrong, [&] {
      if (const auto check = gauge(name)->fits) check(s->layout, s->key, s->value);
    });
  }
  static double max_load(const int64_t* param) { return Side::max_load(P::of(param)); }

  static void arguments(const int64_t* param, const hz_layout* layout, uint64_t* arg) {
    Side::arguments(P::of(param), *layout, arg);
  }

  // guarded turns exceptions into what the engine knows.
  static int guarded(char* wrong, u64 room, auto&& f) {
    wrong[0] = 0;
    try {
      f();
      return HZ_DONE;
    } catch (const Failed&) {
      return HZ_FAILED;
    } catch (const NoMemory& e) {
      std::strncpy(wrong, e.what(), room - 1);
      return HZ_NO_MEMORY;
    } catch (const std::exception& e) {
      std::strncpy(wrong, e.what(), room - 1);
      return HZ_FAILED;
    }
  }
};

}  // namespace hz::host

// HZ_HOST makes a host side known: the scheme's name, the struct, the type of its parameters, and its operations.
#define HZ_HOST(scheme, ...) static const hz::Host host_of_##scheme(hz::host::HostSide<__VA_ARGS__>::of(#scheme));
