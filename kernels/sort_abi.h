/* sort_abi.h: the block of the kernels that put the rows of a batch into the order of the
 * parts of a table (sort.h). It belongs to the boundary that abi.h describes, and is apart
 * from it because no scheme needs it. */
#pragma once

#include <stdint.h>

/* Parts of a table at most; rows of a sample, and bits of its bitmap; what a block of the
 * kernel that goes ahead (ahead.h) has for partial aggregates. */
enum { HZ_SORT_PARTS = 512, HZ_SORT_SAMPLE = 1 << 16, HZ_SORT_MARKS = 1 << 24, HZ_AHEAD_BYTES = 32 << 10 };

/* The batch block of those kernels; the table block is the copy of the table's own in device
 * memory. A row's part is the bucket of its key without its lowest Shift bits. */
typedef struct hz_sort {
  uint64_t Keys;
  uint64_t Values; /* 0: there are none */
  uint64_t Items;
  uint64_t Shift;
  uint64_t KeysTo;
  uint64_t ValuesTo;
  uint64_t Next;   /* of each part: the number of its rows, then where its next one goes; 4 bytes each, zero at first */
  uint64_t Starts; /* out: where each part begins, and the end of the last; 4 bytes each */
  uint64_t Marks;  /* out: a bitmap for a sample, zero at first, and behind it how many bits were set, 8 bytes */
} hz_sort;
