/* abi.h: the only boundary between the kernels and Go.
 *
 * A kernel is called with a table block, a batch block, and how many operations
 * (or slots, or indices) there are. Both blocks are plain structs: those of a
 * scheme's kernels are passed by value (kernel.h), those of others by address.
 * Addresses are 64-bit integers here, so that a block means the same to Go, to a
 * CPU and to a GPU.
 *
 * Go's side of it is made from this header: run `go generate ./kernels` after
 * any change of a struct (fields are capitalised so that Go exports them). The
 * names of operations, outcomes and counters are lists below, and Go asks for
 * them at run time.
 */
#pragma once

#include <stdint.h>

/* Raised whenever a block or a list below changes its meaning. A plugin that
 * was built against another version is refused. */
#define HZ_ABI_VERSION 12

/* What a kernel counts is the sum over several sets of counters, which begin so many
 * counters apart: with a single one, the thousands of warps that end at about the same
 * time would wait for each other. Numbers that hand out places are in the first set. */
enum { HZ_COUNTER_SETS = 32, HZ_COUNTER_STRIDE = 32 };

/* Where the first set has the number of operations that a kernel carried out which went ahead
 * of another one (ahead.h): all or none. */
enum { HZ_TAKEN = HZ_COUNTER_STRIDE - 1 };

/* Lanes that run together (tile.h). A launch for pieces that take a whole warp each counts so
 * many items for a piece. */
enum { HZ_WARP = 32 };

enum { HZ_MAX_HASHES = 8, HZ_MAX_REGIONS = 16, HZ_MAX_ARGS = 16 };

/* The random constants of one hash function; hash.h says how they are used. */
typedef struct hz_hash {
  uint64_t A, B, C;
} hz_hash;

/* The table block: what a kernel has to know of one table. */
typedef struct hz_table {
  uint64_t Region[HZ_MAX_REGIONS]; /* memory that the scheme's sizing asked for, in its order */
  uint64_t Here;                   /* where there is a copy of this block in device memory */
  uint64_t Capacity;               /* slots for pairs */
  uint64_t Buckets;                /* what a hash function ranges over */
  uint64_t Seed;                   /* for choices other than hashing, such as whom to evict */
  uint32_t Family;                 /* HZ_FAST or HZ_UNIVERSAL */
  uint32_t Hashes;                 /* how many of Hash are in use */
  hz_hash Hash[HZ_MAX_HASHES];
  uint64_t Arg[HZ_MAX_ARGS]; /* run-time parameters, in the order in which the scheme declares them; what
                                follows is for the scheme's host side to tell its kernels */
  uint64_t Host;             /* 1 if the table lies in host memory, else 0 */
} hz_table;

/* The batch block: one operation on N keys. A zero address means: not given. */
typedef struct hz_batch {
  uint64_t Keys;       /* in: key i, of the table's key width */
  uint64_t Values;     /* in: value i, of the table's value width */
  uint64_t Ops;        /* in: a byte per operation; only those in Select take part */
  uint64_t Out;        /* out: the value found for key i, all ones where there is none */
  uint64_t Status;     /* out: a byte per operation, one of HZ_OUTCOMES */
  uint64_t PairKeys;   /* out: keys of the pairs that leave the table: left over by */
  uint64_t PairValues; /* failed inserts, or exported; their number is the counter pairs */
  uint64_t PairLimit;  /* how many pairs there is room for; more are counted, not written */
  uint64_t FoundOf;    /* out: of a value that find_all found, which operation it belongs to, 4 bytes */
  uint64_t FoundValues;
  uint64_t FoundLimit; /* how many of those there is room for; the counter found has their number */
  uint64_t Counters;   /* out: HZ_COUNTER_SETS times HZ_COUNTERS, 64 bits each, added to */
  uint64_t Select;     /* a bit for each operation that takes part */
  uint64_t Op;         /* in: for the kernel of a family, which of its operations */
  uint64_t FoundAt;    /* in: where the values of each operation go, 8 bytes; 0: find_all takes places as it goes */
  uint64_t Truths;     /* in: 1 if Status gets, of operations that answer, 1 if ok, else 0 */
} hz_batch;

/* Items of different sizes, and where each begins if they lie side by side (scan.h). It is
 * the batch block; there is no table block. */
