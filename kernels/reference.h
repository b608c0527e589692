// reference.h: the table of a library as a scheme of kind reference, to compare with. It runs on
// CPUs alone, and its kernels carry out one operation after the other, as programs that use
// the library do.
//
// The table block has no slots. Its first region holds the address of a Map, which the kernel
// `make` constructs for Buckets pairs, and `drop` destroys. The second region is its Books: the
// bytes that the library has taken through a Counted allocator.
//
// A Map is a class with
//
//   Map(u64 pairs, Books, const hz_table*)      with room for so many
//   bool insert(key, value)                     false: the key is there, and keeps its value
//   bool find(key, Value&, bool alone)          alone: all other threads find, too
//   bool put(key, value, f)                     inserts, or calls f(Value&) and returns true
//   bool change(key, f)                         calls f(Value&), or returns false
//   bool erase(key)
//   void each(f)                                calls f(key, value)
//
// whose functions threads call at the same time. Striped makes one of a map that allows no
// changes at the same time.
#pragma once

#include <memory>
#include <mutex>

#include "drive.h"
#include "hash.h"

namespace hz {

// Books counts bytes, in several words so that threads seldom share a cache line.
class Books {
 public:
  static constexpr u32 kWords = 64, kApart = 8;  // as many bytes as package host reads

  explicit Books(u64 at) : words_(array<u64>(at)) {}
  void add(u64 bytes) const { lane_add(Lane{0}, words_ + mine() * kApart, bytes); }

 private:
  static u32 mine() {
    static thread_local const u32 word = u32(mix64(reinterpret_cast<u64>(&word)) % kWords);
    return word;
  }

  u64* words_;
};

// Counted is the allocator A, with its bytes in the books.
template <class A>
class Counted {
 public:
  using value_type = typename std::allocator_traits<A>::value_type;
  using pointer = value_type*;
  using const_pointer = const value_type*;
  using reference = value_type&;
  using const_reference = const value_type&;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  template <class T>
  struct rebind {
    using other = Counted<typename std::allocator_traits<A>::template rebind_alloc<T>>;
  };

  explicit Counted(Books books) : books_(books) {}
  template <class B>
  Counted(const Counted<B>& other) : books_(other.books()) {}

  pointer allocate(size_t n, const void* = nullptr) {
    books_.add(n * sizeof(value_type));
    return A{}.allocate(n);
  }
  void deallocate(pointer at, size_t n) {
    books_.add(-(n * sizeof(value_type)));
    A{}.deallocate(at, n);
  }
  size_type max_size() const { return ~size_t(0) / sizeof(value_type); }
  Books books() const { return books_; }
  template <class B>
  bool operator==(const Counted<B>&) const {
    return true;
  }

 private:
  Books books_;
};

// MapOf is a map of a library, made for a number of pairs, with the hash function H.
template <class P, template <class...> class M, class H, class Key = typename P::Key, class Value = typename P::Value>
struct MapOf : M<Key, Value, H, std::equal_to<Key>, Counted<std::allocator<std::pair<const Key, Value>>>> {
  using Map = M<Key, Value, H, std::equal_to<Key>, Counted<std::allocator<std::pair<const Key, Value>>>>;
  MapOf(u64 pairs, Books books) : Map(pairs, H(), std::equal_to<Key>(), typename Map::allocator_type(books)) {}
};

// Striped is many maps M of a library, each under a lock. The argument of the table block says
// how many. Finds take no locks where all threads find.
template <class P, class M>
class Striped {
 public:
  using Key = typename P::Key;
  using Value = typename P::Value;

  Striped(u64 pairs, Books books, const hz_table* t) : books_(books), stripes_(u32(t->Arg[0])) {
    stripe_ = std::allocator<Stripe>{}.allocate(stripes_);
    books_.add(stripes_ * sizeof(Stripe));
    const u64 share = pairs / stripes_ + 1;  // and some more, as some stripes get more keys than others
    for (u32 i = 0; i < stripes_; i++) new (stripe_ + i) Stripe(share + share / 8, books);
  }
  ~Striped() {
    for (u32 i = 0; i < stripes_; i++) stripe_[i].~Stripe();
    std::allocator<Stripe>{}.deallocate(stripe_, stripes_);
  }

