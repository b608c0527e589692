/* layout.h: the memory of a table, as Go and host sides know it. */
#pragma once

#include "abi.h"

/* A piece of memory. */
typedef struct hz_span {
  uint64_t at, bytes;
} hz_span;

/* A region is a piece of a table's memory, and a layout all of it with its dimensions. */
typedef struct hz_region {
  char name[40];
  uint64_t bytes; /* 0: the host side has allocated it since the table was made */
  uint8_t fill;   /* its initial contents */
  uint8_t table;  /* 1: it is in host memory if the table is */
  uint8_t raw;    /* 1: it is not filled, because a kernel writes all of it */
} hz_region;
typedef struct hz_layout {
  uint64_t capacity; /* slots */
  uint64_t buckets;  /* the range of the hash functions */
  uint64_t regions;
  hz_region region[HZ_MAX_REGIONS];
} hz_layout;

/* The block of a table and the layout of its memory. */
typedef struct hz_whole {
  hz_table block;
  hz_layout layout;
} hz_whole;
