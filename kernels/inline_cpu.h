// inline_cpu.h: what a CPU inlines. See tile.h.
#pragma once

// HZ_FN is a function that is inlined. In instrumented kernels that are in a file of their
// own (kernel.h), clang inlines it only if it is short, so kernels share it; nor does it
// unroll loops there. The linkage keeps such functions apart from those of timed kernels.
// It also lets clang drop a function as soon as it is inlined: otherwise clang inlines others
// into it first, which took a tenth of the time. HZ_CALLED is a long function that kernels
// share.
#if defined(HZ_COUNTED) && __has_cpp_attribute(clang::internal_linkage)
#define HZ_FN [[gnu::cold, clang::internal_linkage]] inline
#define HZ_CALLED HZ_FN
#pragma clang diagnostic ignored "-Wpass-failed"
#elif __has_cpp_attribute(clang::internal_linkage)
#define HZ_FN [[gnu::always_inline, clang::internal_linkage]] inline
#define HZ_CALLED [[gnu::noinline, clang::internal_linkage]] inline
#else
#define HZ_FN [[gnu::always_inline]] inline
#define HZ_CALLED [[gnu::noinline]] inline
#endif

// HZ_BOTH is a function that host sides call, too.
#define HZ_BOTH HZ_FN

// HZ_ROLLED is before a loop that a GPU would unroll, which would take it too many registers.
#define HZ_ROLLED
#define HZ_UNROLLED
#define HZ_GLOBAL
