package kernels

// #include "host.h"
import "C"

// Compiler names the compiler of the host build.
func Compiler() string { return C.GoString(C.hz_compiler) }
