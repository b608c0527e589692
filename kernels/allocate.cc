// Allocators that belong to no scheme: a counter, and malloc, which on a GPU takes its memory from
// a heap of the driver.
#include "allocate.h"

#include "kernel.h"

#if HZ_GPU
extern "C" __attribute__((device)) void* malloc(__SIZE_TYPE__);
extern "C" __attribute__((device)) void free(void*);
#else
#include <stdlib.h>
#endif

namespace hz {

HZ_FN void allocate_by_malloc(const void*, const void* block, u64 first, u64 count) {
  each_unit(block, first, count, [](Lane, u64* out) { *out = u64(malloc(kUnitBytes)); });
}
HZ_FN void release_by_free(const void*, const void* block, u64 first, u64 count) {
  each_unit(block, first, count, [](Lane, u64* out) { free(reinterpret_cast<void*>(*out)); });
}

}  // namespace hz

HZ_KERNEL(hz_allocate_bump, hz::bump)
HZ_KERNEL(hz_allocate_malloc, hz::allocate_by_malloc)
HZ_KERNEL(hz_release_malloc, hz::release_by_free)
