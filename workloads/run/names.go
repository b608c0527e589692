package run

import (
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
)

// fields are the results of one operation. Counters of instrumented kernels are per
// operation, and are there with --count only.
var fields = slices.Concat([]string{"batches", "n", "completed"}, outcomes, []string{"ms", "mops", "noise",
	"response_ms", "response_p99_ms", "late", "behind"}, counters())

// outcomes are those of operations that took part.
var outcomes = kernels.Outcomes[1:]

// tableFields are the results of a table.
var tableFields = []string{"scheme", "size", "capacity", "load", "bytes", "bytes_per_pair"}

func counters() []string {
	return slices.DeleteFunc(slices.Clone(kernels.Counters), func(name string) bool {
		return slices.Contains(kernels.Outcomes, name)
	})
}

// results are what a scheme did, as a script's done and thresholds see it: by phase and
// operation (prepare.insert.mops), and by operation over all stages (find.mops). An operation
// that only prepare ran has its bare name, too.
func (m *member) results(policy engine.Policy) map[string]any {
	all := map[string]any{
		"scheme": m.Scheme(), "size": float64(m.Size()), "capacity": float64(m.Capacity()),
		"load": m.Load(), "bytes": float64(m.Bytes()),
	}
	if m.Size() > 0 {
		all["bytes_per_pair"] = float64(m.Bytes()) / float64(m.Size())
	}
	total(m.tallies).amounts(all)
	byOp := map[string][]*tally{}
	for _, t := range m.tallies {
		if all[t.phase] == nil {
			all[t.phase] = map[string]any{}
		}
		all[t.phase].(map[string]any)[t.op] = t.fields(policy)
		byOp[t.op] = append(byOp[t.op], t)
	}
	for op, tallies := range byOp {
		all[op] = total(measured(tallies, func(t *tally) string { return t.phase })).fields(policy)
	}
	return all
}

// amounts adds the numbers of operations by outcome.
func (t *tally) amounts(to map[string]any) {
	to["n"], to["completed"] = float64(t.n), float64(t.completed)
	for _, name := range outcomes {
		to[name] = float64(t.counts.Get(name))
	}
}

func (t *tally) fields(policy engine.Policy) map[string]any {
	f := map[string]any{"batches": float64(t.batches), "ms": float64(t.service.Nanoseconds()) / 1e6, "mops": t.mops()}
	t.amounts(f)
	if noise := finite(policy.Summarize(t.runs.kept).Noise); noise != nil {
		f["noise"] = *noise
	}
	if t.seenN > 0 {
		for name, each := range t.perOp() {
			f[name] = each
		}
		for _, name := range kernels.Lengths {
			f[name] = float64(t.seen.Get(name)) / float64(t.seenN)
		}
	}
	if len(t.response.kept) > 0 {
		f["response_ms"], f["response_p99_ms"] = 1e3*t.response.quantile(0.5), 1e3*t.response.quantile(0.99)
		f["late"], f["behind"] = float64(t.late), float64(t.behind)
	}
	return f
}
