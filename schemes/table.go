package schemes

import (
	"errors"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// Batch is one operation on N keys, ready in device memory.
type Batch struct {
	Op    string
	N     uint64
	Block kernels.Batch
}

// Counts are what the kernels counted, by the indices of kernels.Counters.
type Counts []uint64

// Get returns a count by its name.
func (c Counts) Get(name string) uint64 { return c[slices.Index(kernels.Counters, name)] }

// Set overwrites a count.
func (c Counts) Set(name string, n uint64) { c[slices.Index(kernels.Counters, name)] = n }

// Add adds the counts of further work.
func (c Counts) Add(more Counts) {
	for i, n := range more {
		c[i] += n
	}
}

// Named returns all outcomes, and of the rest what was counted.
func (c Counts) Named() map[string]uint64 {
	named := map[string]uint64{}
	for i, name := range kernels.Counters {
		if c[i] > 0 || slices.Contains(kernels.Outcomes, name) {
			named[name] = c[i]
		}
	}
	return named
}

// PerOp returns what was counted beyond the outcomes, for each of n operations. How many
// operations took how many probes is no such count: it is a distribution (Lengths).
func (c Counts) PerOp(n uint64) map[string]float64 {
	each := map[string]float64{}
	for i, name := range kernels.Counters {
		if c[i] > 0 && !slices.Contains(kernels.Outcomes, name) && !slices.Contains(kernels.Lengths, name) {
			each[name] = float64(c[i]) / float64(max(n, 1))
		}
	}
	return each
}

// Result is what became of a batch. The pairs that it left over are in the pair
// arrays of Batch, their number is the count "pairs".
type Result struct {
	Counts Counts
	Batch  Batch
}

// ErrNoMemory is what errors of Alloc, Scratch and TakeOut are (errors.Is) if the device
// has not enough left. The host side then leaves the table as it is, with a note, and
// hands back what found no room.
var ErrNoMemory = errors.New("no memory")

// HostOp carries out a batch of one operation on a table.
type HostOp func(Table, Batch) (Result, error)

// Table is what a scheme's host side may do with a table of its kind. The engine
// implements it.
type Table interface {
	Config() Config
	Pair() Pair
	// Size is the number of pairs in the table before the batch.
	Size() uint64
	// Launch runs one kernel of the scheme, that of the batch's operation, over so many
	// items as it says, waits for it, and returns what it alone counted.
	Launch(Batch) (Result, error)
	// Note says in the sample that something out of the ordinary happened.
	Note(event string)

	// TakeOut returns all pairs, those in the table and those that a result left
	// over, as an insert batch. They also stay in the table.
	TakeOut(Result) (Batch, error)
	// Reseed empties the table and draws other hash functions for it.
	Reseed() error

	// Layout is what the table is made of at present, and SetLayout says what it is
	// after it was resized: its capacity and the range of its hash functions.
	Layout() Layout
	SetLayout(Layout)
	// Block is the table block as the kernels see it, and SetBlock changes it.
	Block() kernels.Table
	SetBlock(kernels.Table)
	// Alloc takes memory for the table, which is a part of it until it is released;
	// AllocRegion takes a region's, on the host if the table lies there. Scratch takes
	// memory until the batch is done.
	Alloc(bytes int64, fill byte) (device.Addr, error)
	AllocRegion(Region) (device.Addr, error)
	Release(device.Addr) error
	Scratch(bytes int64, fill byte) (device.Addr, error)
	Set(at device.Addr, fill byte, bytes int64) error
	Write(at device.Addr, from []byte) error
	Read(to []byte, from device.Addr) error

	// Look launches a kernel that looks at the table over so many items, and returns its
	// bins (kernels/look.h). Gauges are made of it.
	Look(kernel string, items uint64, where kernels.Look) (bins []uint64, err error)
}
