// What Go calls of the host build. On a GPU this file is empty.
#include "kernel.h"

#if !HZ_GPU
#include "host.h"

namespace {
const hz::Kernel* kernel(const void* k) { return static_cast<const hz::Kernel*>(k); }
const hz::Args* args(const void* a) { return static_cast<const hz::Args*>(a); }
}  // namespace

extern "C" {
void hz_call(hz_body body, uint64_t table, uint64_t batch, uint64_t first, uint64_t count) {
  body(reinterpret_cast<const void*>(table), reinterpret_cast<void*>(batch), first, count);
}

const void* hz_first_kernel() { return hz::Kernel::list; }
const void* hz_next_kernel(const void* k) { return kernel(k)->next; }
const char* hz_kernel_name(const void* k) { return kernel(k)->name; }
hz_body hz_kernel_body(const void* k) { return kernel(k)->body; }

const void* hz_first_args() { return hz::Args::list; }
const void* hz_next_args(const void* a) { return args(a)->next; }
const char* hz_args_scheme(const void* a) { return args(a)->scheme; }
const char* hz_args_names(const void* a) { return args(a)->names; }

#define HZ_NAME(name, ...) #name " "
#define HZ_HELP(name, help) help "\n"
const char* hz_ops = HZ_OPS(HZ_NAME);
const char* hz_outcomes = HZ_OUTCOMES(HZ_NAME);
const char* hz_counters = HZ_COUNTERS(HZ_NAME);
const char* hz_lengths = HZ_LENGTHS(HZ_NAME);
const char* hz_counter_help = HZ_COUNTERS(HZ_HELP);
}
#endif
