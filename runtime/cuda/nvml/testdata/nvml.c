// A management library for tests: one GPU, which is warm and held back. With the macro OLD it
// has neither a temperature nor a memory clock.
#include <stddef.h>
#include <string.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, UNINITIALIZED = 1 };

static int started;
static int gpu;

int nvmlInit_v2(void) { return started = 1, SUCCESS; }

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device) {
  if (!started) return UNINITIALIZED;
  *device = &gpu;
  return strcmp(address, "00000000:3b:00.0") == 0 ? SUCCESS : NOT_FOUND;
}

int nvmlDeviceGetClockInfo(void *device, int domain, unsigned *mhz) {
  if (device != &gpu) return NOT_FOUND;
#ifdef OLD
  if (domain == 2) return *mhz = 7, NOT_SUPPORTED;
#endif
  *mhz = domain == 1 ? 1980 : domain == 2 ? 3201 : 1;
  return SUCCESS;
}

#ifndef OLD
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius) {
  if (device != &gpu) return NOT_FOUND;
  return *celsius = sensor == 0 ? 61 : 1, SUCCESS;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts) {
  if (device != &gpu) return NOT_FOUND;
  return *milliwatts = 352500, SUCCESS;
}

int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *reasons) {
  if (device != &gpu) return NOT_FOUND;
  return *reasons = 0x1 | 0x4 | 0x40 | 0x400, SUCCESS;
}
#endif
