// memory.h: memory and launches, on a GPU by the CUDA runtime, on a CPU by threads.
#ifndef HASHZOO_MEMORY_H
#define HASHZOO_MEMORY_H

namespace hashzoo {

using hz::u32;
using hz::u64;
using hz::u8;

inline constexpr u8 kNoOperation = 0xff;  // what no launch carries out

inline u64 address(const void* at) { return reinterpret_cast<u64>(at); }

// blocks_for bounds the blocks of a launch: whole waves of as many as fit on the GPU, and at least four operations for
// a thread before there is a second one.
inline unsigned blocks_for(u64 count, u64 room, u64 block = 128) {
  const auto full = [&](u64 items) { return (count - 1) / (items * block) + 1; };
  return unsigned(std::min({full(1), std::max<u64>(full(4) / room, 1) * room, 32 * room}));
}

#if HZ_GPU

static_assert(hz::kBlock == 128);
using Stream = cudaStream_t;

inline void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code));
}
inline void* allocate(u64 bytes) {
  void* at = nullptr;
  check(cudaMalloc(&at, bytes), "cudaMalloc");
  return at;
}
inline void release(void* at) { cudaFree(at); }
inline void* allocate_shared(u64 bytes) {
  void* at = nullptr;
  check(cudaMallocManaged(&at, bytes), "cudaMallocManaged");
  return at;
}
inline void* allocate_host(u64 bytes) {
  void* at = nullptr;
  check(cudaMallocHost(&at, bytes), "cudaMallocHost");
  return at;
}
inline void release_host(void* at) { cudaFreeHost(at); }
inline void fill(void* at, u8 byte, u64 bytes, Stream stream) {
  check(cudaMemsetAsync(at, byte, bytes, stream), "cudaMemsetAsync");
}
inline void copy(void* to, const void* from, u64 bytes, Stream stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}
inline bool on_gpu() { return true; }
inline void wait(Stream stream) { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

// Call holds the arguments of a kernel.
struct Call {
  hz_table table;
  hz_batch batch;
  u64 count;
};

template <class Op, class S, bool Counted>
__global__ __launch_bounds__(hz::kBlock, (hz::kMinBlocks<S, Op>)) void kernel(Call call) {
  hz::run<Op, S, Counted>(&call.table, &call.batch, 0, call.count);
}

// room_for is how many blocks of a kernel fit on the GPU at once.
template <class F>
u64 room_for(F* kernel, u32 threads = hz::kBlock) {
  int device = 0, processors = 0, each = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, int(threads), 0), "cudaOccupancy");
  return u64(std::max(1, each)) * u64(processors);
}

template <class Op, class Config, class P>
void launch(const hz_table& table, const hz_batch& batch, u64 count, Stream stream, u64) {
  if (count == 0) return;
  using S = typename Config::template Scheme<P>;
  constexpr bool counted = Config::counted;
  static const u64 room = room_for(kernel<Op, S, counted>);
  kernel<Op, S, counted><<<blocks_for(count, room), hz::kBlock, 0, stream>>>(Call{table, batch, count});
  check(cudaGetLastError(), "cudaLaunchKernel");
}

// launch_block launches what schemes share, which takes a block in device memory.
template <class Body>
constexpr u32 threads_of() {
  if constexpr (requires { Body::threads; }) return Body::threads;
  return hz::kBlock;
}
template <class Body>
constexpr u32 least_blocks() {
  if constexpr (requires { Body::blocks; }) return Body::blocks;
  return 1;
}
template <class Body>
__global__ __launch_bounds__(threads_of<Body>(), least_blocks<Body>()) void block_kernel(void* block, u64 count) {
  Body::run(block, 0, count);
}
template <class Body>
void launch_block(void* block, u64 count, Stream stream, u64) {
  if (count == 0) return;
  constexpr u32 threads = threads_of<Body>();
  static const u64 room = room_for(block_kernel<Body>, threads);
  block_kernel<Body><<<blocks_for(count, room, threads), threads, 0, stream>>>(block, count);
  check(cudaGetLastError(), "cudaLaunchKernel");
}

#else

using Stream = void*;  // operations are done when they return

namespace cpu {

// allocate aligns large pieces to whole huge pages.
inline void* allocate(u64 bytes) {
  const u64 huge = u64(1) << 21, align = bytes >= huge / 2 ? huge : 256;
  void* at = std::aligned_alloc(align, (bytes + align - 1) / align * align);
  if (at == nullptr) throw std::bad_alloc();
  return at;
}
inline void release(void* at) { std::free(at); }
inline void* allocate_shared(u64 bytes) { return allocate(bytes); }
inline void* allocate_host(u64 bytes) { return allocate(bytes); }
inline void release_host(void* at) { release(at); }
inline void fill(void* at, u8 byte, u64 bytes, Stream) { std::memset(at, byte, bytes); }
inline void copy(void* to, const void* from, u64 bytes, Stream) { std::memcpy(to, from, bytes); }
inline void wait(Stream) {}

// threads is how many threads carry out a batch; the caller is one of them.
inline unsigned threads = std::max(1u, std::thread::hardware_concurrency());

// share hands pieces of a batch to the threads, `piece` items at a time.
void share(u64 count, u64 piece, auto&& f) {
  std::atomic<u64> next{0};
  const auto work = [&] {
    for (u64 at; (at = next.fetch_add(piece)) < count;) f(at, std::min(piece, count - at));
  };
  std::vector<std::thread> others;
  for (u64 i = 1; i < threads && i < (count + piece - 1) / piece; i++) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

template <class Op, class Config, class P>
void launch(const hz_table& table, const hz_batch& batch, u64 count, Stream, u64 piece) {
  using S = typename Config::template Scheme<P>;
  share(count, piece, [&](u64 first, u64 n) { hz::run<Op, S, Config::counted>(&table, &batch, first, n); });
}

template <class Body>
void launch_block(void* block, u64 count, Stream, u64 piece) {
  share(count, piece, [&](u64 first, u64 n) { Body::run(block, first, n); });
}

inline bool on_gpu() { return false; }

}  // namespace cpu

#ifndef HASHZOO_DRIVER
using namespace cpu;
#endif

#endif

}  // namespace hashzoo

#endif
