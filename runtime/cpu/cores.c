#define _GNU_SOURCE
#include "cores.h"

#include <sched.h>
#include <stdlib.h>

#if defined(__linux__)
struct cores {
  const pthread_t *thread;
  int threads;
  int spare;  /* the core without a thread */
  int core[]; /* the core of each thread */
};

static void settle(struct cores *c, int i, int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  c->core[i] = core;
  pthread_setaffinity_np(c->thread[i], sizeof only, &only);
}

struct cores *cores_new(const pthread_t *thread, int threads) {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) != threads + 1) return NULL;
  struct cores *c = malloc(sizeof *c + threads * sizeof c->core[0]);
  if (c == NULL) return NULL;
  c->thread = thread, c->threads = threads, c->spare = -1;
  for (int core = 0, i = 0; core < CPU_SETSIZE; core++) {
    if (!CPU_ISSET(core, &all)) continue;
    if (c->spare < 0) {
      c->spare = core;
    } else {
      settle(c, i++, core);
    }
  }
  return c;
}

void cores_make_room(struct cores *c) {
  if (c == NULL) return;
  int here = sched_getcpu();
  if (here == c->spare) return;
  for (int i = 0; i < c->threads; i++) {
    if (c->core[i] != here) continue;
    settle(c, i, c->spare);
    c->spare = here;
    return;
  }
}
#else
struct cores *cores_new(const pthread_t *thread, int threads) {
  (void)thread, (void)threads;
  return NULL;
}
void cores_make_room(struct cores *c) { (void)c; }
#endif
