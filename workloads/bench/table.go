package bench

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hashzoo/hashzoo/runtime/results"
)

// Table is the rows of a measurement for people: a line for each scheme at each
// load factor, a column for each operation.
func Table(rows []results.Row) results.Table {
	steps := columns(rows)
	counted := slices.ContainsFunc(rows, func(r results.Row) bool { return r.PerOp != nil })
	t := results.Table{Columns: []results.Column{{Title: "scheme"}, {Title: "load", Number: true}}}
	for _, s := range steps {
		t.Columns = append(t.Columns, results.Column{Title: s, Unit: "Mop/s", Number: true})
	}
	t.Columns = append(t.Columns, results.Column{Title: "noise", Unit: "± %", Number: true},
		results.Column{Title: "failed", Number: true}, results.Column{Title: "filled", Number: true},
		results.Column{Title: "bytes", Unit: "per pair", Number: true})
	if counted {
		for _, s := range steps {
			t.Columns = append(t.Columns, results.Column{Title: s, Unit: "probes", Number: true})
		}
	}
	groups := lines(rows)
	for i, group := range groups {
		if i > 0 && group[0].Point["load_factor"] != groups[i-1][0].Point["load_factor"] {
			t.Rows = append(t.Rows, nil)
		}
		t.Rows = append(t.Rows, line(group, steps, counted))
	}
	return t
}

// stepOf names the operation of a row as its column does.
func stepOf(r results.Row) string {
	if present, ok := r.Point["present"].(float64); ok {
		return label(present)
	}
	return r.Op
}

func columns(rows []results.Row) []string {
	var list []string
	for _, r := range rows {
		if s := stepOf(r); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// lines gathers the rows of each scheme and load factor. One scheme given twice
// makes two lines.
func lines(rows []results.Row) [][]results.Row {
	var list [][]results.Row
	for _, r := range rows {
		i := slices.IndexFunc(list, func(group []results.Row) bool {
			return group[0].Scheme == r.Scheme && group[0].Point["load_factor"] == r.Point["load_factor"] &&
				!slices.ContainsFunc(group, func(other results.Row) bool { return stepOf(other) == stepOf(r) })
		})
		if i < 0 {
			list = append(list, []results.Row{r})
			continue
		}
		list[i] = append(list[i], r)
	}
	return list
}

func line(group []results.Row, steps []string, counted bool) []string {
	first := group[0]
	cells := []string{first.Scheme, fmt.Sprintf("%g", first.Point["load_factor"])}
	each := func(text func(results.Row) string) {
		for _, s := range steps {
			cells = append(cells, cell(group, s, text))
		}
	}
	each(func(r results.Row) string { return results.RateText(r.Rate) })
	bytes := "-"
	if first.BytesPerPair != nil {
		bytes = fmt.Sprintf("%.1f", *first.BytesPerPair)
	}
	cells = append(cells, results.NoiseText(group), strconv.FormatUint(first.Counts["failed"], 10), fmt.Sprintf("%.3f", first.Load), bytes)
	if counted {
		each(func(r results.Row) string { return fmt.Sprintf("%.3f", r.PerOp["probes"]) })
	}
	return cells
}

// cell is what is said of one step, and a dash if it was not measured.
func cell(group []results.Row, step string, text func(results.Row) string) string {
	for _, r := range group {
		if stepOf(r) == step {
			return text(r)
		}
	}
	return "-"
}

// Remarks are what the table's marks mean, and what must be known to compare its
// lines.
func Remarks(rows []results.Row) []string {
	var list []string
	add := func(remark string) {
		if !slices.Contains(list, remark) {
			list = append(list, remark)
		}
	}
	for _, r := range rows {
		if r.Noise == nil {
			add("? fewer than 6 runs say nothing about the noise")
		} else if !r.Settled {
			add("* the noise did not come below its bound within the limits of repeat in config.toml")
		}
		if r.Compare != "" {
			add(fmt.Sprintf("not comparable: %s at load factor %g: %s", stepOf(r), r.Point["load_factor"], r.Compare))
		}
		for _, note := range r.Notes {
			add(fmt.Sprintf("%s at load factor %g: %s", r.Scheme, r.Point["load_factor"], note))
		}
	}
	return list
}
