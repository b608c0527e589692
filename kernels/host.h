/* host.h: what Go calls of a host build: its kernels as a list, and abi.h's lists as
 * text. The program has one such build in it; a plugin is another. */
#ifndef HZ_HOST_H
#define HZ_HOST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*hz_body)(const void* table, void* batch, uint64_t first, uint64_t count);

void hz_call(hz_body body, uint64_t table, uint64_t batch, uint64_t first, uint64_t count);

/* A kernel by its name. */
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

/* What a host build has. The version is its first number in every version, and is
 * looked at before anything else of it. */
typedef struct hz_library {
  uint64_t abi; /* HZ_ABI_VERSION of the headers that it was compiled with */
  const hz_kernel* kernels;
  const hz_args* args;
} hz_library;

const hz_library* hz_built_in(void);

/* What compiled the one that the program has. */
extern const char* hz_compiler;

/* A plugin is a shared object whose only symbol is a function of this name and type;
 * HZ_PLUGIN of kernel.h defines it. hz_open loads one, and says what is wrong with it
 * otherwise: the text is the caller's to free. */
#define HZ_PLUGIN_SYMBOL "hz_plugin"
const hz_library* hz_open(const char* path, char** wrong);

/* Names separated by spaces; the help texts by newlines. */
extern const char *hz_ops, *hz_outcomes, *hz_counters, *hz_lengths, *hz_counter_help;

/* A line for each of HZ_STEP_OPS: its name, two numbers, its help (gen.cc). */
extern const char* hz_step_ops;

/* Computes the constants 1 to 5 of the step zipfian, for ranks 0 to n-1. */
void hz_zipfian(uint64_t n, double theta, uint64_t* constants);

/* Computes k^exponent for k from 1 to n, for an exponent of at most 0. */
void hz_powers(uint64_t n, double exponent, double* powers);

#ifdef __cplusplus
}
#endif

#endif
