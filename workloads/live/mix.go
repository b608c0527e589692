package live

import (
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// looked is how many operations of a mixed batch are looked at to see what it consists of.
const looked = 1 << 14

// mix is what the batches of a phase consist of, by those of one scheme.
type mix struct {
	of    int // the scheme, counted from 1; 0: none yet
	total float64
	parts []Share // in the order in which they came
	mixed []Share // what mixed batches consist of
}

// mixed is what a mixed batch consists of. It is read from the first one of a phase only,
// before the lock is taken: those that follow are drawn alike.
func (r *Run) mixed(e run.Event) []Share {
	m, ok := e.(run.Measured)
	if !ok || m.Sample.Op != engine.Mix || m.Input == nil || r.mix.mixed != nil { // only Hear changes it
		return nil
	}
	ops, err := m.Input.Ops(looked)
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

// add takes a batch; parts are those of mixed ones, if they were looked at.
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
	for i := range m.parts {
		if m.parts[i].Op == op {
			m.parts[i].Part += n
			return
		}
	}
	m.parts = append(m.parts, Share{op, n})
}

// shares are the parts of all operations.
func (m *mix) shares() []Share {
	shares := make([]Share, len(m.parts))
	for i, p := range m.parts {
		shares[i] = Share{p.Op, p.Part / m.total}
	}
	return shares
}

// pace is the rate at which operations arrive in a phase.
type pace struct {
	rate      float64 // that the stage says; 0: it does not
	scheduled bool    // batches are due when they were recorded
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

// perSecond is the rate, of a schedule that of the batches so far.
func (p *pace) perSecond() float64 {
	if p.scheduled && p.n > 0 {
		return float64(p.n) / max(p.at, time.Millisecond).Seconds()
	}
	return p.rate
}
