/* guard.c: the signal handler that names a crashing kernel. Only calls that are safe in a
 * handler, and snprintf of numbers and short texts. */
#include "guard.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"
#include "workers.h"

enum { MOST = 1 << 12 };

// A block of memory [start, end) inside the mapping [low, high).
static struct {
  _Atomic uintptr_t low;
  uintptr_t high, start, end;
} blocks[MOST];
static char fault[64];  // begins the message
static struct sigaction before[65];

static void tell(const char *line, int n) {
  terminal_put_back();
  if (write(2, line, n) < 0) _exit(1);
  _exit(1);
}

static void say(uintptr_t bytes, const char *where, uintptr_t size, const char *name) {
  const char *kernel = worker_kernel();
  char line[512];
  int n = snprintf(line, sizeof line, "%skernel %s touched byte %lu %s a block of %lu bytes (%s)\n", fault,
                   kernel ? kernel : "?", (unsigned long)bytes, where, (unsigned long)size, name);
  tell(line, n);
}

static void crashed(uintptr_t at, const char *name) {
  char line[512];
  int n = snprintf(line, sizeof line, "%skernel %s crashed at address %#lx (%s)\n", fault, worker_kernel(),
                   (unsigned long)at, name);
  tell(line, n);
}

static const char *name_of(int signal) {
  return signal == SIGSEGV ? "SIGSEGV" : signal == SIGBUS ? "SIGBUS" : signal == SIGFPE ? "SIGFPE" : "SIGILL";
}

static void caught(int signal, siginfo_t *info, void *context) {
  uintptr_t at = (uintptr_t)info->si_addr;
  for (int i = 0; i < MOST; i++) {
    uintptr_t low = atomic_load(&blocks[i].low);
    if (low == 0 || at < low || at >= blocks[i].high) continue;
    uintptr_t size = blocks[i].end - blocks[i].start;
    if (at >= blocks[i].end) say(at - blocks[i].end + 1, "past the end of", size, name_of(signal));
    say(blocks[i].start - at, "before the start of", size, name_of(signal));
  }
  if (worker_kernel()) crashed(at, name_of(signal));
  before[signal].sa_sigaction(signal, info, context);
}

void guard_catch_faults(void) {
  int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  for (int i = 0; i < 4; i++) {
    struct sigaction s = {0};
    s.sa_sigaction = caught;
    s.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigfillset(&s.sa_mask);
    sigaction(signals[i], &s, &before[signals[i]]);
  }
}

void guard_prefix(const char *prefix) { strncpy(fault, prefix, sizeof fault - 1); }

void guard_add(uintptr_t low, uintptr_t high, uintptr_t start, uintptr_t end) {
  for (int i = 0; i < MOST; i++) {
    if (atomic_load(&blocks[i].low)) continue;
    blocks[i].high = high, blocks[i].start = start, blocks[i].end = end;
    atomic_store(&blocks[i].low, low);
    return;
  }
}
void guard_remove(uintptr_t low) {
  for (int i = 0; i < MOST; i++)
    if (atomic_load(&blocks[i].low) == low) atomic_store(&blocks[i].low, 0);
}
