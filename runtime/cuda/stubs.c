//go:build cuda

// stubs.c: libcuda without libcuda.
//
// gorgonia.org/cu calls cuInit when the program starts, and exits if that fails. A
// program that is linked to libcuda does not even start on a machine without a driver. So
// this file defines all functions that the package calls: each jumps to the address in
// its slot. Before hz_cuda_load, cuInit reports success and the others report that no
// device exists. hz_cuda_load opens the driver and points the slots at its functions.
//
// It is called when a command asks for a GPU, not at startup: initializing a driver takes
// a good part of a second, and most commands do not need one.

#include "stubs.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "symbols.h"

enum { SUCCESS = 0, NO_DEVICE = 100, NOT_SUPPORTED = 801 };  // CUresult

__attribute__((visibility("hidden"))) int hz_cuda_no_device(void) { return NO_DEVICE; }
static int ready(void) { return SUCCESS; }
static int not_supported(void) { return NOT_SUPPORTED; }

// The slots are global because the assembly below refers to them by name.
#define SLOT(name) __attribute__((visibility("hidden"))) void* hz_slot_##name = (void*)hz_cuda_no_device;
HZ_CUDA_SYMBOLS(SLOT)

// A jump preserves arguments and the return address, so a stub need not know the
// signature of its function. x16 is the register reserved for such jumps.
#if defined(__x86_64__)
#define JUMP(name) "jmp *hz_slot_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name)                  \
  "adrp x16, hz_slot_" #name "\n" \
  "ldr x16, [x16, :lo12:hz_slot_" #name "]\n" \
  "br x16\n"
#else
#error "the cuda backend is for x86-64 and arm64: build without -tags cuda"
#endif

// The stubs are hidden: the driver's own libraries must resolve to its functions, not to
// these.
#define STUB(name)                          \
  __asm__(".pushsection .text\n"            \
          ".globl " #name "\n"              \
          ".hidden " #name "\n"             \
          ".type " #name ", %function\n"    \
          ".balign 16\n"                    \
          #name ":\n"                       \
          JUMP(name)                        \
          ".size " #name ", .-" #name "\n"  \
          ".popsection\n");
HZ_CUDA_SYMBOLS(STUB)

#define ENTRY(name) {#name, &hz_slot_##name},
static const struct {
  const char* name;
  void** slot;
} symbols[] = {HZ_CUDA_SYMBOLS(ENTRY)};

// gorgonia.org/cu calls cuInit before main.
__attribute__((constructor)) static void init_succeeds(void) { hz_slot_cuInit = (void*)ready; }

static int (*error_name)(int, const char**);
static int (*error_text)(int, const char**);

static int (*host_alloc)(void**, size_t, unsigned);

int hz_cuda_host_alloc(void** at, size_t bytes) {
  enum { PORTABLE = 1, DEVICE_MAP = 2 };  // CU_MEMHOSTALLOC_*
  return host_alloc != NULL ? host_alloc(at, bytes, PORTABLE | DEVICE_MAP) : NOT_SUPPORTED;
}

static int (*wait_value)(void*, unsigned long long, unsigned, unsigned);

int hz_cuda_wait(void* at, unsigned value) {
  enum { REACHED = 0 };  // CU_STREAM_WAIT_VALUE_GEQ
  return wait_value != NULL ? wait_value(NULL, (uintptr_t)at, value, REACHED) : NOT_SUPPORTED;
}

const char* hz_cuda_error_name(int code) {
  const char* name = NULL;
  return error_name != NULL && error_name(code, &name) == SUCCESS ? name : NULL;
}

const char* hz_cuda_error_text(int code) {
  const char* text = NULL;
  return error_text != NULL && error_text(code, &text) == SUCCESS ? text : NULL;
}

static void fill_slots(void* driver) {
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    if (strcmp(symbols[i].name, "cuInit") == 0) continue;
    void* function = dlsym(driver, symbols[i].name);
    *symbols[i].slot = function != NULL ? function : (void*)not_supported;
  }
}

// start initializes the driver and returns NULL, or the reason why it failed.
static const char* start(void* driver) {
  static char reason[256];
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
  if (init == NULL) return "libcuda.so.1 is not a CUDA driver: it has no cuInit";
  error_name = (int (*)(int, const char**))dlsym(driver, "cuGetErrorName");
  error_text = (int (*)(int, const char**))dlsym(driver, "cuGetErrorString");
  host_alloc = (int (*)(void**, size_t, unsigned))dlsym(driver, "cuMemHostAlloc");
  // The function of this name without _v2 needs a parameter of the kernel module.
  wait_value = (int (*)(void*, unsigned long long, unsigned, unsigned))dlsym(driver, "cuStreamWaitValue32_v2");
  int code = init(0);
  if (code == SUCCESS) return NULL;
  const char *name = hz_cuda_error_name(code), *text = hz_cuda_error_text(code);
  snprintf(reason, sizeof reason, "the NVIDIA driver does not start: cuInit: %s (%d): %s", name ? name : "error", code,
           text ? text : "unknown");
  return reason;
}

const char* hz_cuda_load(const char* library) {
  static char missing[512];
  void* driver = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (driver == NULL) {
    snprintf(missing, sizeof missing, "no NVIDIA driver: %s", dlerror());
    return missing;
  }
  const char* reason = start(driver);
  if (reason == NULL) fill_slots(driver);
  return reason;
}
