/* library.h: what Go calls in a host build: its kernels as a list, and the lists of abi.h as
 * text. The program contains one host build; each plugin is another. */
#pragma once

#include <stdint.h>

#include "abi.h"
#include "layout.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*hz_body)(const void* table, void* batch, uint64_t first, uint64_t count);

void hz_call(hz_body body, uint64_t table, uint64_t batch, uint64_t first, uint64_t count);

/* Calls a kernel of a library for GPUs, whose blocks it reads on the host. It returns what went wrong, or NULL. */
typedef const char* (*hz_launch)(hz_body body, const void* table, void* batch, uint64_t count);
const char* hz_call_gpu(hz_launch launch, hz_body body, const void* table, void* batch, uint64_t count);

/* A kernel and its name. */
typedef struct hz_kernel {
  const char* name;
  hz_body body;
  const struct hz_kernel* next;
} hz_kernel;

/* The names of a scheme's run-time parameters, separated by spaces. */
typedef struct hz_args {
  const char* scheme;
  const char* names;
  const struct hz_args* next;
} hz_args;

/* What a host side asks of the engine (host_engine.h), one call each. */
enum hz_request {
  HZ_LAUNCH,   /* the kernel `name` on n items of batch, on the call's table: counts */
  HZ_SHARED,   /* a kernel of all schemes: its block is at `memory`, `bytes` long */
  HZ_ALLOCATE, /* `bytes` for region[0], until released: at */
  HZ_RELEASE,  /* at */
  HZ_SCRATCH,  /* `bytes`, until the operation ends: at */
  HZ_FILL,     /* `bytes` at `at` with the byte n */
  HZ_COPY,     /* `bytes` from n to `at`, on the device */
  HZ_READ,     /* `bytes` from `at` to `memory` */
  HZ_WRITE,    /* `bytes` from `memory` to `at` */
  HZ_NOTE,     /* name */
  HZ_RESEED,   /* empties the table, which gets other hash functions */
  HZ_SIZED,    /* the layout of a table of n slots */
  HZ_LAID,     /* the table has the layout of the call */
  HZ_LOOK,     /* the kernel `name` on n items; its hz_look is at `memory`: bins */
  HZ_BAR,      /* a bar of the gauge: name, value, of */
  HZ_ROW,      /* a row called `name`, whose cells are called as the text at `memory` says */
  HZ_SPAN,     /* `bytes` at `at`, which belong to the last row */
  HZ_CELL,     /* a cell of it with the text `name`; `memory` has the n hz_span that it takes */
  HZ_SLOT,     /* the same of a slot, with the key `at` and the value `bytes` */
  HZ_BOARD     /* region `at` has tickets of n bits */
};
enum { HZ_DONE, HZ_FAILED, HZ_NO_MEMORY }; /* how a request ends */

typedef struct hz_ask {
  enum hz_request what;
  const char* name;
  uint64_t at, bytes, n;
  void* memory;
  double value, of;
  uint8_t keyed, moved; /* of a launch: Batch in host_side.h */
  hz_batch batch;
  uint64_t counts[HZ_COUNTER_STRIDE];
} hz_ask;

enum { HZ_MAX_PARAMS = 24 };

/* An operation that a host side carries out on a table of the engine; or, of a table that is looked at: rows, board, or
 * gauge and its name. */
typedef struct hz_operation {
  uint64_t who; /* the engine's name for the table */
  int (*ask)(uint64_t who, struct hz_operation* call, hz_ask* ask);
  const char* op;
  int64_t param[HZ_MAX_PARAMS]; /* in the order of the declaration */
  double max_load;
  uint64_t key, value, answer; /* bytes */
  uint64_t pairs;              /* in the table before the operation */
  uint64_t bulk;               /* hz_bulk_on */
  hz_table table;
  hz_layout layout;
  hz_batch batch;
  uint64_t n;
  uint64_t counts[HZ_COUNTER_STRIDE]; /* of the operation, in the end */
  const char* file;                   /* where the host side has launched last, in a file of its author */
  int line;
  char wrong[512]; /* what the host side itself refuses, if it does */
} hz_operation;

/* A table that is asked for (Shape in host_side.h), and its layout. */
typedef struct hz_sizing {
  int64_t param[HZ_MAX_PARAMS];
  uint64_t key, value, slots, n;
  hz_layout layout;
  char wrong[256];
} hz_sizing;

/* The host side of a scheme, the operations that it carries out, separated by spaces, which include setup and rows, and
 * the gauges that it reads, one a line. `fits` says whether a gauge suits a layout. Functions that it does not have are
 * NULL. */
typedef struct hz_host {
  const char* scheme;
  const char* ops;
  const char* gauges;
  int (*run)(hz_operation* call);
  int (*size)(hz_sizing* sizing);
  double (*max_load)(const int64_t* param);
  void (*arguments)(const int64_t* param, const hz_layout* layout, uint64_t* arg);
  int (*fits)(const char* gauge, hz_sizing* sizing);
  const struct hz_host* next;
} hz_host;

/* The contents of a host build. The ABI version is the first field in every version, and
 * is checked before anything else is read. */
typedef struct hz_library {
  uint64_t abi; /* HZ_ABI_VERSION of the headers it was compiled with */
  const hz_kernel* kernels;
  const hz_args* args;
  const hz_host* hosts;
  void (*observe)(hz_observer call, uint64_t who); /* sets the observer of the calling thread; NULL: none */
  hz_launch launch;                                /* of a library for GPUs (reference_gpu.h), else NULL */
} hz_library;

const hz_library* hz_built_in(void);

/* The compiler of the program's own host build. */
extern const char* hz_compiler;

/* A plugin is a shared object whose only symbol is a function of this name and type,
 * defined by HZ_PLUGIN (registry.h). hz_open loads one. On failure it returns NULL and sets
 * *wrong to the reason, which the caller frees. */
#define HZ_PLUGIN_SYMBOL "hz_plugin"
const hz_library* hz_open(const char* path, char** wrong);

/* One line per operation of HZ_OPS: its columns, separated by tabs. */
extern const char* hz_ops;

/* Names separated by spaces; help texts separated by newlines. */
extern const char *hz_outcomes, *hz_counters, *hz_lengths;

/* One line per entry of HZ_STEP_OPS: its name, two numbers, its help (gen.cc). */
extern const char* hz_step_ops;

/* Computes constants 1 to 5 of the step zipfian, for ranks 0 to n-1. */
void hz_zipfian(uint64_t n, double theta, uint64_t* constants);

/* Computes k^exponent for k from 1 to n and an exponent of at most 0. */
void hz_powers(uint64_t n, double exponent, double* powers);

#ifdef __cplusplus
}
#endif
