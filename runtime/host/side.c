#include "side.h"

#include "_cgo_export.h"

static int ask(uint64_t who, hz_operation* call, hz_ask* a) { return hz_answer(who, call, a); }

int hz_run(const hz_host* host, hz_operation* call) {
  call->ask = ask;
  return host->run(call);
}
int hz_size(const hz_host* host, hz_sizing* sizing) { return host->size(sizing); }
double hz_max_load(const hz_host* host, const int64_t* param) { return host->max_load(param); }
void hz_arguments(const hz_host* host, const int64_t* param, const hz_layout* layout, uint64_t* arg) {
  host->arguments(param, layout, arg);
}
int hz_fits(const hz_host* host, const char* gauge, hz_sizing* sizing) { return host->fits(gauge, sizing); }
