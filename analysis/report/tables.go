package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// grid is a table that the page can sort and filter.
type grid struct {
	Caption string
	Columns []column
	Rows    []row
}

// column is a column of a grid.
type column struct {
	results.Column
	Help  string
	Timed bool // rows with a mark have no place in an order by it
	Heat  bool // cells have classes of their own
}

// row is a line of a grid. A marked one is no figure of its scheme.
type row struct {
	Cells []cell
	Mark  string
}

// cell is an entry: its text, and what else there is to see.
type cell struct {
	Text   string
	Number string // what it is sorted by, if the text is rounded
	Part   string // of the best of its kind, in percent, drawn as a bar
	Class  string
	SVG    template.HTML
	Small  string // further text
	Link   string
	At     string // rate and bytes per pair, for a scatter
	Head   bool   // it names the row
}

func words(text string) cell { return cell{Text: text} }

// long is a cell of a sentence or more.
func long(text string) cell {
	return lists.Either(text == "", cell{}, cell{Text: text, Class: "remark"})
}

// ofTable is a table for terminals as a grid.
func ofTable(t results.Table) grid {
	return grid{
		Columns: lists.Map(t.Columns, func(c results.Column) column { return column{Column: c} }),
		Rows:    lists.Map(t.Rows, func(cells []string) row { return row{Cells: lists.Map(cells, words)} }),
	}
}

// table is a grid with a row for each item of a list.
type table[T any] struct {
	grid
	all []T
}

func tableOf[T any](all []T) *table[T] { return &table[T]{grid{Rows: make([]row, len(all))}, all} }

// add adds a column, unless no row has anything in it.
func (t *table[T]) add(c column, of func(T) cell) {
	cells := lists.Map(t.all, of)
	if !slices.ContainsFunc(cells, func(c cell) bool { return c != cell{} }) {
		return
	}
	t.Columns = append(t.Columns, c)
	for i := range t.Rows {
		t.Rows[i].Cells = append(t.Rows[i].Cells, cells[i])
	}
}

// texts adds a column of plain texts.
func (t *table[T]) texts(c column, of func(T) string) {
	t.add(c, func(one T) cell { return words(of(one)) })
}

func text(title string) column { return column{Column: results.Column{Title: title}} }

func number(title, unit string) column {
	return column{Column: results.Column{Title: title, Unit: unit, Number: true}}
}

func timed(title, unit string) column {
	c := number(title, unit)
	c.Timed = true
	return c
}

// measured is a row with the side that it is of.
type measured struct {
	analysis.Measured
	side string
	best float64 // the rate of the fastest of its kind that has no mark
}

func measure(sides []analysis.Side) (list []measured) {
	best := map[string]float64{}
	kind := func(m measured) string { return fmt.Sprint(m.side, m.Op, m.Phase, m.Pair, m.Point) }
	for _, s := range sides {
		for _, row := range s.Measured() {
			m := measured{Measured: row, side: s.Name}
			if list = append(list, m); m.Mark == "" {
				best[kind(m)] = max(best[kind(m)], m.Rate)
			}
		}
	}
	for i := range list {
		list[i].best = best[kind(list[i])]
	}
	return list
}

func rates(all []measured) grid {
	t := rowsOf(all)
	t.add(timed("rate", "Mop/s"), rate)
	t.add(timed("95 % interval", "Mop/s"), interval)
	t.add(timed("time", "ms"), func(m measured) cell { return cell{Text: results.MillisText(m.Median), Number: full(m.Median)} })
	t.add(text("times"), func(m measured) cell { return cell{SVG: spark(m.Runs)} })
	t.texts(timed("noise", "± %"), func(m measured) string { return results.NoiseText([]results.Row{m.Row}) })
	t.texts(number("failed", ""), func(m measured) string { return counted(m.Counts["failed"]) })
	t.texts(number("rejected", ""), func(m measured) string { return counted(m.Counts["rejected"]) })
	t.texts(number("filled", ""), func(m measured) string { return strconv.FormatFloat(m.Load, 'f', 3, 64) })
	t.texts(number("bytes", "per pair"), func(m measured) string { return optional(m.BytesPerPair, 1) })
	t.texts(number("probes", "per op"), func(m measured) string { return perOp(m, "probes") })
	t.add(text("remarks"), remark)
	return t.grid
}

// rowsOf begins a table with a line for each row: its side, if there are several, and what was measured.
func rowsOf(all []measured) *table[measured] {
	t := tableOf(all)
	for i, m := range all {
		t.Rows[i].Mark = m.Mark
	}
	t.side(func(m measured) string { return m.side })
	t.texts(text("scheme"), func(m measured) string { return m.Scheme })
	where(t)
	return t
}

