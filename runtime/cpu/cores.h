/* cores.h: a core for each worker.
 *
 * Where there are as many workers as cores, each must have one of its own, or two of them
 * share one for a whole batch while another is idle: the system wakes a thread where it
 * finds room at that moment, and moves it much later than a batch is over. So each thread is
 * told its core. Only the caller is not ours to tell, and is a worker too: the core where he
 * happens to be is left to him, and whoever had it goes to the one that is free. With fewer
 * workers than cores the system does well by itself. */
#ifndef HZ_CORES_H
#define HZ_CORES_H

#include <pthread.h>

struct cores;

/* Gives each thread a core. NULL: there are more cores, or fewer, than threads and a caller,
 * or nobody can say. */
struct cores *cores_new(const pthread_t *thread, int threads);

/* Leaves the caller's core to him. NULL stands for none. */
void cores_make_room(struct cores *c);

#endif
