#include "nccl.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { INT8 = 0 };  // ncclDataType_t

const char *hz_nccl_open(const char *library, struct hz_nccl *nccl) {
  static _Thread_local char why[256];
  void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (lib == NULL) {
    snprintf(why, sizeof why, "%s", dlerror());
    return why;
  }
  const struct {
    const char *name;
    void *at;
  } functions[] = {
      {"ncclGetVersion", &nccl->version}, {"ncclGetUniqueId", &nccl->id}, {"ncclCommInitRank", &nccl->join},
      {"ncclSend", &nccl->send},          {"ncclRecv", &nccl->receive},   {"ncclGroupStart", &nccl->start},
      {"ncclGroupEnd", &nccl->end},       {"ncclCommAbort", &nccl->abort}, {"ncclGetErrorString", &nccl->text},
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *found = dlsym(lib, functions[i].name);
    if (found == NULL) {
      snprintf(why, sizeof why, "%s has no %s", library, functions[i].name);
      return why;
    }
    memcpy(functions[i].at, &found, sizeof found);
  }
  return NULL;
}

int hz_nccl_version(const struct hz_nccl *nccl) {
  int version = 0;
  return nccl->version(&version) == 0 ? version : 0;
}

int hz_nccl_id(const struct hz_nccl *nccl, char *id) {
  struct hz_nccl_id made;
  int error = nccl->id(&made);
  if (error == 0) memcpy(id, made.bytes, HZ_NCCL_ID);
  return error;
}

int hz_nccl_join(const struct hz_nccl *nccl, void **comm, int ranks, const char *id, int rank) {
  struct hz_nccl_id by_value;
  memcpy(by_value.bytes, id, HZ_NCCL_ID);
  return nccl->join(comm, ranks, by_value, rank);
}

int hz_nccl_move(const struct hz_nccl *nccl, int send, unsigned long long at, unsigned long long bytes, int peer, void *comm,
                 unsigned long long stream) {
  void *memory = (void *)(uintptr_t)at, *on = (void *)(uintptr_t)stream;
  if (send) return nccl->send(memory, bytes, INT8, peer, comm, on);
  return nccl->receive(memory, bytes, INT8, peer, comm, on);
}

int hz_nccl_start(const struct hz_nccl *nccl) { return nccl->start(); }
int hz_nccl_end(const struct hz_nccl *nccl) { return nccl->end(); }
int hz_nccl_abort(const struct hz_nccl *nccl, void *comm) { return nccl->abort(comm); }
const char *hz_nccl_text(const struct hz_nccl *nccl, int error) { return nccl->text(error); }
