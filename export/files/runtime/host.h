// host.h: a table as its host side sees it (kernels/host_side.h), during one operation.
#ifndef HASHZOO_HOST_H
#define HASHZOO_HOST_H

namespace hashzoo {

template <class Table>
class HostTable {
 public:
  using Config = typename Table::Configuration;
  using Param = typename Config::Param;
  using Pair = typename Table::Pair;
  template <class Op>
  static constexpr bool has = Config::template has<Op>;

  static constexpr Param param{};

  HostTable(Table& t, const Batch& b) : t_(t), batch_(b) {}
  HostTable(Table& t, Stream stream) : t_(t), batch_{{}, 0, stream} {}

  int launches() const { return launches_; }

  double max_load() const { return Config::max_load; }
  u64 key_bytes() const { return sizeof(typename Pair::Key); }
  u64 value_bytes() const { return Pair::value_bytes; }
  u64 answer_bytes() const { return sizeof(typename Pair::Answer); }
  u64 pairs() const { return t_.contents(); }
  bool empty() const { return t_.empty(); }
  u64 bulk() const { return Config::counted ? HZ_BULK_NOWHERE : on_gpu() ? HZ_BULK_ON_GPU : HZ_BULK_ON_CPU; }
  hz_table& block() { return t_.block(); }
  const hz_layout& layout() const { return t_.layout(); }
  void lay(const hz_layout& l) { t_.lay(l); }
  hz::host::Body sized(u64 slots) { return t_.sized(slots); }

  template <class Op>
  hz::host::Result launch(Op, const hz::host::Batch& b) {
    Batch one = batch_;
    one.block = b.block, one.n = b.n;
    if constexpr (!requires { Op::code; }) one.piece = Batch().piece;
    launches_++;
    return {t_.template launch<Op>(one), b};
  }
  template <class Kernel, class Block>
  void shared(Kernel, const Block& block, u64 n) {
    const Scratch<Block> here(1, batch_.stream);
    hashzoo::copy(here.data(), &block, sizeof block, batch_.stream);
    launch_block<Kernel>(here.data(), n, batch_.stream, 8 * hz::kWarp);
  }

  u64 allocate(const hz_region& r) { return t_.more(r, batch_.stream); }
  void release(u64 at) { t_.give_back(at); }
  u64 scratch(u64 bytes) {
    try {
      scratch_.emplace_back(std::make_unique<Scratch<u8>>(bytes, batch_.stream));
    } catch (const std::exception& e) {
      throw hz::host::NoMemory(e.what());
    }
    return address(scratch_.back()->data());
  }
  void give_room(hz_batch& b, u64 found) { b.FoundLimit = std::min(found, b.FoundLimit); }

  void fill(u64 at, u8 byte, u64 bytes) { hashzoo::fill(pointer(at), byte, bytes, batch_.stream); }
  void copy(u64 to, u64 from, u64 bytes) {
    if (bytes > 0) hashzoo::copy(pointer(to), pointer(from), bytes, batch_.stream);
  }
  void read(void* to, u64 at, u64 bytes) { t_.fetch(to, pointer(at), bytes, batch_.stream); }
  void write(u64 at, const void* from, u64 bytes) {
    if (bytes > 0) hashzoo::copy(pointer(at), from, bytes, batch_.stream);
    wait(batch_.stream);
  }
  void note(const std::string&) {}
  void reseed() { t_.reseed(batch_.stream); }

 private:
  static void* pointer(u64 at) { return reinterpret_cast<void*>(at); }

  Table& t_;
  Batch batch_;
  int launches_ = 0;
  std::vector<std::unique_ptr<Scratch<u8>>> scratch_;
};

}  // namespace hashzoo

#endif
