/* cores.h: pins each worker to its own core.
 *
 * When workers are as many as cores, each needs its own core. Otherwise the system may
 * wake two of them on one core and leave another idle: it places a thread where it finds
 * room at that moment, and migrates it only long after a batch is over. So each thread is
 * pinned. The calling thread is also a worker, but not ours to pin: it keeps the core it
 * runs on, and the thread that was pinned there moves to the spare core. With fewer
 * workers than cores the system places them well by itself. */
#pragma once

#include <pthread.h>

struct cores;

/* Pins each thread to a core. Returns NULL if the number of cores is not threads + 1 or
 * is unknown. */
struct cores *cores_new(const pthread_t *thread, int threads);

/* Frees the caller's core by moving the thread pinned there to the spare one. Does
 * nothing if c is NULL. */
void cores_make_room(struct cores *c);
