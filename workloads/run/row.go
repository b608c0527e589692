package run

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// rows returns what was measured at the point so far: scheme by scheme, phase by phase.
func (p *point) rows() (rows []results.Row) {
	for _, m := range p.everyone() {
		for _, t := range m.tallies {
			// An unfinished last phase does not count, unless the member failed in it.
			unfinished := m.left != nil && !m.left.Failed && !m.left.Eliminated && t.phase == m.left.Phase
			if t.batch.count > 0 && !unfinished {
				rows = append(rows, p.row(m, t))
			}
		}
	}
	return rows
}

func (p *point) row(m *member, t *tally) results.Row {
	notes := t.notes.Texts()
	if m.left != nil && m.left.Phase == t.phase {
		notes = append(notes, "measured before the scheme "+map[bool]string{true: "was eliminated", false: "failed"}[m.left.Eliminated])
	}
	all := t.policy.Summarize(t.batch.kept)
	each := t.policy.Summarize(t.runs.kept) // batches may differ in size
	of, completed := t.all, t.all.Completed()
	if t.settles {
		of, completed = t.each, t.fewest
	}
	return results.Row{
		Scheme: m.Scheme(), Parameters: m.config.Settings(), Plugin: m.config.PluginHash(), Pair: m.shape.Pair.String(), Op: t.op, Phase: t.phase, Point: p.at.Map(),
		N: of.N, Batches: t.batches, Completed: completed, Rate: t.mops(), Limit: p.Bounds.Of(kernels.Op(t.op), m.shape.Host) / 1e6,
		Runs: t.batch.kept, Seconds: t.all.Service.Seconds(), Median: all.Median, Noise: finite(each.Noise), Settled: each.Settled, Open: t.openLoop(), Sharing: t.sharing(), Chunk: t.chunk, Launch: t.all.Launch,
		Counts: of.Counts.Named(), PerOp: t.perOp(), Phases: t.phases, Notes: notes, Lost: p.lost(t), Compare: cmp.Or(p.differs[t.phase], p.earlier[p.index].differs[t.phase]),
		Capacity: t.capacity, Size: t.all.Size, Load: t.all.Load, TableBytes: t.bytes,
		BytesPerPair: finite(float64(t.bytes) / float64(t.all.Size)),
		Keys:         t.keys, Input: t.input.String(), Result: t.result.String(),
	}
}

