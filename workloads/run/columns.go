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

// column is a column of the table and how its lines are filled and sorted.
type column struct {
	results.Column
	text   func(line) string
	number func(line) (float64, bool) // nil: sorted by the text
	most   bool                       // the highest first
}

func (r *Report) columns() []column {
	list := []column{{Column: results.Column{Title: "scheme"}, text: func(l line) string { return l.scheme }}}
	for _, s := range r.steps {
		list = append(list, r.speed(s))
	}
	if r.has(func(row results.Row) bool { return row.Open != nil }) {
		list = append(list, r.openColumns()...)
	}
	list = append(list, ofTable()...)
	if r.has(func(row results.Row) bool { return row.PerOp != nil }) {
		for _, s := range r.steps {
			list = append(list, r.ofStep(s, "probes", false, func(row results.Row) (string, float64) {
				if row.PerOp == nil {
					return "-", 0
				}
				return fmt.Sprintf("%.3f", row.PerOp["probes"]), row.PerOp["probes"]
			}))
		}
	}
	for _, name := range r.own {
		list = append(list, ofScript(name))
	}
	return list
}

// speed is the rate of a step; of an operation on the whole table, which has no
// operations that could be counted, it is the time that one takes.
func (r *Report) speed(s step) column {
	if slices.Contains(schemes.TableOps, s.op) {
		return r.ofStep(s, "ms", false, func(row results.Row) (string, float64) { return results.MillisText(row.Median), row.Median })
	}
	return r.ofStep(s, "Mop/s", true, func(row results.Row) (string, float64) { return results.RateText(row.Rate), row.Rate })
}

func (r *Report) has(what func(results.Row) bool) bool {
	for _, p := range r.points {
		for _, l := range p.lines {
			if slices.ContainsFunc(l.rows, what) {
				return true
			}
		}
	}
	return false
}

// ofStep is a column with something about one operation, a dash where it was not done.
func (r *Report) ofStep(s step, unit string, most bool, about func(results.Row) (string, float64)) column {
	return column{
		Column: results.Column{Title: r.title(s), Unit: unit, Number: true}, most: most,
		text: func(l line) string {
			row := l.row(s)
			if row == nil {
				return "-"
			}
			text, _ := about(*row)
			return text
		},
		number: func(l line) (float64, bool) {
			row := l.row(s)
			if row == nil {
				return 0, false
			}
			_, number := about(*row)
			return number, true
		},
	}
}

// openColumns are about how operations fared that arrived at a rate.
func (r *Report) openColumns() []column {
	var list []column
	for _, s := range r.steps {
		if !r.has(func(row results.Row) bool { return row.Open != nil && row.Phase == s.phase && row.Op == s.op }) {
			continue
		}
		list = append(list, r.ofStep(s, "p99 ms", false, func(row results.Row) (string, float64) {
			if row.Open == nil {
				return "-", 0
			}
			return results.MillisText(row.Open.High), row.Open.High
		}))
	}
	return append(list, sum("late", func(row results.Row) uint64 {
		if row.Open == nil {
			return 0
		}
		return row.Open.Late
	}), behindColumn())
}

// behindColumn is what could not be kept up with: the rows of a stage all say the same.
func behindColumn() column {
	behind := func(l line) uint64 {
		stages := map[string]uint64{}
		for _, row := range l.rows {
			if row.Open != nil {
				stages[row.Phase] = row.Open.Behind
			}
		}
		total := uint64(0)
		for _, n := range stages {
			total += n
		}
		return total
	}
	return counted("behind", behind)
}

func sum(title string, of func(results.Row) uint64) column {
	return counted(title, func(l line) uint64 {
		total := uint64(0)
		for _, row := range l.rows {
			total += of(row)
		}
		return total
	})
}

func counted(title string, count func(line) uint64) column {
	return column{
		Column: results.Column{Title: title, Number: true},
		text:   func(l line) string { return strconv.FormatUint(count(l), 10) },
		number: func(l line) (float64, bool) { return float64(count(l)), true },
	}
}

// ofTable is about what is not of one operation.
func ofTable() []column {
	return []column{
		{Column: results.Column{Title: "noise", Unit: "± %", Number: true},
			text: func(l line) string { return results.NoiseText(l.measured()) }, number: worstNoise},
		sum("failed", func(row results.Row) uint64 { return row.Counts["failed"] }),
		{Column: results.Column{Title: "filled", Number: true}, most: true,
			text:   func(l line) string { return fmt.Sprintf("%.3f", l.load) },
			number: func(l line) (float64, bool) { return l.load, true }},
		{Column: results.Column{Title: "bytes", Unit: "per pair", Number: true},
			text: func(l line) string {
				if l.bytes != nil {
					return fmt.Sprintf("%.1f", *l.bytes)
				}
				return "-"
			},
			number: func(l line) (float64, bool) { return number(l.bytes) }},
	}
}

func number(x *float64) (float64, bool) {
	if x == nil {
		return 0, false
	}
	return *x, true
}

func worstNoise(l line) (float64, bool) {
	worst := 0.0
	for _, row := range l.measured() {
		if row.Noise == nil {
			return 0, false
		}
		worst = max(worst, *row.Noise)
	}
	return worst, true
}

// measured are the rows of stages, or those of prepare if there are no others.
func (l line) measured() []results.Row {
	stages := slices.DeleteFunc(slices.Clone(l.rows), func(r results.Row) bool { return r.Phase == Prepare })
	if len(stages) == 0 {
		return l.rows
	}
	return stages
}

// ofScript is a column of what the script's done gave.
func ofScript(name string) column {
	return column{
		Column: results.Column{Title: name, Number: true}, most: true,
		text: func(l line) string {
			switch v := l.values[name].(type) {
			case nil:
				return "-"
			case float64:
				return strconv.FormatFloat(v, 'g', 5, 64)
			default:
				return fmt.Sprint(v)
			}
		},
		number: func(l line) (float64, bool) {
			x, ok := l.values[name].(float64)
			return x, ok
		},
	}
}

// compare puts lines without a number last.
func (c column) compare(a, b line) int {
	if c.number == nil {
		return strings.Compare(c.text(a), c.text(b))
	}
	x, hasX := c.number(a)
	y, hasY := c.number(b)
	switch {
	case !hasX || !hasY:
		return cmp.Compare(btoi(hasY), btoi(hasX))
	case c.most:
		return cmp.Compare(y, x)
	}
	return cmp.Compare(x, y)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
