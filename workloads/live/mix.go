package live

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/workloads/run"
)

const sampledOps = 1 << 14 // of a mixed batch, counted to find its parts

// mix is the parts of the batches of a phase, and the rate at which they arrive, seen on one scheme.
type mix struct {
	stage run.Stage
	of    int // the scheme, counted from 1; 0: none yet
	total float64
	parts []Share // in order of appearance
	mixed []Share // of mixed batches; only Hear uses it

	n  uint64        // operations that count
	at time.Duration // of the last batch that counts
}

// mixed reads the parts of the first mixed batch of a phase, before the lock is taken. The others are alike.
func (r *Run) mixed(e run.Event) {
	m, ok := e.(run.Measured)
	if !ok || m.Sample.Op != engine.Mix || m.Input == nil || r.mix.mixed != nil { // only Hear changes it
		return
	}
	ops, err := m.Input.Ops(sampledOps)
	if err != nil {
		return
	}
	for op, name := range kernels.Ops {
		if n := bytes.Count(ops, []byte{byte(op)}); n > 0 {
			r.mix.mixed = append(r.mix.mixed, Share{name, float64(n) / float64(len(ops))})
		}
	}
}

func (m *mix) add(e run.Measured) {
	m.of = cmp.Or(m.of, e.Scheme+1)
	if m.of != e.Scheme+1 || e.Sample.N == 0 {
		return
	}
	if !e.Warmup {
		m.n, m.at = m.n+e.Sample.N, e.At
	}
	parts := lists.Either(e.Sample.Op == engine.Mix && m.mixed != nil, m.mixed, []Share{{e.Sample.Op, 1}})
	m.total += float64(e.Sample.N)
	for _, p := range parts {
		lists.At(&m.parts, func(s Share) bool { return s.Op == p.Op }, Share{Op: p.Op}).Part += p.Part * float64(e.Sample.N)
	}
}

func (m *mix) shares() []Share {
	shares := slices.Clone(m.parts)
	for i := range shares {
		shares[i].Part /= m.total
	}
	return shares
}

// perSecond is the rate of the stage, or of a schedule so far; 0: none.
func (m *mix) perSecond() float64 {
	return lists.Either(m.stage.Schedule != nil && m.n > 0, float64(m.n)/max(m.at, time.Millisecond).Seconds(), m.stage.Rate)
}
