// renew.h: rebuilds buckets of an FKS-cuckoo table. See fks.h.
#pragma once

#include "table.h"

namespace hz {

template <class P>
class FksRenewal : public FksTable<P> {
 public:
  using Base = FksTable<P>;
  using typename Base::Head;

  HZ_FN explicit FksRenewal(const hz_table* t) : Base(t) {}

  // renew_bucket renews the bucket at a position of the list.
  template <class T>
  HZ_FN void renew_bucket(const Tile<kWarp>& tile, u32 place, T& tally) const {
    const u32 bucket = list()[place];
    const u32 wish = tile.exchange(&heads_[bucket].wish, u32(0));
    if (wish == 0) return;
    const Job job = plan(tile, bucket, wish);
    const u32 attempts = u32(table_->Arg[Base::kRehashes]);
    u32 attempt = 0;
    while (attempt < attempts && !build(tile, job, attempt, tally)) {
      for (u32 t = 0; t < job.targets; t++) wipe(tile, job.target[t]);
      attempt++;
    }
    if (attempt < attempts) {
      adopt(tile, job, attempt);
      tile.each(1, [&](Lane l) { note(l, job); });
      for (u32 s = 0; s < job.sources; s++) wipe(tile, job.source[s]), give_back(tile, job.source[s]);
    } else {
      tile.each(1, [&](Lane l) { fall_back(l, bucket, job); });
      for (u32 t = 0; t < job.targets; t++) give_back(tile, job.target[t]);
    }
  }

  // merge_if_sparse lists a bucket for a merge if it is the lower of two halves that
  // together make a bucket of regular load.
  HZ_FN void merge_if_sparse(u32 bucket) const {
    const Head head = heads_[bucket];
    const u32 branch = head.branch + bucket;
    if (head.depth == 0 || (branch & 1) != 0) return;
    const Head other = heads_[holder(branch + 1, head.depth)];
    if (other.depth == head.depth && head.count + other.count <= this->percent(Base::kRegLoad))
      want(bucket, Base::kMerge);
  }

 private:
  using Base::after;
  using Base::bucket_of;
  using Base::depth;
  using Base::entries_;
  using Base::entry_of;
  using Base::heads_;
  using Base::holder;
  using Base::list;
  using Base::per_bucket_;
  using Base::reserve;
  using Base::ring;
  using Base::ring_size;
  using Base::roots;
  using Base::slot;
  using Base::slots_;
  using Base::state_;
  using Base::table_;
  using Base::want;

  // Two holds two bucket numbers, selected by index. An array would be in local memory.
  struct Two {
    u32 first, second;
    HZ_FN u32 operator[](u32 i) const { return i == 0 ? first : second; }
  };

  // Job describes the renewal of a bucket.
  struct Job {
    Two source, target;
    u32 sources, targets;
    u32 branch, depth;  // of the first target; the second has the next branch
    u32 seed;           // the source's seed

    HZ_FN u32 new_seed(u32 part, u32 attempt) const { return mix32(seed + (2 * attempt + part + 1) * 0x9e3779b9u); }
  };

  HZ_FN Job plan(const Tile<kWarp>& tile, u32 bucket, u32 wish) const {
    const Head head = heads_[bucket];
    const u32 branch = head.branch + bucket;
    const bool split = (wish & Base::kSplit) != 0 && head.depth < depth(), merge = (wish & Base::kMerge) != 0;
    Job job;
    job.source = {bucket, merge ? holder(branch ^ 1, head.depth) : bucket};
    job.sources = merge ? 2 : 1;
    job.targets = split ? 2 : 1;
    job.branch = split ? branch * 2 : merge ? branch / 2 : branch;
    job.depth = head.depth + u32(split) - u32(merge);
    job.seed = entries_[branch << (depth() - head.depth)].seed;
    const u32 at = tile.fetch_add(&state_->popped, job.targets);
    job.target = {spare(at), spare(split ? at + 1 : at)};
    return job;
  }

