// A CUDA driver for tests on machines without one. Its memory is host memory, its kernels
// record how they were launched, and its clock advances by work and by the time that the
// host takes to submit a launch or a fill, unless the GPU waits meanwhile. Like a real
// driver it is strict about contexts, threads and errors.
//
// DRIVER_ARCH       compute capability, default 90
// DRIVER_GPUS       how many GPUs there are, default 1
// DRIVER_INIT       result of cuInit
// DRIVER_NO_WAIT    the GPU cannot wait for a number in host memory
// DRIVER_PTX_ERROR  the error message of the PTX compiler
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NO_DEVICE = 100,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  INVALID_PTX = 218,
  NOT_FOUND = 500,
  ILLEGAL_ADDRESS = 700,
  NOT_READY = 600,
  LAUNCH_TIMEOUT = 702,
  PEER_ACCESS_ALREADY_ENABLED = 704,
  NOT_SUPPORTED = 801,
};

enum { GPUS = 4, MEMORY = 16 << 20, PROCESSORS = 4, BLOCKS_PER_PROCESSOR = 2 };

// A launch of this many items does what no kernel should.
enum { FATAL_COUNT = 666 };

// A GPU; its address is that of its primary context.
static struct gpu {
  int retained;  // how often the primary context was retained
  int broken;    // the error that every call returns from now on
  size_t used;
  float now;          // ms
  int reaches[GPUS];  // was access to another's memory enabled?
  const volatile uint32_t* number;  // the GPU waits until it is `passes`
  uint32_t passes;
} gpus[GPUS];
static __thread struct gpu* current;  // whose context is current in this thread?

// A stream is its clock; the default stream's is the GPU's.
static float* clock_of(float* stream) { return stream != NULL ? stream : &current->now; }

#define NEED_CONTEXT                                          \
  if (!current || !current->retained) return INVALID_CONTEXT; \
  if (current->broken) return current->broken

static int waits(void) { return current->number != NULL && (int32_t)(*current->number - current->passes) < 0; }

// A call that waits for a GPU that waits for the host would never return.
#define NEED_PROGRESS \
  NEED_CONTEXT;       \
  if (waits()) return LAUNCH_TIMEOUT

// work advances the clock. A GPU that waits for the host has its work when it starts.
static void work(float ms) { current->now += ms + (waits() ? 0 : 0.0625f); }

static int number(const char* variable, int otherwise) {
  const char* text = getenv(variable);
  return text != NULL ? atoi(text) : otherwise;
}

int cuInit(unsigned flags) { return flags != 0 ? INVALID_VALUE : number("DRIVER_INIT", SUCCESS); }

int cuGetErrorName(int code, const char** name) {
  *name = code == OUT_OF_MEMORY     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == NO_DEVICE       ? "CUDA_ERROR_NO_DEVICE"
          : code == INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT"
          : code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                    : NULL;
  return *name != NULL ? SUCCESS : INVALID_VALUE;
}
int cuGetErrorString(int code, const char** text) {
  *text = code == ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "the text";
  return SUCCESS;
}

int cuDriverGetVersion(int* v) { return *v = 12040, SUCCESS; }
static int wrong(int device) { return device >= 0 && device < number("DRIVER_GPUS", 1) ? SUCCESS : INVALID_VALUE; }

int cuDeviceGetCount(int* n) { return *n = number("DRIVER_GPUS", 1), SUCCESS; }
int cuDeviceGet(int* device, int index) { return *device = index, wrong(index); }
int cuDeviceGetName(char* name, int room, int device) { return snprintf(name, room, "Test GPU %d", device), SUCCESS; }
int cuDeviceTotalMem_v2(size_t* bytes, int device) { return *bytes = MEMORY, wrong(device); }
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  int arch = number("DRIVER_ARCH", 90);
  switch (attribute) {
    case 16:
      return *value = PROCESSORS, wrong(device);
    case 33:  // the PCI bus, device and domain
      return *value = 0x3b, wrong(device);
    case 34:
    case 50:
      return *value = 0, wrong(device);
    case 75:
      return *value = arch / 10, wrong(device);
    case 76:
      return *value = arch % 10, wrong(device);
  }
  return INVALID_VALUE;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (wrong(device)) return INVALID_VALUE;
  return gpus[device].retained++, *context = &gpus[device], SUCCESS;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  if (wrong(device) || gpus[device].retained == 0) return INVALID_CONTEXT;
  return gpus[device].retained--, SUCCESS;
}
int cuCtxSetCurrent(void* context) { return current = context, SUCCESS; }
int cuStreamQuery(float* stream) {
  (void)stream;
  NEED_PROGRESS;
  return number("DRIVER_BUSY", 0) ? NOT_READY : SUCCESS;
}
int cuCtxSynchronize(void) {
  NEED_PROGRESS;
  if (number("DRIVER_BUSY", 0) > 1) pause();
  return SUCCESS;
}

