/* guard.h: says which kernel crashed, and which block of memory it left. */
#pragma once

#include <stdint.h>

/* Installs a handler that writes a line about a crashing kernel to standard error and ends
 * the process. Faults outside kernels go to the handler before it. */
void guard_catch_faults(void);

/* Sets what the line begins with. */
void guard_prefix(const char *prefix);

/* Adds a block of memory [start, end) inside a mapping [low, high) whose first and last page
 * are inaccessible; guard_remove forgets it. Blocks past a limit are not remembered. */
void guard_add(uintptr_t low, uintptr_t high, uintptr_t start, uintptr_t end);
void guard_remove(uintptr_t low);
