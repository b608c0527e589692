// Package host shows tables of the scheme slab (slab.h).
package host

import (
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

var header = schemes.ReadConstants(schemes.Folders, "slab/alloc.h")

var (
	slabBytes  = header.Of("kSlabBytes")
	blockUnits = header.Of("kUnits")      // units per memory block
	superUnits = header.Of("kSuperUnits") // the maximum number of units per super block
)

// The regions of the table block, and the arguments in Table.Arg.
var (
	regionBase      = header.Of("kSlabs")
	regionState     = header.Of("kDirectory")
	regionBitmaps   = header.Of("kBitmaps")
	argFirstUnits   = header.Of("kFirstUnits")
	argFurtherUnits = header.Of("kFurtherUnits")
	argSupers       = header.Of("kSuperBlocks")
)

// placesOf returns how many pairs a slab would hold without its pointer, itemsOf how many it holds.
func placesOf(p schemes.Pair) uint64 { return slabBytes / uint64(p.Bytes()) }
func itemsOf(p schemes.Pair) uint64  { return placesOf(p) - 8/uint64(p.Bytes()) }

// blocksOf returns how many memory blocks `units` units are.
func blocksOf(units uint64) uint64 { return (units + blockUnits - 1) / blockUnits }

// Functions are what scheme.toml names and cannot express.
var Functions = manifest.Functions{Rows: rows, Gauges: gauges}

func isLight(c schemes.Config) bool { return c.Get("alloc") == 0 }
