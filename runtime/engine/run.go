package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Run carries out a batch. Errors are of the machine or of the caller; what the
// table could not do is in the sample's counts.
func (t *Table) Run(in *Input) (Sample, error) {
	if t.hung != nil {
		return Sample{}, t.hung
	}
	if in.pair != t.spec.Shape.Pair {
		return Sample{}, fmt.Errorf("scheme %s: a batch of %v pairs on a table of %v", t.spec.Config.Name, in.pair, t.spec.Shape.Pair)
	}
	keep := t.spec.Results || t.spec.Verify
	if err := in.results(keep); err != nil {
		return Sample{}, err
	}
	s := Sample{Op: in.Op, N: in.N, Input: in.Digest, Counts: make(schemes.Counts, len(kernels.Counters))}
	t.sample = &s
	defer t.endBatch(in)
	if keep {
		if err := in.blank(); err != nil {
			return s, err
		}
	}
	if err := t.phases(in, keep, &s); err != nil {
		return s, err
	}
	s.Size, s.Load = t.size, t.Load()
	return s, t.results(in, keep, &s)
}

// endBatch gives back what the batch needed on the way. What a kernel that hangs
// may still use stays where it is.
func (t *Table) endBatch(in *Input) {
	if t.hung != nil {
		in.busy = true
		return
	}
	t.batch.release()
}

// phases runs a batch in one phase, a mixed one in a phase for each operation.
func (t *Table) phases(in *Input, keep bool, s *Sample) error {
	ops := []string{in.Op}
	if in.Op == Mix {
		ops = t.mixable(in.mixed)
		s.Phases = ops
	}
	for _, op := range ops {
		if err := Supports(t.spec.Config.Scheme, op); err != nil {
			return err
		}
		if err := t.phase(in, in.block(op, keep)); err != nil {
			return err
		}
	}
	return t.complete(in, s)
}

// complete checks that every operation was counted once.
func (t *Table) complete(in *Input, s *Sample) error {
	var counted uint64
	for _, outcome := range []string{"ok", "failed", "missing", "rejected"} {
		counted += s.Counts.Get(outcome)
	}
	if counted == in.N {
		return nil
	}
	if in.Op == Mix {
		others := "the scheme has no others"
		if in.mixed != nil {
			others = "the batch was said to have no others"
		}
		return fmt.Errorf("scheme %s: a mixed batch of %d operations, of which %d are one of %s: %s",
			t.spec.Config.Name, in.N, counted, strings.Join(s.Phases, ", "), others)
	}
	return t.disagree(fmt.Errorf("%d operations were counted of %d", counted, in.N))
}

// mixable lists the operations of the scheme that take keys, in the order in
// which the phases of a mixed batch are run. A phase of which the batch has no
// operation would still read all of it, so those that it is said to have are enough.
func (t *Table) mixable(mixed []string) []string {
	return slices.DeleteFunc(slices.Clone(keyed), func(op string) bool {
		return !t.spec.Config.Caps.Has(op) || mixed != nil && !slices.Contains(mixed, op)
	})
}

func (t *Table) phase(in *Input, b schemes.Batch) error {
	carryOut := t.Launch
	if b.Op == "insert" && t.spec.Config.Insert != nil {
		carryOut = func(b schemes.Batch) (schemes.Result, error) { return t.spec.Config.Insert(t, b) }
	}
	before, reseeds := t.size, t.reseeds
	done, err := carryOut(b)
	if err != nil {
		return err
	}
	t.sample.Counts.Add(done.Counts)
	switch b.Op {
	case "insert":
		t.size = before + done.Counts.Get("ok") + done.Counts.Get("failed") - done.Counts.Get("pairs")
	case "erase":
		t.size -= done.Counts.Get("ok")
	}
	if t.reseeds != reseeds {
		if err := t.settle(in, b.Block, done.Counts); err != nil {
			return err
		}
	}
	if t.oracle == nil {
		return nil
	}
	return t.verify(in, done)
}

// settle makes the outcomes of inserts agree with the counts after a rebuild,
// which may have made room for those that had failed. Which of them are the
// failed ones is a free choice, since the pairs left over may be others'.
func (t *Table) settle(in *Input, b kernels.Batch, counts schemes.Counts) error {
	if b.Status == 0 {
		return nil
	}
	outcomes := make([]byte, in.N)
	if err := t.dev.Read(outcomes, in.status); err != nil {
		return err
	}
	reassign(outcomes, counts.Get("failed"))
	return t.dev.Write(in.status, outcomes)
}

// reassign leaves as many operations failed as are wanted: first those that are,
// then others that are ok.
func reassign(outcomes []byte, failed uint64) {
	ok, bad := byte(slices.Index(kernels.Outcomes, "ok")), byte(slices.Index(kernels.Outcomes, "failed"))
	for _, candidates := range [][]int{indices(outcomes, bad), indices(outcomes, ok)} {
		for _, i := range candidates {
			outcomes[i] = ok
			if failed > 0 {
				outcomes[i] = bad
				failed--
			}
		}
	}
}

func indices(outcomes []byte, wanted byte) []int {
	var at []int
	for i, outcome := range outcomes {
		if outcome == wanted {
			at = append(at, i)
		}
	}
	return at
}

// Note adds to the sample of the batch that is being carried out.
func (t *Table) Note(event string) { t.sample.Notes = append(t.sample.Notes, event) }

// results digests what the operations gave: for every key the outcome and the value,
// in no order, since of several operations on one key any may have been first.
func (t *Table) results(in *Input, keep bool, s *Sample) error {
	if !keep {
		return nil
	}
	out := in.out
	if !slices.Contains([]string{"find", Mix}, in.Op) {
		out = 0
	}
	var err error
	s.Result, err = sum(t.dev, digestOf{
		what: "result/" + in.Op, n: in.N,
		parts:  []device.Addr{in.keys, in.ops, in.status, out},
		widths: []int{in.pair.Key, 1, 1, in.pair.Value},
	})
	return err
}
