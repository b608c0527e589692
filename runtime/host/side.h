// side.h: the calls between Go and host sides.
#include <stdlib.h>

#include "library.h"

int hz_run(const hz_host* host, hz_operation* call);
int hz_size(const hz_host* host, hz_sizing* sizing);
double hz_max_load(const hz_host* host, const int64_t* param);
