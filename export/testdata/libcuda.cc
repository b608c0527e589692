// libcuda.cc: a CUDA driver for tests. Its GPU is this machine's CPU, with the kernels that were
// compiled for it. Host and device memory are apart: a copy or a kernel that mixes them up, a call
// without a context, and a kernel that the loaded PTX does not have are errors.
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include KERNELS

using u64 = hz::u64;

namespace {

enum { kInvalidValue = 1, kOutOfMemory = 2, kInvalidContext = 201, kInvalidHandle = 400, kNotFound = 500 };

struct Context {
} context;
struct Module {
  std::string ptx;
};
struct Function {
  hz_body body;
  bool addresses;  // it takes those of its blocks, and the count, not a struct
};

std::mutex mutex;
std::map<u64, u64> memory;  // what was allocated: its address, and its end
std::set<u64> managed;
thread_local std::vector<void*> contexts;

// within: does memory of the device's reach from here to there?
bool within(u64 at, u64 bytes) {
  const std::lock_guard<std::mutex> lock(mutex);
  auto next = memory.upper_bound(at);
  return next != memory.begin() && at + bytes <= std::prev(next)->second;
}

// ours: is this address a number for which a batch needs no memory, or one of the device's?
bool ours(u64 at) { return at == 0 || within(at, 1); }

int allocate(u64* at, size_t bytes, bool shared) {
  if (contexts.empty()) return kInvalidContext;
  *at = u64(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  const std::lock_guard<std::mutex> lock(mutex);
  memory[*at] = *at + bytes;
  if (shared) managed.insert(*at);
  return 0;
}

}  // namespace

extern "C" {

int cuInit(unsigned) { return 0; }
int cuGetErrorString(int code, const char** text) {
  static thread_local std::string said;
  *text = (said = "error " + std::to_string(code)).c_str();
  return 0;
}
int cuDeviceGetCount(int* n) { return *n = 1, 0; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal + 7, 0; }
int cuDeviceGetName(char* text, int bytes, int device) {
  if (device != 7) return kInvalidValue;
  return std::strncpy(text, "driver of a test", size_t(bytes)), 0;
}
int cuDeviceGetAttribute(int* value, int which, int device) {
  return *value = 2, which == 16 && device == 7 ? 0 : kInvalidValue;
}
int cuDevicePrimaryCtxRetain(void** at, int device) { return *at = &context, device == 7 ? 0 : kInvalidValue; }
int cuDevicePrimaryCtxRelease_v2(int device) { return device == 7 ? 0 : kInvalidValue; }
int cuCtxPushCurrent_v2(void* at) { return contexts.push_back(at), at == &context ? 0 : kInvalidContext; }
int cuCtxPopCurrent_v2(void** at) {
  if (contexts.empty()) return kInvalidContext;
  return *at = contexts.back(), contexts.pop_back(), 0;
}
int cuCtxGetDevice(int* device) { return *device = 7, contexts.empty() ? kInvalidContext : 0; }
int cuMemAlloc_v2(u64* at, size_t bytes) { return bytes == 0 ? kInvalidValue : allocate(at, bytes, false); }
int cuMemAllocManaged(u64* at, size_t bytes, unsigned flags) {
  return flags != 1 || bytes == 0 ? kInvalidValue : allocate(at, bytes, true);
}
int cuMemFree_v2(u64 at) {
  if (contexts.empty()) return kInvalidContext;
  const std::lock_guard<std::mutex> lock(mutex);
  if (memory.erase(at) == 0) return kInvalidValue;
  return managed.erase(at), std::free(reinterpret_cast<void*>(at)), 0;
}
int cuMemAllocHost_v2(void** at, size_t bytes) {
  return *at = std::malloc(bytes), contexts.empty() ? kInvalidContext : 0;
}
int cuMemFreeHost(void* at) { return std::free(at), contexts.empty() ? kInvalidContext : 0; }
int cuMemPoolCreate(void** pool, const void* wanted) {
  const int* const p = static_cast<const int*>(wanted);
  return *pool = &context, p[0] == 1 && p[2] == 1 && p[3] == 7 ? 0 : kInvalidValue;
}
int cuMemPoolSetAttribute(void* pool, int attribute, void*) {
  return pool == &context && attribute == 4 ? 0 : kInvalidValue;
}
int cuMemPoolDestroy(void* pool) { return pool == &context ? 0 : kInvalidValue; }
int cuMemAllocFromPoolAsync(u64* at, size_t bytes, void* pool, void*) {
  return bytes == 0 || pool != &context ? kInvalidValue : allocate(at, bytes, false);
}
int cuMemFreeAsync(u64 at, void*) { return cuMemFree_v2(at); }
int cuPointerGetAttribute(void* kind, int attribute, u64 at) {
  if (attribute != 2 || !within(at, 1)) return kInvalidValue;
  const unsigned device = 2;
  return std::memcpy(kind, &device, sizeof device), 0;
}
int cuMemcpyAsync(u64 to, u64 from, size_t bytes, void*) {
  if (contexts.empty()) return kInvalidContext;
  if (ours(to) != within(to, bytes) || ours(from) != within(from, bytes)) return kInvalidValue;
  return std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes), 0;
}
int cuMemsetD8Async(u64 at, unsigned char byte, size_t bytes, void*) {
  if (contexts.empty()) return kInvalidContext;
  return within(at, bytes) ? (std::memset(reinterpret_cast<void*>(at), byte, bytes), 0) : kInvalidValue;
}
int cuStreamSynchronize(void*) { return contexts.empty() ? kInvalidContext : 0; }
int cuModuleLoadDataEx(void** module, const void* ptx, unsigned, int*, void**) {
  if (contexts.empty()) return kInvalidContext;
  *module = new Module{static_cast<const char*>(ptx)};
  return 0;
}
int cuModuleUnload(void* module) { return delete static_cast<Module*>(module), 0; }
int cuModuleGetFunction(void** function, void* module, const char* name) {
  const std::string& ptx = static_cast<Module*>(module)->ptx;
  const size_t entry = ptx.find(std::string(".entry ") + name + "(");
  if (entry == std::string::npos) return kNotFound;
  const bool addresses = ptx.substr(entry, ptx.find(')', entry) - entry).find("_param_2") != std::string::npos;
  for (const hz::Kernel* k = hz::Kernel::list; k != nullptr; k = static_cast<const hz::Kernel*>(k->next)) {
    if (std::strcmp(k->name, name) == 0) return *function = new Function{k->body, addresses}, 0;
  }
  return kNotFound;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int threads, size_t) {
  return *blocks = 4, threads == 128 || threads == HZ_BULK_THREADS ? 0 : kInvalidValue;
}
int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned, unsigned,
                   unsigned shared, void*, void** parameters, void** extra) {
  struct Call {
    hz_table table;
    hz_batch batch;
    u64 count;
  };
  if (contexts.empty()) return kInvalidContext;
  if (x == 0 || y != 1 || z != 1 || (threads != 128 && threads != HZ_BULK_THREADS) || shared != 0 || extra != nullptr)
    return kInvalidHandle;
  const Function& f = *static_cast<Function*>(function);
  if (f.addresses) {
    void* block = *static_cast<void**>(parameters[1]);
    if (!within(u64(block), sizeof(hz_sort))) return kInvalidValue;
    return f.body(nullptr, block, 0, *static_cast<u64*>(parameters[2])), 0;
  }
  Call call = *static_cast<Call*>(parameters[0]);
  const hz_batch& b = call.batch;
  for (const u64 at : {b.Keys, b.Values, b.Out, b.Status, b.Ops, b.PairKeys, b.PairValues, b.FoundOf, b.FoundValues}) {
    if (!ours(at)) return kInvalidValue;
  }
  if (!within(call.table.Region[0], 1) || !within(b.Counters, 1)) return kInvalidValue;
  f.body(&call.table, &call.batch, 0, call.count);
  return 0;
}

}  // extern "C"
