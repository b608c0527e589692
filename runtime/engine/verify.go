package engine

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// VerifyError says that a table and the oracle disagree.
type VerifyError struct {
	Scheme string
	Reason error
}

// Error says which scheme, and what about it is wrong.
func (e *VerifyError) Error() string {
	return fmt.Sprintf("scheme %s: verification failed: %v", e.Scheme, e.Reason)
}

// Unwrap is what is wrong, without the scheme.
func (e *VerifyError) Unwrap() error { return e.Reason }

func (t *Table) disagree(err error) error {
	if err == nil {
		return nil
	}
	return &VerifyError{t.spec.Config.Name, err}
}

// verify compares what one launch did with the oracle.
func (t *Table) verify(in *Input, done schemes.Result, ops []string) error {
	if kernels.Op(in.Op).Kind == kernels.OnTable {
		return nil // nothing may have changed, which Contents shows
	}
	a, err := t.answers(in, done, ops)
	if err != nil {
		return err
	}
	return t.disagree(t.oracle.apply(ops, a))
}

// answers reads a batch and its results from the device.
func (t *Table) answers(in *Input, done schemes.Result, ops []string) (*answers, error) {
	pair := t.spec.Shape.Pair
	r := reader{dev: t.dev}
	block := done.Batch.Block
	left, found := done.Counts.Get("pairs"), min(done.Counts.Get("found"), block.FoundLimit)
	a := &answers{
		keys:        r.numbers(in.keys, in.N, pair.Key),
		values:      r.values(in.values, in.N, pair),
		out:         r.numbers(in.out, in.N, pair.AnswerBytes()),
		leftKeys:    r.numbers(device.Addr(block.PairKeys), left, pair.Key),
		leftValues:  r.values(device.Addr(block.PairValues), left, pair),
		foundOf:     r.numbers(device.Addr(block.FoundOf), found, 4),
		foundValues: r.values(device.Addr(block.FoundValues), found, pair),
		counts:      done.Counts,
		pair:        pair,
	}
	a.outcomes, a.ops = r.bytes(in.status, in.N), r.bytes(in.ops, in.N)
	if a.ops == nil {
		a.ops = bytes.Repeat([]byte{byte(kernels.OpNumber(ops[0]))}, int(in.N))
		return a, r.err
	}
	part := selected(ops)
	for i, op := range a.ops {
		if part>>op&1 == 0 {
			a.outcomes[i] = notAsked
		}
	}
	return a, r.err
}

// outcomeName is the outcome of that number, and opName the operation, if there is one.
func outcomeName(number byte) string { return named(kernels.Outcomes, number) }
func opName(number byte) string      { return named(kernels.Ops, number) }

func named(list []string, number byte) string {
	if int(number) < len(list) {
		return list[number]
	}
	return fmt.Sprintf("number %d", number)
}

// Given is what one operation of a batch gave: its outcome, and a value or a number
// if it is one that gives any.
type Given struct {
	Outcome string
	Value   uint64
}

// Given is what each operation gave in the last run on a table with results.
func (in *Input) Given() ([]Given, error) {
	r := reader{dev: in.mem.dev}
	list := make([]Given, in.N)
	values := r.numbers(in.out, in.N, in.pair.AnswerBytes())
	for i, status := range r.bytes(in.status, in.N) {
		list[i] = Given{outcomeName(status), values[i]}
	}
	return list, r.err
}

// Contents are the pairs in a table.
type Contents struct {
	N      uint64
	Digest string // the same for the same pairs in any order
	Keys   []uint64
	Values []uint64
}

// Contents exports the table, checks that its size is what the counters of its
// batches say, and, if the table is verified, compares it with the oracle. The
// pairs themselves are copied only then.
func (t *Table) Contents() (Contents, error) {
	if t.hung != nil {
		return Contents{}, t.hung
	}
	t.sample = &Sample{}
	defer t.batch.release()
	count, err := t.Launch(schemes.Batch{Op: "count", N: t.layout.Capacity})
	if err != nil {
		return Contents{}, err
	}
	c := Contents{N: count.Counts.Get("pairs")}
	if c.N != t.size {
		return c, t.disagree(fmt.Errorf("the table holds %d pairs, and %d were inserted and not erased", c.N, t.size))
	}
	arrays, err := t.exported(c.N, 0)
	if err != nil {
		return c, err
	}
	pair := t.spec.Shape.Pair
	parts := []device.Addr{arrays[0], valuesAt(uint64(arrays[1]), pair)}
	c.Digest, err = sum(t.dev, digestOf{what: "contents", n: c.N, parts: parts, widths: []int{pair.Key, pair.Value}})
	if err != nil || t.oracle == nil {
		return c, err
	}
	r := reader{dev: t.dev}
	c.Keys, c.Values = r.numbers(arrays[0], c.N, pair.Key), r.values(arrays[1], c.N, pair)
	if r.err != nil {
		return c, r.err
	}
	return c, t.disagree(t.oracle.holds(c.Keys, c.Values))
}

// reader reads arrays of numbers from a device, and remembers the first error.
type reader struct {
	dev device.Device
	err error
}

// values reads values; a table of keys only has zeroes.
func (r *reader) values(at device.Addr, n uint64, pair schemes.Pair) []uint64 {
	if pair.Value == 0 {
		return make([]uint64, n)
	}
	return r.numbers(at, n, pair.Value)
}

func (r *reader) numbers(at device.Addr, n uint64, width int) []uint64 {
	raw := r.bytes(at, n*uint64(width))
	if raw == nil {
		return nil
	}
	list := make([]uint64, n)
	for i := range list {
		list[i] = Number(raw, width, i)
	}
	return list
}

// bytes reads memory; nil if there is none at the address.
func (r *reader) bytes(at device.Addr, n uint64) []byte {
	if at == 0 || r.err != nil {
		return nil
	}
	raw := make([]byte, n)
	if r.err = r.dev.Read(raw, at); r.err != nil {
		return nil
	}
	return raw
}

// number is what a key or value of so many bytes says. A wide value whose words do
// not belong together gives a number that nobody has put in.
func number(raw []byte) uint64 {
	switch len(raw) {
	case 1:
		return uint64(raw[0])
	case 4:
		return uint64(binary.LittleEndian.Uint32(raw))
	}
	first := binary.LittleEndian.Uint64(raw)
	none := first == ^uint64(0)
	for i := 1; 8*i < len(raw); i++ {
		word := binary.LittleEndian.Uint64(raw[8*i:])
		if none && word == first {
			continue
		}
		if word != nth(first, i) {
			return torn
		}
	}
	return first
}

// torn stands for a wide value of several others' words.
const torn = 0x7ead_7ead_7ead_7ead
