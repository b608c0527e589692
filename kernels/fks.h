// fks.h: FKS-cuckoo, a table of two levels that grows and shrinks.
//
// The idea. A cuckoo table of one level moves pairs all over the memory, and where
// one insert finds no place, the whole table is hashed anew. Here a first hash
// function (FKS: Fredman, Komlos, Szemeredi) distributes the keys to buckets, each of
// which is a small cuckoo table with a seed of its own. What goes wrong in a bucket
// is put right there: without a layout, the bucket alone is rehashed with a new seed;
// if it is full, it alone is split.
//
//   key  -- H(key) -->  directory     [ 0 | 0 | 2 | 3 | .. ]   bucket and seed
//                                       \ /     |    \                          .
//                        bucket 0 ..... 3.7....9.   bucket 3 .5..1.....2.8
//                                       h_0, h_1 or h_2 of (key, seed): a slot
//
// The buckets are meant to have room: a bucket of `bucket` slots is made for
// reg_load percent of them, where most pairs sit in their first slot, and counts as
// full at `full` percent. A find reads an entry of the directory, which the cache
// holds, and one to three slots of 8 bytes.
//
// The directory is that of extendible hashing: H ranges over `roots` << depth
// entries. A bucket of depth d serves the 2^(depth - d) neighbouring entries whose
// numbers begin with its branch. Splitting it gives each half of them a bucket of
// depth d + 1; if it has one entry only, all entries are doubled first (widen).
//
// Insert. Take a ticket: count one up in the bucket's head. If the bucket is full,
// put it on the list of those that want to be split, and hand the pair back. If not,
// exchange the pair with what is in slot h_0, and if that is a pair, go on with it
// at its next slot, as cuckoo tables do. After max_chain evictions hand back the pair
// in hand, give up its ticket, and list the bucket to be rehashed. The host's side
// (schemes/fks_host.go) then has the listed buckets renewed and inserts what was
// handed back, until nothing is left. The usual batch is one launch.
//
// Renew. A tile builds a listed bucket anew in spare ones, of which the table keeps
// `reserve`: in one with another seed, in two if it is split, or two sparse halves
// in one (merge). The old bucket stays as it is until a layout is found, at most
// `rehashes` seeds later; then the directory is pointed to the new one, and the old
// one is cleared and becomes a spare. A bucket that no seed suits is split. When there
// are not enough spares, the table as a whole is too full: all of it moves to new
// memory with buckets at regular load (transfer); also when it is nearly empty.
//
// Nothing is lost on the way: a bucket or a table that is rebuilt stays whole until
// the new one is complete, and if there is no memory for that, the pairs that found
// no place are handed back as failed inserts.
//
// All state starts as zeros. What an entry, a head or the ring of spares holds is
// relative to its own number, so that zeros mean: bucket i is that of root i, of
// depth 0, empty; the spares come after the roots.
//
// Erases leave a marker, not an unused slot: a pair leaves slot h_i only when it is
// pushed out, so the slots before its own were used, and a find may stop at one that
// never was.
//
// What makes it linearizable: updates and erases take effect at the compare-and-swap
// on the pair's slot, finds when they read it; if the compare-and-swap is lost,
// another update or erase of the key has won. No pair moves meanwhile, so these may
// share a batch. Inserts move pairs and run in batches of their own; each takes effect
// at its first exchange. A key that is in the table must not be inserted again.
//
// Limits. Fewer than 2^31 slots. Two functions fill a bucket to less than half (full
// is at most 45), three to 88, four to 95 percent.
//
// Not as in the paper: its memory is 15 times the pairs, here it is three times at a
// reg_load of 35; its buckets grow in one vector that is laid out anew, here they are
// split alone. Its batch goes through the hash functions round by round, with idle
// lanes; here each lane goes on by itself.
//
// Paper: HH Hash, a GPU-based two-level cuckoo hash table (project report, Carnegie
// Mellon University, 15-418).
#ifndef HZ_FKS_H
#define HZ_FKS_H

