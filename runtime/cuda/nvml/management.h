// management.h: the part of NVIDIA's management library that tells what a GPU does. It is opened at
// run time, so nothing links to it.
#pragma once

// A GPU, and the functions that tell its state; NULL: the library lacks that one.
struct hz_nvml {
  void *device;
  int (*clock)(void *device, int domain, unsigned *mhz);
  int (*temperature)(void *device, int sensor, unsigned *celsius);
  int (*power)(void *device, unsigned *milliwatts);
  int (*throttled)(void *device, unsigned long long *reasons);
};

// Numbers are -1 if the GPU does not tell them.
struct hz_nvml_state {
  long long sm_mhz, memory_mhz, celsius, milliwatts, reasons;
};

// hz_nvml_open finds the GPU at a PCI address such as 00000000:3b:00.0. It returns 0 if there
// is no such library, or it does not know that GPU.
int hz_nvml_open(const char *library, const char *address, struct hz_nvml *gpu);

struct hz_nvml_state hz_nvml_read(const struct hz_nvml *gpu);
