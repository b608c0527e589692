/* host.h: what Go calls of the host build: its kernels as a list, and abi.h's
 * lists as text. */
#ifndef HZ_HOST_H
#define HZ_HOST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*hz_body)(const void* table, void* batch, uint64_t first, uint64_t count);

void hz_call(hz_body body, uint64_t table, uint64_t batch, uint64_t first, uint64_t count);

const void* hz_first_kernel(void);
const void* hz_next_kernel(const void* kernel);
const char* hz_kernel_name(const void* kernel);
hz_body hz_kernel_body(const void* kernel);

const void* hz_first_args(void);
const void* hz_next_args(const void* args);
const char* hz_args_scheme(const void* args);
const char* hz_args_names(const void* args);

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
