// kernel.h: how a kernel gets a name that both backends know.
//
// HZ_KERNEL(name, body) makes one kernel out of a call `body(table, batch,
// first, count)`. For a GPU that is an entry of the PTX module; for a CPU a
// function in a list which Go reads at start (kernels.go). The same line makes
// both, so a kernel that exists on one backend exists on the other.
//
// HZ_KERNELS(variant, Scheme, ops...) makes all kernels of one variant of a
// scheme: each operation, for pairs of 4+4 and 8+8 bytes, timed and
// instrumented. Their names are
//
//     hz_<variant>_<k4v4|k8v8>_<operation>[_counted]
//
// There is no list of schemes anywhere: a source file in this folder is one.
#ifndef HZ_KERNEL_H
#define HZ_KERNEL_H

#include "drive.h"

#if HZ_GPU

#define HZ_KERNEL(name, ...)                                                                              \
  extern "C" __attribute__((global, launch_bounds(hz::kBlock))) void name(const void* table, void* batch, \
                                                                          hz::u64 count) {                \
    __VA_ARGS__(table, batch, 0, count);                                                                  \
  }
// A GPU older than sm_90 has no 16-byte atomics: its module has the 4+4 kernels.
#if defined(HZ_WIDE_ATOMICS)
#define HZ_PAIR8(...) __VA_ARGS__
#define HZ_PAIR4(...)
#else
#define HZ_PAIR8(...)
#define HZ_PAIR4(...) __VA_ARGS__
#endif
#define HZ_ARGS(variant, ...)

#else

namespace hz {
// Kernel is a link in the list of host kernels. The list is built before main
// by constructors, in no particular order.
struct Kernel {
  using Body = void (*)(const void* table, void* batch, u64 first, u64 count);
  static inline Kernel* list = nullptr;
  Kernel(const char* name, Body body) : name(name), body(body), next(list) { list = this; }
  const char* name;
  Body body;
  Kernel* next;
};
// Args are the names of a scheme's run-time parameters, in the order of
// hz_table.Arg; a test holds them against the Go declaration.
struct Args {
  static inline Args* list = nullptr;
  Args(const char* scheme, const char* names) : scheme(scheme), names(names), next(list) { list = this; }
  const char* scheme;
  const char* names;
  Args* next;
};
}  // namespace hz

#define HZ_KERNEL(name, ...)                                                              \
  static void name##_body(const void* table, void* batch, hz::u64 first, hz::u64 count) { \
    __VA_ARGS__(table, batch, first, count);                                              \
  }                                                                                       \
  static hz::Kernel name##_kernel(#name, name##_body);
#define HZ_PAIR8(...) __VA_ARGS__
#define HZ_PAIR4(...) __VA_ARGS__
#define HZ_ARGS(scheme, names) static hz::Args args_of_scheme(scheme, names);

#endif

#define HZ_KERNELS_OF_OP(variant, S, op)                                                            \
  HZ_PAIR4(HZ_KERNEL(hz_##variant##_k4v4_##op, hz::run<hz::op_##op, S<hz::Pair4>, false>))          \
  HZ_PAIR4(HZ_KERNEL(hz_##variant##_k4v4_##op##_counted, hz::run<hz::op_##op, S<hz::Pair4>, true>)) \
  HZ_PAIR8(HZ_KERNEL(hz_##variant##_k8v8_##op, hz::run<hz::op_##op, S<hz::Pair8>, false>))          \
  HZ_PAIR8(HZ_KERNEL(hz_##variant##_k8v8_##op##_counted, hz::run<hz::op_##op, S<hz::Pair8>, true>))

#define HZ_EACH_1(v, S, op, ...) HZ_KERNELS_OF_OP(v, S, op) __VA_OPT__(HZ_EACH_2(v, S, __VA_ARGS__))
#define HZ_EACH_2(v, S, op, ...) HZ_KERNELS_OF_OP(v, S, op) __VA_OPT__(HZ_EACH_3(v, S, __VA_ARGS__))
#define HZ_EACH_3(v, S, op, ...) HZ_KERNELS_OF_OP(v, S, op) __VA_OPT__(HZ_EACH_4(v, S, __VA_ARGS__))
#define HZ_EACH_4(v, S, op, ...) HZ_KERNELS_OF_OP(v, S, op) __VA_OPT__(HZ_EACH_5(v, S, __VA_ARGS__))
#define HZ_EACH_5(v, S, op, ...) HZ_KERNELS_OF_OP(v, S, op) __VA_OPT__(HZ_EACH_6(v, S, __VA_ARGS__))
#define HZ_EACH_6(v, S, op, ...) HZ_KERNELS_OF_OP(v, S, op) __VA_OPT__(HZ_EACH_7(v, S, __VA_ARGS__))
#define HZ_EACH_7(v, S, op, ...) HZ_KERNELS_OF_OP(v, S, op) __VA_OPT__(HZ_EACH_8(v, S, __VA_ARGS__))
#define HZ_EACH_8(v, S, op, ...) HZ_KERNELS_OF_OP(v, S, op) __VA_OPT__(HZ_EACH_9(v, S, __VA_ARGS__))
#define HZ_EACH_9(v, S, op, ...) HZ_KERNELS_OF_OP(v, S, op) __VA_OPT__(HZ_EACH_10(v, S, __VA_ARGS__))
#define HZ_EACH_10(v, S, op, ...) HZ_KERNELS_OF_OP(v, S, op)

#define HZ_KERNELS(variant, S, ...) HZ_EACH_1(variant, S, __VA_ARGS__)

#endif
