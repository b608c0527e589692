// fks.h: FKS-cuckoo, a table of two levels that grows and shrinks.
//
// Idea. A cuckoo table of one level moves pairs all over memory, and when one insert
// finds no place, the whole table is rehashed. Here a first hash function (FKS: Fredman,
// Komlos, Szemeredi) distributes the keys to buckets, each of which is a small cuckoo
// table with its own seed. Problems of a bucket are solved within it: a bucket without a
// layout is rehashed alone, with a new seed; a full bucket is split alone.
//
//   key  -- H(key) -->  directory     [ 0 | 0 | 2 | 3 | .. ]   bucket and seed
//                                       \ /     |    \                          .
//                        bucket 0 ..... 3.7....9.   bucket 3 .5..1.....2.8
//                                       h_0, h_1 or h_2 of (key, seed): a slot
//
// Buckets are meant to have room: a bucket of `bucket` slots is created for reg_load
// percent of them, where most pairs are in their first slot, and counts as full at `full`
// percent. A find reads an entry of the directory, which is cached, and one to three
// slots of 8 bytes.
//
// The directory is that of extendible hashing: H ranges over `roots` << depth entries. A
// bucket of depth d serves the 2^(depth - d) adjacent entries whose numbers begin with
// its branch. A split gives each half of them a bucket of depth d + 1. If the bucket has
// a single entry, the directory is doubled first (widen).
//
// Insert. Take a ticket: increment the count in the bucket's head. If the bucket is full,
// list it for a split and hand the pair back. Otherwise exchange the pair with the
// content of slot h_0, and if that is a pair, continue with it at its next slot, as
// cuckoo tables do. After max_chain evictions, hand back the pair in hand, return its
// ticket, and list the bucket for a rehash. The host side then has the listed buckets
// renewed and inserts what was handed back, until nothing is left. The usual batch takes
// one launch.
//
// Renew. A tile rebuilds a listed bucket in spare buckets, of which the table keeps
// `reserve`: in one with another seed, or in two if it is split, or it builds one from
// two sparse halves (merge). The old bucket is unchanged until a layout is found, after
// at most `rehashes` seeds. Then the directory points to the new bucket, and the old one
// is cleared and becomes a spare. A bucket without a suitable seed is split. If spares
// run out, the table as a whole is too full, and all of it moves to new memory with
// buckets at regular load (transfer); so does a table that is nearly empty.
//
// No pair is lost on the way: a bucket or table stays intact until its replacement is
// complete, and if memory runs out, the pairs that found no place are handed back as
// failed inserts.
//
// All state starts as zeros. The contents of an entry, a head and the ring of spares are
// relative to their own number, so zeros mean: bucket i belongs to root i, has depth 0
// and is empty; the spares come after the roots.
//
// Erases leave a marker, not an unused slot. A pair leaves slot h_i only by eviction, so
// the slots before its own were used, and a find may stop at one that never was.
//
// Linearization. Updates and erases take effect at the compare-and-swap on the pair's
// slot, finds when they read it. If the compare-and-swap is lost, another update or erase
// of the key has won. Pairs do not move in the meantime, so these operations may share a
// batch. Inserts move pairs and run in their own batches; each takes effect at its first
// exchange. A key that is in the table must not be inserted again.
//
// Limits. Fewer than 2^31 slots. Two functions fill a bucket to less than half (`full` is
// at most 45), three to 88, four to 95 percent.
//
// Differences from the paper. Its memory is 15 times the pairs; here it is three times at
// a reg_load of 35. Its buckets grow in one vector that is laid out anew; here they are
// split individually. Its batch goes through the hash functions round by round, with idle
// lanes; here lanes proceed independently.
//
// Paper: HH Hash, a GPU-based hash table that uses two-level cuckoo hashing (project
// report).
#pragma once

#include "renew.h"

namespace hz {

template <class P>
class Fks : public FksTable<P> {
 public:
  using Pair = P;
  using Base = FksTable<P>;
  using typename Base::Entry;
  using typename Base::Key;
  using Chunk = Bucket<P, 1>;
  static constexpr int width = 1;
  static constexpr Traits traits{.single_lane = true, .mixed = {k_op_find, k_op_update, k_op_erase}};

