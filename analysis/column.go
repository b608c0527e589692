package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/aclements/go-moremath/stats"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// Fields are the columns that distinguish rows, besides their points and parameters.
var Fields = []string{"scheme", "op", "phase", "operation", "pair", "run", "batch"}

// column is a number of each row.
type column struct {
	label string
	timed bool // it follows from the time, so that rows with other contents do not count
	value func(results.Row) (float64, bool)
}

// columns are those that every row has, by the names that scripts use where they have them.
var columns = map[string]column{
	"mops":            {"throughput (Mop/s)", true, func(r results.Row) (float64, bool) { return r.Rate, r.Rate > 0 }},
	"ms":              {"time per batch (ms)", true, func(r results.Row) (float64, bool) { return 1e3 * r.Median, r.Median > 0 }},
	"ns":              {"time per operation (ns)", true, func(r results.Row) (float64, bool) { return 1e3 / r.Rate, r.Rate > 0 }},
	"limit":           {"percent of the memory's limit", true, func(r results.Row) (float64, bool) { return 100 * r.Rate / r.Limit, r.Rate > 0 && r.Limit > 0 }},
	"n":               {"operations", false, func(r results.Row) (float64, bool) { return float64(r.N), true }},
	"load":            {"load factor", false, func(r results.Row) (float64, bool) { return r.Load, true }},
	"size":            {"pairs in the table", false, func(r results.Row) (float64, bool) { return float64(r.Size), true }},
	"capacity":        {"slots in the table", false, func(r results.Row) (float64, bool) { return float64(r.Capacity), true }},
	"bytes":           {"bytes of the table", false, func(r results.Row) (float64, bool) { return float64(r.TableBytes), true }},
	"bytes_per_pair":  {"bytes per pair", false, func(r results.Row) (float64, bool) { return orZero(r.BytesPerPair), r.BytesPerPair != nil }},
	"response_ms":     {"median response time (ms)", true, func(r results.Row) (float64, bool) { return 1e3 * open(r).Median, r.Open != nil }},
	"response_p99_ms": {"99th percentile of response time (ms)", true, func(r results.Row) (float64, bool) { return 1e3 * open(r).High, r.Open != nil }},
}

func open(r results.Row) *results.OpenLoop { return cmp.Or(r.Open, &results.OpenLoop{}) }

// IsColumn reports whether every row has a number of that name.
func IsColumn(name string) bool { return columns[name].value != nil }

// datum is the source of a mark in a plot: a row, a batch of one, or a summary.
type datum struct {
	fields  map[string]any
	row     results.Row // of a summary, its scheme with its parameters, and its point
	y       float64
	noise   *float64          // of the logarithm of y
	mark    string            // why it is drawn hollow
	options map[string]string // of the script
}

// aliases are two names of one thing: bench writes load_factor for the axis load.
var aliases = map[string]string{"load": "load_factor", "load_factor": "load"}

// field returns a value of a datum: a number, a text or a boolean; nil if it has none.
func (d datum) field(name string) any {
	if v, ok := d.fields[name]; ok {
		return v
	}
	return d.fields[aliases[name]]
}

// rowFields are the names and values of a row. A point hides parameters, and both hide columns.
func rowFields(r results.Row, run string) map[string]any {
	all := map[string]any{}
	for name, c := range columns {
		if x, ok := c.value(r); ok && !c.timed {
			all[name] = x
		}
	}
	if r.Point["load_factor"] != nil {
		delete(all, "load") // the axis of bench is what was asked for
	}
	for name, text := range r.Parameters {
		all[name] = parsed(text)
	}
	maps.Copy(all, r.Point)
	maps.Copy(all, map[string]any{"scheme": r.Scheme, "op": r.Op, "phase": r.Phase, "operation": Operation(r), "run": run})
	if all["pair"] == nil {
		all["pair"] = r.Pair
	}
	return all
}

