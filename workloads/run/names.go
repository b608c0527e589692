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

// results are what a scheme did, as a script's done and thresholds see it: by
// phase and operation (prepare.insert.mops), and by operation over all stages
// (find.mops); an operation that only prepare made is there by its name alone, too.
func (m *member) results(policy engine.Policy) map[string]any {
	all := map[string]any{
		"scheme": m.Scheme(), "size": float64(m.Size()), "capacity": float64(m.Capacity()),
		"load": m.Load(), "bytes": float64(m.Bytes()),
	}
	if m.Size() > 0 {
		all["bytes_per_pair"] = float64(m.Bytes()) / float64(m.Size())
	}
	byOp := map[string][]*tally{}
	for _, t := range m.tallies {
		phase, ok := all[t.phase].(map[string]any)
		if !ok {
			phase = map[string]any{}
			all[t.phase] = phase
		}
		phase[t.op] = t.fields(policy)
		byOp[t.op] = append(byOp[t.op], t)
	}
	for _, name := range slices.Concat([]string{"n", "completed"}, outcomes) {
		all[name] = 0.0
	}
	for op, tallies := range byOp {
		for _, t := range tallies {
			t.addOutcomes(all)
		}
		all[op] = total("", measured(tallies)).fields(policy)
	}
	return all
}

// measured are the tallies of stages, or those of prepare if there are no others.
func measured(tallies []*tally) []*tally {
	stages := slices.DeleteFunc(slices.Clone(tallies), func(t *tally) bool { return t.phase == Prepare })
	if len(stages) == 0 {
		return tallies
	}
	return stages
}

// addOutcomes adds to the sums over everything.
func (t *tally) addOutcomes(all map[string]any) {
	add := func(name string, n uint64) { all[name] = all[name].(float64) + float64(n) }
	add("n", t.n)
	add("completed", t.completed)
	for _, name := range outcomes {
		add(name, t.counts.Get(name))
	}
}

func (t *tally) fields(policy engine.Policy) map[string]any {
	f := map[string]any{
		"batches": float64(t.batches), "n": float64(t.n), "completed": float64(t.completed),
		"ms": float64(t.service.Nanoseconds()) / 1e6, "mops": t.mops(),
	}
	for _, name := range outcomes {
		f[name] = float64(t.counts.Get(name))
	}
	if noise := finite(policy.Summarize(t.runs.kept).Noise); noise != nil {
		f["noise"] = *noise
	}
	for _, counted := range []map[string]float64{t.perOp(), t.shares()} {
		for name, value := range counted {
			f[name] = value
		}
	}
	if len(t.response.kept) > 0 {
		f["response_ms"], f["response_p99_ms"] = 1e3*t.response.quantile(0.5), 1e3*t.response.quantile(0.99)
		f["late"], f["behind"] = float64(t.late), float64(t.behind)
	}
	return f
}
