// export.h: the host side of csr in C++, for exported tables: host/ says why it takes these steps.
#ifndef HASHZOO_CSR_EXPORT_H
#define HASHZOO_CSR_EXPORT_H

namespace hashzoo {

struct CsrSide {
  // A kernel cannot insert, because an insert builds the table from a whole batch, nor list values.
  template <class>
  static constexpr bool only_in_bulk = true;

  template <class Op, class T>
  static Counts run(T& t, const Batch& b) {
    if (b.n == 0) return {};
    if constexpr (std::is_same_v<Op, hz::op_insert>) {
      return Build<T>(t, b).run();
    } else {
      return retrieve(t, b);
    }
  }

 private:
  template <class T>
  using Scheme = typename T::template Scheme<hz::op_insert>;

  // Order puts the rows of a batch in the order of the parts of a table, if it is worth it.
  template <class T>
  class Order {
   public:
    using Parts = hz::Parts<typename T::Pair>;

    Order(T& t, const Batch& b)
        : t_(t),
          b_(b),
          on_(worth(t, b)),
          told_(on_ && b.block.Status != 0),
          counts_(on_ ? items() : 0, b.stream),
          rows_(told_ ? b.n : 0, b.stream),
          status_(told_ ? b.n : 0, b.stream),
          keys_(on_ ? b.n : 0, b.stream),
          values_(on_ ? b.n : 0, b.stream),
          sums_(on_ ? items() : 1, b.stream) {}

    // moved returns the batch with its rows in order.
    Batch moved() const {
      Batch moved = b_;
      moved.block.FoundOf = 0;
      if (!on_) return moved;
      launch<hz::op_part_sizes>();
      sums_.of(counts(), b_.stream);
      launch<hz::op_part>();
      moved.block.Keys = address(keys_.data()), moved.block.Values = address(values_.data());
      if (told_) {
        moved.block.Out = b_.block.Status, moved.block.Status = moved.block.FoundValues = address(status_.data());
        moved.block.FoundOf = address(rows_.data());
      }
      return moved;
    }

   private:
    static bool worth(T& t, const Batch& b) {
      constexpr auto how = T::Configuration::Param::partition;  // auto, never, always
      const u64 table = t.block().Buckets * Scheme<T>::kBucket * sizeof(typename T::Pair) +
                        t.block().Capacity * sizeof(typename T::Value);
      if (how == 1 || b.block.Ops != 0) return false;
      return how == 2 || (table >= u64(64) << 20 && table <= u64(512) << 20 && many_keys(t, b));
    }

    // many_keys: most rows of a sample have keys of their own.
    static bool many_keys(T& t, const Batch& b) {
      const Scratch<u32> marks(Parts::kMarks / 32, b.stream);
      fill(marks.data(), 0, Parts::kMarks / 8, b.stream);
      Batch rows{{}, std::min<u64>(b.n, Parts::kSample), b.stream};
      rows.block.Keys = b.block.Keys, rows.block.FoundAt = address(marks.data()), rows.block.Select = b.n / rows.n;
      return 10 * t.template launch<hz::op_sample>(rows).added >= 9 * rows.n;
    }

    // shift is how many bits of a bucket's number do not say which part it is in.
    static u64 shift(T& t) {
      u64 bits = 0;
      while ((t.block().Buckets - 1) >> bits >= Parts::kParts) bits++;
      return bits;
    }

    u64 pieces() const { return (b_.n + Parts::kPieceRows - 1) / Parts::kPieceRows; }
    u64 items() const { return (((t_.block().Buckets - 1) >> shift(t_)) / hz::kWarp + 1) * hz::kWarp * pieces(); }

    template <class Op>
    void launch() const {
      Batch rows{{}, pieces() * hz::kWarp, b_.stream, hz::kWarp};
      rows.block.Keys = b_.block.Keys, rows.block.Values = b_.block.Values, rows.block.FoundLimit = b_.n;
      rows.block.PairKeys = address(keys_.data()), rows.block.PairValues = address(values_.data());
      rows.block.FoundAt = address(counts_.data()), rows.block.FoundOf = told_ ? address(rows_.data()) : 0;
      rows.block.Select = shift(t_);
      t_.template launch<Op>(rows);
    }

    hz_scan counts() const {
      hz_scan scan{};
      scan.Items = items(), scan.Number = scan.Place = address(counts_.data());
      scan.Width = scan.Stride = scan.PlaceWidth = scan.PlaceStride = sizeof(u32);
      return scan;
    }

    T& t_;
    const Batch& b_;
    const bool on_, told_;
    const Scratch<u32> counts_, rows_;
    const Scratch<u8> status_;
    const Scratch<typename T::Key> keys_;
    const Scratch<typename T::Value> values_;
    const Places sums_;
  };

