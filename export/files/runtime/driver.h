// driver.h: memory and launches of a table on a CPU or on a GPU, chosen at run time. The kernels
// for GPUs are PTX; the CUDA driver, which compiles and launches them, is opened when a GPU is
// first asked for, and nothing is linked.
#ifndef HASHZOO_DRIVER_H
#define HASHZOO_DRIVER_H

#include <dlfcn.h>

#include <map>
#include <memory>
#include <mutex>

namespace hashzoo {

// Driver is what a table calls of libcuda.so.1, by the names and types of the driver's ABI.
struct Driver {
  // Symbol is a function of the driver, which the first one opens; later ones get the same handle.
  struct Symbol {
    const char* name;
    template <class F>
    operator F() const {
      void* const library = dlopen("libcuda.so.1", RTLD_NOW);
      if (library == nullptr) throw std::runtime_error(std::string("no CUDA driver: ") + dlerror());
      void* const at = dlsym(library, name);
      if (at == nullptr) throw std::runtime_error(std::string("the CUDA driver has no ") + name);
      return reinterpret_cast<F>(at);
    }
  };

  int (*init)(unsigned flags) = Symbol{"cuInit"};
  int (*error)(int code, const char** text) = Symbol{"cuGetErrorString"};
  int (*count)(int* devices) = Symbol{"cuDeviceGetCount"};
  int (*get)(int* device, int ordinal) = Symbol{"cuDeviceGet"};
  int (*name)(char* text, int bytes, int device) = Symbol{"cuDeviceGetName"};
  int (*attribute)(int* value, int which, int device) = Symbol{"cuDeviceGetAttribute"};
  int (*retain)(void** context, int device) = Symbol{"cuDevicePrimaryCtxRetain"};
  int (*let_go)(int device) = Symbol{"cuDevicePrimaryCtxRelease_v2"};
  int (*push)(void* context) = Symbol{"cuCtxPushCurrent_v2"};
  int (*pop)(void** context) = Symbol{"cuCtxPopCurrent_v2"};
  int (*current)(int* device) = Symbol{"cuCtxGetDevice"};
  int (*alloc)(u64* at, size_t bytes) = Symbol{"cuMemAlloc_v2"};
  int (*managed)(u64* at, size_t bytes, unsigned flags) = Symbol{"cuMemAllocManaged"};
  int (*free)(u64 at) = Symbol{"cuMemFree_v2"};
  int (*host)(void** at, size_t bytes) = Symbol{"cuMemAllocHost_v2"};
  int (*free_host)(void* at) = Symbol{"cuMemFreeHost"};
  int (*pool)(void** pool, const void* wanted) = Symbol{"cuMemPoolCreate"};
  int (*keep)(void* pool, int attribute, void* value) = Symbol{"cuMemPoolSetAttribute"};
  int (*drop)(void* pool) = Symbol{"cuMemPoolDestroy"};
  int (*take)(u64* at, size_t bytes, void* pool, void* stream) = Symbol{"cuMemAllocFromPoolAsync"};
  int (*give_back)(u64 at, void* stream) = Symbol{"cuMemFreeAsync"};
  int (*kind)(void* kind, int attribute, u64 at) = Symbol{"cuPointerGetAttribute"};
  int (*copy)(u64 to, u64 from, size_t bytes, void* stream) = Symbol{"cuMemcpyAsync"};
  int (*fill)(u64 at, unsigned char byte, size_t bytes, void* stream) = Symbol{"cuMemsetD8Async"};
  int (*wait)(void* stream) = Symbol{"cuStreamSynchronize"};
  int (*load)(void** module, const void* ptx, unsigned n, int* options, void** values) = Symbol{"cuModuleLoadDataEx"};
  int (*unload)(void* module) = Symbol{"cuModuleUnload"};
  int (*function)(void** function, void* module, const char* name) = Symbol{"cuModuleGetFunction"};
  int (*fit)(int* blocks, void* function, int threads,
             size_t shared) = Symbol{"cuOccupancyMaxActiveBlocksPerMultiprocessor"};
  int (*launch)(void* function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned y_threads,
                unsigned z_threads, unsigned shared, void* stream, void** parameters,
                void** extra) = Symbol{"cuLaunchKernel"};

  // there opens the driver the first time, and throws if this machine has none.
  static const Driver& there() {
    static const Driver driver;
    return driver;
  }

  void check(int code, const char* call) const {
    if (code == 0) return;
    const char* text = nullptr;
    error(code, &text);
    throw std::runtime_error(std::string(call) + ": " + (text != nullptr ? text : std::to_string(code)));
  }