// lost says why the table lacked pairs. Some schemes also count inserts of present keys as
// failed: then it is as large as another one in which none failed.
func (p *point) lost(t *tally) string {
	if !t.lossy {
		return ""
	}
	all := slices.Concat(lists.Map(p.everyone(), func(m *member) []*tally { return m.tallies })...)
	whole := slices.ContainsFunc(all, func(other *tally) bool {
		return other.phase == t.phase && other.op == t.op && !other.lossy && other.all.Size == t.all.Size
	})
	return lists.Either(whole, "", "inserts had found no room")
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

func (t *tally) sharing() *results.Sharing {
	s := t.all.Sharing
	if s == nil {
		return nil
	}
	return &results.Sharing{
		Partition: s.Partition.Seconds(), Exchange: s.Exchange.Seconds(), Operation: s.Operation.Seconds(), Return: s.Return.Seconds(),
		Overlap:  s.Overlap().Seconds(),
		SkewTime: s.SkewOfTime(), SkewKeys: s.SkewOfKeys(),
	}
}

// finite returns nil for infinity and NaN, which JSON lacks.
func finite(x float64) *float64 { return lists.Either(math.IsInf(x, 0) || math.IsNaN(x), nil, &x) }

func (p *point) summaries() (list []results.Summary, err error) {
	p.broken[p.index] = nil
	list, err = lists.TryMap(p.members, p.summary)
	p.ended += len(list)
	return list, Mistake(err)
}

func (p *point) summary(m *member) (_ results.Summary, err error) {
	all := m.results(p.Policy)
	s := results.Summary{Scheme: m.Scheme(), Point: p.at.Map(), Notes: m.remarks, Script: m.spent.Seconds(),
		Size: m.Size(), Load: m.Load(), TableBytes: m.Bytes(), Gauges: m.gauges}
	if m.script.Done != nil {
		if s.Values, err = m.script.Done(all); err != nil {
			return s, err
		}
	}
	for _, c := range p.limits {
		checked, err := c.check(all, s.Values)
		if err != nil {
			return s, err
		}
		s.Thresholds = append(s.Thresholds, checked)
		if !checked.Holds {
			p.broken[p.index] = append(p.broken[p.index], fmt.Sprintf("%s: %s has %v%s", c.text, m.Scheme(), checked.Value, p.at.Where()))
		}
	}
	return s, nil
}

// fields are the results of one operation. Counters of instrumented kernels take --count.
var fields = slices.Concat([]string{"batches", "n", "completed"}, Amounts, []string{"ms", "mops", "noise",
	"response_ms", "response_p99_ms", "late", "behind"}, schemes.Except(kernels.Counters, append(slices.Clone(kernels.Outcomes), found)))

// Outcomes are those of operations that took part.
var Outcomes = kernels.Outcomes[1:]

// Amounts are what every batch counts: outcomes, and values that were given apart from answers.
var Amounts = append(slices.Clone(Outcomes), found)

const found = "found"

// tableFields are the results of a table.
var tableFields = []string{"scheme", "size", "capacity", "load", "bytes", "bytes_per_pair"}

// results are what a script's done and thresholds see: by phase and operation (prepare.insert.mops), and by
// operation over all stages (find.mops), or over prepare if no stage has it.
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

func (t *tally) amounts(to map[string]any) {
	to["n"], to["completed"] = float64(t.all.N), float64(t.all.Completed())
	for _, name := range Amounts {
		to[name] = float64(t.all.Counts.Get(name))
	}
}

func (t *tally) fields(policy engine.Policy) map[string]any {
	f := map[string]any{"batches": float64(t.batches), "ms": float64(t.all.Service.Nanoseconds()) / 1e6, "mops": t.mops()}
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
	t.amounts(f)
	if len(t.response.kept) > 0 {
		f["response_ms"], f["response_p99_ms"] = 1e3*t.response.quantile(0.5), 1e3*t.response.quantile(0.99)
		f["late"], f["behind"] = float64(t.late), float64(t.behind)
	}
	return f
}

// condition is a threshold: a result's name, a comparison, and a number.
type condition struct {
	text    string
	name    string
	compare string
	number  float64
}

var comparisons = map[string]func(a, b float64) bool{
	"<":  func(a, b float64) bool { return a < b },
	"<=": func(a, b float64) bool { return a <= b },
	">":  func(a, b float64) bool { return a > b },
	">=": func(a, b float64) bool { return a >= b },
	"==": func(a, b float64) bool { return a == b },
	"!=": func(a, b float64) bool { return a != b },
	"~=": func(a, b float64) bool { return a != b }, // as Lua writes it
}

var conditionForm = regexp.MustCompile(`^\s*([^<>=!~]*[^<>=!~\s])\s*(<=|>=|==|!=|~=|<|>)\s*(\S+)\s*$`)

// parseConditions reads thresholds. Names that only the run can tell are checked after it.
func parseConditions(texts []string, stages []Stage) (list []condition, err error) {
	for _, text := range texts {
		parts := conditionForm.FindStringSubmatch(text)
		if parts == nil {
			return nil, fmt.Errorf("threshold %q: write a result, a comparison and a number, as in \"find.mops > 1\"", text)
		}
		x, ok := number.Parse(parts[3])
		if !ok {
			return nil, fmt.Errorf("threshold %q: %q is no number", text, parts[3])
		}
		if err := plausibleName(parts[1], stages); err != nil {
			return nil, fmt.Errorf("threshold %q: %w", text, err)
		}
		list = append(list, condition{text, parts[1], parts[2], x})
	}
	return list, nil
}

// CheckThreshold returns what is wrong with a condition, as far as that is known before the run.
func CheckThreshold(text string, stages []Stage) error {
	stages, err := Named(stages)
	if err == nil {
		_, err = parseConditions([]string{text}, stages)
	}
	return err
}

// plausibleName checks a name like find.mops or warm.find.mops. One without a dot may be the script's own.
func plausibleName(name string, stages []Stage) error {
	parts := strings.Split(name, ".")
	if len(parts) == 1 {
		return nil
	}
	n := len(parts) - 2
	field, op, phase := parts[n+1], parts[n], strings.Join(parts[:n], ".")
	phases := append([]string{Prepare}, lists.Map(stages, func(s Stage) string { return s.Name })...)
	err := cmp.Or(nearest.Check("result", field, fields), nearest.Check("operation", op, kernels.Ops))
	if err == nil && n > 0 {
		err = nearest.Check("phase", phase, phases)
	}
	return err
}

func (c condition) check(all, own map[string]any) (results.Threshold, error) {
	value, err := lookUp(c.name, all, own)
	if err != nil {
		return results.Threshold{}, fmt.Errorf("threshold %q: %w", c.text, err)
	}
	number, ok := value.(float64)
	if !ok {
		return results.Threshold{}, fmt.Errorf("threshold %q: %s is %v, which is no number", c.text, c.name, value)
	}
	return results.Threshold{Condition: c.text, Value: number, Holds: comparisons[c.compare](number, c.number)}, nil
}

// lookUp finds a result by its name. The script's own come first.
func lookUp(name string, all, own map[string]any) (any, error) {
	flat := map[string]any{}
	flatten(flat, "", all)
	maps.Copy(flat, own)
	if value, ok := flat[name]; ok {
		return value, nil
	}
	return nil, nearest.Unknown("result", name, slices.Sorted(maps.Keys(flat)))
}

func flatten(flat map[string]any, before string, all map[string]any) {
	for name, value := range all {
		if inner, ok := value.(map[string]any); ok {
			flatten(flat, before+name+".", inner)
		} else {
			flat[before+name] = value
		}
	}
}

// ErrThreshold means that a run was completed but does not meet its script's conditions.
var ErrThreshold = errors.New("a threshold does not hold")
