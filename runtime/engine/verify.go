package engine

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// VerifyError says that a table and the oracle disagree.
type VerifyError struct {
	Scheme string
	Reason error
}

func (e *VerifyError) Error() string {
	return fmt.Sprintf("scheme %s: verification failed: %v", e.Scheme, e.Reason)
}

func (e *VerifyError) Unwrap() error { return e.Reason }

func (t *Table) disagree(err error) error {
	if err == nil {
		return nil
	}
	return &VerifyError{t.spec.Config.Name, err}
}

// verify compares what one phase did with the oracle.
func (t *Table) verify(in *Input, done schemes.Result) error {
	a, err := t.answers(in, done)
	if err != nil {
		return err
	}
	return t.disagree(t.oracle.apply(done.Batch.Op, a))
}

// answers reads a batch and its results from the device.
func (t *Table) answers(in *Input, done schemes.Result) (answers, error) {
	pair := t.spec.Shape.Pair
	r := reader{dev: t.dev}
	left := done.Counts.Get("pairs")
	a := answers{
		keys:       r.numbers(in.keys, in.N, pair.Key),
		values:     r.numbers(in.values, in.N, pair.Value),
		out:        r.numbers(in.out, in.N, pair.Value),
		leftKeys:   r.numbers(device.Addr(done.Batch.Block.PairKeys), left, pair.Key),
		leftValues: r.numbers(device.Addr(done.Batch.Block.PairValues), left, pair.Value),
		counts:     done.Counts,
		pair:       pair,
	}
	ops := r.numbers(in.ops, in.N, 1)
	op := uint64(slices.Index(kernels.Ops, done.Batch.Op))
	for i, status := range r.numbers(in.status, in.N, 1) {
		switch {
		case ops != nil && ops[i] != op:
			a.outcomes = append(a.outcomes, notAsked)
		case status < uint64(len(kernels.Outcomes)):
			a.outcomes = append(a.outcomes, kernels.Outcomes[status])
		default:
			a.outcomes = append(a.outcomes, fmt.Sprintf("number %d", status))
		}
	}
	return a, r.err
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
	c.Digest, err = sum(t.dev, digestOf{what: "contents", n: c.N, parts: arrays[:], widths: []int{pair.Key, pair.Value}})
	if err != nil || t.oracle == nil {
		return c, err
	}
	r := reader{dev: t.dev}
	c.Keys, c.Values = r.numbers(arrays[0], c.N, pair.Key), r.numbers(arrays[1], c.N, pair.Value)
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

func (r *reader) numbers(at device.Addr, n uint64, width int) []uint64 {
	if at == 0 || r.err != nil {
		return nil
	}
	raw := make([]byte, n*uint64(width))
	if r.err = r.dev.Read(raw, at); r.err != nil {
		return nil
	}
	list := make([]uint64, n)
	for i := range list {
		switch width {
		case 1:
			list[i] = uint64(raw[i])
		case 4:
			list[i] = uint64(binary.LittleEndian.Uint32(raw[4*i:]))
		default:
			list[i] = binary.LittleEndian.Uint64(raw[8*i:])
		}
	}
	return list
}
