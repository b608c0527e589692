#!/bin/sh
# Makes abi_generated.go from abi.h. Run by `go generate ./kernels`.
set -eu
cd "$(dirname "$0")"
go tool cgo -godefs abi_defs.go | gofmt > abi_generated.go.new
mv abi_generated.go.new abi_generated.go
rm -rf _obj _cgo_*.o
