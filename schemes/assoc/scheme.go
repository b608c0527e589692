// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.

// Package scheme has the kernels of the scheme assoc: set-associative cache.
package scheme

// #cgo CXXFLAGS: -I${SRCDIR}/../../kernels -std=c++20 -O3 -fno-exceptions -fno-rtti -Wall -Wextra -Werror
// #cgo !asan CXXFLAGS: -g0
// #cgo amd64 CXXFLAGS: -march=x86-64-v3
// #cgo arm64 CXXFLAGS: -march=armv8.1-a
import "C"

import _ "github.com/hashzoo/hashzoo/kernels"
