/* bulk_abi.h: the block of the kernels that carry out a batch part by part of a table (bulk.h). It belongs to the
 * boundary that abi.h describes, and is apart from it because no scheme needs it. */
#pragma once

#include "abi.h"

/* How many blocks of a kernel that splits or builds a multiprocessor has to have room for.
 * The threads of a block, and what they have in common: room for some rows, or for a part of a table. Parts that rows
 * are split into at a time. */
enum { HZ_SPLIT_BLOCKS = 2, HZ_BUILD_BLOCKS = 3 };
enum { HZ_BULK_THREADS = 512, HZ_BULK_BYTES = 32 << 10, HZ_BULK_PARTS = 512 };

/* Bins of equal room: the rows that belong to some parts of a table. */
typedef struct hz_bins {
  uint64_t Number;
  uint64_t Room; /* rows that each has room for */
  uint64_t Rows; /* pairs */
  uint64_t Next; /* how many rows were put into each, 4 bytes; if that is more than its room, the last were not */
} hz_bins;

typedef struct hz_bulk {
  uint64_t Keys; /* in: the rows */
  uint64_t Values;
  uint64_t Items;
  uint64_t Op;     /* an insert, or one that combines values; if that takes none, Values is 0 */
  uint64_t Status; /* out: if not 0, the outcomes of rows that are carried out */
  hz_bins From;    /* Number is 0: rows come from Keys and Values */
  hz_bins To;      /* Number is that of the bins into which each bin of From is split */
  uint64_t Shift;  /* the low bits of a bucket's number that do not say in which bin a row is */
  uint64_t Slots;  /* the table: pairs */
  uint64_t Buckets;
  uint64_t Bucket; /* slots of a bucket: a power of two */
  uint64_t Reach;  /* buckets that a pair may be in: its own, and the next ones */
  uint64_t Paged;  /* 1: instead of the next ones, the one of its part that Second finds */
  uint64_t Search; /* 1 if an insert of a key that is there is refused */
  uint64_t Fresh;  /* 1 if the table is empty, whatever is in its memory */
  hz_hash Hash;    /* finds the bucket of a key */
  hz_hash Second;
  uint64_t Family;
  uint64_t LeftKeys; /* out: the rows that are not carried out */
  uint64_t LeftValues;
  uint64_t LeftOf; /* their numbers, 4 bytes; only with Status. Of runs, a byte for each part that is laid */
  uint64_t Left;   /* how many there are, 8 bytes */
  uint64_t Full;   /* of how many of them the buckets that were looked at are full. Of runs, how many parts have rows
                    * of one key */
  uint64_t Starts; /* only for runs (bulk_runs.h): where the values of each part begin, 4 bytes */
  uint64_t Runs;   /* the values */
  uint64_t Added;  /* how many rows brought a key into the table, 8 bytes */
} hz_bulk;
