#include "management.h"

#include <dlfcn.h>
#include <stddef.h>

enum { SUCCESS = 0 };                  // nvmlReturn_t
enum { CLOCK_SM = 1, CLOCK_MEM = 2 };  // nvmlClockType_t
enum { TEMPERATURE_GPU = 0 };          // nvmlTemperatureSensors_t

int hz_nvml_open(const char *library, const char *address, struct hz_nvml *gpu) {
  void *nvml = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (nvml == NULL) return 0;
  int (*init)(void) = (int (*)(void))dlsym(nvml, "nvmlInit_v2");
  int (*find)(const char *, void **) = (int (*)(const char *, void **))dlsym(nvml, "nvmlDeviceGetHandleByPciBusId_v2");
  if (init == NULL || find == NULL || init() != SUCCESS || find(address, &gpu->device) != SUCCESS) return 0;
  gpu->clock = (int (*)(void *, int, unsigned *))dlsym(nvml, "nvmlDeviceGetClockInfo");
  gpu->temperature = (int (*)(void *, int, unsigned *))dlsym(nvml, "nvmlDeviceGetTemperature");
  gpu->power = (int (*)(void *, unsigned *))dlsym(nvml, "nvmlDeviceGetPowerUsage");
  // Newer drivers have the second name as well.
  gpu->throttled = (int (*)(void *, unsigned long long *))dlsym(nvml, "nvmlDeviceGetCurrentClocksThrottleReasons");
  if (gpu->throttled == NULL)
    gpu->throttled = (int (*)(void *, unsigned long long *))dlsym(nvml, "nvmlDeviceGetCurrentClocksEventReasons");
  return 1;
}

typedef int ask(void *device, int which, unsigned *value);

static long long number(ask *function, void *device, int which) {
  unsigned value = 0;
  return function != NULL && function(device, which, &value) == SUCCESS ? (long long)value : -1;
}

struct hz_nvml_state hz_nvml_read(const struct hz_nvml *gpu) {
  unsigned long long reasons = 0;
  unsigned milliwatts = 0;
  int powered = gpu->power != NULL && gpu->power(gpu->device, &milliwatts) == SUCCESS;
  int told = gpu->throttled != NULL && gpu->throttled(gpu->device, &reasons) == SUCCESS;
  return (struct hz_nvml_state){
      .sm_mhz = number(gpu->clock, gpu->device, CLOCK_SM),
      .memory_mhz = number(gpu->clock, gpu->device, CLOCK_MEM),
      .celsius = number(gpu->temperature, gpu->device, TEMPERATURE_GPU),
      .milliwatts = powered ? (long long)milliwatts : -1,
      .reasons = told ? (long long)reasons : -1,
  };
}
