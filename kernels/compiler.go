package kernels

/*
#if defined(__clang__)
#define HZ_COMPILER __VERSION__
#else
#define HZ_COMPILER "gcc " __VERSION__
#endif
static const char *hz_compiler(void) { return HZ_COMPILER; }
*/
import "C"

// Compiler names the compiler of the host build.
func Compiler() string { return C.GoString(C.hz_compiler()) }
