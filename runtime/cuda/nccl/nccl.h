// nccl.h: the part of NVIDIA's library for communication that copies between the GPUs of several processes. It is
// opened at run time, so nothing links to it.
#ifndef HZ_NCCL_H
#define HZ_NCCL_H

#include <stddef.h>

enum { HZ_NCCL_ID = 128 };

struct hz_nccl_id {
  char bytes[HZ_NCCL_ID];
};

struct hz_nccl {
  int (*version)(int *version);
  int (*id)(struct hz_nccl_id *id);
  int (*join)(void **comm, int ranks, struct hz_nccl_id id, int rank);
  int (*send)(const void *at, size_t count, int type, int peer, void *comm, void *stream);
  int (*receive)(void *at, size_t count, int type, int peer, void *comm, void *stream);
  int (*start)(void);
  int (*end)(void);
  int (*abort)(void *comm);
  const char *(*text)(int error);
};

// hz_nccl_open fills in the functions of a library. It returns why it cannot, or NULL.
const char *hz_nccl_open(const char *library, struct hz_nccl *nccl);

int hz_nccl_version(const struct hz_nccl *nccl);
int hz_nccl_id(const struct hz_nccl *nccl, char *id);
int hz_nccl_join(const struct hz_nccl *nccl, void **comm, int ranks, const char *id, int rank);

// hz_nccl_move sends or receives bytes on a stream, in a group.
int hz_nccl_move(const struct hz_nccl *nccl, int send, unsigned long long at, unsigned long long bytes, int peer, void *comm,
                 unsigned long long stream);
int hz_nccl_start(const struct hz_nccl *nccl);
int hz_nccl_end(const struct hz_nccl *nccl);
int hz_nccl_abort(const struct hz_nccl *nccl, void *comm);
const char *hz_nccl_text(const struct hz_nccl *nccl, int error);

#endif