// Each block of memory starts with its size and its GPU, 256 bytes before its address.
struct block {
  size_t size;
  struct gpu* owner;
};
static struct block* block_of(uint64_t at) { return (struct block*)(at - 256); }

int cuMemGetInfo_v2(size_t* free, size_t* total) {
  NEED_CONTEXT;
  return *total = MEMORY, *free = MEMORY - current->used, SUCCESS;
}
int cuMemAlloc_v2(uint64_t* at, size_t bytes) {
  NEED_PROGRESS;
  if (bytes == 0) return INVALID_VALUE;
  if (bytes > MEMORY - current->used) return OUT_OF_MEMORY;
  struct block* block = aligned_alloc(256, (bytes + 511) / 256 * 256);
  *block = (struct block){bytes, current};
  current->used += bytes;
  return *at = (uint64_t)block + 256, SUCCESS;
}
int cuMemFree_v2(uint64_t at) {
  NEED_PROGRESS;
  if (block_of(at)->owner != current) return INVALID_VALUE;
  current->used -= block_of(at)->size;
  return free(block_of(at)), SUCCESS;
}
int cuMemsetD8_v2(uint64_t at, unsigned char value, size_t n) {
  NEED_CONTEXT;
  return memset((void*)at, value, n), work(0.5f), SUCCESS;
}
int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t n) {
  NEED_PROGRESS;
  return memcpy((void*)to, from, n), current->now += 0.25f, SUCCESS;
}
int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t n) {
  NEED_PROGRESS;
  return memcpy(to, (void*)from, n), current->now += 0.25f, SUCCESS;
}

int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t n, float* stream) {
  NEED_CONTEXT;
  return memcpy(to, (void*)from, n), *clock_of(stream) += 0.25f, SUCCESS;
}

int cuMemHostAlloc(void** at, size_t bytes, unsigned flags) {
  NEED_PROGRESS;
  return *at = calloc(1, bytes), flags == 3 ? SUCCESS : INVALID_VALUE;
}
int cuMemFreeHost(void* at) {
  NEED_PROGRESS;
  for (int i = 0; i < GPUS; i++) gpus[i].number = gpus[i].number == at ? NULL : gpus[i].number;
  return free(at), SUCCESS;
}

// Copies between GPUs start at the beginning of a block here.
int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  return *can = device != peer, wrong(device) || wrong(peer);
}
int cuCtxEnablePeerAccess(struct gpu* peer, unsigned flags) {
  NEED_CONTEXT;
  int* reaches = &current->reaches[peer - gpus];
  if (peer == current || flags != 0) return INVALID_VALUE;
  return *reaches ? PEER_ACCESS_ALREADY_ENABLED : (*reaches = 1, SUCCESS);
}
int cuMemcpyPeerAsync(uint64_t to, struct gpu* into, uint64_t from, struct gpu* source, size_t n, void* stream) {
  NEED_CONTEXT;
  if (into != current || block_of(to)->owner != into || block_of(from)->owner != source) return INVALID_VALUE;
  return memcpy((void*)to, (void*)from, n), *clock_of(stream) += 0.125f, SUCCESS;
}

