package report

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

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
	g := rowsOf(all)
	add := func(c column, of func(measured) cell) { g.add(c, lists.Map(all, of)) }
	add(timed("rate", "Mop/s"), rate)
	add(timed("95 % interval", "Mop/s"), interval)
	add(timed("time", "ms"), func(m measured) cell { return cell{Text: results.MillisText(m.Median), Number: full(m.Median)} })
	add(text("times"), func(m measured) cell { return cell{SVG: spark(m.Runs)} })
	add(timed("noise", "± %"), func(m measured) cell { return words(results.NoiseText([]results.Row{m.Row})) })
	add(number("failed", ""), func(m measured) cell { return counted(m.Counts["failed"]) })
	add(number("rejected", ""), func(m measured) cell { return counted(m.Counts["rejected"]) })
	add(number("filled", ""), func(m measured) cell { return words(strconv.FormatFloat(m.Load, 'f', 3, 64)) })
	add(number("bytes", "per pair"), func(m measured) cell { return optional(m.BytesPerPair, 1) })
	add(number("probes", "per op"), func(m measured) cell { return perOp(m, "probes") })
	add(text("remarks"), remark)
	return g
}

// rowsOf begins a table with a line for each row: its side, if there are several, and what was measured.
func rowsOf(all []measured) grid {
	g := grid{Rows: lists.Map(all, func(m measured) row { return row{Mark: m.Mark} })}
	if len(lists.Unique(lists.Map(all, func(m measured) string { return m.side }))) > 1 {
		g.add(text("results"), lists.Map(all, func(m measured) cell { return words(m.side) }))
	}
	g.add(text("scheme"), lists.Map(all, func(m measured) cell { return words(m.Scheme) }))
	g.where(all)
	return g
}

func (g *grid) where(all []measured) {
	add := func(c column, of func(measured) cell) { g.add(c, lists.Map(all, of)) }
	add(text("operation"), func(m measured) cell { return words(analysis.Operation(m.Row)) })
	if pairs := lists.Unique(lists.Map(all, func(m measured) string { return m.Pair })); len(pairs) > 1 {
		add(text("pair"), func(m measured) cell { return words(m.Pair) })
	}
	for _, axis := range keys(all, func(m measured) map[string]any { return m.Point }) {
		c := text(strings.ReplaceAll(axis, "_", " "))
		c.Number = !slices.ContainsFunc(all, func(m measured) bool { _, isText := m.Point[axis].(string); return isText })
		add(c, func(m measured) cell { return words(analysis.Text(m.Point[axis])) })
	}
}

// keys are the names in the maps of all rows, sorted.
func keys[T, V any](all []T, of func(T) map[string]V) []string {
	names := map[string]bool{}
	for _, one := range all {
		for name := range of(one) {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
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
	if low == high || slices.Contains(schemes.TableOps, m.Op) {
		return words("?")
	}
	return cell{Text: results.RateText(low) + " to " + results.RateText(high), Number: full(low)}
}

func full(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

func counted(n uint64) cell {
	if n == 0 {
		return cell{}
	}
	return words(fmt.Sprint(n))
}

func optional(x *float64, digits int) cell {
	if x == nil {
		return cell{}
	}
	return words(strconv.FormatFloat(*x, 'f', digits, 64))
}

func perOp(m measured, name string) cell {
	if x, ok := m.PerOp[name]; ok {
		return optional(&x, 3)
	}
	return cell{}
}

// counters is the table of what the instrumented kernels counted for each operation.
func counters(all []measured) grid {
	all = slices.DeleteFunc(slices.Clone(all), func(m measured) bool { return len(m.PerOp) == 0 })
	g := rowsOf(all)
	for _, name := range keys(all, func(m measured) map[string]float64 { return m.PerOp }) {
		g.add(number(strings.ReplaceAll(name, "_", " "), ""), lists.Map(all, func(m measured) cell { return perOp(m, name) }))
	}
	return g
}

// responses is the table of operations that arrived at a fixed rate.
func responses(all []measured) grid {
	all = slices.DeleteFunc(slices.Clone(all), func(m measured) bool { return m.Open == nil })
	g := rowsOf(all)
	add := func(c column, of func(measured) string) {
		g.add(c, lists.Map(all, func(m measured) cell { return words(of(m)) }))
	}
	add(number("arrived", "Mop/s"), func(m measured) string { return results.RateText(m.Open.Rate) })
	add(timed("median", "ms"), func(m measured) string { return results.MillisText(m.Open.Median) })
	add(timed("99th percentile", "ms"), high)
	add(timed("longest", "ms"), func(m measured) string { return results.MillisText(m.Open.Most) })
	add(number("late", "batches"), func(m measured) string { return fmt.Sprint(m.Open.Late) })
	add(number("behind", "operations"), func(m measured) string { return fmt.Sprint(m.Open.Behind) })
	g.add(text("remarks"), lists.Map(all, func(m measured) cell { return long(m.Mark) }))
	return g
}

func high(m measured) string {
	if !results.Enough(0.99, m.Batches) {
		return fmt.Sprintf("- of %d", m.Batches)
	}
	return results.MillisText(m.Open.High)
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
		if len(s.Files) > 1 {
			list = append(list, fmt.Sprintf("%s: medians of %d runs; the interval is how much these differ.", s.Name, len(s.Files)))
		} else {
			list = append(list, fmt.Sprintf("%s: one run; the interval is that of its batches, and whole runs differ by more.", s.Name))
		}
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
	list := thinned(seconds, sparkTimes, func(a, b float64) bool { return a > b })
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

// thinned keeps at most `most` items: of each stretch the one that is above the others.
func thinned[T any](list []T, most int, above func(a, b T) bool) (short []T) {
	if len(list) <= most {
		return list
	}
	for i := range most {
		stretch := list[i*len(list)/most : (i+1)*len(list)/most]
		top := stretch[0]
		for _, one := range stretch[1:] {
			if above(one, top) {
				top = one
			}
		}
		short = append(short, top)
	}
	return short
}