#include "drive.h"
#include "hash.h"

namespace hz {

template <class P>
class Fks {
 public:
  using Pair = P;
  using Key = typename P::Key;
  using Mixed = Ops<op_find, op_update, op_erase>;
  static constexpr int width = 1;
  static constexpr bool alone = true;

  // What the host tells the kernels: the parameters, then how often all entries
  // were doubled.
  enum Arg { kBucket, kRegLoad, kFull, kMaxChain, kRehashes, kReserve, kDepth };

  // Entry is what the directory says: which bucket, relative to the number of the
  // root, and the bucket's seed.
  struct alignas(8) Entry {
    u32 bucket, seed;
  };

  // Head is what is known of a bucket.
  struct alignas(16) Head {
    u32 count;   // pairs that are in it or on their way
    u32 wish;    // what it is listed for
    u32 branch;  // the first bits of the entries' numbers, relative to the bucket's own
    u32 depth;   // so many splits made it
  };
  enum Wish { kSplit = 1, kRehash = 2, kMerge = 4 };

  // State is what the kernels tell the host. The ring of spares and the list follow.
  struct State {
    u32 listed;  // buckets on the list
    u32 splits;  // those of them that want to be split
    u32 narrow;  // one that is to be split has a single entry
    u32 stuck;   // buckets that could not be renewed
    u32 popped;  // spares taken, and given back, ever
    u32 pushed;
    u32 pad[2];
  };

  HZ_FN explicit Fks(const hz_table* t)
      : table_(t),
        slots_(array<P>(t->Region[0])),
        entries_(array<Entry>(t->Region[1])),
        heads_(array<Head>(t->Region[2])),
        state_(array<State>(t->Region[3])),
        per_bucket_(u32(t->Arg[kBucket])) {}

  // A walk starts at an entry of the directory and goes on at a slot.
  HZ_FN u32 first(Key key) const { return kIsEntry | entry_of(key); }
  HZ_FN P* bucket(u32 place) const {
    P* entry = reinterpret_cast<P*>(entries_ + (place & ~kIsEntry));
    return (place & kIsEntry) != 0 ? entry : slots_ + place;
  }
  HZ_FN P* slots() const { return slots_; }

  template <class Tile, class T>
  HZ_FN Done<P> find_at(const Tile& tile, Walk<P>& walk, P* at, T& tally) const {
    if (enters(walk, tally)) return Done<P>::undecided();
    const P seen = look(tile, at, tally);
    if (seen.key == walk.pair.key) return Done<P>::found(seen.value);
    return absent(walk, seen);
  }

  template <class Tile, class T>
  HZ_FN Done<P> update_at(const Tile& tile, Walk<P>& walk, P* at, T& tally) const {
    return change(tile, walk, at, walk.pair, 0, tally);
  }

  template <class Tile, class T>
  HZ_FN Done<P> erase_at(const Tile& tile, Walk<P>& walk, P* at, T& tally) const {
    return change(tile, walk, at, P::erased(), 1, tally);
  }

  template <class Tile, class T>
  HZ_FN Done<P> insert_at(const Tile& tile, Walk<P>& walk, P* at, T& tally) const {
    if (enters(walk, tally)) {
      if (admit(tile, walk.place / per_bucket_, tally)) return Done<P>::undecided();
      return Done<P>::failed(walk.pair);
    }
    tally.probe(at, sizeof(P));
    const P out = tile.exchange(at, walk.pair);
    if (!out.is_live()) return Done<P>::ok();
    tally.evict();
    walk.pair = out;
    if (++walk.step >= table_->Arg[kMaxChain]) return give_up(tile, walk, tally);
    walk.place = after(walk.place, out.key, walk.memo);
    return Done<P>::undecided();
  }

