package run

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/engine"
)

// A stage that settles (Stage.Settles) makes the same batches in each event and ends for a
// scheme when the noise of its measurements is low enough. Its rows are about the median event.

// policy says when the measurements of a stage have settled.
func (p *point) policy(s Stage) engine.Policy {
	policy := p.Policy
	if s.Noise > 0 {
		policy.Noise = s.Noise
	}
	return policy
}

// settle ends an event of a stage that settles.
func (p *point) settle(members []*member) {
	if !p.stage.Settles || p.warmup {
		return
	}
	for _, m := range members {
		quiet := true
		for _, t := range m.phaseTallies() {
			t.endEvent()
			quiet = quiet && t.policy.Summarize(t.runs.kept).Settled
		}
		least, most := uint64(p.Policy.Least), uint64(p.Policy.Most)
		m.settled = m.now.rounds >= least && (quiet || m.now.rounds >= most || m.now.spent >= p.Policy.MaxTime)
	}
}

// sameBatches checks that an event made the batches of the first one. A member that made none
// takes no part in the stage.
func (p *point) sameBatches(m *member) error {
	if m.first == nil {
		m.first = slices.Clone(m.batches)
		m.skips = len(m.batches) == 0
	}
	if slices.Equal(m.first, m.batches) || m.left != nil || p.failure != nil {
		return nil
	}
	return fmt.Errorf("stage %s settles, so every event makes the same batches: event %d made %v, the first made %v",
		p.stage.Name, p.number, m.batches, m.first)
}
