// kernel.h: gives a kernel a name that both backends know.
//
// HZ_KERNEL(name, body) makes one kernel from a call `body(table, batch, first, count)`.
// On a GPU it is an entry of the PTX module. On a CPU it is a function in a list that Go
// reads at startup (library.go). The same line defines both, so a kernel that exists on
// one backend exists on the other, except those of ahead.h and sort.h.
//
// HZ_BLOCK_KERNEL also says how many threads a block has on a GPU, and how many blocks a
// multiprocessor has to have room for.
//
// HZ_KERNELS(variant, Scheme, ops...) makes all kernels of one variant of a scheme: each
// operation, for pairs of 4+4 and 8+8 bytes, timed and instrumented. Their names are
//
//     hz_<variant>_<k4v4|k8v8>_<operation>[_counted]
//     hz_<variant>_<k4v4|k8v8>_combine_ahead             on a GPU (ahead.h)
//
// On a GPU these take their blocks by value, so the blocks are in constant memory: a
// kernel reads the table's addresses and hash constants without a load and without
// keeping them in registers. Other kernels take addresses.
//
// A file that defines HZ_COUNTED has the instrumented kernels alone, and another one that
// defines HZ_TIMED the timed ones; one that defines neither has both. Instrumented kernels need
// no speed, so for CPUs functions are not forced inline there (inline_cpu.h), which takes the
// compiler less time.
//
// HZ_KERNELS_FOR makes the kernels for pairs of one other width. No list of schemes
// exists: each source file that uses these macros defines one, and so does a plugin,
// whose source file ends with HZ_PLUGIN (runtime/plugin).
#pragma once

#include "drive.h"

#if HZ_GPU

#define HZ_KERNEL(name, ...) HZ_BLOCK_KERNEL(name, hz::kBlock, 0, __VA_ARGS__)
#define HZ_BLOCK_KERNEL(name, threads, blocks, ...)                                                            \
  extern "C" __attribute__((global, launch_bounds(threads, blocks))) void name(const void* table, void* batch, \
                                                                               hz::u64 count) {                \
    __VA_ARGS__(table, batch, 0, count);                                                                       \
  }
namespace hz {
// Call holds the arguments of a scheme's kernel.
struct Call {
  hz_table table;
  hz_batch batch;
  u64 count;
};
}  // namespace hz
#define HZ_SCHEME_KERNEL(name, ...) HZ_SIZED_KERNEL(name, hz::kBlock, 0, __VA_ARGS__)
#define HZ_SIZED_KERNEL(name, threads, blocks, ...)                                             \
  extern "C" __attribute__((global, launch_bounds(threads, blocks))) void name(hz::Call call) { \
    __VA_ARGS__(&call.table, &call.batch, 0, call.count);                                       \
  }
#if defined(HZ_COUNTED)
#define HZ_BOUNDED_KERNEL(name, blocks, ...)
#define HZ_AHEAD(variant, S, pair, op)
#else
#define HZ_BOUNDED_KERNEL(name, blocks, ...) HZ_SIZED_KERNEL(name, hz::kBlock, blocks, __VA_ARGS__)
// HZ_AHEAD makes the kernel that goes ahead of `combine` (ahead.h), and nothing for other operations.
#define HZ_AHEAD(variant, S, pair, op) HZ_SECOND(HZ_AHEAD_OF_##op, HZ_NO_KERNEL, )(variant, S, pair)
#define HZ_SECOND(...) HZ_SECOND_OF(__VA_ARGS__)
#define HZ_SECOND_OF(first, second, ...) second
#define HZ_AHEAD_OF_combine , HZ_AHEAD_KERNEL
#define HZ_NO_KERNEL(variant, S, pair)
#define HZ_AHEAD_KERNEL(variant, S, pair)                                                  \
  HZ_SIZED_KERNEL(hz_##variant##_##pair##_combine_ahead, hz::kAheadThreads, 1,             \
                  hz::go_ahead<hz::op_combine, hz::ClassFor<S<hz::pair>, hz::op_combine>>)
#endif
// GPUs older than sm_90 have no 16-byte atomics, so their modules contain only the
// kernels for 4+4 bytes.
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

