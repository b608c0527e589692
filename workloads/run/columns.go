package run

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// column is a column of the table: lines are sorted by its numbers, with most set from the highest down.
type column struct {
	results.Column
	most bool
	cell func(*line) cell
}

// cell is the entry of a line. Cells without a number are sorted by their text, last.
type cell struct {
	text   string
	number *float64
}

// quantity is a column of numbers. A line whose value is nil has a dash.
func quantity(title, unit string, most bool, text func(float64) string, value func(*line) *float64) column {
	return column{results.Column{Title: title, Unit: unit, Number: true}, most, func(l *line) cell {
		if x := value(l); x != nil {
			return cell{text(*x), x}
		}
		return cell{text: "-"}
	}}
}

func fixed(digits int) func(float64) string {
	return func(x float64) string { return strconv.FormatFloat(x, 'f', digits, 64) }
}

func (r *Report) columns() []column {
	list := []column{{results.Column{Title: "scheme"}, false, func(l *line) cell { return cell{text: l.scheme} }}}
	for _, s := range r.steps {
		list = append(list, r.speed(s))
	}
	list = append(list, r.openColumns()...)
	list = append(list, column{results.Column{Title: "noise", Unit: "± %", Number: true}, false, noise},
		sum("failed", func(row results.Row) uint64 { return row.Counts["failed"] }),
		quantity("filled", "", true, fixed(3), func(l *line) *float64 { return &l.load }),
		quantity("bytes", "per pair", false, fixed(1), func(l *line) *float64 { return l.bytes }))
	if r.has(func(row results.Row) bool { return row.PerOp != nil }) {
		for _, s := range r.steps {
			list = append(list, r.ofStep(s, "probes", false, fixed(3), probes))
		}
	}
	for _, name := range r.own {
		list = append(list, ofScript(name))
	}
	return list
}

func (r *Report) speed(s step) column {
	if slices.Contains(schemes.TableOps, s.op) {
		return r.ofStep(s, "ms", false, results.MillisText, func(row results.Row) *float64 { return &row.Median })
	}
	return r.ofStep(s, "Mop/s", true, results.RateText, func(row results.Row) *float64 { return &row.Rate })
}

func probes(row results.Row) *float64 {
	if row.PerOp == nil {
		return nil
	}
	each := row.PerOp["probes"]
	return &each
}

func (r *Report) ofStep(s step, unit string, most bool, text func(float64) string, value func(results.Row) *float64) column {
	return quantity(r.title(s), unit, most, text, func(l *line) *float64 {
		if row := l.row(s); row != nil {
			return value(*row)
		}
		return nil
	})
}

func (r *Report) has(what func(results.Row) bool) bool { return has(slices.Concat(r.points...), what) }

func has(lines []*line, what func(results.Row) bool) bool {
	return slices.ContainsFunc(lines, func(l *line) bool { return slices.ContainsFunc(l.rows, what) })
}

func (r *Report) openColumns() (list []column) {
	for _, s := range r.steps {
		if r.has(func(row results.Row) bool { return row.Open != nil && row.Phase == s.phase && row.Op == s.op }) {
			list = append(list, r.responses(s))
		}
	}
	if list == nil {
		return nil
	}
	late := func(row results.Row) uint64 { return cmp.Or(row.Open, &results.OpenLoop{}).Late }
	return append(list, sum("late", late), quantity("behind", "", false, fixed(0), behind))
}

func (r *Report) responses(s step) column {
	return column{results.Column{Title: r.title(s), Unit: "p99 ms", Number: true}, false, func(l *line) cell {
		row := l.row(s)
		switch {
		case row == nil || row.Open == nil:
			return cell{text: "-"}
		case !results.Enough(0.99, row.Batches):
			return cell{text: fmt.Sprintf("- of %d", row.Batches)}
		}
		return cell{fmt.Sprintf("%s of %d", results.MillisText(row.Open.High), row.Batches), &row.Open.High}
	}}
}

// behind counts the operations that had arrived but were not done: once for all rows of a stage.
func behind(l *line) *float64 {
	stages, total := map[string]uint64{}, 0.0
	for _, row := range l.rows {
		if row.Open != nil {
			stages[row.Phase] = row.Open.Behind
		}
	}
	for _, n := range stages {
		total += float64(n)
	}
	return &total
}

func sum(title string, of func(results.Row) uint64) column {
	return quantity(title, "", false, fixed(0), func(l *line) *float64 {
		total := 0.0
		for _, row := range l.rows {
			total += float64(of(row))
		}
		return &total
	})
}

func noise(l *line) cell {
	worst := 0.0
	for _, row := range l.measured() {
		if row.Noise == nil {
			return cell{text: "?"}
		}
		worst = max(worst, *row.Noise)
	}
	return cell{results.NoiseText(l.measured()), &worst}
}

func (l *line) measured() []results.Row {
	return measured(l.rows, func(row results.Row) string { return row.Phase })
}

// measured returns the items of stages, or those of prepare if there are no others.
func measured[T any](all []T, phase func(T) string) []T {
	stages := slices.DeleteFunc(slices.Clone(all), func(item T) bool { return phase(item) == Prepare })
	if len(stages) == 0 {
		return all
	}
	return stages
}

func ofScript(name string) column {
	return column{results.Column{Title: name, Number: true}, true, func(l *line) cell {
		switch v := l.values[name].(type) {
		case nil:
			return cell{text: "-"}
		case float64:
			return cell{strconv.FormatFloat(v, 'g', 5, 64), &v}
		default:
			return cell{text: fmt.Sprint(v)}
		}
	}}
}

func (c column) compare(a, b *line) int {
	x, y := c.cell(a), c.cell(b)
	switch {
	case x.number == nil && y.number == nil:
		return strings.Compare(x.text, y.text)
	case x.number == nil:
		return 1
	case y.number == nil:
		return -1
	case c.most:
		x, y = y, x
	}
	return cmp.Compare(*x.number, *y.number)
}
