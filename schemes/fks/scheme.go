// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.

// Package fks has the kernels of the scheme fks: FKS-cuckoo, two levels.
package fks

// #cgo CXXFLAGS: -I${SRCDIR}/../../kernels -std=c++20 -O3 -fno-exceptions -fno-rtti -Wall -Wextra -Werror
// #cgo !asan CXXFLAGS: -g0
// #cgo amd64 CXXFLAGS: -march=x86-64-v3
// #cgo arm64 CXXFLAGS: -march=armv8.1-a
// #cgo LDFLAGS: -lstdc++
import "C"

import (
	"embed"

	_ "github.com/hashzoo/hashzoo/kernels"
)

// Folder has the files that declare the scheme.
//
//go:embed *.h *.toml *.txt
var Folder embed.FS
