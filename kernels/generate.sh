#!/bin/sh
# Makes abi_generated.go from abi.h. Run by `go generate ./kernels`.
set -eu
cd "$(dirname "$0")"
# cgo drops comments, so the one on the types is copied.
about=$(grep -h '^// The blocks that' abi_defs.go)
go tool cgo -godefs abi_defs.go | gofmt | sed "s|^type (|$about\n&|" > abi_generated.go.new
mv abi_generated.go.new abi_generated.go
rm -rf _obj _cgo_*.o
