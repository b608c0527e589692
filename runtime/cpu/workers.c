#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cores.h"

struct workers {
  pthread_mutex_t mutex;
  pthread_cond_t called, left; /* called: seats are free, or the threads end; left: the last worker has left */
  int seats;                   /* how many more workers may join the current launch */
  int inside;                  /* how many workers have joined and not left */
  int ends;
  int threads; /* started so far */
  pthread_t *thread;
  struct cores *cores;

  /* The current launch. Workers that have joined read it without the mutex: it does not
   * change before they have left. */
  const char *name;
  hz_body body;
  const void *table;
  void *batch;
  uint64_t count, piece;
  _Atomic uint64_t next; /* the first item that is not taken */
  _Atomic int begun;
};

static _Thread_local const char *volatile kernel;

const char *worker_kernel(void) { return kernel; }

static void take_pieces(struct workers *w) {
  kernel = w->name;
  for (;;) {
    uint64_t first = atomic_fetch_add(&w->next, w->piece);
    if (first >= w->count) break;
    uint64_t rest = w->count - first;
    w->body(w->table, w->batch, first, rest < w->piece ? rest : w->piece);
  }
  kernel = NULL;
}

static void *worker(void *argument) {
  struct workers *w = argument;
  pthread_mutex_lock(&w->mutex);
  for (;;) {
    while (w->seats == 0 && !w->ends) pthread_cond_wait(&w->called, &w->mutex);
    if (w->ends) break;
    w->seats--;
    w->inside++;
    pthread_mutex_unlock(&w->mutex);
    while (!atomic_load(&w->begun)) sched_yield();
    take_pieces(w);
    pthread_mutex_lock(&w->mutex);
    if (--w->inside == 0) pthread_cond_signal(&w->left);
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

/* Signals sent to the process are for Go's threads, so the workers block them. Signals
 * that a kernel causes stay with the thread that caused them. */
static int start(struct workers *w, int threads) {
  sigset_t others, before;
  sigfillset(&others);
  int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) sigdelset(&others, own[i]);
  pthread_sigmask(SIG_SETMASK, &others, &before);
  int wrong = 0;
  while (w->threads < threads && wrong == 0) {
    wrong = pthread_create(&w->thread[w->threads], NULL, worker, w);
    if (wrong == 0) w->threads++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return wrong;
}

struct workers *workers_new(int threads) {
  struct workers *w = calloc(1, sizeof *w);
  if (w == NULL) return NULL;
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->called, NULL);
  pthread_cond_init(&w->left, NULL);
  w->thread = calloc(threads, sizeof *w->thread);
  int wrong = w->thread == NULL ? ENOMEM : start(w, threads - 1);
  if (wrong != 0) {
    workers_end(w);
    errno = wrong;
    return NULL;
  }
  w->cores = cores_new(w->thread, w->threads);
  return w;
}

/* Lets `others` workers join the launch. */
static void call(struct workers *w, int others, int together) {
  cores_make_room(w->cores);
  pthread_mutex_lock(&w->mutex);
  w->seats = others;
  pthread_mutex_unlock(&w->mutex);
  pthread_cond_broadcast(&w->called);
  if (!together) return;
  for (int missing = others; missing > 0;) {
    sched_yield();
    pthread_mutex_lock(&w->mutex);
    missing = w->seats;
    pthread_mutex_unlock(&w->mutex);
  }
}

/* Closes the launch to new workers and waits for those that joined. */
static void wait(struct workers *w) {
  pthread_mutex_lock(&w->mutex);
  w->seats = 0;
  while (w->inside > 0) pthread_cond_wait(&w->left, &w->mutex);
  pthread_mutex_unlock(&w->mutex);
}

void workers_run(struct workers *w, const char *name, hz_body body, const void *table, void *batch, uint64_t count,
                 uint64_t piece, int together) {
  if (count == 0) return;
  w->name = name, w->body = body, w->table = table, w->batch = batch, w->count = count, w->piece = piece;
  atomic_store(&w->next, 0);
  atomic_store(&w->begun, !together);
  uint64_t pieces = (count - 1) / piece + 1;
  int others = pieces - 1 < (uint64_t)w->threads ? (int)(pieces - 1) : w->threads;
  if (others > 0) call(w, others, together);
  atomic_store(&w->begun, 1);
  take_pieces(w);
  if (others > 0) wait(w);
}

void workers_end(struct workers *w) {
  pthread_mutex_lock(&w->mutex);
  w->ends = 1;
  pthread_mutex_unlock(&w->mutex);
  pthread_cond_broadcast(&w->called);
  for (int i = 0; i < w->threads; i++) pthread_join(w->thread[i], NULL);
  free(w->cores);
  free(w->thread);
  free(w);
}
