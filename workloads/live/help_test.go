package live

import (
	"fmt"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

const ms = time.Millisecond

// fake is a run with a clock that tests set.
type fake struct {
	*Run
	now time.Time
}

func newFake(names ...string) *fake {
	f := &fake{now: time.Unix(1e9, 0)}
	f.Run = New(Setup{Schemes: names, Now: func() time.Time { return f.now }})
	return f
}

func (f *fake) hear(t testing.TB, list ...run.Event) {
	t.Helper()
	for _, e := range list {
		must.OK(t, f.Hear(e))
	}
}

func (f *fake) pass(d time.Duration) { f.now = f.now.Add(d) }

// begun is a fake in the only phase of its only point.
func begun(t testing.TB, names ...string) *fake {
	t.Helper()
	f := newFake(names...)
	f.hear(t, run.PointBegan{Of: 1, Schemes: f.Schemes}, run.PhaseBegan{Index: 0, Of: 1, Name: "run"})
	return f
}

// batch is a measured batch, number k of the phase.
func batch(scheme int, op string, n uint64, took time.Duration, k int) run.Measured {
	return run.Measured{Scheme: scheme, Phase: "run", Round: uint64(k), Capacity: 1000, Bytes: 8000, Sample: engine.Sample{
		Op: op, N: n, Service: took, Counts: make(schemes.Counts, len(kernels.Counters)), Input: fmt.Sprint("input ", k), Size: 500, Load: 0.5}}
}

// total adds up a series.
func total(bins []Bin) (all Bin) {
	for _, b := range bins {
		all.add(b)
	}
	return all
}