  // renew has a tile for each bucket on the list, from place batch->Keys on.
  template <bool Counted>
  HZ_FN static void renew(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    const Fks s(table);
    Tally<Counted> tally;
    for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32) {
      s.renew_one(tile, u32(batch->Keys + base / kWarp), tally);
    });
    tally.add_to(Tile<1>{}, array<u64>(batch->Counters));
  }

  // widen fills a directory from one half as large, at batch->Keys.
  template <bool Counted>
  HZ_FN static void widen(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    const Entry* from = array<Entry>(batch->Keys);
    Entry* to = array<Entry>(table->Region[1]);
    for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
      tile.each(valid, [&](Lane l) { to[base + l.index()] = from[(base + l.index()) / 2]; });
    });
  }

  // transfer inserts the pairs in slots of another table, at batch->Keys.
  template <bool Counted>
  HZ_FN static void transfer(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    Fks s(table);
    Tally<Counted> tally;
    const P* from = array<P>(batch->Keys);
    const Batch<P, k_op_insert> b(batch);
    for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
      tile.each(valid, [&](Lane l) {
        const P pair = from[base + l.index()];
        if (!pair.is_live()) return;
        const Done<P> done = carry_out<op_insert>(s, Tile<1>{}, {pair, s.first(pair.key)}, tally);
        if (done.outcome == k_failed) b.hand_back(Tile<1>{}, done.left);
      });
    });
    tally.add_to(Tile<1>{}, b.counters());
  }

  // survey looks at every bucket and lists those to be merged: the lower of two
  // halves that would make a bucket of regular load.
  template <bool Counted>
  HZ_FN static void survey(const hz_table* table, const hz_batch*, u64 first, u64 count) {
    const Fks s(table);
    for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
      tile.each(valid, [&](Lane l) { s.merge_if_sparse(u32(base + l.index())); });
    });
  }

 private:
  static constexpr u32 kIsEntry = u32(1) << 31;

  // Sizes, read where they are needed: registers are scarce (hash.h).
  HZ_FN u32 depth() const { return u32(table_->Arg[kDepth]); }
  HZ_FN u32 reserve() const { return u32(table_->Arg[kReserve]); }
  HZ_FN u32 roots() const { return u32(table_->Buckets) - reserve(); }
  HZ_FN u32 entries() const { return roots() << depth(); }
  HZ_FN u32* ring() const { return reinterpret_cast<u32*>(state_ + 1); }
  HZ_FN u32 ring_size() const { return u32(1) << (32 - __builtin_clz(u32(table_->Buckets))); }
  HZ_FN u32* list() const { return ring() + ring_size(); }
  HZ_FN u32 percent(Arg arg) const { return u32(u64(per_bucket_) * table_->Arg[arg] / 100); }

  HZ_FN u32 hash(const hz_hash& h, Key key) const {
    return table_->Family == HZ_UNIVERSAL ? universal_hash(h, key) : fast_hash(h, key);
  }
  HZ_FN u32 entry_of(Key key) const { return multiply_high(hash(table_->Hash[0], key), entries()); }

  // slot is where function i of a bucket's seed sends a key: a function of the table,
  // with other multipliers for every seed.
  HZ_FN u32 slot(u32 i, Key key, u32 seed) const {
    hz_hash h = table_->Hash[1 + i];
    if (table_->Family == HZ_UNIVERSAL) {
      h.A = mod_prime(h.A + seed), h.C = mod_prime(h.C + (seed << 7 | seed >> 25));
      h.A += h.A == 0, h.C += h.C == 0;
    } else {
      h.A ^= u64(seed) << 1, h.B ^= seed;
    }
    return hash_to(h, table_->Family, key, per_bucket_);
  }

  HZ_FN u32 start_of(u32 place) const { return place & ~(per_bucket_ - 1); }

  // after is where a key goes next that has to leave its place: to the slot of the
  // first function following the one that placed it, unless that is the same slot.
  HZ_FN u32 after(u32 place, Key key, u32 seed) const {
    const u32 here = place - start_of(place), count = table_->Hashes;
    u32 i = 0;
    while (i + 1 < count && slot(i, key, seed) != here) i++;
    for (u32 n = 1; n < count; n++) {
      const u32 next = slot((i + n) % count, key, seed);
      if (next != here) return start_of(place) + next;
    }
    return place;
  }

  // enters takes a walk that is at an entry of the directory to its first slot.
  template <class T>
  HZ_FN bool enters(Walk<P>& walk, T& tally) const {
    if ((walk.place & kIsEntry) == 0) return false;
    const u32 number = walk.place & ~kIsEntry;
    const Entry entry = entries_[number];
    tally.touch(entries_ + number, sizeof(Entry));
    walk.memo = entry.seed;
    walk.place = bucket_of(number, entry) * per_bucket_ + slot(0, walk.pair.key, entry.seed);
    return true;
  }
  HZ_FN u32 bucket_of(u32 number, const Entry& entry) const { return (number >> depth()) + entry.bucket; }

  template <class Tile, class T>
  HZ_FN P look(const Tile& tile, P* at, T& tally) const {
    tally.probe(at, sizeof(P));
    return tile.read(at);
  }

  // absent is what follows if a key is not in a slot of its own.
  HZ_FN Done<P> absent(Walk<P>& walk, const P& seen) const {
    if (seen.is_empty() || ++walk.step == table_->Hashes) return Done<P>::missing();
    walk.place = start_of(walk.place) + slot(walk.step, walk.pair.key, walk.memo);
    return Done<P>::undecided();
  }

  // change replaces the pair of a key, by which `leaving` pairs leave the bucket. A
  // lost race leaves the walk where it is.
  template <class Tile, class T>
  HZ_FN Done<P> change(const Tile& tile, Walk<P>& walk, P* at, const P& pair, u32 leaving, T& tally) const {
    if (enters(walk, tally)) return Done<P>::undecided();
    const P seen = look(tile, at, tally);
    if (seen.key != walk.pair.key) return absent(walk, seen);
    const bool won = tile.cas(at, seen, pair) == seen;
    tally.swap(at, sizeof(P), won);
    if (!won) return Done<P>::undecided();
    if (leaving != 0) add_to(tile, walk.place / per_bucket_, u32(0) - leaving, tally);
    return Done<P>::ok();
  }

  // add_to changes a bucket's count and returns what it was.
  template <class Tile, class T>
  HZ_FN u32 add_to(const Tile& tile, u32 bucket, u32 amount, T& tally) const {
    tally.touch(heads_ + bucket, sizeof(u32));
    return tile.fetch_add(&heads_[bucket].count, amount);
  }

  // admit takes a ticket for a pair, if the bucket is not full.
  template <class Tile, class T>
  HZ_FN bool admit(const Tile& tile, u32 bucket, T& tally) const {
    if (add_to(tile, bucket, 1, tally) < percent(kFull)) return true;
    add_to(tile, bucket, u32(0) - 1, tally);
    want(bucket, kSplit);
    return false;
  }

  template <class Tile, class T>
  HZ_FN Done<P> give_up(const Tile& tile, const Walk<P>& walk, T& tally) const {
    add_to(tile, walk.place / per_bucket_, u32(0) - 1, tally);
    want(walk.place / per_bucket_, kRehash);
    return Done<P>::failed(walk.pair);
  }

  // want lists a bucket for the host, once.
  HZ_FN void want(u32 bucket, Wish wish) const {
    Head* head = heads_ + bucket;
    if ((lane_read(Lane{0}, &head->wish) & wish) != 0) return;
    const u32 before = lane_or(Lane{0}, &head->wish, wish);
    if (before == 0) list()[lane_add(Lane{0}, &state_->listed, 1)] = bucket;
    if (wish != kSplit || (before & kSplit) != 0) return;
    lane_add(Lane{0}, &state_->splits, 1);
    if (head->depth == depth()) lane_or(Lane{0}, &state_->narrow, 1);
  }

  // Two are two buckets of which one is picked by number: an array would be in memory.
  struct Two {
    u32 first, second;
    HZ_FN u32 operator[](u32 i) const { return i == 0 ? first : second; }
  };

  // Job is a bucket that is being renewed.
  struct Job {
    Two source, target;
    u32 sources, targets;
    u32 branch, depth;  // of the first target; the second has the next branch
    u32 seed;           // of the source

    HZ_FN u32 new_seed(u32 part, u32 attempt) const { return mix32(seed + (2 * attempt + part + 1) * 0x9e3779b9u); }
  };

  template <class T>
  HZ_FN void renew_one(const Tile<kWarp>& tile, u32 place, T& tally) const {
    const u32 bucket = list()[place];
    const u32 wish = tile.exchange(&heads_[bucket].wish, u32(0));
    if (wish == 0) return;
    const Job job = plan(tile, bucket, wish);
    const u32 attempts = u32(table_->Arg[kRehashes]);
    u32 attempt = 0;
    while (attempt < attempts && !build(tile, job, attempt, tally)) {
      for (u32 t = 0; t < job.targets; t++) wipe(tile, job.target[t]);
      attempt++;
    }
    if (attempt < attempts) {
      adopt(tile, job, attempt);
      for (u32 s = 0; s < job.sources; s++) wipe(tile, job.source[s]), give_back(tile, job.source[s]);
    } else {
      tile.each(1, [&](Lane l) { despair(l, bucket, job); });
      for (u32 t = 0; t < job.targets; t++) give_back(tile, job.target[t]);
    }
  }

  HZ_FN Job plan(const Tile<kWarp>& tile, u32 bucket, u32 wish) const {
    const Head head = heads_[bucket];
    const u32 branch = head.branch + bucket;
    const bool split = (wish & kSplit) != 0 && head.depth < depth(), merge = (wish & kMerge) != 0;
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

  // holder is the bucket of the first entry of a branch.
  HZ_FN u32 holder(u32 branch, u32 branch_depth) const {
    const u32 number = branch << (depth() - branch_depth);
    return bucket_of(number, entries_[number]);
  }

  HZ_FN u32 spare(u32 at) const {
    const u32 number = ring()[at & (ring_size() - 1)];
    return number == 0 ? roots() + at : number - 1;
  }
  HZ_FN void give_back(const Tile<kWarp>& tile, u32 bucket) const {
    const u32 at = reserve() + tile.fetch_add(&state_->pushed, 1u);
    tile.each(1, [&](Lane) { ring()[at & (ring_size() - 1)] = bucket + 1; });
  }

  // build copies the sources' pairs into the targets, each lane pairs of its own, and
  // says whether all found a place.
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
    for (u64 step = 0; step < table_->Arg[kMaxChain]; step++) {
      tally.touch(slots_ + place, sizeof(P));
      const P out = lane_exchange(l, slots_ + place, pair);
      if (!out.is_live()) {
        lane_add(l, &heads_[job.target[part]].count, 1);
        return true;
      }
      tally.evict();
      pair = out;
      place = after(place, out.key, seed);
    }
    return false;
  }

  // wipe makes a bucket an empty one that belongs to no branch.
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

  // despair: no seed suits. A bucket that was to be rehashed is split instead.
  HZ_FN void despair(Lane l, u32 bucket, const Job& job) const {
    if (job.sources == 1 && job.targets == 1) {
      want(bucket, kSplit);
    } else {
      lane_add(l, &state_->stuck, 1);
    }
  }

  HZ_FN void merge_if_sparse(u32 bucket) const {
    const Head head = heads_[bucket];
    const u32 branch = head.branch + bucket;
    if (head.depth == 0 || (branch & 1) != 0) return;
    const Head other = heads_[holder(branch + 1, head.depth)];
    if (other.depth == head.depth && head.count + other.count <= percent(kRegLoad)) want(bucket, kMerge);
  }

  const hz_table* table_;
  P* slots_;
  Entry* entries_;
  Head* heads_;
  State* state_;
  u32 per_bucket_;
};

}  // namespace hz

#endif
