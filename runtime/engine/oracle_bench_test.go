package engine

import (
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// honest is what a table that makes no mistake answers about a batch of one operation that only adds keys or finds them.
func honest(op string, keys []uint64) *answers {
	a := &answers{keys: keys, values: keys, out: keys, pair: schemes.Pair8, phaseResult: phaseResult{counts: schemes.NewCounts()}}
	a.ops = slices.Repeat([]byte{byte(opCode(op))}, len(keys))
	a.outcomes = slices.Repeat([]byte{isOK}, len(keys))
	a.counts.Set("ok", uint64(len(keys)))
	if kernels.Op(op).Adds {
		a.counts.Set("added", uint64(len(keys)))
	}
	return a
}

// BenchmarkOracle says how many operations a second the oracle checks: a million inserts, finds and pairs of a table.
func BenchmarkOracle(b *testing.B) {
	const n = 1 << 20
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = uint64(i+1) * 0xd1342543de82ef95
	}
	for b.Loop() {
		o := newOracle(false, false)
		for _, op := range []string{"insert", "find", "find"} {
			must.OK(b, o.apply([]string{op}, honest(op, keys)))
		}
		must.OK(b, o.holds(keys, keys))
	}
	b.ReportMetric(4*n*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mop/s")
}
