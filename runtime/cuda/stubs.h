/* stubs.h: what Go calls of stubs.c. */
#ifndef HZ_CUDA_STUBS_H
#define HZ_CUDA_STUBS_H

#include <stddef.h>

/* hz_cuda_load loads the driver and returns NULL, or why there is none. To be
 * called once. */
const char* hz_cuda_load(const char* library);

/* hz_cuda_error_name and _text are the driver's words for a CUresult; NULL if it
 * has none. */
const char* hz_cuda_error_name(int code);
const char* hz_cuda_error_text(int code);

/* hz_cuda_host_alloc is cuMemHostAlloc for memory that every GPU can reach. */
int hz_cuda_host_alloc(void** at, size_t bytes);

#endif