// A module is a copy of its text, and a function the address of its entry there.
int cuModuleLoadDataEx(char** module, const char* text, unsigned options, const int* option, void** value) {
  NEED_PROGRESS;
  const char* complaint = getenv("DRIVER_PTX_ERROR");
  if (complaint != NULL) {
    if (options != 2 || option[0] != 5 || option[1] != 6) return INVALID_VALUE;  // the error log and its size
    snprintf(value[0], (size_t)value[1], "%s", complaint);
    return INVALID_PTX;
  }
  if (strncmp(text, ".version", 8) != 0) return INVALID_PTX;
  return *module = strdup(text), SUCCESS;
}
// Code that was compiled ahead is the text after the magic number of ELF.
int cuModuleLoadData(char** module, const char* image) {
  NEED_PROGRESS;
  if (strncmp(image, "\x7f" "ELF", 4) != 0) return INVALID_IMAGE;
  return *module = strdup(image + 4), SUCCESS;
}
int cuModuleUnload(char* module) {
  NEED_CONTEXT;
  return free(module), SUCCESS;
}
int cuModuleGetFunction(char** function, char* module, const char* name) {
  NEED_CONTEXT;
  char entry[512];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  *function = strstr(module, entry);
  return *function != NULL ? SUCCESS : NOT_FOUND;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, char* function, int block, size_t shared) {
  NEED_CONTEXT;
  (void)function;
  return *blocks = BLOCKS_PER_PROCESSOR, block > 0 && shared == 0 ? SUCCESS : INVALID_VALUE;
}

// What a launch leaves in the batch block, or, of a kernel that has its blocks by value,
// where the batch has its counters: before its last four words and the count.
struct launch {
  uint64_t table, count, blocks, threads, launches;
};

// by_value returns how many bytes a kernel is called with, 0 if it takes addresses.
static size_t by_value(const char* function) {
  const char *end = strchr(function, ')'), *size = strstr(function, "_param_0[");
  return size != NULL && size < end ? (size_t)atol(size + strlen("_param_0[")) : 0;
}

int cuLaunchKernel(char* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** arguments, void** extra) {
  NEED_CONTEXT;
  if (strncmp(function, ".entry ", 7) != 0 || gx == 0 || gy * gz * by * bz != 1 || shared != 0 || stream || extra)
    return INVALID_VALUE;
  const size_t words = by_value(function) / sizeof(uint64_t);
  const uint64_t* call = arguments[0];
  const uint64_t count = words != 0 ? call[words - 1] : *(uint64_t*)arguments[2];
  if (count == FATAL_COUNT) return current->broken = ILLEGAL_ADDRESS, SUCCESS;  // found out later
  struct launch* l = words != 0 ? (struct launch*)call[words - 6] : *(struct launch**)arguments[1];
  *l = (struct launch){call[0], count, gx, bx, l->launches + 1};
  return work(1), SUCCESS;
}
int cuStreamWaitValue32_v2(void* stream, uint64_t at, uint32_t value, unsigned flags) {
  NEED_CONTEXT;
  if (number("DRIVER_NO_WAIT", 0)) return NOT_SUPPORTED;
  current->number = (const uint32_t*)at, current->passes = value;
  return stream == NULL && flags == 0 ? SUCCESS : INVALID_VALUE;
}

int cuEventCreate(float** event, unsigned flags) {
  NEED_CONTEXT;
  return *event = malloc(sizeof **event), **event = -1, flags;
}
int cuEventDestroy_v2(float* event) {
  NEED_CONTEXT;
  return free(event), SUCCESS;
}
int cuEventRecord(float* event, float* stream) {
  NEED_CONTEXT;
  return *event = *clock_of(stream), SUCCESS;
}
int cuStreamCreate(float** stream, unsigned flags) {
  NEED_CONTEXT;
  return *stream = calloc(1, sizeof **stream), flags == 1 ? SUCCESS : INVALID_VALUE;  // which does not wait for the default stream
}
int cuStreamDestroy_v2(float* stream) {
  NEED_CONTEXT;
  return free(stream), SUCCESS;
}
int cuStreamWaitEvent(float* stream, const float* event, unsigned flags) {
  NEED_CONTEXT;
  float* now = clock_of(stream);
  if (*event > *now) *now = *event;
  return *event >= 0 && flags == 0 ? SUCCESS : INVALID_VALUE;
}
int cuEventElapsedTime(float* ms, const float* first, const float* last) {
  NEED_CONTEXT;
  return *ms = *last - *first, *first >= 0 && *last >= 0 ? SUCCESS : INVALID_VALUE;
}
