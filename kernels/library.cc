// What Go calls in the host build. On a GPU this file is empty.
#include "kernel.h"

#if !HZ_GPU
#include <dlfcn.h>
#include <string.h>

#include "pair.h"

extern "C" {
void hz_call(hz_body body, uint64_t table, uint64_t batch, uint64_t first, uint64_t count) {
  body(reinterpret_cast<const void*>(table), reinterpret_cast<void*>(batch), first, count);
}

const char* hz_call_gpu(hz_launch launch, hz_body body, const void* table, void* batch, uint64_t count) {
  return launch(body, table, batch, count);
}

const hz_library* hz_built_in() { return hz::library(); }

// RTLD_LOCAL: a plugin sees the C library, but not the program or other plugins, and they
// do not see it. It stays loaded until the program ends.
const hz_library* hz_open(const char* path, char** wrong) {
  void* object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* symbol = object ? dlsym(object, HZ_PLUGIN_SYMBOL) : nullptr;
  if (symbol) return reinterpret_cast<const hz_library* (*)()>(symbol)();
  *wrong = strdup(dlerror());
  return nullptr;
}

#if defined(__clang__)
const char* hz_compiler = __VERSION__;
#else
const char* hz_compiler = "gcc " __VERSION__;
#endif

#define HZ_NAME(name, ...) #name " "
#define HZ_OP_LINE(name, kind, value, answer, adds, removes, outcomes, becomes, order, help)                  \
  #name "\t" #kind "\t" #value "\t" #answer "\t" #adds "\t" #removes "\t" #outcomes "\t" #becomes "\t" #order \
        "\t" help "\n"
const char* hz_ops = HZ_OPS(HZ_OP_LINE);
const char* hz_outcomes = HZ_OUTCOMES(HZ_NAME);
const char* hz_counters = HZ_COUNTERS(HZ_NAME);
const char* hz_lengths = HZ_LENGTHS(HZ_NAME);
const char* hz_events = HZ_EVENTS(HZ_NAME);
const char* hz_verbs = HZ_VERBS(HZ_NAME);
uint64_t hz_wide_step = hz::Wide<16>::nth(0, 1);
}
#endif
