package analysis

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// Options of a comparison.
type Options struct {
	Least  float64 // the smallest difference in rate that matters: 0.02
	Spread float64 // how much equal runs differ where no side was repeated: 0.05
}

// Comparison says of every row which side is faster.
type Comparison struct {
	Old      string    `json:"old"`
	New      string    `json:"new"`
	Rows     []Row     `json:"rows"`
	Left     []LeftOut `json:"left_out,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
	options  Options
	sides    []Side
	repeat   []string // the command that made the new side
}

// Row compares the rows of both sides that have the same key and input.
type Row struct {
	Key
	Against string  `json:"against,omitempty"` // the scheme that it is compared with
	Old     float64 `json:"old_mops"`          // medians over the runs
	New     float64 `json:"new_mops"`
	Estimate
	Verdict Kind   `json:"verdict"`
	Note    string `json:"note,omitempty"`
	place   int    // of the new row in its first file
}

// MarshalJSON leaves out bounds that are not known: JSON has no infinity.
func (r Row) MarshalJSON() ([]byte, error) {
	type plain Row
	shown := struct {
		plain
		Low  *float64 `json:"low,omitempty"`
		High *float64 `json:"high,omitempty"`
	}{plain: plain(r)}
	if !r.unbounded() {
		shown.Low, shown.High = &r.Low, &r.High
	}
	return json.Marshal(shown)
}

// LeftOut is a row that cannot be compared.
type LeftOut struct {
	Key
	Reason string `json:"reason"`
}

// rowsOf are the rows of one key, in the order of the files.
type rowsOf struct {
	key     Key
	rows    []results.Row
	started []time.Time // the runs that the rows are of
	place   int         // of the row in the first file; negative: it is not there
}

// group collects the rows of a side by key, in the order of the first file. A scheme that was
// given twice has two groups.
func (s Side) group() (list []rowsOf) {
	type nth struct {
		Key
		n int
	}
	at := map[nth]int{}
	for i, f := range s.Files {
		seen := map[Key]int{}
		for place, r := range f.Rows {
			if i > 0 {
				place = -1
			}
			key := KeyOf(r)
			id := nth{key, seen[key]}
			seen[key]++
			if _, known := at[id]; !known {
				at[id] = len(list)
				list = append(list, rowsOf{key: key, place: place})
			}
			g := &list[at[id]]
			g.rows, g.started = append(g.rows, r), append(g.started, f.Run.Started)
		}
	}
	return list
}

// Compare compares two sides: which rows of the new one are faster.
func Compare(old, fresh Side, o Options) Comparison {
	c := Comparison{Old: old.Name, New: fresh.Name, options: o, sides: []Side{old, fresh}, repeat: fresh.Files[0].Run.Command, Warnings: append(warnings(old, fresh), busy(old, fresh)...)}
	mine, others := old.group(), fresh.group()
	for _, g := range mine {
		i := slices.IndexFunc(others, func(other rowsOf) bool { return other.key == g.key })
		if i < 0 {
			c.leave(g.key, "only in "+old.Name)
			continue
		}
		c.compare(g, others[i])
		others = slices.Delete(others, i, i+1)
	}
	for _, g := range others {
		c.leave(g.key, "only in "+fresh.Name)
	}
	c.judge()
	return c
}

func (c *Comparison) leave(key Key, reason string) { c.Left = append(c.Left, LeftOut{key, reason}) }

func (c *Comparison) compare(old, fresh rowsOf) {
	all := slices.Concat(old.rows, fresh.rows)
	if reason := incomparable(all); reason != "" {
		c.leave(old.key, reason)
		return
	}
	levels, n := levelsOf(all, slices.Concat(old.started, fresh.started)), len(old.rows)
	c.Rows = append(c.Rows, Row{Key: old.key, Old: middle(old.rows), New: middle(fresh.rows), Note: contents(all), place: fresh.place,
		Estimate: between(levels[:n], levels[n:], c.options.Spread)})
}

// InPlace returns what became of the rows of the new side's first file, in their order; nil for
// those that were not compared.
func (c Comparison) InPlace() []*Row {
	list := make([]*Row, len(c.sides[len(c.sides)-1].Files[0].Rows))
	for i := range c.Rows {
		if place := c.Rows[i].place; place >= 0 {
			list[place] = &c.Rows[i]
		}
	}
	return list
}

// BySchemes compares every scheme with the first one, or with the one that is named, inside
// each file: there they took turns on the same input.
func BySchemes(side Side, base string, o Options) (Comparison, error) {
	c := Comparison{Old: base, New: side.Name, options: o, sides: []Side{side}, repeat: side.Files[0].Run.Command, Warnings: busy(side)}
	groups := side.group()
	if base == "" {
		c.Old = groups[0].key.Scheme
	}
	known := lists.Unique(lists.Map(groups, func(g rowsOf) string { return g.key.Scheme }))
	if err := nearest.Check("scheme", c.Old, slices.Sorted(slices.Values(known))); err != nil {
		return c, err
	}
	for _, g := range groups {
		if g.key.Scheme != c.Old {
			c.against(g, groups)
		}
	}
	c.judge()
	return c, nil
}

// against compares rows with those of the base in the same files.
func (c *Comparison) against(g rowsOf, groups []rowsOf) {
	key := g.key
	key.Scheme = c.Old
	i := slices.IndexFunc(groups, func(other rowsOf) bool { return other.key == key })
	if i < 0 || len(groups[i].rows) != len(g.rows) {
		c.leave(g.key, "no row of "+c.Old+" to compare with")
		return
	}
	base := groups[i].rows
	all := slices.Concat(base, g.rows)
	if reason := cmp.Or(incomparable(all), contents(all)); reason != "" {
		c.leave(g.key, reason)
		return
	}
	c.Rows = append(c.Rows, Row{Key: g.key, Against: c.Old, Old: middle(base), New: middle(g.rows),
		Estimate: inFiles(base, g), place: g.place})
}

// inFiles estimates the ratio of rows that took turns, file by file.
func inFiles(base []results.Row, g rowsOf) Estimate {
	rows := g.rows
	var logs []float64
	for i := range rows {
		l := levelsOf([]results.Row{base[i], rows[i]}, []time.Time{g.started[i], g.started[i]})
		logs = append(logs, l[0].log-l[1].log)
	}
	if len(rows) > 1 {
		return repeated(logs)
	}
	n := min(len(rows[0].Runs), len(base[0].Runs))
	scale := rows[0].Rate / base[0].Rate / (base[0].Median / rows[0].Median) // runs may complete different numbers
	return Paired(lists.Make(n, func(k int) float64 { return scale * base[0].Runs[k] / rows[0].Runs[k] }))
}

// incomparable says why rows cannot be compared, or nothing.
func incomparable(rows []results.Row) string {
	for _, r := range rows {
		switch {
		case r.Compare != "":
			return r.Compare
		case r.Input != rows[0].Input:
			return fmt.Sprintf("another input: digests %.8s and %.8s", rows[0].Input, r.Input)
		case r.Rate <= 0 || r.Median <= 0:
			return "no rate: nothing completed, or faster than the clock"
		}
	}
	return ""
}

// contents notes rows of tables that lacked pairs.
func contents(rows []results.Row) string {
	lost := lists.First(rows, func(r results.Row) bool { return r.Lost != "" }).Lost
	return lists.Either(lost == "", "", "other contents: "+lost)
}

func middle(rows []results.Row) float64 {
	return median(lists.Map(rows, func(r results.Row) float64 { return r.Rate }))
}

// judge gives the verdicts. Of those that say faster or slower, at most 5 percent are wrong
// on average, however many rows there are.
func (c *Comparison) judge() {
	most := discoveries(lists.Map(c.Rows, func(r Row) float64 { return r.P }))
	for i := range c.Rows {
		r := &c.Rows[i]
		r.Verdict = r.Estimate.Verdict(c.options.Least)
		if (r.Verdict == Faster || r.Verdict == Slower) && r.P > most {
			r.Verdict = Unclear
		}
	}
}

// Count returns how many rows have a verdict, of those that differ by at least that much.
func (c Comparison) Count(k Kind, least float64) int {
	return len(lists.Filter(c.Rows, func(r Row) bool {
		return r.Verdict == k && (k == Unclear || k == Same || math.Abs(r.Ratio-1) >= least)
	}))
}

// conditions must be equal on both sides for the difference to be the schemes'. A file that
// does not tell one has no text.
var conditions = []struct {
	name string
	of   func(File) string
}{
	{"device", func(f File) string { return f.Run.Device.Model }},
	{"driver", func(f File) string { return cmp.Or(f.Run.Device.Driver, "none") }},
	{"threads", func(f File) string { return fmt.Sprint(f.Run.Device.Threads) }},
	{"host", func(f File) string { return f.Run.Host.Name }},
	{"compiler", func(f File) string { return f.Run.Build.Compiler }},
	{"flags", func(f File) string { return cmp.Or(f.Run.Build.Flags, "none") }},
	{"go", func(f File) string { return f.Run.Build.Go }},
	{"build", func(f File) string { return f.Run.Build.Revision }},
	{"uncommitted changes", func(f File) string { return fmt.Sprint(f.Run.Build.Modified) }},
	{"seed", func(f File) string { return fmt.Sprint(f.Run.Seed) }},
	{"CPU governor", func(f File) string { return weather(f).Governor }},
	{"GPU throttling", throttling},
}

// measured are conditions with a number. Their medians may differ by a part of the larger one, or by an amount.
var measured = []struct {
	name, key, unit string
	part, amount    float64
}{
	{"GPU clock", device.GPUClock, "MHz", 0.03, 0},
	{"GPU memory clock", device.GPUMemoryClock, "MHz", 0.03, 0},
	{"GPU temperature", device.GPUTemperature, "degrees", 0, 15},
	{"CPU clock", device.CPUClock, "MHz", 0.05, 0},
	{"CPU temperature", device.CPUTemperature, "degrees", 0, 15},
	{"load by other programs", device.CPUWaiting, "threads", 0.5, 1},
}

func weather(f File) results.Conditions {
	return *cmp.Or(f.End.Conditions, &results.Conditions{})
}

// throttling names the reasons that held in most samples.
func throttling(f File) string {
	c := weather(f)
	if c.Throttled == nil {
		return ""
	}
	reasons := slices.Sorted(maps.Keys(c.Throttled))
	reasons = slices.DeleteFunc(reasons, func(reason string) bool { return 2*c.Throttled[reason] <= c.Samples })
	return lists.Either(len(reasons) == 0, "none", strings.Join(reasons, ", "))
}

func warnings(old, fresh Side) (list []string) {
	add := func(name, before, after string) {
		list = append(list, fmt.Sprintf("%s differs: %s, then %s", name, before, after))
	}
	for _, c := range conditions {
		if a, b := old.values(c.of), fresh.values(c.of); len(a) > 0 && len(b) > 0 && !slices.Equal(a, b) {
			add(c.name, strings.Join(a, " and "), strings.Join(b, " and "))
		}
	}
	for _, c := range measured {
		if a, b := old.figure(c.key), fresh.figure(c.key); math.Abs(a-b) > max(c.amount, c.part*max(a, b)) {
			add(c.name, fmt.Sprintf("%.0f", a), fmt.Sprintf("%.0f %s", b, c.unit))
		}
	}
	return list
}

// busy says if all sides shared their CPUs with other programs, which makes equal runs differ.
func busy(sides ...Side) []string {
	where := map[bool]string{true: " on both sides"}[len(sides) > 1]
	least := slices.Min(lists.Map(sides, Side.crowd))
	if least < 1 {
		return nil
	}
	return []string{fmt.Sprintf("the machine was busy%s: at least %.0f threads of other programs shared %d CPUs with it; equal runs may differ by much", where, least, sides[0].Files[0].Run.Host.CPUs)}
}

// crowd is how many threads of other programs ran or waited for a CPU, if there were not CPUs for all; otherwise 0.
func (s Side) crowd() float64 {
	run, own := s.Files[0].Run, 1
	if run.Device.Driver == "" { // a CPU: the threads of the device are those that run beside the others
		own = run.Device.Threads
	}
	if others := s.figure(device.CPUWaiting); others+float64(own) > float64(run.Host.CPUs) {
		return others
	}
	return 0 // or not known
}

// values are the different values of a condition, sorted.
func (s Side) values(of func(File) string) []string {
	known := lists.Filter(lists.Map(s.Files, of), func(text string) bool { return text != "" })
	return slices.Sorted(slices.Values(lists.Unique(known)))
}

// figure is the median of a figure over the runs; NaN if none tells it.
func (s Side) figure(key string) float64 {
	var list []float64
	for _, f := range s.Files {
		if span, known := weather(f).Figures[key]; known {
			list = append(list, span.Median)
		}
	}
	return median(list)
}
