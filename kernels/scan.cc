// The kernels that find places for items of different sizes.
#include "scan.h"

#include "kernel.h"

HZ_KERNEL(hz_scan_sums, hz::scan_sums)
HZ_KERNEL(hz_scan_places, hz::scan_places)
HZ_KERNEL(hz_matches, hz::write_matches)