enum { HZ_SCAN_PIECE = 1024 };
typedef struct hz_scan {
  uint64_t Items;
  uint64_t Number; /* in: the size of item i, of Width bytes, is Stride * i bytes after this; all ones: 0 */
  uint64_t Width;  /* 4 or 8; 0: all sizes are 1 */
  uint64_t Stride;
  uint64_t Sum;   /* the sum of each piece of HZ_SCAN_PIECE items; then, of all pieces before it */
  uint64_t Place; /* out: the sum of the sizes before item i, of PlaceWidth bytes */
  uint64_t PlaceWidth;
  uint64_t PlaceStride;
  hz_batch Batch; /* if it has a Status: operations of it that are not ok have size 0 */
} hz_scan;

/* A stream of numbers: a program of Steps steps, run once per index on a stack
 * whose first number is the index. A step takes its numbers from the top of the
 * stack and puts one back; its constants are those from Constant[First] on. What
 * is on top at the end is the stream's number. gen.h carries the steps out. */
typedef struct hz_step {
  uint32_t Op; /* one of HZ_STEP_OPS */
  uint32_t First;
} hz_step;

enum { HZ_MAX_STEPS = 128, HZ_MAX_CONSTANTS = 256, HZ_MAX_STACK = 16 };

typedef struct hz_program {
  uint64_t Steps;
  hz_step Step[HZ_MAX_STEPS];
  uint64_t Constant[HZ_MAX_CONSTANTS];
} hz_program;

/* Raised whenever a step gives other numbers than before for the same constants:
 * a recording of one version is not repeated by another. */
#define HZ_GENERATOR_VERSION 1

/* The steps: how many numbers each takes, how many constants it has, what it
 * puts back. Numbers are 64 bits and wrap around. */
#define HZ_STEP_OPS(X)                                                                                      \
  X(get, 0, 1, "the number at place [0] of the stack, counted from the index, which is at 0")               \
  X(keep, 2, 0, "the upper of two numbers")                                                                 \
  X(constant, 0, 1, "[0]")                                                                                  \
  X(add, 2, 0, "a + b")                                                                                     \
  X(sub, 2, 0, "a - b")                                                                                     \
  X(mul, 2, 0, "a * b")                                                                                     \
  X(div, 2, 0, "a / b, rounded down; 0 if b is 0")                                                          \
  X(mod, 2, 0, "a modulo b; 0 if b is 0")                                                                   \
  X(xor, 2, 0, "a xor b")                                                                                   \
  X(less, 2, 0, "1 if a < b, else 0")                                                                       \
  X(select, 3, 0, "a if c is not 0, else b")                                                                \
  X(scale, 1, 1, "a * [0] / 2^64, rounded down")                                                            \
  X(permute, 1, 2, "where a goes in the permutation with seed [0] of the numbers below [1]")                \
  X(random, 1, 1, "64 random bits for index a, of seed [0]")                                                \
  X(uniform, 1, 2, "a random number below [1] for index a, of seed [0]")                                    \
  X(chance, 1, 2, "1 with probability [1] / 2^63 for index a, else 0, of seed [0]")                         \
  X(zipfian, 1, 6, "a random rank for index a, of seed [0]; hz_zipfian computes [1] to [5]")                \
  X(normal, 1, 5, "a normal number for index a, of seed [0], mean [1], deviation [2], clamped to [3]-[4]")  \
  X(load, 1, 2, "number a of the [1] 64-bit numbers at address [0]; 0 past their end")                      \
  X(search, 1, 2, "how many of the [1] ascending 64-bit numbers at address [0] are not above a")            \
  X(fnv, 1, 0, "YCSB's hash of a: FNV-1a over 8 bytes, low one first, as a signed number without its sign")

/* Where a stream's numbers go: Out[i] = program(First + i), cut to Width bytes.
 * The kernel hz_generate takes a program as table block and this as batch block. */
typedef struct hz_fill {
  uint64_t Out;
  uint64_t First;
  uint64_t Width; /* 1, 4 or 8 bytes a number; of 16 and more, pair.h says what the further words are */
} hz_fill;

/* What the kernel hz_digest_run reads, and the two sums that it adds to. A zero
 * address of a part means that the part is not there. It is the batch block;
 * there is no table block. */
typedef struct hz_digest {
  uint64_t Part[4];      /* up to four arrays of the same length */
  uint64_t PartWidth[4]; /* bytes a number in each: 1, 4, 8, or a multiple of 8 */
  uint64_t First;        /* where positions begin; without them, the first array's numbers */
  uint64_t Positional;   /* 1: position matters; 0: any order gives the same */
  uint64_t Sum[2];
} hz_digest;

/* What a kernel that looks at a table is given as batch block (look.h): where to look, and
 * the bins into which it counts what it sees. Its table block is the copy of the table's
 * own in device memory. */
