/* workers.h: the threads that carry out launches on a CPU.
 *
 * They are the system's threads and none of Go's. A goroutine that calls C takes one of
 * Go's few processors with it, and the thread by which Go watches over that wakes up every
 * 20 microseconds as long as such calls come and go: beside the kernels, on their cores. A
 * launch is one call, and whoever calls is one of the workers. The others sleep until he
 * calls them, come as they wake up, and he waits at the end only for those who came.
 *
 * Any goroutine may call, but one at a time. */
#ifndef HZ_WORKERS_H
#define HZ_WORKERS_H

#include <stdint.h>

/* What is done: count items from first on (kernels/host.h). */
typedef void (*hz_body)(const void *table, void *batch, uint64_t first, uint64_t count);

struct workers;

/* Starts so many threads less one: the other is the caller's. NULL: the system has no more,
 * or no memory, and errno says which. */
struct workers *workers_new(int threads);

/* Carries out the items 0 to count-1, by pieces that the workers take one after the other.
 * together: none begins before all have come that there are pieces for. The name is the
 * kernel's; NULL: it is none. */
void workers_run(struct workers *w, const char *name, hz_body body, const void *table, void *batch, uint64_t count,
                 uint64_t piece, int together);

/* The kernel that the thread carries out which asks, if any: a signal's handler does. */
const char *worker_kernel(void);

/* Ends the threads. None may be at work. */
void workers_end(struct workers *w);

#endif
