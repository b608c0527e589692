// drive_gpu.h: batches on a GPU. See drive.h.
//
// A warp takes 32 neighbouring operations, a tile of W lanes W of them: each
// lane reads one request, coalesced, and the tile works them off one by one,
// all its lanes on one operation. Before the first of a group is looked at, the
// first buckets of the whole group are loaded, so that their latencies overlap.
// Lanes keep the results of their own operations and write them, coalesced, at
// the end. Warps stride over the batch, so the grid is as large as the GPU has
// room for, and counters are added up once per warp.
#ifndef HZ_DRIVE_GPU_H
#define HZ_DRIVE_GPU_H

namespace hz {

template <class F>
HZ_FN void for_each_group(u64 first, u64 count, F&& f) {
  Tile<kWarp> warp;
  for (u64 at = thread_in_grid() / kWarp * kWarp; at < count; at += threads_in_grid()) {
    u64 left = count - at;
    f(warp, first + at, left >= kWarp ? ~u32(0) : (u32(1) << left) - 1);
  }
}

// kInFlight is how many first buckets a tile has on the way at once.
template <int W>
inline constexpr int kInFlight = W < 8 ? W : 8;

template <class Op, class S, class T>
HZ_FN void drive(const hz_table* table, const hz_batch* block, u64 first, u64 count) {
  using P = typename S::Pair;
  using Key = typename P::Key;
  constexpr int W = S::width, G = kInFlight<W>;
  S scheme(table);
  T tally;
  Batch<P, Op> batch(block);
  Tile<W> tile;
  Outcomes<kWarp> outcomes(Tile<kWarp>{});

  for_each_group(first, count, [&](const Tile<kWarp>& warp, u64 base, u32 valid) {
    const u32 me = lane_in_warp();
    Request<P> request{P::empty(), k_none};
    if (valid >> me & 1) request = batch.request(base + me);
    const u32 todo = tile.ballot([&](Lane) { return request.refused == k_ok; });
    Lanes<P, W> pairs{request.pair};
    Outcome outcome = request.refused;
    typename P::Value value = ~typename P::Value(0);

#pragma unroll 1
    for (int group = 0; group < W; group += G) {
      BucketOf<S> at_home[G];
      if constexpr (kStartsAtHome<S, Op, T>) {
#pragma unroll
        for (int j = 0; j < G; j++) {
          Key key = tile.pick(pairs, group + j).key;  // of any request: every key has a home
          at_home[j] = BucketOf<S>(tile, scheme.home(key));
        }
      }
#pragma unroll
      for (int j = 0; j < G; j++) {
        const int turn = group + j;
        const u64 before = tally.steps();
        if (todo >> turn & 1) {
          P pair = tile.pick(pairs, turn);
          Done<P> done;
          if constexpr (kStartsAtHome<S, Op, T>) {
            tally.probe(at_home[j].slots(), BucketOf<S>::bytes);
            done = Op::run(scheme, tile, pair, tally, at_home[j]);
          } else {
            done = Op::run(scheme, tile, pair, tally);
          }
          if (done.outcome == k_failed) batch.hand_back(tile, done.left);
          if (me % W == u32(turn)) {
            outcome = done.outcome;
            value = done.value;
          }
        }
        if constexpr (T::counted) {
          const u64 steps = tally.steps() - before;
          tally.lanes(steps * W, u64(W) * warp.largest(Lanes<u32, kWarp>{u32(steps)}));
        }
      }
    }
    if (valid >> me & 1) batch.answer(base + me, outcome, value);
    outcomes.note(Lane{me}, outcome);
  });
  outcomes.add_to(Tile<kWarp>{}, batch.counters());
  if constexpr (T::counted) tally.add_to(tile, batch.counters());
}

}  // namespace hz

#endif
