// The kernels of FKS-cuckoo: bucket sizes are read from the table block.
#include "fks.h"

#include "kernel.h"

HZ_ARGS("fks", "bucket reg_load full max_chain rehashes reserve")

HZ_OWN_OP(renew)
HZ_OWN_OP(widen)
HZ_OWN_OP(transfer)
HZ_OWN_OP(survey)

HZ_KERNELS(fks, hz::Fks, insert, find, update, erase, mix, count, export, renew, widen, transfer, survey)
