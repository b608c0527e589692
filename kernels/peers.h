// peers.h: lanes of a warp with operations that combine values on one key let the lowest
// of them, the leader, carry out its operation with the values of all.
//
//   keys     7 3 7 7 3 9      peers of 7: lanes 0, 2, 3      leader 0 adds 1 + 4 + 2
//   values   1 5 4 2 6 8      peers of 3: lanes 1, 4         leader 1 adds 5 + 6
//
// The others follow: their key was there when the leader was done. If it found no room,
// neither did they, and every lane hands back its own pair.
#pragma once

#include "partials.h"

namespace hz {

template <class P>
class Peers {
 public:
  static constexpr int W = kWarp;
  using Warp = Tile<W>;
  using Of = NumberOf<typename P::Value>;
  using Number = typename Of::Type;

  // lead refuses the operations of followers, gives leaders the values of all, and returns
  // the followers.
  HZ_FN u32 lead(u8 op, Lanes<Request<P>, W>& mine) {
    Lanes<typename P::Key, W> keys;
    warp_.each([&](Lane l) { keys[l] = mine[l].pair.key, leader_[l] = l.index(); });
    const u32 active = warp_.ballot([&](Lane l) { return mine[l].refused == k_ok; });
    const Lanes<u32, W> peers = warp_.peers(keys);
    warp_.each(active, [&](Lane l) { leader_[l] = u32(lowest(peers[l] & active)); });
    followers_ = warp_.ballot([&](Lane l) { return leader_[l] != l.index(); });
    if (followers_ == 0) return 0;
    if constexpr (P::value_bytes > 0) total(op, mine, peers, active);
    warp_.each(followers_, [&](Lane l) { mine[l].refused = k_none; });
    return followers_;
  }

  // follow gives followers the outcome that follows from their leader's.
  HZ_FN void follow(Lanes<Outcome, W>& outcomes) const {
    if (followers_ == 0) return;
    const Lanes<Outcome, W> of_leader = warp_.gather(outcomes, leader_);
    warp_.each(followers_, [&](Lane l) { outcomes[l] = of_leader[l] == k_failed ? k_failed : k_replaced; });
  }

 private:
  // total has each lane combine, in its value, those of its peers above it: in step after
  // step, every second of the peers that are left takes the value of the next.
  HZ_FN void total(u8 op, Lanes<Request<P>, W>& mine, const Lanes<u32, W>& peers, u32 active) const {
    Lanes<u32, W> rest, rank, next;
    Lanes<Number, W> number;
    warp_.each([&](Lane l) {
      const u32 same = (active >> l.index() & 1) != 0 ? peers[l] & active : 0;
      rest[l] = same & ~u32(1) << l.index();
      rank[l] = u32(popcount(same & ((u32(1) << l.index()) - 1)));
      number[l] = Of::of(mine[l].pair.value);
    });
    while (warp_.ballot([&](Lane l) { return rest[l] != 0; }) != 0) {
      warp_.each([&](Lane l) { next[l] = rest[l] != 0 ? u32(lowest(rest[l])) : l.index(); });
      const Lanes<Number, W> other = warp_.gather(number, next);
      const u32 done = warp_.ballot([&](Lane l) { return (rank[l] & 1) != 0; });
      warp_.each([&](Lane l) {
        if (rest[l] != 0) number[l] = combined(op, number[l], other[l]);
        rest[l] = (rank[l] & 1) != 0 ? 0 : rest[l] & ~done;
        rank[l] >>= 1;
      });
    }
    warp_.each([&](Lane l) { mine[l].pair.value = P::Traits::of(number[l]); });
  }

  Warp warp_;
  Lanes<u32, W> leader_;
  u32 followers_ = 0;
};

}  // namespace hz