enum { HZ_BINS = 40 };
typedef struct hz_look {
  uint64_t Bin[HZ_BINS]; /* out: added to */
  uint64_t At;           /* where the first slot is, with its key at the beginning */
  uint64_t Slots;        /* how many there are */
  uint64_t Stride;       /* bytes from one slot, or node, to the next */
  uint64_t Key;          /* bytes of a key: 4 or 8 */
  uint64_t Bucket;       /* slots of a bucket: a power of two */
} hz_look;

/* Raised whenever the same numbers give other sums than before. */
#define HZ_DIGEST_VERSION 1

enum { HZ_FAST = 0, HZ_UNIVERSAL = 1 };

/* Where a batch may be carried out part by part of the table (bulk.h). */
typedef enum hz_bulk_on { HZ_BULK_NOWHERE, HZ_BULK_ON_CPU, HZ_BULK_ON_GPU } hz_bulk_on;

/* Operations, by the names that everything uses. A number is a position, so a new one is
 * appended. Kernels read the columns in operations.h, Go in operations.go.
 *
 *   kind      keys: carried out for each key of a batch; slots: by a kernel that goes over
 *             all slots; host: on the whole table, by the scheme's host side; mixed: a
 *             batch of several operations on keys; family: what a kernel does that carries out
 *             any one operation of the family (those that combine values), named in hz_batch.Op
 *   value     1 if it takes a value for each key; a host operation takes a capacity
 *   answer    what each gives: nothing; the value of its key; a number of pairs; that
 *             number, and apart from it the values of those pairs; or rows: the same, side by
 *             side in the order of the keys, written by the host side with kernels of others
 *   adds      pairs that one brings into the table if its outcome is ok or evicted
 *   removes   pairs that one then takes out: 0, 1, or as many as it answers
 *   outcomes  what may become of it; a reserved key is rejected besides
 *   becomes   what the value of a key that is there becomes: it is kept, or the given one,
 *             or the sum (which wraps), the least or the most of both. An operation that
 *             takes no value gives 1. The last three combine values, and are a family
 *   order     whether it matters in which order several of one batch are carried out on
 *             one key: any will do; the last one's value stays; or it matters
 */
/* clang-format off */
#define HZ_OPS(X)                                                                                                         \
  X(insert,    keys,   1, nothing, 1, 0,      ok|failed,                  kept,  matters, "adds a pair")                  \
  X(find,      keys,   0, value,   0, 0,      ok|missing,                 kept,  any,     "gives the value of a key")     \
  X(update,    keys,   1, nothing, 0, 0,      ok|missing,                 given, last,    "changes the value of a key")   \
  X(erase,     keys,   0, nothing, 0, 1,      ok|missing,                 kept,  any,     "removes one pair of a key")    \
  X(count,     slots,  0, nothing, 0, 0,      ok,                         kept,  any,     "counts the pairs")             \
  X(export,    slots,  0, nothing, 0, 0,      ok,                         kept,  any,     "copies the pairs")             \
  X(upsert,    keys,   1, nothing, 1, 0,      ok|replaced|failed,         given, last,    "updates a key, or adds it")    \
  X(find_all,  keys,   0, values,  0, 0,      ok|missing,                 kept,  any,     "gives all values of a key")    \
  X(erase_all, keys,   0, number,  0, answer, ok|missing,                 kept,  any,     "removes all pairs of a key")   \
  X(mix,       mixed,  1, nothing, 0, 0,      ok|replaced|failed|missing, kept,  matters, "does several on keys at once") \
  X(flush,     host,   0, nothing, 0, 0,      ok,                         kept,  any,     "compacts the table")           \
  X(resize,    host,   1, nothing, 0, 0,      ok,                         kept,  any,     "changes the capacity")         \
  X(add,       keys,   1, nothing, 1, 0,      ok|replaced|failed,         sum,   any,     "adds to the value of a key")   \
  X(min,       keys,   1, nothing, 1, 0,      ok|replaced|failed,         least, any,     "keeps a key's least value")    \
  X(max,       keys,   1, nothing, 1, 0,      ok|replaced|failed,         most,  any,     "keeps a key's greatest value") \
  X(tally,     keys,   0, nothing, 1, 0,      ok|replaced|failed,         sum,   any,     "adds 1 to the value of a key") \
  X(combine,   family, 1, nothing, 1, 0,      ok|replaced|failed,         kept,  any,     "one of add, min, max, tally")  \
  X(retrieve,  keys,   0, rows,    0, 0,      ok|missing,                 kept,  any,     "gives the pairs of each key")  \
  X(put,       keys,   1, nothing, 1, 0,      ok|replaced|failed|evicted, given, last,    "upserts, for which others go") \
  X(get,       keys,   0, value,   0, 0,      ok|missing,                 kept,  any,     "finds a key and keeps it")
