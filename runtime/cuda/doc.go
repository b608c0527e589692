// Package cuda is the GPU backend: it runs the kernels' PTX through gorgonia.org/cu.
//
// The backend needs the build tag cuda and the CUDA headers (`make` provides both). Without the tag the package reports
// what is missing. With the tag, the program still starts on a machine without a driver: see stubs.c.
package cuda