// side names the side of each row, if there are several.
func (t *table[T]) side(of func(T) string) {
	if len(lists.Unique(lists.Map(t.all, of))) > 1 {
		t.texts(text("results"), of)
	}
}

func where(t *table[measured]) {
	t.texts(text("operation"), func(m measured) string { return analysis.Operation(m.Row) })
	if pair := func(m measured) string { return m.Pair }; len(lists.Unique(lists.Map(t.all, pair))) > 1 {
		t.texts(text("pair"), pair)
	}
	for _, axis := range lists.Keys(t.all, func(m measured) map[string]any { return m.Point }) {
		c := text(strings.ReplaceAll(axis, "_", " "))
		c.Number = !slices.ContainsFunc(t.all, func(m measured) bool { _, isText := m.Point[axis].(string); return isText })
		t.texts(c, func(m measured) string { return analysis.Text(m.Point[axis]) })
	}
}

// rate has no bar where it is no figure of the scheme. Operations on whole tables have a time only.
func rate(m measured) cell {
	if slices.Contains(schemes.TableOps, m.Op) || m.Rate <= 0 {
		return words("-")
	}
	c := cell{Text: results.RateText(m.Rate), Number: full(m.Rate)}
	if m.Mark == "" && m.best > 0 {
		c.Part = fmt.Sprintf("%.1f%%", 100*m.Rate/m.best)
	}
	return c
}

func interval(m measured) cell {
	low, high := m.Interval()
	unknown := low == high || slices.Contains(schemes.TableOps, m.Op)
	return lists.Either(unknown, words("?"), cell{Text: results.RateText(low) + " to " + results.RateText(high), Number: full(low)})
}

func full(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

func counted(n uint64) string { return lists.Either(n == 0, "", fmt.Sprint(n)) }

func optional(x *float64, digits int) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'f', digits, 64)
}

func perOp(m measured, name string) string {
	if x, ok := m.PerOp[name]; ok {
		return optional(&x, 3)
	}
	return ""
}

// counters is the table of what the instrumented kernels counted for each operation.
func counters(all []measured) grid {
	t := rowsOf(lists.Filter(all, func(m measured) bool { return len(m.PerOp) > 0 }))
	for _, name := range lists.Keys(t.all, func(m measured) map[string]float64 { return m.PerOp }) {
		t.texts(number(strings.ReplaceAll(name, "_", " "), ""), func(m measured) string { return perOp(m, name) })
	}
	return t.grid
}

// responses is the table of operations that arrived at a fixed rate.
func responses(all []measured) grid {
	t := rowsOf(lists.Filter(all, func(m measured) bool { return m.Open != nil }))
	t.texts(number("arrived", "Mop/s"), func(m measured) string { return results.RateText(m.Open.Rate) })
	t.texts(timed("median", "ms"), func(m measured) string { return results.MillisText(m.Open.Median) })
	t.texts(timed("99th percentile", "ms"), func(m measured) string {
		return lists.Either(results.Enough(0.99, m.Batches), results.MillisText(m.Open.High), fmt.Sprintf("- of %d", m.Batches))
	})
	t.texts(timed("longest", "ms"), func(m measured) string { return results.MillisText(m.Open.Most) })
	t.texts(number("late", "batches"), func(m measured) string { return fmt.Sprint(m.Open.Late) })
	t.texts(number("behind", "operations"), func(m measured) string { return fmt.Sprint(m.Open.Behind) })
	t.add(text("remarks"), func(m measured) cell { return long(m.Mark) })
	return t.grid
}

// remark is the mark of a row, then its notes.
func remark(m measured) cell {
	parts := m.Notes
	if m.Mark != "" {
		parts = append([]string{m.Mark}, parts...)
	}
	if len(m.Phases) > 0 {
		parts = append(parts, "in phases: "+strings.Join(m.Phases, ", "))
	}
	return long(strings.Join(parts, "; "))
}

// remarks explain the table.
func remarks(sides []analysis.Side, all []measured) (list []string) {
	list = append(list, "Rates are of completed operations, by the device's own clock, in the median run or batch. A bar compares a rate with the fastest of the same operation at the same point.")
	for _, s := range sides {
		repeated := fmt.Sprintf("medians of %d runs; the interval is how much these differ.", len(s.Files))
		once := "one run; the interval is that of its batches, and whole runs differ by more."
		list = append(list, s.Name+": "+lists.Either(len(s.Files) > 1, repeated, once))
	}
	if slices.ContainsFunc(all, func(m measured) bool { return m.Mark != "" }) {
		list = append(list, "A rate that is crossed out is no figure of its scheme and has no rank: the remark says why.")
	}
	if slices.ContainsFunc(all, func(m measured) bool { return strings.HasSuffix(results.NoiseText([]results.Row{m.Row}), "*") }) {
		list = append(list, "* the noise did not come below its bound, or there were fewer runs than repeat.least.")
	}
	if slices.ContainsFunc(all, func(m measured) bool { return m.Noise == nil }) {
		list = append(list, fmt.Sprintf("? fewer than %d runs say nothing about the noise.", results.LeastRuns))
	}
	return list
}

