package schemes

import (
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
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

// PerOp returns what was counted beyond the outcomes, for each of n operations.
func (c Counts) PerOp(n uint64) map[string]float64 {
	each := map[string]float64{}
	for i, name := range kernels.Counters {
		if c[i] > 0 && !slices.Contains(kernels.Outcomes, name) {
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

// Table is what a scheme's host side may do with a table of its kind while it
// carries out a batch that one launch cannot. The engine implements it, and gives
// back all memory taken on the way when the batch is done.
type Table interface {
	Config() Config
	// Launch runs one operation of the scheme, waits for it, and returns what it
	// alone counted.
	Launch(Batch) (Result, error)
	// TakeOut returns all pairs, those in the table and those that a result left
	// over, as an insert batch. They also stay in the table.
	TakeOut(Result) (Batch, error)
	// Reseed empties the table and draws other hash functions for it.
	Reseed() error
	// Note says in the sample that something out of the ordinary happened.
	Note(event string)
}
