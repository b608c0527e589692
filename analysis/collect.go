package analysis

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/aclements/go-moremath/stats"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
)

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
		one := datum{fields: rowFields(m.Row, s.Name), row: m.Row, point: m.Point, y: x,
			scheme: m.Scheme, parameters: m.Parameters, options: s.options()}
		if c.timed {
			one.noise, one.mark = m.Noise, m.Mark
		}
		d.label, d.timed = c.label, c.timed
		d.data = append(d.data, one)
	}
}

// summaries are values that done returned; those of repeated runs are merged.
func (d *draft) summaries(s Side) {
	var all []results.Summary
	for _, f := range s.Files {
		all = append(all, lists.Filter(f.Summaries, func(r results.Summary) bool { _, ok := r.Values[d.Y].(float64); return ok })...)
	}
	for _, same := range lists.Groups(all, func(r results.Summary) Key { return Key{Scheme: r.Scheme, Point: PointText(r.Point)} }) {
		r := same[0]
		values := lists.Map(same, func(r results.Summary) float64 { return r.Values[d.Y].(float64) })
		fields := map[string]any{"load": r.Load, "size": float64(r.Size), "bytes": float64(r.TableBytes)}
		maps.Copy(fields, r.Point)
		maps.Copy(fields, map[string]any{"scheme": r.Scheme, "run": s.Name})
		d.label = d.Y
		d.data = append(d.data, datum{fields: fields, point: r.Point, y: median(values), noise: around(values),
			scheme: r.Scheme, parameters: s.parameters(r.Scheme), options: s.options()})
	}
}

// options are those of the script.
func (s Side) options() map[string]string {
	if script := s.Files[0].Run.Script; script != nil {
		return script.Options
	}
	return nil
}

// parameters are those of a scheme, which only rows have.
func (s Side) parameters(scheme string) map[string]string {
	rows := s.Files[0].Rows
	if i := slices.IndexFunc(rows, func(r results.Row) bool { return r.Scheme == scheme }); i >= 0 {
		return rows[i].Parameters
	}
	return nil
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
	if d.X != "batch" || d.data[0].point["batch"] != nil {
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
	known := map[string]bool{}
	for _, one := range d.data {
		for name := range one.point {
			known[name] = true
		}
	}
	names := append([]string{"operation", "run", "pair", "scheme"}, slices.Sorted(maps.Keys(known))...)
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
	}{{1 << 30, "Gi"}, {1e9, "G"}, {1 << 20, "Mi"}, {1e6, "M"}, {1 << 10, "Ki"}, {1e3, "K"}} {
		if q := x / u.unit; q >= 1 && q == math.Trunc(q) && x >= 10000 {
			return strconv.FormatFloat(q, 'f', -1, 64) + u.name
		}
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}
