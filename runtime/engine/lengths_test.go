package engine

import (
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Instrumented kernels count operations by their number of probes, and the probes
// of all agree with that. Host sides may carry inserts out again.
func TestProbesOfOperations(t *testing.T) {
	dev := openCPU(t, 2)
	const n = 2000
	for _, s := range schemes.All() {
		for _, counted := range []bool{true, false} {
			pair := s.Caps.Pairs[0]
			on := table(t, dev, Spec{Config: s.Defaults(), Shape: schemes.Shape{Pair: pair, N: n, Load: s.MaxLoad(s.Defaults())}, Seed: 3, Counted: counted})
			for _, b := range []Batch{insert(from(1, n)), find(from(n/2, n)), {Op: "update", Keys: from(n/2, n), Values: from(7, n)},
				{Op: "upsert", Keys: from(n/2, n), Values: from(9, n)}, {Op: "erase", Keys: from(n/2, n)}, mixed(n)} {
				if Supports(s.Defaults(), b.Op) == nil || b.Op == Mix && s.Caps.Has("erase") {
					lengthsAgree(t, s.Name, run(t, on, b), counted)
				}
			}
		}
	}
}

// mixed has finds only, and one erase.
func mixed(n int) Batch {
	ops := make(List, n)
	for i := range ops {
		ops[i] = opCode("find")
	}
	ops[n/2] = opCode("erase")
	return Batch{Op: Mix, Keys: from(1, n), Values: from(1, n), Ops: ops}
}

func lengthsAgree(t *testing.T, scheme string, s Sample, counted bool) {
	t.Helper()
	var sum, least, most uint64
	for i, name := range kernels.Lengths {
		from, to := bounds(schemes.LengthLabels[i])
		if n := s.Counts.Get(name); n > 0 {
			sum, least, most = sum+n, least+n*uint64(from), most+n*uint64(to)
		}
	}
	again := s.Op == "insert" || s.Op == "upsert"
	switch probes := s.Counts.Get("probes"); {
	case !counted && sum > 0:
		t.Errorf("%s: kernels that are timed count %d operations by their probes", scheme, sum)
	case counted && (sum < s.N || sum > s.N && !again):
		t.Errorf("%s: %d operations of %d %s took a number of probes", scheme, sum, s.N, s.Op)
	case counted && !again && (probes < least || probes > most):
		t.Errorf("%s: %d probes of %s, and by operations between %d and %d", scheme, probes, s.Op, least, most)
	}
	for _, name := range kernels.Lengths {
		_, there := s.Counts.PerOp(s.N)[name]
		must.Hold(t, !there, "%s: %s is given for each operation, and is a distribution", scheme, name)
	}
}
