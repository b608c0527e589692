/* workers.h: the threads that carry out launches on a CPU.
 *
 * They are system threads, not Go's. A goroutine that calls C occupies one of Go's few
 * processors, and as long as such calls come and go, Go's sysmon thread wakes every 20
 * microseconds on the same cores as the kernels. Here a launch is one call, and the
 * calling thread is one of the workers. The others sleep until a launch wakes them, and
 * at its end the caller waits only for those that took part.
 *
 * Any goroutine may call, but only one at a time. */
#pragma once

#include <stdint.h>

/* A kernel body: processes `count` items starting at `first` (kernels/library.h). */
typedef void (*hz_body)(const void *table, void *batch, uint64_t first, uint64_t count);

struct workers;

/* Starts threads - 1 threads; the caller is the other one. Returns NULL if the system is
 * out of threads or memory, and sets errno. */
struct workers *workers_new(int threads);

/* Carries out items 0 to count-1. Workers take pieces one after the other. If `together`
 * is set, none begins before all workers that the pieces need have arrived. `name` is the
 * kernel's name, or NULL if `body` is not a kernel. */
void workers_run(struct workers *w, const char *name, hz_body body, const void *table, void *batch, uint64_t count,
                 uint64_t piece, int together);

/* The kernel that the calling thread is executing, or NULL. Safe in a signal handler. */
const char *worker_kernel(void);

/* Ends the threads, which must be idle. */
void workers_end(struct workers *w);
