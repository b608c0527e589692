package tui

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// timeFormat is the format of a column of times.
type timeFormat struct {
	one    time.Duration
	unit   string
	places int
}

// timesOf is a unit in which the shortest median is at least 1, with decimals for the longest.
func timesOf(sc *scene) timeFormat {
	least, most := time.Duration(math.MaxInt64), time.Duration(0)
	for _, i := range sc.order {
		if times := &sc.row(i).op.Times; times.Count > 0 {
			least, most = min(least, times.P50), max(most, times.P99)
		}
	}
	if most == 0 {
		least = time.Millisecond
	}
	one, unit := unitFor(least)
	return timeFormat{one, unit, min(decimals(float64(most)/float64(one)), 2)}
}

func (f timeFormat) text(t *live.Times, d time.Duration) string {
	if t.Count == 0 {
		return "-"
	}
	return number(float64(d)/float64(f.one), f.places)
}

func ratePlaces(sc *scene) int {
	most := 0.0
	for _, i := range sc.order {
		if mean := sc.row(i).op.Mean; mean > most {
			most = mean
		}
	}
	return decimals(most)
}

// columns are the columns of the overview, from the left.
func (t *lanes) columns() []column[*row] {
	sc := t.sc
	list := []column[*row]{
		t.schemeColumn(schemeTitle(sc), 14, min(t.longest(), max(24, t.w/6))),
		{titles: []string{"Mop/s now", "Mop/s"}, rank: 1, least: 7, want: 9, number: true, text: t.rate(now, normal)},
		{titles: []string{"mean"}, rank: 4, least: 7, number: true, text: t.rate(mean, bold)},
		{titles: []string{windowText(sc.View.Window), "rate"}, rank: 3, least: 10, want: 24, grows: true, draw: t.spark},
		figures("p50 "+t.times.unit, 6, 7, func(r *row) string { return t.times.text(&r.op.Times, r.op.Times.P50) }),
		figures("p99 "+t.times.unit, 7, 7, func(r *row) string { return t.times.text(&r.op.Times, r.op.Times.P99) }),
		{titles: []string{"load"}, rank: 5, least: 4, want: 11, draw: drawLoad},
		{titles: []string{"failed"}, rank: 8, least: 6, number: true, text: failed},
		figures("B/key", 9, 5, func(r *row) string { return either(r.name == "", number(bytesPerKey(r.scheme), 1), "") }),
	}
	if sc.Counted {
		list = append(list, figures("probes", 8, 6, func(r *row) string {
			v, ok := r.scheme.PerOp["probes"]
			return either(ok && r.name == "", number(v, 2), "")
		}))
	}
	if len(sc.Ops) > 1 && t.h == 1 {
		list = append(list, column[*row]{titles: []string{"share of time"}, rank: 11, least: 13, want: 10 * len(sc.Ops), draw: t.shares})
	}
	return append(list, t.verdictColumn())
}

func figures(title string, rank, least int, text func(*row) string) column[*row] {
	return column[*row]{titles: []string{title}, rank: rank, least: least, number: true,
		text: func(st style, r *row) (style, string) { return st, text(r) }}
}

func (t *lanes) schemeColumn(title string, least, want int) column[*row] {
	return column[*row]{titles: []string{title}, least: least, want: want, draw: func(a area, st style, r *row) { drawName(a, st, t.sc, r) }}
}

func (t *lanes) verdictColumn() column[*row] {
	against := "baseline"
	if b := t.sc.View.Baseline; b >= 0 && b < len(t.sc.Schemes) {
		against = fit(t.sc.Schemes[b].Name, verdictWidth-3)
	}
	return column[*row]{titles: []string{"vs " + against, "difference"}, rank: 2, least: 13, want: verdictWidth, draw: drawVerdict}
}

// schemeTitle says which operation the figures are of, and how the schemes are sorted.
func schemeTitle(sc *scene) string {
	title := "   " + either(sc.View.Op == "", "scheme", sc.View.Op)
	return title + either(sc.sorted > 0, " ▾ "+orders[sc.sorted].name, "")
}

func (t *lanes) longest() int {
	most := 0
	for _, i := range t.sc.order {
		most = max(most, 3+len(t.sc.Schemes[i].Name))
	}
	for _, op := range t.sc.Ops {
		most = max(most, 3+len(op)+6)
	}
	return most
}

func (t *lanes) sparkTitle() string {
	return windowText(t.sc.View.Window) + either(t.sc.zoom, ", each by itself", ", 0 to "+short(t.peak)+" Mop/s")
}

func now(o *live.Op) float64  { return o.Now }
func mean(o *live.Op) float64 { return o.Mean }

func (t *lanes) rate(of func(*live.Op) float64, mark style) func(style, *row) (style, string) {
	return func(st style, r *row) (style, string) {
		return st | either(r.name == "", mark, 0), either(r.op.Batches > 0, number(of(r.op), t.rates), "-")
	}
}

func (t *lanes) spark(a area, _ style, r *row) {
	values := rates(t.sc.overTime(r.op.Series), a.w, 0)
	low, high := 0.0, t.peak
	if t.sc.zoom {
		low, high = bounds(values)
	}
	drawSpark(a, schemeStyle(r.index), values, low, high)
}

// drawName draws the letter and the name of a scheme, or an operation and its share of the
// time.
func drawName(a area, st style, sc *scene, r *row) {
	if r.name != "" {
		a.text(3, 0, st, fmt.Sprintf("%s %.0f %%", r.name, 100*r.op.Share))
		return
	}
	if r.index == sc.selected {
		a.text(0, 0, bold|accent, "▸")
	}
	a.text(1, 0, bold|schemeStyle(r.index), mark(r.index))
	drawSchemeName(a.part(3, 0, a.w-3, 1), st, r)
}

// drawSchemeName draws the name, and the parameters as far as there is room.
func drawSchemeName(a area, st style, r *row) {
	name, settings, _ := strings.Cut(r.scheme.Name, ":")
	x := a.text(0, 0, bold|schemeStyle(r.index), name)
	text := strings.ReplaceAll(settings, ",", " ")
	if ansi.StringWidth(clean(text)) > a.w-x-1 {
		text = abbreviated(settings)
	}
	a.text(x+1, 0, st, text)
}

// abbreviated are settings by the first letters of their names: b=8 h=2.
func abbreviated(settings string) string {
	var list []string
	for _, setting := range strings.FieldsFunc(settings, func(r rune) bool { return r == ',' }) {
		name, value, _ := strings.Cut(setting, "=")
		list = append(list, name[:min(len(name), 1)]+"="+value)
	}
	return strings.Join(list, " ")
}

func drawLoad(a area, st style, r *row) {
	if r.name != "" {
		return
	}
	text := fmt.Sprintf("%.2f", r.scheme.Load)
	if n := a.w - len(text) - 1; n > 1 {
		a.text(0, 0, schemeStyle(r.index), meter(n, r.scheme.Load))
	}
	a.right(a.w, 0, st, text)
}

func failed(st style, r *row) (style, string) {
	return either(r.op.Failed > 0, bold|bad, st), count(r.op.Failed)
}

func (t *lanes) shares(a area, st style, r *row) {
	x := 0
	for _, o := range t.sc.operations(r) {
		text := fmt.Sprintf("%s %.0f%%", o.name, 100*o.op.Share)
		if r.name != "" || x+len(text) > a.w {
			return
		}
		x = a.text(x, 0, st, text) + 1
	}
}
