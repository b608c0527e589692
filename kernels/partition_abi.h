/* partition_abi.h: the block of the kernels that split a batch among several devices
 * (partition.h). It belongs to the boundary that abi.h describes, and is apart from it
 * because no scheme needs it. */
#ifndef HZ_PARTITION_ABI_H
#define HZ_PARTITION_ABI_H

#include <stdint.h>

/* Items of a piece, which one tile counts; and the most parts of a batch, a lane each. */
enum { HZ_SPLIT_PIECE = 1024, HZ_MAX_PARTS = 32 };

/* The batch block of those kernels; there is no table block. Piece p of part q has the
 * number Counts[q * pieces + p]: how many of its keys belong to the part, and after a scan
 * where they begin. */
typedef struct hz_split {
  uint64_t Items;
  uint64_t Keys;
  uint64_t KeyWidth; /* 4 or 8 */
  uint64_t Parts;
  uint64_t Counts; /* 8 bytes each */
  uint64_t Place;  /* 4 bytes an item: its place when the parts lie side by side */
  uint64_t From;   /* of the kernels that move a column; 0: the item's number, from First on */
  uint64_t To;
  uint64_t Width; /* bytes an item: 1, 4, or a multiple of 8 */
  uint64_t First;
} hz_split;

#endif
