package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
)

// timeFormat is how a column of times is written.
type timeFormat struct {
	one    time.Duration
	unit   string
	places int
}

// timesOf is a unit in which the shortest median is at least 1, and places for the longest.
func timesOf(sc *scene) timeFormat {
	least, most := time.Duration(math.MaxInt64), time.Duration(0)
	for _, i := range sc.order {
		if times := &sc.of(&sc.Schemes[i]).Times; times.Count > 0 {
			least, most = min(least, times.P50), max(most, times.P99)
		}
	}
	if most == 0 {
		least = time.Millisecond
	}
	one, unit := unitFor(least)
	return timeFormat{one, unit, min(decimals(float64(most)/float64(one)), 2)}
}

func (f timeFormat) text(d time.Duration, count uint64) string {
	if count == 0 {
		return "-"
	}
	return number(float64(d)/float64(f.one), f.places)
}

// columns are all columns of the overview, from the left.
func (t *lanes) columns() []column[*row] {
	sc := t.sc
	list := []column[*row]{
		{titles: []string{schemeTitle(sc)}, rank: 0, least: 14, want: min(t.longest(), max(24, t.w/6)), draw: func(a area, st style, r *row) { drawName(a, st, sc, r) }},
		{titles: []string{"Mop/s now", "Mop/s"}, rank: 1, least: 7, want: 9, number: true, draw: t.rate(func(o *live.Op) float64 { return o.Now }, normal)},
		{titles: []string{"mean"}, rank: 4, least: 7, number: true, draw: t.rate(func(o *live.Op) float64 { return o.Mean }, bold)},
		{titles: []string{windowText(sc.View.Window), "rate"}, rank: 3, least: 10, want: 24, grows: true, draw: t.spark},
		{titles: []string{"p50 " + t.times.unit}, rank: 6, least: 7, number: true, draw: t.time(func(x *live.Times) time.Duration { return x.P50 })},
		{titles: []string{"p99 " + t.times.unit}, rank: 7, least: 7, number: true, draw: t.time(func(x *live.Times) time.Duration { return x.P99 })},
		{titles: []string{"load"}, rank: 5, least: 4, want: 11, draw: drawLoad},
		{titles: []string{"failed"}, rank: 8, least: 6, number: true, draw: drawFailed},
		{titles: []string{"B/key"}, rank: 9, least: 5, number: true, draw: drawBytes},
	}
	if sc.Counted {
		list = append(list, column[*row]{titles: []string{"probes"}, rank: 8, least: 6, number: true, draw: drawProbes})
	}
	if len(sc.Ops) > 1 && t.h == 1 {
		list = append(list, column[*row]{titles: []string{"share of time"}, rank: 11, least: 13, want: 10 * len(sc.Ops), draw: t.shares})
	}
	return append(list, column[*row]{titles: []string{"vs " + t.against(), "difference"}, rank: 2, least: 13, want: verdictWidth, draw: drawVerdict})
}

// schemeTitle says what the figures are of, and in which order the schemes stand.
func schemeTitle(sc *scene) string {
	title := "   scheme"
	if sc.View.Op != "" {
		title = "   " + sc.View.Op
	}
	if sc.sorted > 0 {
		title += " ▾ " + orders[sc.sorted].name
	}
	return title
}

// against is the baseline's name, as long as a column is wide.
func (t *lanes) against() string {
	if b := t.sc.Snapshot.Baseline; b >= 0 && b < len(t.sc.Schemes) {
		return t.sc.canvasless(t.sc.Schemes[b].Name, verdictWidth-3)
	}
	return "baseline"
}

// canvasless cuts a name where no canvas is at hand.
func (sc *scene) canvasless(name string, most int) string { return (&canvas{}).fit(name, most) }

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
	if t.sc.zoom {
		return windowText(t.sc.View.Window) + ", each by itself"
	}
	return fmt.Sprintf("%s, 0 to %s Mop/s", windowText(t.sc.View.Window), short(t.peak))
}

func (t *lanes) rate(of func(*live.Op) float64, st style) func(area, style, *row) {
	return func(a area, base style, r *row) {
		v := of(r.op)
		if r.op.Batches == 0 {
			v = math.NaN()
		}
		if r.name == "" {
			base |= st
		}
		a.right(a.w, 0, base, number(v, t.rates))
	}
}

func (t *lanes) time(of func(*live.Times) time.Duration) func(area, style, *row) {
	return func(a area, st style, r *row) {
		a.right(a.w, 0, st, t.times.text(of(&r.op.Times), r.op.Times.Count))
	}
}

func (t *lanes) spark(a area, _ style, r *row) {
	values := rates(t.sc.overTime(r.op.Series), a.w)
	low, high := 0.0, t.peak
	if t.sc.zoom {
		low, high = bounds(values)
	}
	drawSpark(a, schemeStyle(r.index), values, low, high)
}

// drawName draws the mark and the name of a scheme, or the name of an operation and its
// share of the batches.
func drawName(a area, st style, sc *scene, r *row) {
	if r.name != "" {
		a.text(3, 0, st, a.c.fit(fmt.Sprintf("%s %.0f %%", r.name, 100*r.op.Share), a.w-3))
		return
	}
	if r.index == sc.selected {
		a.text(0, 0, bold|accent, "▸")
	}
	a.text(1, 0, bold|schemeStyle(r.index), mark(r.index))
	drawSchemeName(a.part(3, 0, a.w-3, 1), st, r)
}

// drawSchemeName draws the name, and what of the parameters has room.
func drawSchemeName(a area, st style, r *row) {
	name, settings, _ := strings.Cut(r.scheme.Name, ":")
	x := a.text(0, 0, bold|schemeStyle(r.index), a.c.fit(name, a.w))
	if settings = strings.ReplaceAll(settings, ",", " "); a.c.width(settings) > a.w-x-1 {
		settings = abbreviated(r.scheme.Name)
	}
	a.text(x+1, 0, st, a.c.fit(settings, a.w-x-1))
}

// abbreviated are the settings of a scheme by the first letters of their names: b=8 h=2.
func abbreviated(scheme string) string {
	_, settings, _ := strings.Cut(scheme, ":")
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

func drawFailed(a area, st style, r *row) {
	if r.op.Failed > 0 {
		st = bold | bad
	}
	a.right(a.w, 0, st, count(r.op.Failed))
}

func drawBytes(a area, st style, r *row) {
	if r.name == "" {
		a.right(a.w, 0, st, number(bytesPerKey(r.scheme), 1))
	}
}

func drawProbes(a area, st style, r *row) {
	if v, ok := r.scheme.PerOp["probes"]; ok && r.name == "" {
		a.right(a.w, 0, st, number(v, 2))
	}
}

// shares draws the operations' parts of the scheme's time.
func (t *lanes) shares(a area, st style, r *row) {
	if r.name != "" {
		return
	}
	x := 0
	for i := range r.scheme.Ops {
		if o := &r.scheme.Ops[i]; o.Batches > 0 {
			text := fmt.Sprintf("%s %.0f%%", t.sc.Ops[i], 100*o.Share)
			if x+len(text) > a.w {
				return
			}
			x = a.text(x, 0, st, text) + 1
		}
	}
}

// parameters are all settings of a scheme with their values and what they are.
func parameters(name string) (list [][3]string) {
	config, err := schemes.Parse(name)
	if err != nil {
		return nil
	}
	values := config.Settings()
	for _, p := range config.Params {
		list = append(list, [3]string{p.Name, values[p.Name], p.Help})
	}
	return slices.Clip(list)
}