// Operation names what a row measured: its phase, with the operation unless the phase says it.
func Operation(r results.Row) string {
	if r.Phase == "run" { // the name of a stage without one
		return r.Op
	}
	return KeyOf(r).phaseAndOp()
}

func parsed(text string) any {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x
	}
	return text
}

// number finds a column of a row: one that all have, a counter per operation, or a count.
func number(r results.Row, name string) (x float64, c column, ok bool) {
	if c, ok = columns[name]; ok {
		x, ok = c.value(r)
		return x, c, ok
	}
	if x, ok = r.PerOp[name]; ok {
		return x, column{label: plain(name) + " per operation"}, true
	}
	count, ok := r.Counts[name]
	return float64(count), column{label: plain(name) + " operations"}, ok
}

func plain(name string) string { return strings.ReplaceAll(name, "_", " ") }

// columnNames are the columns of some rows and summaries, for messages.
func columnNames(sides []Side) []string {
	all := slices.Collect(maps.Keys(columns))
	for _, f := range Files(sides) {
		for _, r := range f.Rows {
			all = slices.AppendSeq(slices.AppendSeq(all, maps.Keys(r.PerOp)), maps.Keys(r.Counts))
		}
		for _, s := range f.Summaries {
			all = slices.AppendSeq(all, maps.Keys(s.Values))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

// Noisy is the mark of a rate whose interval says nothing.
const Noisy = "noise above 50 percent"

// wrong says why the rate of a row is no figure of its scheme, or nothing.
func wrong(r results.Row) string {
	switch {
	case r.Lost != "":
		return "other contents: " + r.Lost
	case r.Compare != "":
		return "not comparable: " + r.Compare
	case r.Completed < r.N:
		return "operations failed"
	case r.Noise != nil && *r.Noise > results.MaxNoise:
		return Noisy
	}
	return ""
}

// title of a value of a field, as in: load 0.8.
func fieldTitle(name string, v any) string {
	text := Text(v)
	if _, isText := v.(string); isText {
		return text
	}
	return cmp.Or(fieldLabels[name], plain(name)) + " " + text
}

var fieldLabels = map[string]string{"load": "load factor", "n": "pairs"}

// Text writes a value of a field.
func Text(v any) string {
	if x, ok := v.(float64); ok {
		return short(x)
	}
	if v == nil {
		return ""
	}
	return results.Plain(strings.TrimSpace(toText(v)))
}

// Value is a number of a result: of a row, or of what a script's done returned.
type Value struct {
	Number float64
	of     datum
}

// Values are the numbers of a column, in the order of the results.
func Values(d results.Document, column string) ([]Value, error) {
	all := draft{Plot: results.Plot{Y: column}, sides: []Side{{Files: []File{{Document: d}}}}}
	if err := all.collect(); err != nil {
		return nil, err
	}
	return lists.Map(all.data, func(one datum) Value { return Value{one.y, one} }), nil
}

// Is reports whether the number is of a result whose fields have these values. A scheme is one that has the settings.
func (v Value) Is(fields map[string]string) bool { return v.of.has(fields) }

// collect reads the column y from all rows, or from the summaries if rows have none of that name.
func (d *draft) collect() error {
	for _, s := range d.sides {
		d.rows(s)
	}
	if len(d.data) == 0 {
		for _, s := range d.sides {
			d.summaries(s)
		}
	}
	if len(d.data) == 0 {
		return nearest.Unknown("column", d.Y, columnNames(d.sides))
	}
	return nil
}

func (d *draft) rows(s Side) {
	for _, m := range s.Measured() {
		x, c, ok := number(m.Row, d.Y)
		if !ok {
			continue
		}
		one := datum{fields: rowFields(m.Row, s.Name), row: m.Row, y: x, options: s.options()}
		if c.timed {
			one.noise, one.mark = m.Noise, m.Mark
		}
		d.label, d.timed = c.label, c.timed
		d.data = append(d.data, one)
	}
}

// summaries are values that done returned; those of repeated runs are merged.
func (d *draft) summaries(s Side) {
	all := slices.Concat(lists.Map(s.Files, func(f File) []results.Summary { return f.Summaries })...)
	all = slices.DeleteFunc(all, func(r results.Summary) bool { _, ok := r.Values[d.Y].(float64); return !ok })
	for _, same := range lists.Groups(all, func(r results.Summary) Key { return Key{Scheme: r.Scheme, Point: PointText(r.Point)} }) {
		r := same[0]
		values := lists.Map(same, func(r results.Summary) float64 { return r.Values[d.Y].(float64) })
		fields := map[string]any{"load": r.Load, "size": float64(r.Size), "bytes": float64(r.TableBytes)}
		maps.Copy(fields, r.Point)
		maps.Copy(fields, map[string]any{"scheme": r.Scheme, "run": s.Name})
		d.label = d.Y
		of := lists.First(s.Files[0].Rows, func(row results.Row) bool { return row.Scheme == r.Scheme }) // only rows have parameters
		row := results.Row{Scheme: r.Scheme, Point: r.Point, Parameters: of.Parameters}
		d.data = append(d.data, datum{fields: fields, row: row, y: median(values), noise: around(values), options: s.options()})
	}
}

// options are those of the script.
func (s Side) options() map[string]string {
	return cmp.Or(s.Files[0].Run.Script, &results.Script{}).Options
}

// around is half the 95 percent interval of the mean, as a part of the median; nil for a single value.
func around(values []float64) *float64 {
	middle := median(values)
	if len(values) < 2 || middle <= 0 {
		return nil
	}
	half := HalfInterval(stats.StdDev(values), uint64(len(values))) / middle
	return &half
}

// perBatch makes a mark for each batch of a row, if the x axis shows batches.
func (d *draft) perBatch() error {
	if d.X != "batch" || d.data[0].row.Point["batch"] != nil {
		return nil
	}
	if d.Y != "ms" {
		return fmt.Errorf("batches have times only, not %q: x=batch goes with y=ms", d.Y)
	}
	var list []datum
	for _, one := range d.data {
		r := one.row
		every := max(1, int(r.Batches)/max(1, len(r.Runs))) // of many batches only every second one is kept, or fewer
		for k, seconds := range r.Runs {
			fields := maps.Clone(one.fields)
			fields["batch"] = float64(1 + k*every)
			each := one
			each.fields, each.y, each.noise = fields, 1e3*seconds, nil
			list = append(list, each)
		}
	}
	d.data = list
	return nil
}

// facets are the fields that tell panels apart: all that differ and are neither x nor group.
func (d *draft) facets() (list []string) {
	used := append([]string{d.X}, d.Group...)
	names := append([]string{"operation", "run", "pair", "scheme"}, lists.Keys(d.data, func(one datum) map[string]any { return one.row.Point })...)
	if slices.Contains(used, "op") || slices.Contains(used, "phase") || slices.Contains(used, "operation") {
		names[0] = map[bool]string{true: "phase", false: "op"}[slices.Contains(used, "op")]
		if slices.Contains(used, "operation") {
			names = names[1:]
		}
	}
	for _, name := range names {
		same := slices.Contains(used, name) || aliases[name] != "" && slices.Contains(used, aliases[name])
		if !same && !slices.Contains(list, name) && len(d.values(name)) > 1 {
			list = append(list, name)
		}
	}
	return list
}

func toText(v any) string {
	if x, ok := v.(float64); ok {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// short writes a number as people do: 16Ki, 2M, 0.85.
func short(x float64) string {
	for _, u := range []struct {
		unit float64
		name string
	}{{1 << 50, "Pi"}, {1 << 40, "Ti"}, {1 << 30, "Gi"}, {1e9, "G"}, {1 << 20, "Mi"}, {1e6, "M"}, {1 << 10, "Ki"}, {1e3, "K"}} {
		if q := x / u.unit; q >= 1 && q == math.Trunc(q) && x >= 10000 {
			return strconv.FormatFloat(q, 'f', -1, 64) + u.name
		}
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}
