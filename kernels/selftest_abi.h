/* selftest_abi.h: what the self-tests share with the check that runs them (workloads/check). */
#pragma once

/* The words that all tiles share in `contention`, each on its own cache line. */
enum {
  HZ_ADD8,
  HZ_ADD4,
  HZ_CAS8,
  HZ_CAS4,
  HZ_EXCHANGE8,
  HZ_EXCHANGE4,
  HZ_LANE_ADD8,
  HZ_LANE_ADD4,
  HZ_LANE_CAS4,
  HZ_OR,
  HZ_AND,
  HZ_WORDS
};

/* The locks of `locking`: at least as many as a tile has lanes. */
enum { HZ_LOCKS = 64 };
