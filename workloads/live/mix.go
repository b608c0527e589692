package live

import (
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// sampledOps is the number of operations of a mixed batch that are counted to find its parts.
const sampledOps = 1 << 14

// mix is the parts of the batches of a phase, from those of one scheme.
type mix struct {
	of    int // the scheme, counted from 1; 0: none yet
	total float64
	parts []Share // in order of appearance
	mixed []Share // of mixed batches
}

// mixed returns the parts of a mixed batch. It reads only the first one of a phase, before the
// lock is taken: the others are drawn alike.
func (r *Run) mixed(e run.Event) []Share {
	m, ok := e.(run.Measured)
	if !ok || m.Sample.Op != engine.Mix || m.Input == nil || r.mix.mixed != nil { // only Hear changes it
		return nil
	}
	ops, err := m.Input.Ops(sampledOps)
	if err != nil || len(ops) == 0 {
		return nil
	}
	counts := map[byte]int{}
	for _, op := range ops {
		counts[op]++
	}
	var parts []Share
	for op, name := range kernels.Ops {
		if n := counts[byte(op)]; n > 0 {
			parts = append(parts, Share{name, float64(n) / float64(len(ops))})
		}
	}
	return parts
}

// add adds a batch; parts are those of a mixed one, if they were read.
func (m *mix) add(e run.Measured, parts []Share) {
	if m.of == 0 {
		m.of = e.Scheme + 1
	}
	if parts != nil {
		m.mixed = parts
	}
	if m.of != e.Scheme+1 || e.Sample.N == 0 {
		return
	}
	parts = []Share{{e.Sample.Op, 1}}
	if e.Sample.Op == engine.Mix && m.mixed != nil {
		parts = m.mixed
	}
	m.total += float64(e.Sample.N)
	for _, p := range parts {
		m.count(p.Op, p.Part*float64(e.Sample.N))
	}
}

func (m *mix) count(op string, n float64) {
	i := slices.IndexFunc(m.parts, func(s Share) bool { return s.Op == op })
	if i < 0 {
		i, m.parts = len(m.parts), append(m.parts, Share{Op: op})
	}
	m.parts[i].Part += n
}

func (m *mix) shares() []Share {
	shares := make([]Share, len(m.parts))
	for i, p := range m.parts {
		shares[i] = Share{p.Op, p.Part / m.total}
	}
	return shares
}

// pace is the rate at which operations arrive in a phase.
type pace struct {
	rate      float64 // of the stage; 0: none
	scheduled bool    // batches are due at recorded times
	scheme    int
	n         uint64
	at        time.Duration // of the scheme's last batch
}

func newPace(s run.Stage) pace { return pace{rate: s.Rate, scheduled: s.Schedule != nil, scheme: -1} }

func (p *pace) add(e run.Measured) {
	if p.scheme < 0 {
		p.scheme = e.Scheme
	}
	if p.scheme == e.Scheme && !e.Warmup {
		p.n, p.at = p.n+e.Sample.N, e.At
	}
}

// perSecond is the rate of the stage, or of a schedule so far.
func (p *pace) perSecond() float64 {
	if p.scheduled && p.n > 0 {
		return float64(p.n) / max(p.at, time.Millisecond).Seconds()
	}
	return p.rate
}
