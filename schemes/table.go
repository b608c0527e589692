package schemes

import (
	"errors"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// Batch is one operation on N keys, in device memory.
type Batch struct {
	Op    string
	N     uint64
	Block kernels.Batch
	As    *kernels.Table // the table block of this launch, if not the table's own
	Moved bool           // its keys are copies of those of the batch that is carried out
	Keyed bool           // of one of the scheme's own kernels: it carries out an operation for each key
}

// Rest returns a batch without its first n operations.
func (b Batch) Rest(p Pair, n uint64) Batch {
	b.N -= n
	Advance(&b.Block.Keys, n*uint64(p.Key))
	Advance(&b.Block.Values, n*uint64(p.Value))
	Advance(&b.Block.Ops, n)
	Advance(&b.Block.Status, n)
	Advance(&b.Block.Out, n*uint64(p.AnswerBytes()))
	return b
}

// Advance adds to an address, if one is given.
func Advance(address *uint64, by uint64) {
	if *address != 0 {
		*address += by
	}
}

// Counts are the kernels' counters, indexed like kernels.Counters.
type Counts []uint64

// NewCounts returns counters at zero.
func NewCounts() Counts { return make(Counts, len(kernels.Counters)) }

// Get returns a counter by its name.
func (c Counts) Get(name string) uint64 { return c[slices.Index(kernels.Counters, name)] }

// Set overwrites a counter.
func (c Counts) Set(name string, n uint64) { c[slices.Index(kernels.Counters, name)] = n }

// Add adds the counters of further work.
func (c Counts) Add(more Counts) {
	for i, n := range more {
		c[i] += n
	}
}

// Gained returns by how many pairs a table has grown; it may have wrapped around.
func (c Counts) Gained() uint64 {
	return c.Get("added") + c.Get("failed") + c.Get("evicted") - c.Get("pairs") - c.Get("removed")
}

// SetWork replaces the counters of work, which begin with the probes.
func (c Counts) SetWork(work Counts) {
	first := slices.Index(kernels.Counters, "probes")
	copy(c[first:], work[first:])
}

// Named returns all outcomes, and those of the other counters that are not zero.
func (c Counts) Named() map[string]uint64 {
	named := map[string]uint64{}
	for i, name := range kernels.Counters {
		if c[i] > 0 || slices.Contains(kernels.Outcomes, name) {
			named[name] = c[i]
		}
	}
	return named
}

// PerOp returns the counters other than outcomes, divided by the number of operations.
// The probe lengths are left out: they are a distribution (Lengths).
func (c Counts) PerOp(n uint64) map[string]float64 {
	each := map[string]float64{}
	for i, name := range kernels.Counters {
		if c[i] > 0 && !slices.Contains(kernels.Outcomes, name) && !slices.Contains(kernels.Lengths, name) {
			each[name] = float64(c[i]) / float64(max(n, 1))
		}
	}
	return each
}

// Result is the outcome of a batch. The pairs left over are in the pair arrays of Batch;
// their number is the counter "pairs".
type Result struct {
	Counts Counts
	Batch  Batch
	At     string // where the author of a host side has launched last
}

// ErrNoMemory is wrapped by errors of AllocRegion and Scratch if the device has too little memory. The
// host side then leaves the table as it is, adds a note, and hands back what found no room.
var ErrNoMemory = errors.New("no memory")

// NoMemory is an error that counts as ErrNoMemory, also of a table that would exceed its maximum size.
type NoMemory struct{ Err error }

func (e NoMemory) Error() string        { return e.Err.Error() }
func (e NoMemory) Unwrap() error        { return e.Err }
func (e NoMemory) Is(target error) bool { return target == ErrNoMemory }

// HostOp carries out a batch of one operation on a table.
type HostOp func(Table, Batch) (Result, error)

// Table is what a scheme's host side can do with a table. The engine implements it.
type Table interface {
	Config() Config
	Pair() Pair
	// Size returns the number of pairs in the table before the batch.
	Size() uint64
	// Launch runs the kernel of the batch's operation over its items, waits for it, and returns its counters.
	Launch(Batch) (Result, error)
	// Own launches a kernel that all schemes share (kernels/scan.h) on its block, over n items.
	Own(kernel string, block []byte, n uint64) error
	// Bulk is the hz_bulk_on of kernels/abi.h: nowhere if launches have a size, are instrumented, or reach host memory.
	Bulk() int
	// Note adds an unusual event to the sample.
	Note(event string)

	// Reseed empties the table and draws other hash functions for it.
	Reseed() error

	// Layout returns the table's current layout. SetLayout replaces it after a resize:
	// its capacity and the range of its hash functions.
	Layout() Layout
	SetLayout(Layout)
	// Block returns the table block as the kernels see it; SetBlock changes it.
	Block() kernels.Table
	SetBlock(kernels.Table)
	// AllocRegion allocates memory that belongs to the table until it is released, on the host if the table is there.
	// Scratch allocates memory until the batch is done, whatever is in it.
	AllocRegion(Region) (device.Addr, error)
	Release(device.Addr) error
	Scratch(bytes int64) (device.Addr, error)
	Set(at device.Addr, fill byte, bytes int64) error
	Write(at device.Addr, from []byte) error
	Read(to []byte, from device.Addr) error

	// Look launches a kernel that looks at the table over `items` items, and returns its
	// bins (kernels/look.h). Gauges are made of it.
	Look(kernel string, items uint64, where kernels.Look) (bins []uint64, err error)
}