/* clang-format on */

/* What became of an operation. none: it did not take part. replaced: an upsert of
 * a key that was there, or a value that was combined with another. evicted: a put took the
 * place of another pair, which left the table. */
#define HZ_OUTCOMES(X) \
  X(none)              \
  X(ok)                \
  X(failed)            \
  X(missing)           \
  X(rejected)          \
  X(replaced)          \
  X(evicted)

/* Those up to evicted are kept by every kernel, the rest by instrumented ones only. */
#define HZ_COUNTERS(X)                                                  \
  X(ok, "operations that did what was asked")                           \
  X(failed, "inserts that found no room, and puts that were refused")   \
  X(missing, "finds, updates and erases of keys that are not there")    \
  X(rejected, "operations on a reserved key, never carried out")        \
  X(pairs, "pairs that left the table: left over, or exported")         \
  X(replaced, "upserts and combined values of keys that were there")    \
  X(added, "pairs that operations brought into the table")              \
  X(removed, "pairs that operations took out of it")                    \
  X(found, "values that find_all or retrieve gave")                     \
  X(evicted, "pairs that left the table for others that were put")      \
  X(probes, "reads of a bucket, whatever its size")                     \
  X(sectors, "32-byte sectors of the table touched")                    \
  X(evictions, "pairs moved out of the way")                            \
  X(failed_cas, "compare-and-swaps lost to another tile")               \
  X(lanes_active, "lanes with work, of those issued")                   \
  X(lanes_issued, "lanes issued, counted 32 wide")                      \
  X(allocations, "memory units allocated on the device")                \
  X(table_reads, "reads of the table, past what tells where to look")   \
  X(table_writes, "writes of the table, past what tells where to look") \
  X(combined, "operations combined before they reached the table")      \
  HZ_LENGTHS(X)

/* Operations by how many probes they took. Host sides that carry operations out again
 * count them again. */
#define HZ_LENGTHS(X)                                 \
  X(probes_1, "operations that took 1 probe or none") \
  X(probes_2, "operations that took 2")               \
  X(probes_3, "operations that took 3")               \
  X(probes_4, "operations that took 4")               \
  X(probes_5_8, "operations that took 5 to 8")        \
  X(probes_9_16, "operations that took 9 to 16")      \
  X(probes_17, "operations that took 17 or more")

/* Steps of an instrumented kernel, which the host build reports to an observer, if its
 * thread has one. Each is reported after it was carried out; memory is as it left it.
 *
 *   who    what the observer was set with
 *   at     where the memory is that was touched, and how much of it; 0: none
 *   key    of the pair in hand, of which the kernel looks for a place; for visit only
 *   place  number of the place that the walk is at, and how many it left; for visit only
 */
#define HZ_EVENTS(X)                                                  \
  X(visit, "a walk comes to a place")                                 \
  X(read, "memory is read")                                           \
  X(touch, "memory is read, written or changed by an atomic")         \
  X(swap, "a compare-and-swap succeeded, or a lock was taken")        \
  X(lost, "a compare-and-swap failed, or a lock was held by another") \
  X(evict, "a pair was taken out of its place, and is in hand")       \
  X(allocate, "a unit of memory was allocated")                       \
  X(stepped, "the walk's step ends")                                  \
  X(verb, "tiles of a warp do something together")                    \
  X(idle, "a step of an idle tile ends")                              \
  X(spoilt, "an idle tile changes memory")

/* The verbs of tiles in step (tile.h). An observer that is set with who | HZ_COMPARES gets them: key is the verb, place
 * the answer of one that tiles may branch on, and step is 1 for an idle tile. Before every step of a walk, an idle tile
 * takes it. */
#define HZ_COMPARES (1ull << 63)
/* clang-format off */
#define HZ_VERBS(X)                                                                                             \
  X(ballot) X(ballot_of) X(done_by) X(ballot_equal) X(ballot_key) X(ballot_key_from) X(pick) X(pick_of)         \
  X(gather) X(peers) X(upto) X(largest) X(total) X(before) X(cas) X(exchange) X(exchange_if) X(branch) X(any)   \
  X(read) X(acquire) X(publish) X(lock_of) X(unlock_of) X(fetch_add) X(sync)
/* clang-format on */

typedef void (*hz_observer)(uint64_t who, uint32_t event, uint64_t at, uint64_t bytes, uint64_t key, uint32_t place,
                            uint32_t step);
