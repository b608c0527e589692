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

// column is a column of the table. Lines are sorted by its numbers, the highest first if most.
type column struct {
	results.Column
	most bool
	cell func(line) cell
}

// cell is what a column says of a line. One without a number is sorted by its text, last.
type cell struct {
	text   string
	number *float64
}

var noCell = cell{text: "-"}

func numbered(x float64, text string) cell { return cell{text, &x} }

func (r *Report) columns() []column {
	list := []column{{results.Column{Title: "scheme"}, false, func(l line) cell { return cell{text: l.scheme} }}}
	for _, s := range r.steps {
		list = append(list, r.speed(s))
	}
	list = append(list, r.openColumns()...)
	list = append(list,
		column{results.Column{Title: "noise", Unit: "± %", Number: true}, false, noise},
		sum("failed", func(row results.Row) uint64 { return row.Counts["failed"] }),
		column{results.Column{Title: "filled", Number: true}, true, func(l line) cell { return numbered(l.load, fmt.Sprintf("%.3f", l.load)) }},
		column{results.Column{Title: "bytes", Unit: "per pair", Number: true}, false, func(l line) cell {
			if l.bytes == nil {
				return noCell
			}
			return numbered(*l.bytes, fmt.Sprintf("%.1f", *l.bytes))
		}})
	if r.has(func(row results.Row) bool { return row.PerOp != nil }) {
		for _, s := range r.steps {
			list = append(list, r.ofStep(s, "probes", false, probes))
		}
	}
	for _, name := range r.own {
		list = append(list, ofScript(name))
	}
	return list
}

// speed is the rate of a step, or the time of an operation on the whole table.
func (r *Report) speed(s step) column {
	if slices.Contains(schemes.TableOps, s.op) {
		return r.ofStep(s, "ms", false, func(row results.Row) cell { return numbered(row.Median, results.MillisText(row.Median)) })
	}
	return r.ofStep(s, "Mop/s", true, func(row results.Row) cell { return numbered(row.Rate, results.RateText(row.Rate)) })
}

func probes(row results.Row) cell {
	if row.PerOp == nil {
		return noCell
	}
	return numbered(row.PerOp["probes"], fmt.Sprintf("%.3f", row.PerOp["probes"]))
}

func (r *Report) has(what func(results.Row) bool) bool {
	return slices.ContainsFunc(r.points, func(p atPoint) bool {
		return slices.ContainsFunc(p.lines, func(l line) bool { return slices.ContainsFunc(l.rows, what) })
	})
}

// ofStep is a column about one step, with a dash where it was not done.
func (r *Report) ofStep(s step, unit string, most bool, about func(results.Row) cell) column {
	return column{results.Column{Title: r.title(s), Unit: unit, Number: true}, most, func(l line) cell {
		if row := l.row(s); row != nil {
			return about(*row)
		}
		return noCell
	}}
}

// openColumns are about operations that arrived at a rate, if any did.
func (r *Report) openColumns() (list []column) {
	for _, s := range r.steps {
		if !r.has(func(row results.Row) bool { return row.Open != nil && row.Phase == s.phase && row.Op == s.op }) {
			continue
		}
		list = append(list, r.ofStep(s, "p99 ms", false, func(row results.Row) cell {
			if row.Open == nil {
				return noCell
			}
			return numbered(row.Open.High, results.MillisText(row.Open.High))
		}))
	}
	if list == nil {
		return nil
	}
	late := func(row results.Row) uint64 {
		if row.Open == nil {
			return 0
		}
		return row.Open.Late
	}
	return append(list, sum("late", late), counted("behind", behind))
}

// behind is how many operations could not be kept up with. All rows of a stage say the same.
func behind(l line) (total uint64) {
	stages := map[string]uint64{}
	for _, row := range l.rows {
		if row.Open != nil {
			total += row.Open.Behind - stages[row.Phase]
			stages[row.Phase] = row.Open.Behind
		}
	}
	return total
}

func sum(title string, of func(results.Row) uint64) column {
	return counted(title, func(l line) (total uint64) {
		for _, row := range l.rows {
			total += of(row)
		}
		return total
	})
}

func counted(title string, count func(line) uint64) column {
	return column{results.Column{Title: title, Number: true}, false, func(l line) cell {
		return numbered(float64(count(l)), strconv.FormatUint(count(l), 10))
	}}
}

// noise is that of the noisiest step.
func noise(l line) cell {
	c := numbered(0, results.NoiseText(l.measured()))
	for _, row := range l.measured() {
		if row.Noise == nil {
			return cell{text: c.text}
		}
		*c.number = max(*c.number, *row.Noise)
	}
	return c
}

// measured are the rows of stages, or those of prepare if there are no others.
func (l line) measured() []results.Row {
	stages := slices.DeleteFunc(slices.Clone(l.rows), func(r results.Row) bool { return r.Phase == Prepare })
	if len(stages) == 0 {
		return l.rows
	}
	return stages
}

// ofScript is a column of a value that the script's done returned.
func ofScript(name string) column {
	return column{results.Column{Title: name, Number: true}, true, func(l line) cell {
		switch v := l.values[name].(type) {
		case nil:
			return noCell
		case float64:
			return numbered(v, strconv.FormatFloat(v, 'g', 5, 64))
		default:
			return cell{text: fmt.Sprint(v)}
		}
	}}
}

// compare orders two lines by the column.
func (c column) compare(a, b line) int {
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
