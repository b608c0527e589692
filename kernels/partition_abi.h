/* partition_abi.h: the block of the kernels that split a batch among several devices
 * (partition.h). It belongs to the boundary that abi.h describes, and is apart from it
 * because no scheme needs it. */
#pragma once

#include <stdint.h>

/* Items of a piece, which one tile splits; the most parts of a batch, a lane each; the
 * columns that one launch moves; and how many tiles scan the counts of a part at most. */
enum { HZ_SPLIT_PIECE = 1024, HZ_MAX_PARTS = 32, HZ_SPLIT_COLUMNS = 4, HZ_SPLIT_GROUPS = 256 };

/* Bits of the number of a part, of which there are fewer for up to 8 and up to 2 parts. */
enum { HZ_SPLIT_BITS = 5 };

/* A column of a batch. Item i is at Here, in the order of the batch; with its place it is at
 * Away, or at Own if this device owns its key. */
typedef struct hz_split_column {
  uint64_t Here; /* 0: the item is its number, from First on */
  uint64_t Away;
  uint64_t Own;
  uint64_t Width; /* bytes of an item: 1, 4, or a multiple of 8; 0: there is no such column */
} hz_split_column;

/* The batch block of those kernels; there is no table block. Piece p of part q has the
 * number Counts[q * pieces + p]: how many of its keys belong to the part, and after a scan
 * where they begin if the parts lie side by side. Where operations need not stay in order,
 * pieces take their places one after the other instead, counted by the first Sums. */
typedef struct hz_split {
  uint64_t Items;
  uint64_t Keys;
  uint64_t KeyWidth; /* 4 or 8 */
  uint64_t Parts;
  uint64_t Own;     /* which of them this device is */
  uint64_t Counts;  /* 8 bytes each */
  uint64_t Ballots; /* of each 32 items, those whose owner has a bit set: 4 bytes each, bit by bit */
  uint64_t Sums;    /* of the groups of pieces of each part, 8 bytes each; zero at first */
  uint64_t Group;   /* pieces of a group */
  uint64_t Starts;  /* where each part begins if they lie side by side, 8 bytes each */
  uint64_t First;
  hz_split_column Column[HZ_SPLIT_COLUMNS];
} hz_split;
