// The variant of 1CHT that is compiled.
#include "1cht.h"

#include "kernel.h"

HZ_ARGS("1cht", "max_chain")
HZ_KERNELS(1cht, hz::OneCht, insert, find, update, erase, count, export)
