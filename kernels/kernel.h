// kernel.h: how a kernel gets a name that both backends know.
//
// HZ_KERNEL(name, body) makes one kernel out of a call `body(table, batch,
// first, count)`. For a GPU that is an entry of the PTX module; for a CPU a
// function in a list which Go reads at start (library.go). The same line makes
// both, so a kernel that exists on one backend exists on the other.
//
// HZ_KERNELS(variant, Scheme, ops...) makes all kernels of one variant of a
// scheme: each operation, for pairs of 4+4 and 8+8 bytes, timed and
// instrumented. Their names are
//
//     hz_<variant>_<k4v4|k8v8>_<operation>[_counted]
//
// On a GPU they are called with their blocks by value, which are then in constant
// memory: a kernel has the table's addresses and its hash functions' constants at hand
// without a load, and without registers to keep them in. Other kernels have what they
// are given by address.
//
// HZ_KERNELS_FOR makes them for pairs of one other width. There is no list of schemes
// anywhere: a source file in this folder is one, and so is a plugin, whose source file
// ends with HZ_PLUGIN (schemes/plugin).
#ifndef HZ_KERNEL_H
#define HZ_KERNEL_H

#include "drive.h"

#if HZ_GPU

#define HZ_KERNEL(name, ...)                                                                              \
  extern "C" __attribute__((global, launch_bounds(hz::kBlock))) void name(const void* table, void* batch, \
                                                                          hz::u64 count) {                \
    __VA_ARGS__(table, batch, 0, count);                                                                  \
  }
namespace hz {
// Call is what a scheme's kernel is called with.
struct Call {
  hz_table table;
  hz_batch batch;
  u64 count;
};
}  // namespace hz
#define HZ_SCHEME_KERNEL(name, ...) HZ_ROOMY_KERNEL(name, 0, __VA_ARGS__)
#define HZ_ROOMY_KERNEL(name, blocks, ...)                                                         \
  extern "C" __attribute__((global, launch_bounds(hz::kBlock, blocks))) void name(hz::Call call) { \
    __VA_ARGS__(&call.table, &call.batch, 0, call.count);                                          \
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
#define HZ_PLUGIN

#else

#include "host.h"

namespace hz {
// Kernel is a link in the list of host kernels. The list is built before main, or
// while a plugin is loaded, by constructors, in no particular order.
struct Kernel : hz_kernel {
  static inline const Kernel* list = nullptr;
  Kernel(const char* name, hz_body body) : hz_kernel{name, body, list} { list = this; }
};
// Args are the names of a scheme's run-time parameters, in the order of
// hz_table.Arg; a test holds them against the Go declaration.
struct Args : hz_args {
  static inline const Args* list = nullptr;
  Args(const char* scheme, const char* names) : hz_args{scheme, names, list} { list = this; }
};
inline const hz_library* library() {
  static hz_library made;
  made = {HZ_ABI_VERSION, Kernel::list, Args::list};
  return &made;
}
}  // namespace hz

#define HZ_KERNEL(name, ...)                                                              \
  static void name##_body(const void* table, void* batch, hz::u64 first, hz::u64 count) { \
    __VA_ARGS__(table, batch, first, count);                                              \
  }                                                                                       \
  static hz::Kernel name##_kernel(#name, name##_body);
#define HZ_SCHEME_KERNEL HZ_KERNEL
#define HZ_ROOMY_KERNEL(name, blocks, ...) HZ_KERNEL(name, __VA_ARGS__)
#define HZ_PAIR8(...) __VA_ARGS__
#define HZ_PAIR4(...) __VA_ARGS__
#define HZ_ARGS(scheme, names) static hz::Args args_of_scheme(scheme, names);
#define HZ_PLUGIN                                                                                           \
  extern "C" __attribute__((visibility("default"))) const hz_library* hz_plugin() { return hz::library(); }

#endif

// The kernels of one operation of a scheme S<Pair>, for pairs of one kind.
#define HZ_KERNELS_OF_OP(variant, S, pair, op)                                                      \
  HZ_ROOMY_KERNEL(hz_##variant##_##pair##_##op, (hz::kRoom<S<hz::pair>, hz::op_##op>),              \
                  hz::run<hz::op_##op, S<hz::pair>, false>)                                         \
  HZ_SCHEME_KERNEL(hz_##variant##_##pair##_##op##_counted, hz::run<hz::op_##op, S<hz::pair>, true>)

// A macro that calls itself for the operations that are left: the preprocessor does
// that only as often as it is told to look again.
#define HZ_NOTHING
#define HZ_AGAIN() HZ_EACH_OP
#define HZ_LOOK(...) HZ_LOOK2(HZ_LOOK2(HZ_LOOK2(HZ_LOOK2(__VA_ARGS__))))
#define HZ_LOOK2(...) HZ_LOOK1(HZ_LOOK1(HZ_LOOK1(HZ_LOOK1(__VA_ARGS__))))
#define HZ_LOOK1(...) __VA_ARGS__
#define HZ_EACH_OP(variant, S, pair, op, ...)                      \
  HZ_KERNELS_OF_OP(variant, S, pair, op)                           \
  __VA_OPT__(HZ_AGAIN HZ_NOTHING()(variant, S, pair, __VA_ARGS__))

// HZ_KERNELS_FOR makes all kernels of a variant for pairs of one kind (pair.h),
// of a scheme that needs no 16-byte atomics for them.
#define HZ_KERNELS_FOR(variant, S, pair, ...) HZ_PAIR4(HZ_LOOK(HZ_EACH_OP(variant, S, pair, __VA_ARGS__)))

#define HZ_KERNELS(variant, S, ...)                            \
  HZ_KERNELS_FOR(variant, S, k4v4, __VA_ARGS__)                \
  HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(variant, S, k8v8, __VA_ARGS__)))

#endif
