// drive_all.h: drives operations that a tile carries out together, in any order it likes.
//
// Some operations have steps that lanes can take independently and at the same time, and
// other steps that take the whole tile. One walk at a time (drive.h) wastes the first
// kind. A scheme with such an operation has
//
//   void insert_of_all(tile, u32 todo, Lanes<Walk<Pair>, W>& walks,
//                      Lanes<Outcome, W>& outcomes, tally)
//
// which carries out the operations of the lanes in `todo`, in step, and sets their
// outcomes. The walk's pair of a failed insert is handed back; the walk's pair of a
// successful find holds the value. In instrumented kernels, walk.memo is the number of
// buckets that were read.
#pragma once

namespace hz {

// kAll: S carries out Op for all lanes of a tile at once.
template <class S, class Op, class T>
inline constexpr bool kAll =
    requires(const S s, Tile<S::width, true> tile, Lanes<Walk<typename S::Pair>, S::width> walks,
             Lanes<Outcome, S::width> outcomes, T tally) { Op::all(s, tile, 0u, walks, outcomes, tally); };

// for_each_team calls f(tile, base, valid) for groups of W neighboring operations. It
// also counts lane utilization: a warp waits for the slowest of its tiles.
#if HZ_GPU
template <int W, class T, class F>
HZ_FN void for_each_team(u64 first, u64 count, T& tally, F&& f) {
  const Tile<W> tile;
  const u32 from = lane_in_warp() / W * W;
  for_each_group(first, count, [&](const Tile<kWarp>& warp, u64 base, u32 valid) {
    const u64 before = tally.steps();
    f(tile.in_step(true), base + from, valid >> from & Tile<W>::all);
    if constexpr (T::counted) {
      const u32 steps = u32(tally.steps() - before);
      tally.lanes(u64(W) * steps, u64(W) * warp.largest(Lanes<u32, kWarp>{steps}));
    }
  });
}
#else
template <int W, class T, class F>
HZ_FN void for_each_team(u64 first, u64 count, T& tally, F&& f) {
  const Tile<W> tile;
  for_each_group(first, count, [&](const Tile<kWarp>&, u64 base, u32 valid) {
    u64 all = tally.steps(), slowest = 0;
    for (u32 from = 0; from < kWarp; from += W) {
      const u64 before = tally.steps();
      f(tile.in_step(true), base + from, valid >> from & Tile<W>::all);
      const u64 steps = tally.steps() - before;
      slowest = steps > slowest ? steps : slowest;
    }
    tally.lanes(W * (tally.steps() - all), kWarp * slowest);
  });
}
#endif

template <class Op, class S, class T>
HZ_FN void drive_all(const hz_table* table, const hz_batch* block, u64 first, u64 count) {
  using P = typename S::Pair;
  constexpr int W = S::width;
  const S scheme = scheme_of<S>(table, block);
  const Batch<P, Op::code> batch(block);
  Outcomes<W, Op::code> outcomes(Tile<W>{});
  T tally;
  for_each_team<W>(first, count, tally, [&](const Tile<W, true>& tile, u64 base, u32 valid) {
    Lanes<Walk<P>, W> walks;
    Lanes<Outcome, W> outcome;
    tile.each([&](Lane l) { outcome[l] = k_none; });
    tile.each(valid, [&](Lane l) {
      const Request<P> request = batch.request(base + l.index());
      outcome[l] = request.refused;
      walks[l] = {request.pair, scheme.first(request.pair.key), 0, 0, Op::code, base + l.index()};
      if (outcome[l] == k_ok) prefetch(scheme.bucket(walks[l].place), BucketOf<S>::bytes);
    });
    const u32 todo = tile.ballot([&](Lane l) { return outcome[l] == k_ok; });
    tile.each(todo, [&](Lane l) { outcome[l] = k_none; });
    Op::all(scheme, tile, todo, walks, outcome, tally);
    tally.took_of(tile, todo, [&](Lane l) { return walks[l].memo; });
    if constexpr (hands_back(Op::code)) {
      batch.hand_back(tile, [&](Lane l) { return leaves(outcome[l]); }, [&](Lane l) { return walks[l].pair; });
    }
    tile.each(valid, [&](Lane l) {
      const bool given = gives_answer(Op::code) && outcome[l] == k_ok;
      const auto answer = choose(given, P::Traits::answer(walks[l].pair.value), P::no_answer());
      batch.answer(base + l.index(), Op::code, outcome[l], answer);
      outcomes.note(l, Op::code, outcome[l], answer);
    });
    tally.stepped();
  });
  outcomes.add_to(Tile<W>{}, batch.tallies());
  if constexpr (T::counted) tally.add_to(Tile<W>{}, batch.tallies());
}

}  // namespace hz
