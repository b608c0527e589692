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

// Result is the outcome of an operation. If an insert failed, or a put evicted, `left` is the pair that is in
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
  HZ_FN Result<P> put(Key key, const Value& value, bool active = true) const {
    return run<op::put>(key, value, active);
  }
  HZ_FN Result<P> get(Key key, bool active = true) const { return run<op::get>(key, {}, active); }
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
    None none;
    const hz::Request<P> mine{{key, hz::takes_value(O::code) ? value : P::Traits::of(1)},
                              O::code,
                              !active            ? hz::k_none
                              : P::reserved(key) ? hz::k_rejected
                                                 : hz::k_ok};
    if constexpr (hz::kAll<S, Kernel, None>) {
      return all<Kernel>(scheme, mine);
    } else {
#if HZ_GPU
      const Caller<O> caller;
      hz::Turns<Kernel, S, None, Caller<O>> turns(scheme, none, caller, mine, hz::lane_in_warp());
      turns.together();
      return {turns.outcome(), turns.given(), turns.left()};
#else
      if (mine.refused != hz::k_ok) return {mine.refused, P::no_answer(), P::empty()};
      hz::Walk<P> walk = walk_of(scheme, mine);
      const hz::Done<P> done = hz::carry_out<Kernel>(scheme, hz::Tile<S::width>(), walk, none);
      return {done.outcome, done.answer, done.left};
#endif
    }
  }

 private:
  using None = hz::Tally<false>;

  // Caller stands for the batch that the operations of a kernel's threads are not of.
  template <class O>
  struct Caller {
    HZ_FN u8 op() const { return O::code; }
    template <class Tile>
    HZ_FN void hand_back(const Tile&, const P&) const {}
  };

  template <class S>
  HZ_FN static hz::Walk<P> walk_of(const S& scheme, const hz::Request<P>& mine) {
    hz::Walk<P> walk{mine.pair, 0};
    if (mine.refused == hz::k_ok) walk.place = scheme.first(mine.pair.key);
    walk.op = mine.op;
    return walk;
  }

  // all is for operations that a tile carries out for all its lanes at once (drive_all.h). On
  // a CPU only the first lane has one.
  template <class Kernel, class S, int W = S::width>
  HZ_FN static Result<P> all(const S& scheme, const hz::Request<P>& mine) {
    const hz::Tile<W> tile;
    hz::Lanes<hz::Walk<P>, W> walks;
    hz::Lanes<hz::Outcome, W> outcome;
    const u32 todo = tile.ballot([&](hz::Lane l) { return mine.refused == hz::k_ok && (HZ_GPU || l.index() == 0); });
    tile.each([&](hz::Lane l) { walks[l] = walk_of(scheme, mine), outcome[l] = hz::k_none; });
    None none;
    Kernel::all(scheme, tile.in_step(true), todo, walks, outcome, none);
    Result<P> result{mine.refused, P::no_answer(), P::empty()};
    tile.each(todo, [&](hz::Lane l) {
      const bool given = hz::gives_answer(Kernel::code) && outcome[l] == hz::k_ok;
      result = {outcome[l], hz::choose(given, P::Traits::answer(walks[l].pair.value), P::no_answer()), walks[l].pair};
    });
    return result;
  }

  hz_table table_;
  hz_batch batch_{};
};

}  // namespace hashzoo

#endif
