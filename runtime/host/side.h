// side.h: the calls between Go and host sides.
#include <stdlib.h>

#include "library.h"

int hz_run(const hz_host* host, hz_operation* call);
int hz_size(const hz_host* host, hz_sizing* sizing);
double hz_max_load(const hz_host* host, const int64_t* param);
void hz_arguments(const hz_host* host, const int64_t* param, const hz_layout* layout, uint64_t* arg);
int hz_fits(const hz_host* host, const char* gauge, hz_sizing* sizing);
