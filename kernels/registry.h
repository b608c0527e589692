// registry.h: the contents of a library. Constructors list its kernels and arguments before main, or while a plugin is
// loaded, in no particular order.
#pragma once

#include "library.h"

namespace hz {

struct Kernel : hz_kernel {
  static inline const Kernel* list = nullptr;
  Kernel(const char* name, hz_body body) : hz_kernel{name, body, list} { list = this; }
};

// Args holds the names of a scheme's run-time parameters, in the order of hz_table.Arg. A test compares them with the
// declaration.
struct Args : hz_args {
  static inline const Args* list = nullptr;
  Args(const char* scheme, const char* names) : hz_args{scheme, names, list} { list = this; }
};

}  // namespace hz

#define HZ_ARGS(scheme, names) static hz::Args args_of_scheme(scheme, names);
#define HZ_PLUGIN                                                                                           \
  extern "C" __attribute__((visibility("default"))) const hz_library* hz_plugin() { return hz::library(); }