#include "registry.h"

namespace hz {
// Host is the host side of a scheme (host_engine.h).
struct Host : hz_host {
  static inline const Host* list = nullptr;
  explicit Host(const hz_host& made) : hz_host(made) { next = list, list = this; }
};
inline const hz_library* library() {
  static hz_library made;
  made = {HZ_ABI_VERSION, Kernel::list, Args::list, Host::list, observe_with, nullptr};
  return &made;
}
}  // namespace hz

#define HZ_SCHEME_KERNEL(name, ...)                                                       \
  static void name##_body(const void* table, void* batch, hz::u64 first, hz::u64 count) { \
    __VA_ARGS__(table, batch, first, count);                                              \
  }                                                                                       \
  static hz::Kernel name##_kernel(#name, name##_body);
#define HZ_KERNEL HZ_SCHEME_KERNEL
#define HZ_BLOCK_KERNEL(name, threads, blocks, ...) HZ_KERNEL(name, __VA_ARGS__)
#if defined(HZ_COUNTED)
#define HZ_BOUNDED_KERNEL(name, blocks, ...)
#else
#define HZ_BOUNDED_KERNEL(name, blocks, ...) HZ_SCHEME_KERNEL(name, __VA_ARGS__)
#endif
#define HZ_AHEAD(variant, S, pair, op)
#define HZ_PAIR8(...) __VA_ARGS__
#define HZ_PAIR4(...) __VA_ARGS__

#endif

#if defined(HZ_TIMED) && !defined(HZ_COUNTED)
#define HZ_COUNTED_KERNEL(name, ...)
#else
#define HZ_COUNTED_KERNEL HZ_SCHEME_KERNEL
#endif

// The kernels of one operation of a scheme S<Pair>, for one kind of pair.
#define HZ_KERNELS_OF_OP(variant, S, pair, op)                                                       \
  HZ_BOUNDED_KERNEL(hz_##variant##_##pair##_##op, (hz::kMinBlocks<S<hz::pair>, hz::op_##op>),        \
                    hz::run<hz::op_##op, S<hz::pair>, false>)                                        \
  HZ_COUNTED_KERNEL(hz_##variant##_##pair##_##op##_counted, hz::run<hz::op_##op, S<hz::pair>, true>) \
  HZ_AHEAD(variant, S, pair, op)

// HZ_EACH_OP recurses over the remaining operations. The preprocessor expands such a
// recursion only as often as it rescans the text, so HZ_LOOK forces more rescans than
// operations exist.
#define HZ_NOTHING
#define HZ_AGAIN() HZ_EACH_OP
#define HZ_LOOK(...) HZ_LOOK2(HZ_LOOK2(HZ_LOOK2(HZ_LOOK2(__VA_ARGS__))))
#define HZ_LOOK2(...) HZ_LOOK1(HZ_LOOK1(HZ_LOOK1(HZ_LOOK1(__VA_ARGS__))))
#define HZ_LOOK1(...) __VA_ARGS__
#define HZ_EACH_OP(variant, S, pair, op, ...)                      \
  HZ_KERNELS_OF_OP(variant, S, pair, op)                           \
  __VA_OPT__(HZ_AGAIN HZ_NOTHING()(variant, S, pair, __VA_ARGS__))

// HZ_LOOK_KERNEL makes a kernel that looks at a table (look.h), next to the timed ones.
#if defined(HZ_COUNTED)
#define HZ_LOOK_KERNEL(name, ...)
#else
#define HZ_LOOK_KERNEL HZ_KERNEL
#endif

// HZ_KERNELS_FOR makes all kernels of a variant for one kind of pair (pair.h), for
// schemes that need no 16-byte atomics for it.
#define HZ_KERNELS_FOR(variant, S, pair, ...) HZ_PAIR4(HZ_LOOK(HZ_EACH_OP(variant, S, pair, __VA_ARGS__)))

#define HZ_KERNELS(variant, S, ...)                            \
  HZ_KERNELS_FOR(variant, S, k4v4, __VA_ARGS__)                \
  HZ_PAIR8(HZ_LOOK(HZ_EACH_OP(variant, S, k8v8, __VA_ARGS__)))
