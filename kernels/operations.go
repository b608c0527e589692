package kernels

/*
#include "library.h"
*/
import "C"

import (
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Operation is a row of HZ_OPS in abi.h, which describes the columns.
type Operation struct {
	Name     string
	Kind     Kind
	Value    bool // it takes a value for each key; an OnTable operation takes a capacity
	Answer   Answer
	Adds     bool // one that is ok, or evicted another pair, brings a pair in
	Removes  Removal
	Outcomes []string // what may become of one whose key is not reserved
	Becomes  Change   // what the value of a key that is there becomes
	Order    Order
	Help     string
}

// The words in the columns of HZ_OPS.
type (
	Kind    string // what an operation is carried out on
	Answer  string // what it gives besides its outcome
	Removal string // how many pairs an ok operation takes out of the table
	Change  string // what becomes of the value of a key that is there, and of the one that is given
	Order   string // what depends on the order in which several of a batch are carried out on one key
)

// The values of those columns.
const (
	OnKeys  Kind = "keys"   // each key of a batch
	OnSlots Kind = "slots"  // all slots, by a kernel of its own
	OnTable Kind = "host"   // the whole table, by the scheme's host side
	Mixed   Kind = "mixed"  // the keys of a batch whose operations differ
	Family  Kind = "family" // not an operation: the kernel of those that combine values

	NoAnswer Answer = "nothing"
	OneValue Answer = "value"  // the value of its key
	Number   Answer = "number" // how many pairs
	Values   Answer = "values" // how many pairs, and apart from it their values
	Rows     Answer = "rows"   // the same, side by side in the order of the keys

	RemovesNone     Removal = "0"
	RemovesOne      Removal = "1"
	RemovesAnswered Removal = "answer" // as many as it answers

	Keeps  Change = "kept"
	Gives  Change = "given" // the given one
	Sums   Change = "sum"   // of both, wrapping; an operation that takes no value gives 1
	Lowers Change = "least" // of both
	Raises Change = "most"  // of both

	AnyOrder     Order = "any"     // nothing
	LastStays    Order = "last"    // which value the key has afterwards
	OrderMatters Order = "matters" // what they give, too
)

// Operations are the operations of abi.h, each at the index that is its number, and Ops their names.
var (
	Operations = parseOperations(C.GoString(C.hz_ops))
	Ops        = OpsThat(func(Operation) bool { return true })
)

func parseOperations(lines string) (list []Operation) {
	for line := range strings.Lines(lines) {
		c := strings.Split(strings.TrimSpace(line), "\t")
		list = append(list, Operation{
			Name: c[0], Kind: Kind(c[1]), Value: c[2] == "1", Answer: Answer(c[3]), Adds: c[4] == "1",
			Removes: Removal(c[5]), Outcomes: strings.Split(c[6], "|"), Becomes: Change(c[7]), Order: Order(c[8]), Help: c[9],
		})
	}
	return list
}

// Op returns the operation of that name. The zero Operation stands for one that does not exist.
func Op(name string) Operation {
	if i := OpNumber(name); i >= 0 {
		return Operations[i]
	}
	return Operation{}
}

// OpNumber is the number by which kernels know an operation; -1 if it does not exist.
func OpNumber(name string) int { return slices.Index(Ops, name) }

// OpsThat lists the names of the operations with a property.
func OpsThat(have func(Operation) bool) []string {
	return lists.Map(lists.Filter(Operations, have), func(op Operation) string { return op.Name })
}

// OpsOf lists the names of the operations of some kinds.
func OpsOf(kinds ...Kind) []string {
	return OpsThat(func(op Operation) bool { return slices.Contains(kinds, op.Kind) })
}

// Changes reports whether an operation may change a table.
func (op Operation) Changes() bool {
	return op.Adds || op.Removes != RemovesNone || op.Becomes != Keeps
}

// May reports whether an operation may have an outcome.
func (op Operation) May(outcome string) bool { return slices.Contains(op.Outcomes, outcome) }

// Looks reports whether an operation on keys leaves the table as it is.
func (op Operation) Looks() bool { return !op.Value && !op.Adds && op.Removes == RemovesNone }

// LooksUp reports whether an operation only says whether, and which, pairs of a key are there.
func (op Operation) LooksUp() bool { return op.Looks() && op.May("missing") }

// HandsBack reports whether an operation may leave a pair in no slot.
func (op Operation) HandsBack() bool { return op.May("failed") || op.Evicts() }

// Evicts reports whether an operation may take the place of another pair.
func (op Operation) Evicts() bool { return op.May("evicted") }

// Blind reports whether an operation adds a pair without looking for its key.
func (op Operation) Blind() bool { return op.Adds && !op.May("replaced") }

// Combines reports whether an operation makes one of the value that is there and the one that is given.
func (op Operation) Combines() bool {
	return op.Becomes == Sums || op.Becomes == Lowers || op.Becomes == Raises
}

// Composed reports whether an operation has no kernel: a host side carries it out with those of other operations.
func (op Operation) Composed() bool { return op.Answer == Rows }

// Kernel is the name of what carries an operation out: its own, or that of its family.
func (op Operation) Kernel() string {
	if op.Combines() {
		return OpsOf(Family)[0]
	}
	return op.Name
}

// Combining reports whether a kernel carries out operations that combine values. Rows of one key meet within a block
// of a GPU or a piece of a CPU's worker (partials.h), so these should be large.
func Combining(kernel string) bool {
	return strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(kernel, "_counted"), ahead), "_"+OpsOf(Family)[0])
}

// ahead is at the end of the name of a kernel that goes ahead of another one, on a GPU.
const ahead = "_ahead"

// Ahead is the name of the kernel that may go ahead of another one (ahead.h); there need not be one.
func Ahead(kernel string) string { return kernel + ahead }

// onlyOnGPU reports whether a CPU has no such kernel: one that goes ahead of another, or puts rows into order for it.
func onlyOnGPU(kernel string) bool {
	return strings.HasSuffix(kernel, ahead) || strings.HasPrefix(kernel, "hz_sort_")
}

// Made is what an operation makes of the value that is there and the one that it has. Sums wrap at the largest.
func (op Operation) Made(there, has, largest uint64) uint64 {
	switch op.Becomes {
	case Gives:
		return has
	case Sums:
		return (there + has) & largest
	case Lowers:
		return min(there, has)
	case Raises:
		return max(there, has)
	}
	return there
}

// Counts reports whether an operation answers with a number of pairs.
func (op Operation) Counts() bool { return op.Answer == Number || op.Lists() }

// Lists reports whether an operation gives values apart from its answer.
func (op Operation) Lists() bool { return op.Answer == Values || op.Answer == Rows }

// OnePair reports whether an operation on keys is about one pair of its key, not about all of them.
func (op Operation) OnePair() bool { return op.Kind == OnKeys && !op.Counts() }
