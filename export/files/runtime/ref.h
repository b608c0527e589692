// ref.h: a table inside your own kernel.
//
// A Ref is passed to a kernel by value. All 32 lanes of a warp call an operation together,
// each with a key of its own; those without one pass active = false. On a CPU a thread calls
// it for one key.
//
// A Ref names the operations that the launch carries out, and the compiler refuses those
// that the scheme cannot carry out in one launch.
#ifndef HASHZOO_REF_H
#define HASHZOO_REF_H

namespace hashzoo {

// Result is what became of an operation. If an insert failed, `left` is the pair that is in
// no slot; in schemes that move pairs it may be another one.
template <class P>
struct Result {
  hz::Outcome outcome;
  typename P::Answer answer;
  P left;

  HZ_FN bool ok() const { return outcome == hz::k_ok; }
  HZ_FN bool failed() const { return outcome == hz::k_failed; }
};

template <class P, class Scheme, class... Op>
class Ref {
 public:
  using Key = typename P::Key;
  using Value = typename P::Value;

  explicit Ref(const hz_table& table) : table_(table) {
    for (const u8 op : {Op::code...}) batch_.Select |= u64(1) << op;
  }

  HZ_FN Result<P> insert(Key key, const Value& value, bool active = true) const {
    return run<op::insert>(key, value, active);
  }
  HZ_FN Result<P> find(Key key, bool active = true) const { return run<op::find>(key, {}, active); }
  HZ_FN bool contains(Key key, bool active = true) const { return find(key, active).ok(); }
  HZ_FN Result<P> update(Key key, const Value& value, bool active = true) const {
    return run<op::update>(key, value, active);
  }
  HZ_FN Result<P> upsert(Key key, const Value& value, bool active = true) const {
    return run<op::upsert>(key, value, active);
  }
  HZ_FN Result<P> add(Key key, const Value& value, bool active = true) const {
    return run<op::add>(key, value, active);
  }
  HZ_FN Result<P> min(Key key, const Value& value, bool active = true) const {
    return run<op::min>(key, value, active);
  }
  HZ_FN Result<P> max(Key key, const Value& value, bool active = true) const {
    return run<op::max>(key, value, active);
  }
  HZ_FN Result<P> tally(Key key, bool active = true) const { return run<op::tally>(key, {}, active); }
  HZ_FN Result<P> erase(Key key, bool active = true) const { return run<op::erase>(key, {}, active); }

  // run carries out any operation.
  template <class O>
  HZ_FN Result<P> run(Key key, const Value& value, bool active) const {
    static_assert((std::is_same_v<O, Op> || ...),
                  "this Ref was made for other operations: name it in table.ref<...>()");
    using Kernel = typename O::Kernel;
    using S = hz::ClassFor<Scheme, Kernel>;
    S scheme = hz::scheme_of<S>(&table_, &batch_);
    const bool refused = P::reserved(key);
    hz::Walk<P> walk{{key, hz::takes_value(O::code) ? value : P::Traits::of(1)}, 0};
    if (active && !refused) walk.place = scheme.first(key);
    walk.op = O::code;
    hz::Done<P> done{!active ? hz::k_none : refused ? hz::k_rejected : hz::k_none, P::no_answer(), P::empty()};
    carry_out<Kernel>(scheme, walk, active && !refused, done);
    return {done.outcome, done.answer, done.left};
  }

 private:
  using None = hz::Tally<false>;

#if HZ_GPU
  // The lanes of a tile carry out their operations one after the other, all lanes on each.
  template <class Kernel, class S>
  HZ_FN static void carry_out(S& scheme, const hz::Walk<P>& mine, bool busy, hz::Done<P>& done) {
    constexpr int W = S::width;
    const hz::Tile<W> tile;
    None none;
    if constexpr (hz::kAll<S, Kernel, None>) {
      all<Kernel>(scheme, tile, mine, busy, done);
    } else if constexpr (W == 1) {
      if (busy) done = hz::carry_out<Kernel>(scheme, tile, mine, none);
    } else {
      const u32 todo = tile.ballot([&](hz::Lane) { return busy; });
      hz::for_each_pending(todo, [&](int turn) {
        const hz::Done<P> one = hz::carry_out<Kernel>(scheme, tile, of_turn(tile, mine, turn), none);
        if (hz::lane_in_warp() % W == u32(turn)) done = one;
      });
    }
  }

  template <int W>
  HZ_FN static hz::Walk<P> of_turn(const hz::Tile<W>& tile, const hz::Walk<P>& mine, int turn) {
    hz::Walk<P> walk{{tile.pick(hz::Lanes<Key, W>{mine.pair.key}, turn), {}},
                     tile.pick(hz::Lanes<u32, W>{mine.place}, turn)};
    if constexpr (P::value_bytes > 0) walk.pair.value = tile.pick(hz::Lanes<Value, W>{mine.pair.value}, turn);
    walk.op = mine.op;
    return walk;
  }
#else
  template <class Kernel, class S>
  HZ_FN static void carry_out(S& scheme, const hz::Walk<P>& mine, bool busy, hz::Done<P>& done) {
    None none;
    if (!busy) return;
    if constexpr (hz::kAll<S, Kernel, None>) {
      all<Kernel>(scheme, hz::Tile<S::width>(), mine, busy, done);
    } else {
      done = hz::carry_out<Kernel>(scheme, hz::Tile<S::width>(), mine, none);
    }
  }
#endif

  // all is for operations that a tile carries out for all its lanes at once (drive_all.h). On
  // a CPU only the first lane has one.
  template <class Kernel, class S, int W>
  HZ_FN static void all(const S& scheme, const hz::Tile<W>& tile, const hz::Walk<P>& mine, bool busy,
                        hz::Done<P>& done) {
    hz::Lanes<hz::Walk<P>, W> walks;
    hz::Lanes<hz::Outcome, W> outcome;
    const u32 todo = tile.ballot([&](hz::Lane l) { return busy && (HZ_GPU || l.index() == 0); });
    tile.each([&](hz::Lane l) { walks[l] = mine, outcome[l] = hz::k_none; });
    None none;
    Kernel::all(scheme, tile.in_step(true), todo, walks, outcome, none);
    tile.each(todo, [&](hz::Lane l) {
      const bool given = hz::gives_answer(Kernel::code) && outcome[l] == hz::k_ok;
      done = {outcome[l], hz::choose(given, P::Traits::answer(walks[l].pair.value), P::no_answer()), walks[l].pair};
    });
  }

  hz_table table_;
  hz_batch batch_{};
};

}  // namespace hashzoo

#endif
