//go:build all
// The self-test kernels, for every width.
#include "kernel.h"
#include "selftest_shared.h"
#include "selftest_verbs.h"

#define HZ_SELFTEST(W)                                                            \
  HZ_PAIR4(HZ_KERNEL(hz_selftest_w##W##_verbs, hz::verbs<W>))                     \
  HZ_PAIR4(HZ_KERNEL(hz_selftest_w##W##_in_step, hz::in_step_verbs<W>))           \
  HZ_PAIR4(HZ_KERNEL(hz_selftest_w##W##_contention, hz::contention<W>))           \
  HZ_PAIR4(HZ_KERNEL(hz_selftest_w##W##_claiming, hz::claiming<W>))               \
  HZ_PAIR4(HZ_KERNEL(hz_selftest_w##W##_locking, hz::locking<W>))                 \
  HZ_PAIR4(HZ_KERNEL(hz_selftest_w##W##_helping, hz::helping<W>))                 \
  HZ_PAIR8(HZ_KERNEL(hz_selftest_w##W##_k8v8_verbs, hz::wide_verbs<W>))           \
  HZ_PAIR8(HZ_KERNEL(hz_selftest_w##W##_k8v8_contention, hz::wide_contention<W>))

HZ_SELFTEST(1)
HZ_SELFTEST(2)
HZ_SELFTEST(4)
HZ_SELFTEST(8)
HZ_SELFTEST(16)
HZ_SELFTEST(32)

HZ_PAIR4(HZ_KERNEL(hz_selftest_hash_4, hz::hashes<hz::u32>))
HZ_PAIR4(HZ_KERNEL(hz_selftest_hash_8, hz::hashes<hz::u64>))