  HZ_FN explicit Fks(const hz_table* t) : Base(t) {}

  // A walk starts at an entry of the directory and continues at slots.
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
    if (++walk.step >= table_->Arg[Base::kMaxChain]) return give_up(tile, walk, tally);
    walk.place = after(walk.place, out.key, walk.memo);
    return Done<P>::undecided();
  }

  // renew uses one tile per bucket on the list, starting at position batch->Keys.
  template <bool Counted>
  HZ_FN static void renew(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    const FksRenewal<P> s(table);
    Tally<Counted> tally;
    for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32) {
      s.renew_bucket(tile, u32(batch->Keys + base / kWarp), tally);
    });
    tally.add_to(Tile<1>{}, tallies_of(batch));
  }

  // widen fills a directory from one of half the size, at batch->Keys.
  template <bool Counted>
  HZ_FN static void widen(const hz_table* table, const hz_batch* batch, u64 first, u64 count) {
    const Entry* from = array<Entry>(batch->Keys);
    Entry* to = array<Entry>(table->Region[1]);
    for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
      tile.each(valid, [&](Lane l) { to[base + l.index()] = from[(base + l.index()) / 2]; });
    });
  }

  // transfer inserts the pairs in the slots of another table, at batch->Keys.
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
        b.hand_back(done.outcome, done.left);
      });
    });
    tally.add_to(Tile<1>{}, b.tallies());
  }

  // survey examines every bucket and lists those to merge.
  template <bool Counted>
  HZ_FN static void survey(const hz_table* table, const hz_batch*, u64 first, u64 count) {
    const FksRenewal<P> s(table);
    for_each_group(first, count, [&](const Tile<kWarp>& tile, u64 base, u32 valid) {
      tile.each(valid, [&](Lane l) { s.merge_if_sparse(u32(base + l.index())); });
    });
  }

 private:
  using Base::after;
  using Base::bucket_of;
  using Base::entries_;
  using Base::entry_of;
  using Base::heads_;
  using Base::per_bucket_;
  using Base::slot;
  using Base::slots_;
  using Base::start_of;
  using Base::table_;
  using Base::want;

  static constexpr u32 kIsEntry = u32(1) << 31;

  // enters moves a walk from an entry of the directory to its first slot. It returns
  // false if the walk was at a slot already.
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

  template <class Tile, class T>
  HZ_FN P look(const Tile& tile, P* at, T& tally) const {
    tally.probe(at, sizeof(P));
    return tile.read(at);
  }

  // absent continues after a slot without the key.
  HZ_FN Done<P> absent(Walk<P>& walk, const P& seen) const {
    if (seen.is_empty() || ++walk.step == table_->Hashes) return Done<P>::missing();
    walk.place = start_of(walk.place) + slot(walk.step, walk.pair.key, walk.memo);
    return Done<P>::undecided();
  }

  // change replaces the pair of a key, which removes `leaving` pairs from the bucket.
  // After a lost compare-and-swap the walk stays at its slot.
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

  // add_to changes a bucket's count and returns the old one.
  template <class Tile, class T>
  HZ_FN u32 add_to(const Tile& tile, u32 bucket, u32 amount, T& tally) const {
    const u32 before = tile.fetch_add(&heads_[bucket].count, amount);
    tally.touch(heads_ + bucket, sizeof(u32));
    return before;
  }

  // admit takes a ticket for a pair, unless the bucket is full.
  template <class Tile, class T>
  HZ_FN bool admit(const Tile& tile, u32 bucket, T& tally) const {
    if (add_to(tile, bucket, 1, tally) < this->percent(Base::kFull)) return true;
    add_to(tile, bucket, u32(0) - 1, tally);
    want(bucket, Base::kSplit);
    return false;
  }

  template <class Tile, class T>
  HZ_FN Done<P> give_up(const Tile& tile, const Walk<P>& walk, T& tally) const {
    add_to(tile, walk.place / per_bucket_, u32(0) - 1, tally);
    want(walk.place / per_bucket_, Base::kRehash);
    return Done<P>::failed(walk.pair);
  }
};

}  // namespace hz
