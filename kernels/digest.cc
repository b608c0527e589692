// The digest kernel.
#include "digest.h"

#include "kernel.h"

HZ_KERNEL(hz_digest_run, hz::digest)
