// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.

// Package zoo links the schemes that ship, their host sides and their kernels for GPUs, into a program.
package zoo

// #cgo CXXFLAGS: -I${SRCDIR}/../../kernels -std=c++20 -O1 -Wall -Wextra -Werror
// #cgo !asan CXXFLAGS: -g0
import "C"

// The packages kernels and schemes embed the headers that hosts.cc includes: importing them has it compiled again when
// one changes.
import (
	_ "github.com/hashzoo/hashzoo/kernels"
	_ "github.com/hashzoo/hashzoo/kernels/ptx"
	_ "github.com/hashzoo/hashzoo/runtime/compile" // compiles kernels when they are asked for
	"github.com/hashzoo/hashzoo/runtime/manifest"
	_ "github.com/hashzoo/hashzoo/schemes"
	_ "github.com/hashzoo/hashzoo/schemes/1cht"
	_ "github.com/hashzoo/hashzoo/schemes/assoc"
	_ "github.com/hashzoo/hashzoo/schemes/bcht"
	_ "github.com/hashzoo/hashzoo/schemes/bp2ht"
	_ "github.com/hashzoo/hashzoo/schemes/chained"
	_ "github.com/hashzoo/hashzoo/schemes/clstash"
	_ "github.com/hashzoo/hashzoo/schemes/csr"
	_ "github.com/hashzoo/hashzoo/schemes/double"
	_ "github.com/hashzoo/hashzoo/schemes/dycuckoo"
	_ "github.com/hashzoo/hashzoo/schemes/fks"
	_ "github.com/hashzoo/hashzoo/schemes/gomap"
	_ "github.com/hashzoo/hashzoo/schemes/iht"
	_ "github.com/hashzoo/hashzoo/schemes/linear"
	_ "github.com/hashzoo/hashzoo/schemes/megakv"
	_ "github.com/hashzoo/hashzoo/schemes/sieve"
	_ "github.com/hashzoo/hashzoo/schemes/slab"
	_ "github.com/hashzoo/hashzoo/schemes/stash"
)

func init() { manifest.Ship() }