  // Build counts rows by key, adds the counts up, and scatters the values: of the pairs that are
  // there, and of a batch. All memory is taken before anything changes.
  template <class T>
  class Build {
   public:
    Build(T& t, const Batch& b)
        : t_(t),
          b_(b),
          own_(t.contents()),
          keys_(own_, b.stream),
          values_(own_, b.stream),
          notes_(own_ + b.n, b.stream),
          order_(t, b),
          sums_(slots(), b.stream) {
      t.copy_pairs(keys_.data(), values_.data(), own_, b.stream);
      fill(notes_.data(), 0xff, 8 * (own_ + b.n), b.stream);
    }

    Counts run() {
      if (own_ > 0) t_.clear(b_.stream);
      t_.set_contents(own_);
      if (own_ > 0) launch<hz::op_insert>(own_part());
      const Batch given = noted(order_.moved(), notes_.data() + own_);
      const Counts counted = launch<hz::op_insert>(given);
      sums_.of(directory(), b_.stream);
      if (own_ > 0) launch<hz::op_scatter>(own_part());
      launch<hz::op_scatter>(given);
      return settled(counted);
    }

   private:
    u64 slots() const { return t_.block().Buckets * Scheme<T>::kBucket + 1; }

    // own_part are the table's own pairs as a batch.
    Batch own_part() const {
      Batch part = noted(b_, notes_.data());
      part.n = own_, part.block.Status = part.block.FoundOf = 0;
      part.block.Keys = address(keys_.data()), part.block.Values = address(values_.data());
      return part;
    }
    static Batch noted(Batch part, const u64* notes) {
      part.block.FoundAt = address(notes);
      part.block.Op = hz::k_op_insert, part.block.Select = u64(1) << hz::k_op_insert;
      return part;
    }

    // launch hands back pairs behind those that were handed back before.
    template <class Op>
    Counts launch(Batch part) {
      const u64 before = std::min(work_.pairs, part.block.PairLimit);
      part.block.PairLimit -= before;
      part.block.PairKeys += before * sizeof(typename T::Key);
      part.block.PairValues += before * sizeof(typename T::Value);
      if (std::is_same_v<Op, hz::op_scatter>) part.block.Status = 0;
      const Counts counts = t_.template launch<Op>(part);
      work_ += counts;
      return counts;
    }

    hz_scan directory() const {
      constexpr u64 width = sizeof(typename T::Value);
      hz_scan scan{};
      scan.Items = slots();
      scan.Number = scan.Place = t_.block().Region[Scheme<T>::kDirectory] + sizeof(typename T::Key);
      scan.Width = scan.PlaceWidth = width, scan.Stride = scan.PlaceStride = 2 * width;
      return scan;
    }

    // settled are the counts of the batch. Which inserts are said to have failed is a free choice.
    Counts settled(const Counts& counted) {
      const u64 asked = counted.ok + counted.failed, left = work_.pairs;
      Counts done = work_;
      done.rejected = counted.rejected;
      done.failed = std::min(left, asked);
      done.ok = done.added = asked - done.failed;
      if (b_.block.Status != 0 && done.failed > counted.failed) fail(done.failed - counted.failed);
      if (own_ == 0 && asked == left) t_.clear(b_.stream);  // sums are no marks of empty slots
      return done;
    }

    void fail(u64 more) const {
      std::vector<u8> status(b_.n);
      copy(status.data(), reinterpret_cast<const u8*>(b_.block.Status), b_.n, b_.stream);
      wait(b_.stream);
      for (u64 i = 0; more > 0 && i < b_.n; i++) {
        if (status[i] == hz::k_ok) status[i] = hz::k_failed, more--;
      }
      copy(reinterpret_cast<u8*>(b_.block.Status), status.data(), b_.n, b_.stream);
      wait(b_.stream);
    }

    T& t_;
    const Batch& b_;
    const u64 own_;
    const Scratch<typename T::Key> keys_;
    const Scratch<typename T::Value> values_;
    const Scratch<u64> notes_;
    const Order<T> order_;
    const Places sums_;
    Counts work_;
  };

  // retrieve, which also carries out find_all, looks up how many values each key has and where they
  // begin, and copies them.
  template <class T>
  static Counts retrieve(T& t, const Batch& b) {
    const Scratch<u32> begins(b.n, b.stream);
    Batch look = b;
    look.block.Values = address(begins.data());
    return Rows<T>(look).template retrieve<hz::op_find_all>(t, [&](const Batch& found) {
      constexpr u64 piece = hz::Copy<typename T::Value>::kPiece;
      Batch copies{found.block, (found.block.FoundLimit + piece - 1) / piece * hz::kWarp, b.stream, hz::kWarp};
      copies.block.PairLimit = b.n;
      return t.template launch<hz::op_copy>(copies);
    });
  }
};

}  // namespace hashzoo

#endif