 private:
  Driver() { check(init(0), "cuInit"); }
};

// Device is a GPU: a context and a stream, of its own or of the caller's, and the kernels in them.
class Device {
 public:
  explicit Device(int ordinal) : owned_(true) {
    int devices = 0;
    d_.check(d_.count(&devices), "cuDeviceGetCount");
    if (ordinal < 0 || ordinal >= devices) {
      throw std::invalid_argument("no GPU " + std::to_string(ordinal) + ": this machine has " +
                                  std::to_string(devices));
    }
    d_.check(d_.get(&device_, ordinal), "cuDeviceGet");
    d_.check(d_.retain(&context_, device_), "cuDevicePrimaryCtxRetain");
    look();
  }
  Device(void* context, void* stream) : context_(context), stream_(stream) {
    const Current current(this);
    d_.check(d_.current(&device_), "cuCtxGetDevice");
    look();
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() {
    try {
      const Current current(this);
      for (Module& m : modules_) {
        if (m.at != nullptr) d_.unload(m.at);
      }
      d_.drop(pool_);
    } catch (const std::exception&) {  // of a context that has ended, with its modules
    }
    if (owned_) d_.let_go(device_);
  }

  const std::string& name() const { return name_; }
  void* context() const { return context_; }
  void* stream() const { return stream_; }
  void add(const char* ptx) { modules_.push_back({ptx, nullptr}); }

  u64 allocate(u64 bytes) const {
    u64 at = 0;
    d_.check(d_.alloc(&at, bytes), "cuMemAlloc");
    return at;
  }
  u64 allocate_shared(u64 bytes) const {
    u64 at = 0;
    d_.check(d_.managed(&at, bytes, 1), "cuMemAllocManaged");
    return at;
  }
  void release(u64 at) const { d_.free(at); }
  void* allocate_host(u64 bytes) const {
    void* at = nullptr;
    d_.check(d_.host(&at, bytes), "cuMemAllocHost");
    return at;
  }
  void release_host(void* at) const { d_.free_host(at); }

  // take and give_back are memory for the time of an operation, from a pool (array.h) that keeps up to 2 GiB.
  u64 take(u64 bytes, void* stream) const {
    u64 at = 0;
    d_.check(d_.take(&at, bytes, pool_, stream), "cuMemAllocFromPoolAsync");
    return at;
  }
  void give_back(u64 at, void* stream) const { d_.give_back(at, stream); }
  void copy(u64 to, u64 from, u64 bytes, void* stream) const {
    if (bytes > 0) d_.check(d_.copy(to, from, bytes, stream), "cuMemcpyAsync");
  }
  void fill(u64 at, u8 byte, u64 bytes, void* stream) const {
    if (bytes > 0) d_.check(d_.fill(at, byte, bytes, stream), "cuMemsetD8Async");
  }
  void wait(void* stream) const { d_.check(d_.wait(stream), "cuStreamSynchronize"); }

  // reaches: is this memory of the driver's, which kernels can read?
  bool reaches(const void* at) const {
    unsigned kind = 0;
    constexpr int memory_type = 2;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
    return d_.kind(&kind, memory_type, reinterpret_cast<u64>(at)) == 0 && kind != 0;
  }

  // launch starts a kernel with a thread for each item, up to a number of blocks.
  void launch(const std::string& name, void** parameters, u64 count, void* stream) {
    const Kernel k = kernel(name);
    const unsigned blocks = blocks_for(count, k.room, k.block);
    d_.check(d_.launch(k.at, blocks, 1, 1, unsigned(k.block), 1, 1, 0, stream, parameters, nullptr), "cuLaunchKernel");
  }

  // Current makes a device the one that the calling thread's tables are on; nullptr: the CPU.
  class Current {
   public:
    explicit Current(Device* device) : before_(now) {
      if (device != nullptr) device->d_.check(device->d_.push(device->context_), "cuCtxPushCurrent");
      now = device;
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    ~Current() {
      void* context = nullptr;
      if (now != nullptr) now->d_.pop(&context);
      now = before_;
    }

   private:
    Device* before_;
  };
  static inline thread_local Device* now = nullptr;

 private:
  struct Module {
    std::string ptx;
    void* at;
  };
  struct Kernel {
    void* at;
    u64 room, block;
  };

  void look() {
    char text[256] = {};
    d_.check(d_.name(text, sizeof text, device_), "cuDeviceGetName");
    name_ = text;
    constexpr int multiprocessors = 16;  // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
    d_.check(d_.attribute(&processors_, multiprocessors, device_), "cuDeviceGetAttribute");
    const struct {  // CUmemPoolProps: pinned memory of this device
      int allocation = 1, handles = 0, location = 1, device;
      void* security = nullptr;
      size_t most = 0;
      u64 reserved[7] = {};
    } wanted{.device = device_};
    u64 kept = u64(2) << 30;
    constexpr int threshold = 4;  // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
    d_.check(d_.pool(&pool_, &wanted), "cuMemPoolCreate");
    d_.check(d_.keep(pool_, threshold, &kept), "cuMemPoolSetAttribute");
  }

  Kernel kernel(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = kernels_.find(name);
    return known != kernels_.end() ? known->second : kernels_[name] = loaded(name);
  }

  Kernel loaded(const std::string& name) {
    const std::string entry = ".entry " + name + "(", limit = ".maxntid ";
    for (Module& m : modules_) {
      const size_t at = m.ptx.find(entry);
      if (at == std::string::npos) continue;
      if (m.at == nullptr) compile(m);
      Kernel k{nullptr, 0, std::strtoull(m.ptx.c_str() + m.ptx.find(limit, at) + limit.size(), nullptr, 10)};
      d_.check(d_.function(&k.at, m.at, name.c_str()), "cuModuleGetFunction");
      int each = 0;
      d_.check(d_.fit(&each, k.at, int(k.block), 0), "cuOccupancyMaxActiveBlocksPerMultiprocessor");
      k.room = u64(std::max(1, each)) * u64(processors_);
      return k;
    }
    throw std::runtime_error("exported without the kernel " + name + " for GPUs: README.md says why");
  }

  void compile(Module& m) {
    char log[4096] = {};
    int options[] = {5, 6};  // CU_JIT_ERROR_LOG_BUFFER, and its size
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    const int code = d_.load(&m.at, m.ptx.c_str(), 2, options, values);
    if (code != 0 && log[0] != 0) throw std::runtime_error(name_ + ": cuModuleLoadDataEx: " + log);
    d_.check(code, "cuModuleLoadDataEx");
  }

  const Driver& d_ = Driver::there();
  bool owned_ = false;
  int device_ = 0, processors_ = 0;
  void *context_ = nullptr, *stream_ = nullptr, *pool_ = nullptr;
  std::string name_;
  std::vector<Module> modules_;
  std::mutex mutex_;
  std::map<std::string, Kernel> kernels_;
};

inline void* allocate(u64 bytes) {
  return Device::now ? reinterpret_cast<void*>(Device::now->allocate(bytes)) : cpu::allocate(bytes);
}
inline void* allocate_shared(u64 bytes) {
  return Device::now ? reinterpret_cast<void*>(Device::now->allocate_shared(bytes)) : cpu::allocate_shared(bytes);
}
inline void release(void* at) {
  if (Device::now) return Device::now->release(address(at));
  cpu::release(at);
}
inline void* allocate_host(u64 bytes) { return Device::now ? Device::now->allocate_host(bytes) : cpu::allocate(bytes); }
inline void release_host(void* at) { Device::now ? Device::now->release_host(at) : cpu::release(at); }
inline void fill(void* at, u8 byte, u64 bytes, Stream stream) {
  if (Device::now) return Device::now->fill(address(at), byte, bytes, stream);
  cpu::fill(at, byte, bytes, stream);
}
inline void copy(void* to, const void* from, u64 bytes, Stream stream) {
  if (Device::now) return Device::now->copy(address(to), address(from), bytes, stream);
  cpu::copy(to, from, bytes, stream);
}
inline void* take(u64 bytes, Stream stream) {
  return Device::now ? reinterpret_cast<void*>(Device::now->take(bytes, stream)) : cpu::allocate(bytes);
}
inline void give_back(void* at, Stream stream) {
  if (Device::now) return Device::now->give_back(address(at), stream);
  cpu::release(at);
}
inline bool on_gpu() { return Device::now != nullptr; }
inline void wait(Stream stream) {
  if (Device::now) Device::now->wait(stream);
}

template <class Op, class Config, class P>
void launch(const hz_table& table, const hz_batch& batch, u64 count, Stream stream, u64 piece) {
  if (!Device::now) return cpu::launch<Op, Config, P>(table, batch, count, stream, piece);
  if (count == 0) return;
  struct Call {
    hz_table table;
    hz_batch batch;
    u64 count;
  } call{table, batch, count};
  void* parameters[] = {&call};
  const std::string pair = "k" + std::to_string(sizeof(typename P::Key)) + "v" + std::to_string(P::value_bytes);
  Device::now->launch(std::string(Config::variant) + pair + "_" + Op::name, parameters, count, stream);
}

template <class Body>
void launch_block(void* block, u64 count, Stream stream, u64 piece) {
  if (!Device::now) return cpu::launch_block<Body>(block, count, stream, piece);
  if (count == 0) return;
  void* none = nullptr;
  void* parameters[] = {&none, &block, &count};
  Device::now->launch(Body::name, parameters, count, stream);
}

// Lent is an array of the caller's while a table uses it: in place if the table's device reaches
// it; otherwise a copy, whose changes are brought back.
template <class T>
class Lent {
 public:
  Lent(T* at, u64 n) : at_(at), used_(at), bytes_(n * sizeof(T)) {
    if (!Device::now || at == nullptr || Device::now->reaches(at)) return;
    used_ = static_cast<T*>(allocate(std::max<u64>(1, bytes_)));
    copy(const_cast<std::remove_const_t<T>*>(used_), at, bytes_, Device::now->stream());
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() noexcept(false) {
    if (used_ == at_) return;
    const std::unique_ptr<const T, void (*)(const T*)> last(
        used_, [](const T* at) { release(const_cast<std::remove_const_t<T>*>(at)); });
    if (std::uncaught_exceptions() > 0) return;
    if constexpr (!std::is_const_v<T>) copy(at_, used_, bytes_, Device::now->stream());
    wait(Device::now->stream());
  }
  operator T*() const { return used_; }

 private:
  T *at_, *used_;
  u64 bytes_;
};

}  // namespace hashzoo

#endif
