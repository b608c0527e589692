// Package schemes is the registry of hash-table schemes: their names, parameters, capabilities and memory requirements.
//
// A scheme is a folder, schemes/<name>/, declared by its scheme.toml, which package manifest reads. Everything else
// (command line, help, engine, checks, scripts) reads the registry; no other code names a scheme.
package schemes

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
)

//go:generate go run ../tools/schemes

// Scheme is the declaration of a hash-table scheme.
type Scheme struct {
	Name  string // the name that users write
	Title string // one line
	About string // a short paragraph: strengths and weaknesses
	Paper string // the publication

	// Reference says that a library's table is behind the scheme, to compare with. It runs on CPUs, or on GPUs
	// alone, counts no accesses, grows by itself, and takes part only where it is named.
	Reference, OnGPU bool

	Params []Param
	Caps   Capabilities
	Hashes uint32 // number of hash functions if no parameter sets it; 0 means 1
	// Lists of settings, param=value,... (Config.Matches). With those of Without, the scheme lacks an operation, or, of mix,
	// none may share a batch; with those of Moves, pairs of an otherwise stable scheme move; Excluded are not compiled.
	Without         map[string][]string
	Moves, Excluded []string

	// Size returns the memory that a table needs. It checks constraints that involve several parameters.
	Size func(Config, Shape) (Layout, error)
	// Arguments replaces values of Table.Arg that stand for others, given the table's size; nil if there are none.
	Arguments func(Config, Layout, []uint64)
	// MaxLoad returns the highest load factor that nearly all tables of a configuration reach.
	MaxLoad func(Config) float64
	// Host holds the operations that take more than one launch of their kernel: all
	// operations on whole tables, and batches that may have to make room.
	Host map[string]HostOp
	// Kernels lists the kernels that only the host side launches.
	Kernels []string
	// Setup prepares a table whose initial contents are not plain fills; nil if there is nothing to do.
	Setup func(Table) error
	// Drop undoes Setup where that takes something outside of the table's regions, and Outside returns how many bytes
	// the table has there; nil if there is nothing.
	Drop    func(Table) error
	Outside func(Table) (int64, error)

	// Rows returns the buckets as vectors show them (docs/checking.md); nil means that the
	// region called slots is divided into equal buckets.
	Rows func(Table) ([]Row, error)

	Gauges []Gauge // quantities worth watching in a table

	Expected []Figure // figures that hashzoo check compares with
	Fills    []Fill
	Vectors  string // its effects on the slots of tiny tables (docs/checking.md)

	Files    fs.FS   // of its folder
	Plugin   *Plugin // the origin of a loaded scheme; nil if it was compiled in
	Manifest any     // what declared it: manifest.Of
}

// Processors names what the scheme runs on.
func (s *Scheme) Processors() string {
	switch {
	case !s.Reference:
		return "CPUs and GPUs"
	case s.OnGPU:
		return "GPUs"
	}
	return "CPUs"
}

// Plugin is the origin of a loaded scheme.
type Plugin struct {
	Name     string `json:"name" doc:"the scheme"`
	Hash     string `json:"hash" doc:"digest of all that was loaded"`
	Compiler string `json:"compiler" doc:"what compiled it"`
	Folder   string `json:"folder" doc:"where it was loaded from"`
}

// Capabilities are what a scheme can do. Other operations are refused by name; nothing is emulated.
type Capabilities struct {
	Ops        []string // names from kernels.Ops
	Concurrent []string // operations that may share a batch; all others run in separate phases
	Pairs      []Pair   // key and value widths
	PairsWhy   string   // why it has no others, if there is a reason
	Stable     bool     // pairs never move
	HostMemory bool     // the table may be in host memory
	Duplicates bool     // a key may be inserted more than once
}

// Has reports whether the scheme has an operation.
func (c Capabilities) Has(op string) bool { return slices.Contains(c.Ops, op) }

// Except returns a list without some operations.
func Except(ops, without []string) []string {
	return slices.DeleteFunc(slices.Clone(ops), func(op string) bool { return slices.Contains(without, op) })
}

// TableOps are the operations on whole tables.
var TableOps = kernels.OpsOf(kernels.OnTable)

// MixOp is the kernel that carries out a batch of the Concurrent operations.
const MixOp = "mix"

// PluginHash returns the digest of the scheme's plugin, empty if it was compiled in.
func (s *Scheme) PluginHash() string { return cmp.Or(s.Plugin, &Plugin{}).Hash }

// Lack is the error of requesting something a scheme does not support: an operation, a
// pair width, a table shape. Commands that run all schemes skip those that return it.
type Lack struct {
	What string // what is missing and why ("it has no ..."), for a line that names the scheme itself
	Text string // the whole error, with a hint
}

// Error names the scheme, what it lacks, and what it has instead.
func (e *Lack) Error() string { return e.Text }

// Lacking returns the Lack within an error, or nil.
func Lacking(err error) (lack *Lack) {
	errors.As(err, &lack)
	return lack
}
