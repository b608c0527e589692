// Package cuda is the GPU backend: the kernels' PTX, driven through
// gorgonia.org/cu.
//
// It is compiled with the build tag cuda and the CUDA headers (`make` sees to
// both). Without the tag the package is still there, so that nothing above has
// to care, and says what is missing. With the tag, the program still starts on
// a machine without a driver: stubs.c says how.
package cuda
