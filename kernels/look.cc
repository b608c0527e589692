// The kernels that look at tables of several schemes: arrays of slots, boards of tickets.
#include "look.h"

#include "kernel.h"
#include "tickets_look.h"

HZ_KERNEL(hz_look_buckets, hz::look_buckets)
HZ_PAIR4(HZ_KERNEL(hz_look_tickets, hz::look_tickets))