  HZ_FN u32 spare(u32 at) const {
    const u32 number = ring()[at & (ring_size() - 1)];
    return number == 0 ? roots() + at : number - 1;
  }
  HZ_FN void give_back(const Tile<kWarp>& tile, u32 bucket) const {
    const u32 at = reserve() + tile.fetch_add(&state_->pushed, 1u);
    tile.each(1, [&](Lane) { ring()[at & (ring_size() - 1)] = bucket + 1; });
  }

  // build copies the sources' pairs into the targets, each lane its own pairs, and
  // returns whether all found a place.
  template <class T>
  HZ_FN bool build(const Tile<kWarp>& tile, const Job& job, u32 attempt, T& tally) const {
    for (u32 s = 0; s < job.sources; s++) {
      P* from = slots_ + job.source[s] * per_bucket_;
      tile.each(1, [&](Lane) { tally.probe(from, int(per_bucket_ * sizeof(P))); });
      for (u32 row = 0; row < per_bucket_; row += kWarp) {
        const u32 lost = tile.ballot([&](Lane l) {
          if (row + l.index() >= per_bucket_) return false;
          const P pair = from[row + l.index()];
          return pair.is_live() && !settle(l, job, attempt, pair, tally);
        });
        if (lost != 0) return false;
      }
    }
    return true;
  }

  template <class T>
  HZ_FN bool settle(Lane l, const Job& job, u32 attempt, P pair, T& tally) const {
    const u32 part = job.targets == 1 ? 0 : (entry_of(pair.key) >> (depth() - job.depth)) - job.branch;
    const u32 seed = job.new_seed(part, attempt);
    u32 place = job.target[part] * per_bucket_ + slot(0, pair.key, seed);
    for (u64 step = 0; step < table_->Arg[Base::kMaxChain]; step++) {
      const P out = lane_exchange(l, slots_ + place, pair);
      if (!out.is_live()) lane_add(l, &heads_[job.target[part]].count, 1);
      tally.touch(slots_ + place, sizeof(P));
      if (!out.is_live()) return true;
      tally.evict();
      pair = out;
      place = after(place, out.key, seed);
    }
    return false;
  }

  // wipe makes a bucket empty, without a branch.
  HZ_FN void wipe(const Tile<kWarp>& tile, u32 bucket) const {
    tile.sync();
    for (u32 row = 0; row < per_bucket_; row += kWarp) {
      tile.each([&](Lane l) {
        if (row + l.index() < per_bucket_) slots_[bucket * per_bucket_ + row + l.index()] = P::empty();
      });
    }
    tile.each(1, [&](Lane) { heads_[bucket] = {0, 0, 0, 0}; });
    tile.sync();
  }

  // adopt points the entries of the sources to the targets.
  HZ_FN void adopt(const Tile<kWarp>& tile, const Job& job, u32 attempt) const {
    const u32 span = u32(1) << (depth() - job.depth);
    for (u32 part = 0; part < job.targets; part++) {
      const u32 bucket = job.target[part], from = (job.branch + part) * span, seed = job.new_seed(part, attempt);
      tile.each(1, [&](Lane) {
        heads_[bucket].branch = job.branch + part - bucket;
        heads_[bucket].depth = job.depth;
      });
      for (u32 row = 0; row < span; row += kWarp) {
        tile.each([&](Lane l) {
          const u32 number = from + row + l.index();
          if (row + l.index() < span) entries_[number] = {bucket - (number >> depth()), seed};
        });
      }
    }
  }

  // note counts the renewal for statistics.
  HZ_FN void note(Lane l, const Job& job) const {
    lane_add(l, job.targets == 2 ? &state_->halved : job.sources == 2 ? &state_->merged : &state_->rehashed, 1);
  }

  // fall_back handles a bucket that no seed suits: a bucket to be rehashed is split
  // instead.
  HZ_FN void fall_back(Lane l, u32 bucket, const Job& job) const {
    if (job.sources == 1 && job.targets == 1) {
      want(bucket, Base::kSplit);
    } else {
      lane_add(l, &state_->stuck, 1);
    }
  }
};

}  // namespace hz
