package kernels

// #include "host.h"
import "C"

// Compiler returns the name of the compiler of the host build.
func Compiler() string { return C.GoString(C.hz_compiler) }
