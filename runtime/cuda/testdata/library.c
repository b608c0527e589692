// A library for GPUs that needs none. Its kernel refuses tables that have a seed, and says what it was given.
#include "library.h"

#include <stdio.h>

static void insert(const void *table, void *batch, uint64_t first, uint64_t count) {
  (void)table, (void)batch, (void)first, (void)count;
}

static const char *launch(hz_body body, const void *table, void *batch, uint64_t count) {
  static char wrong[80];
  const hz_table *t = table;
  const hz_batch *b = batch;
  body(table, batch, 0, count);
  snprintf(wrong, sizeof wrong, "seed %lu, select %lu, %lu operations", (unsigned long)t->Seed,
           (unsigned long)b->Select, (unsigned long)count);
  return t->Seed == 0 ? NULL : wrong;
}

const hz_library *hz_plugin(void) {
  static const hz_kernel kernel = {"hz_pile_k4v4_insert", insert, NULL};
  static const hz_library library = {HZ_ABI_VERSION, &kernel, NULL, NULL, NULL, launch};
  return &library;
}
