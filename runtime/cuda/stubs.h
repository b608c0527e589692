/* stubs.h: what Go calls in stubs.c. */
#pragma once

#include <stddef.h>

/* hz_cuda_load loads the driver and returns NULL, or the reason why it failed. Call it
 * once. */
const char* hz_cuda_load(const char* library);

/* hz_cuda_error_name and hz_cuda_error_text return the driver's name and text for a
 * CUresult, or NULL if it has none. */
const char* hz_cuda_error_name(int code);
const char* hz_cuda_error_text(int code);

/* hz_cuda_host_alloc is cuMemHostAlloc for memory that every GPU can access. */
int hz_cuda_host_alloc(void** at, size_t bytes);

/* hz_cuda_wait has the GPU wait until a number in host memory has reached a value. */
int hz_cuda_wait(void* at, unsigned value);
