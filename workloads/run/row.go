package run

import (
	"fmt"
	"math"

	"github.com/hashzoo/hashzoo/runtime/results"
)

// rows are what was measured at the point so far: scheme by scheme, each operation of
// each phase.
func (p *point) rows() []results.Row {
	var rows []results.Row
	for _, m := range p.everyone() {
		for _, t := range m.phasesDone() {
			if t.batch.count > 0 {
				rows = append(rows, p.row(m, t))
			}
		}
	}
	return rows
}

func (p *point) row(m *member, t *tally) results.Row {
	notes := t.notes.Texts()
	if m.left != nil && m.left.Phase == t.phase {
		notes = append(notes, "it is about what the scheme did before it failed")
	}
	all := t.policy.Summarize(t.batch.kept)
	each := t.policy.Summarize(t.runs.kept) // batches may differ in size
	n, completed, counts := t.n, t.completed, t.counts
	if t.settles {
		n, completed, counts = t.each.n, t.each.completed, t.last.Counts
	}
	return results.Row{
		Scheme: m.Scheme(), Parameters: m.config.Settings(), Plugin: m.config.PluginHash(), Pair: m.pair.String(), Op: t.op, Phase: t.phase, Point: p.at.Map(),
		N: n, Batches: t.batches, Completed: completed, Rate: t.mops(),
		Runs: all.Runs, Median: all.Median, Noise: finite(each.Noise), Settled: each.Settled, Open: t.openLoop(),
		Counts: counts.Named(), PerOp: t.perOp(), Phases: t.phases, Notes: notes, Compare: p.differs[t.phase],
		Capacity: m.Capacity(), Size: t.last.Size, Load: t.last.Load, TableBytes: m.Bytes(),
		BytesPerPair: finite(float64(m.Bytes()) / float64(t.last.Size)),
		Keys:         t.keys, Input: t.input.String(), Result: t.result.String(),
	}
}

func (t *tally) openLoop() *results.OpenLoop {
	if len(t.response.kept) == 0 {
		return nil
	}
	return &results.OpenLoop{
		Rate: t.rate / 1e6, Median: t.response.quantile(0.5), High: t.response.quantile(0.99), Most: t.response.quantile(1),
		Late: t.late, Lag: t.lag.Seconds(), Behind: t.behind,
	}
}

// finite is a number, or nothing if it is none: JSON has no infinity.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// summaries asks the scripts what they make of the results, and checks the
// thresholds.
func (p *point) summaries() ([]results.Summary, error) {
	var list []results.Summary
	for _, m := range p.members {
		s, err := p.summary(m)
		if err != nil {
			return list, &ScriptError{err}
		}
		list = append(list, s)
		p.ended++
	}
	return list, nil
}

func (p *point) summary(m *member) (results.Summary, error) {
	all := m.results(p.Policy)
	own, err := m.script.Done(all)
	s := results.Summary{Scheme: m.Scheme(), Point: p.at.Map(), Values: own, Notes: m.remarks, Script: m.spent.Seconds(),
		Size: m.Size(), Load: m.Load(), TableBytes: m.Bytes(), Gauges: m.gauges}
	for _, c := range p.limits {
		if err != nil {
			break
		}
		var checked results.Threshold
		checked, err = c.check(all, own)
		s.Thresholds = append(s.Thresholds, checked)
		if err == nil && !checked.Holds {
			p.broken = append(p.broken, fmt.Sprintf("%s: %s has %v%s", c.text, m.Scheme(), checked.Value, p.at.where()))
		}
	}
	return s, err
}