// Sizes of a spark line, and the number of times that it shows.
const (
	sparkWidth, sparkHeight = 64, 16
	sparkTimes              = 32
)

// spark draws the times of runs or batches in their order, from 0 up. Of many, it shows the longest of each stretch.
func spark(seconds []float64) template.HTML {
	list := thinned(seconds, sparkTimes, func(t float64) float64 { return t })
	if len(list) < 2 {
		return ""
	}
	most := slices.Max(list)
	if most <= 0 {
		return ""
	}
	var path strings.Builder
	for i, t := range list {
		fmt.Fprintf(&path, "%c%d %d", "ML"[min(i, 1)], i*sparkWidth/(len(list)-1), sparkHeight-1-int(t/most*(sparkHeight-2)))
	}
	return template.HTML(fmt.Sprintf(`<svg class="spark" viewBox="0 0 %d %d" aria-hidden="true"><path d="%s"/></svg>`, sparkWidth, sparkHeight, path.String()))
}

// thinned keeps at most `most` items: of each stretch the first with the largest number.
func thinned[T any](list []T, most int, number func(T) float64) (short []T) {
	if len(list) <= most {
		return list
	}
	for i := range most {
		stretch := list[i*len(list)/most : (i+1)*len(list)/most]
		short = append(short, slices.MaxFunc(stretch, func(a, b T) int { return cmp.Compare(number(a), number(b)) }))
	}
	return short
}

// summary has a script's own values for a scheme in one file.
type summary struct {
	results.Summary
	side string
}

func summaries(sides []analysis.Side) (list []summary) {
	for _, s := range sides {
		for i, f := range s.Files {
			name := lists.Either(len(s.Files) > 1, fmt.Sprintf("%s, run %d", s.Name, i+1), s.Name)
			list = append(list, lists.Map(f.Summaries, func(one results.Summary) summary { return summary{one, name} })...)
		}
	}
	return list
}

// reported is the table of what scripts say: their values, conditions and notes.
func reported(sides []analysis.Side) grid {
	t := tableOf(lists.Filter(summaries(sides), func(s summary) bool { return len(s.Values)+len(s.Thresholds)+len(s.Notes) > 0 }))
	t.side(func(s summary) string { return s.side })
	t.texts(text("scheme"), func(s summary) string { return s.Scheme })
	for _, axis := range lists.Keys(t.all, func(s summary) map[string]any { return s.Point }) {
		t.texts(text(axis), func(s summary) string { return analysis.Text(s.Point[axis]) })
	}
	for _, name := range lists.Keys(t.all, func(s summary) map[string]any { return s.Values }) {
		c := text(name)
		c.Number = !slices.ContainsFunc(t.all, func(s summary) bool { _, isText := s.Values[name].(string); return isText })
		t.add(c, func(s summary) cell { return value(s.Values[name]) })
	}
	t.add(text("conditions"), func(s summary) cell { return long(strings.Join(lists.Map(s.Thresholds, threshold), "; ")) })
	t.add(text("notes"), func(s summary) cell { return long(strings.Join(s.Notes, "; ")) })
	return t.grid
}

func threshold(t results.Threshold) string {
	return t.Condition + lists.Either(t.Holds, " holds", " does not hold: it has "+value(t.Value).Text)
}

func value(v any) cell {
	if x, ok := v.(float64); ok {
		return cell{Text: strconv.FormatFloat(x, 'g', 5, 64), Number: full(x)}
	}
	return words(analysis.Text(v))
}

// inputs is the table of digests: rows with the same input are comparable, and equal results agree.
func inputs(rows []measured) grid {
	id := func(m measured) string { return fmt.Sprint(m.Op, m.Phase, m.Pair, m.Point, m.Input, m.Result) }
	schemes := map[string][]string{}
	for _, m := range rows {
		schemes[id(m)] = lists.Add(schemes[id(m)], m.Scheme)
	}
	t := tableOf(lists.Map(lists.Groups(rows, id), func(same []measured) measured { return same[0] }))
	where(t)
	t.add(text("input"), func(m measured) cell { return cell{Text: m.Input, Class: "digest"} })
	t.add(text("results"), func(m measured) cell { return cell{Text: m.Result, Class: "digest"} })
	t.texts(text("schemes"), func(m measured) string { return strings.Join(schemes[id(m)], ", ") })
	return t.grid
}