  bool insert(Key key, Value value) {
    Locked in(at(key));
    return in->insert({key, value}).second;
  }
  bool find(Key key, Value& value, bool alone) {
    Stripe& stripe = at(key);
    if (alone) return look(stripe.map, key, value);
    Locked in(stripe);
    return look(*in, key, value);
  }
  bool put(Key key, Value value, auto&& f) {
    Locked in(at(key));
    const auto done = in->insert({key, value});
    if (!done.second) f(done.first->second);
    return !done.second;
  }
  bool change(Key key, auto&& f) {
    Locked in(at(key));
    const auto there = in->find(key);
    if (there == in->end()) return false;
    f(there->second);
    return true;
  }
  bool erase(Key key) {
    Locked in(at(key));
    return in->erase(key) != 0;
  }
  void each(auto&& f) {
    for (u32 i = 0; i < stripes_; i++) {
      for (const auto& pair : stripe_[i].map) f(pair.first, pair.second);
    }
  }

 private:
  struct alignas(64) Stripe {
    std::mutex lock;
    M map;
    Stripe(u64 pairs, Books books) : map(pairs, books) {}
  };
  struct Locked {
    explicit Locked(Stripe& s) : guard(s.lock), map(&s.map) {}
    M* operator->() { return map; }
    M& operator*() { return *map; }
    std::lock_guard<std::mutex> guard;
    M* map;
  };

  static bool look(const M& map, Key key, Value& value) {
    const auto there = map.find(key);
    if (there == map.end()) return false;
    value = there->second;
    return true;
  }
  Stripe& at(Key key) { return stripe_[multiply_high(mix64(u64(key) + 0x9e3779b97f4a7c15ull), u64(stripes_))]; }

  Books books_;
  u32 stripes_;
  Stripe* stripe_;
};

// Reference is the scheme.
template <class P, class Map>
class Reference {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Chunk = Bucket<P, 1>;
  static constexpr int width = 1;
  static constexpr Traits traits{.content = Content::each_pair,
                                 .single_lane = true,
                                 .mixed = {k_op_insert, k_op_find, k_op_update, k_op_erase, k_op_upsert, k_op_combine}};

  Reference(const hz_table* t, const hz_batch* b)
      : map_(*array<Map*>(t->Region[0])), region_(t->Region[0]), finds_(b->Ops == 0) {}

  u32 first(Key) const { return 0; }
  P* bucket(u32) const { return array<P>(region_); }  // what a CPU fetches ahead: nothing of the library's
  void each_pair(auto&& f) const {
    map_->each([&](Key key, const Value& value) { f(P{key, value}); });
  }

  Done<P> insert_at(const auto&, Walk<P>& walk, P*, auto&) {
    return map_->insert(walk.pair.key, walk.pair.value) ? Done<P>::ok() : Done<P>::failed(walk.pair);
  }
  Done<P> find_at(const auto&, Walk<P>& walk, P*, auto&) {
    Value value{};
    return map_->find(walk.pair.key, value, finds_) ? Done<P>::found(value) : Done<P>::missing();
  }
  Done<P> update_at(const auto&, Walk<P>& walk, P*, auto&) {
    return map_->change(walk.pair.key, [&](Value& there) { there = walk.pair.value; }) ? Done<P>::ok()
                                                                                       : Done<P>::missing();
  }
  Done<P> erase_at(const auto&, Walk<P>& walk, P*, auto&) {
    return map_->erase(walk.pair.key) ? Done<P>::ok() : Done<P>::missing();
  }
  Done<P> upsert_at(const auto&, Walk<P>& walk, P*, auto&) {
    return added(walk, [&](Value& there) { there = walk.pair.value; });
  }
  Done<P> combine_at(const auto&, Walk<P>& walk, P*, auto&) {
    return added(walk, [&](Value& there) { there = combined(walk.op, there, walk.pair.value); });
  }

  template <bool Counted>
  static void make(const hz_table* t, const hz_batch*, u64, u64) {
    *array<Map*>(t->Region[0]) = new Map(t->Buckets, Books(t->Region[1]), t);
  }
  template <bool Counted>
  static void drop(const hz_table* t, const hz_batch*, u64, u64) {
    delete *array<Map*>(t->Region[0]);
  }

 private:
  Done<P> added(const Walk<P>& walk, auto&& f) {
    return map_->put(walk.pair.key, walk.pair.value, f) ? Done<P>::replaced() : Done<P>::ok();
  }

  Map* map_;
  u64 region_;
  bool finds_;
};

}  // namespace hz
