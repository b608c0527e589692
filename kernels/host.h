/* host.h: what Go calls in a host build: its kernels as a list, and the lists of abi.h as
 * text. The program contains one host build; each plugin is another. */
#ifndef HZ_HOST_H
#define HZ_HOST_H

#include <stdint.h>

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*hz_body)(const void* table, void* batch, uint64_t first, uint64_t count);

void hz_call(hz_body body, uint64_t table, uint64_t batch, uint64_t first, uint64_t count);

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

/* The contents of a host build. The ABI version is the first field in every version, and
 * is checked before anything else is read. */
typedef struct hz_library {
  uint64_t abi; /* HZ_ABI_VERSION of the headers it was compiled with */
  const hz_kernel* kernels;
  const hz_args* args;
  void (*observe)(hz_observer call, uint64_t who); /* sets the observer of the calling thread; NULL: none */
} hz_library;

const hz_library* hz_built_in(void);

/* The compiler of the program's own host build. */
extern const char* hz_compiler;

/* A plugin is a shared object whose only symbol is a function of this name and type,
 * defined by HZ_PLUGIN (kernel.h). hz_open loads one. On failure it returns NULL and sets
 * *wrong to the reason, which the caller frees. */
#define HZ_PLUGIN_SYMBOL "hz_plugin"
const hz_library* hz_open(const char* path, char** wrong);

/* One line per operation of HZ_OPS: its columns, separated by tabs. */
extern const char* hz_ops;

/* Names separated by spaces; help texts separated by newlines. */
extern const char *hz_outcomes, *hz_counters, *hz_lengths, *hz_counter_help;

/* One line per entry of HZ_STEP_OPS: its name, two numbers, its help (gen.cc). */
extern const char* hz_step_ops;

/* Computes constants 1 to 5 of the step zipfian, for ranks 0 to n-1. */
void hz_zipfian(uint64_t n, double theta, uint64_t* constants);

/* Computes k^exponent for k from 1 to n and an exponent of at most 0. */
void hz_powers(uint64_t n, double exponent, double* powers);

#ifdef __cplusplus
}
#endif

#endif
