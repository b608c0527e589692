package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/live"
)

type lanes struct {
	sc     *scene
	w, h   int  // of a lane
	ops    bool // tall lanes have lines for operations
	brief  bool // without reasons why schemes do not work
	placed []column[*row]
	rates  int     // decimals of rates
	peak   float64 // of the rates in sparklines
}

// row is a line of the table: a scheme, or one of its operations.
type row struct {
	index  int
	scheme *live.Scheme
	op     *live.Op
	name   string // of the operation; empty: the scheme
}

func (sc *scene) row(scheme int) *row {
	s := &sc.Schemes[scheme]
	return &row{index: scheme, scheme: s, op: sc.of(s)}
}

func (sc *scene) operations(r *row) (list []row) {
	for i := range r.scheme.Ops {
		if r.scheme.Ops[i].Batches > 0 {
			list = append(list, row{r.index, r.scheme, &r.scheme.Ops[i], sc.Ops[i]})
		}
	}
	return list
}

func newLanes(sc *scene, w, h int) *lanes {
	t, most := &lanes{sc: sc, w: w, h: h}, 0.0
	for _, i := range sc.order {
		if mean := sc.row(i).op.Mean; mean > most { // not NaN
			most = mean
		}
	}
	t.rates = decimals(most)
	return t
}

func (t *lanes) draw(a area) {
	body, from, to := listed(a, len(t.sc.order), t.h, max(t.sc.place(), 0))
	for i, scheme := range t.sc.order[from:to] {
		t.drawLane(body.rows(i*t.h, t.h), scheme)
	}
}

// drawLane draws a scheme, or why it does not work. A click selects it.
func (t *lanes) drawLane(a area, scheme int) {
	a.clickable(func(m *Model) { m.selected = scheme })
	if scheme == t.sc.selected {
		a = a.marked(chosen)
	}
	r, name := t.sc.row(scheme), &t.placed[0]
	if r.scheme.State != live.Working {
		name.draw(a.part(name.x, 0, name.w, 1), normal, r)
		if st, text := standing(r.scheme); !t.brief {
			a.lines(name.w+gap, 0, st, wrap(text, a.w-name.w-gap-1, a.h)...)
		}
		return
	}
	a = a.rows(0, t.lines())
	drawRow(a, t.placed, normal, r)
	if t.ops {
		t.drawOps(a, r)
	}
}

// lines is the height without the empty line below a tall lane.
func (t *lanes) lines() int { return t.h - either(t.ops && t.h > t.full(), min(t.h/3, 1), 0) }

// drawOps draws all operations, or none since a few would look like all, and the scheme's last note.
func (t *lanes) drawOps(a area, r *row) {
	y, list := 1, t.sc.operations(r)
	if len(list) < 2 || len(list) >= a.h {
		list = nil
	}
	for i := range list {
		for _, c := range t.placed {
			if !c.grows && !c.once {
				c.draw(a.part(c.x, y, c.w, 1), faint, &list[i])
			}
		}
		y++
	}
	if n := len(r.scheme.Notes); n > 0 {
		a.part(3, y, a.w/2, 1).text(0, 0, faint, r.scheme.Notes[n-1])
	}
}

// full is the height of a lane with a line for each operation.
func (t *lanes) full() int {
	most := lists.Max(t.sc.order, func(i int) int { return len(t.sc.operations(t.sc.row(i))) })
	return 1 + either(most > 1, most, 0)
}

func standing(s *live.Scheme) (style, string) {
	switch s.State {
	case live.Out:
		return faint, "left out: " + s.Why
	case live.Failed:
		return bold | bad, "FAILED: " + s.Why
	}
	return faint, "waits for its table"
}

func (t *lanes) columns() []column[*row] {
	sc := t.sc
	title := "   " + either(sc.View.Op == "", "scheme", sc.View.Op) + either(sc.sorted > 0, " ▾ "+orders[sc.sorted].name, "")
	list := []column[*row]{
		t.schemeColumn(title, 14, max(24, t.w/6)),
		t.rateColumn(1, 7, normal, now, "Mop/s now", "Mop/s"),
		t.rateColumn(4, 7, bold, mean, "mean"),
		t.rateColumn(extra, 7, normal, median, "median"),
		{titles: []string{windowText(sc.View.Window), "rate"}, rank: 3, least: 10, want: 24, grows: true, draw: t.drawRates},
		timeColumn("p50", 6, service, p50),
		timeColumn("p99", 7, service, p99),
		{titles: []string{"load"}, rank: 5, least: 4, want: 11, once: true, draw: func(a area, st style, r *row) {
			drawMeter(a, st, r, r.scheme.Load, fmt.Sprintf("%.2f", r.scheme.Load))
		}},
		{titles: []string{failedTitle}, rank: 8, least: 6, number: true, draw: func(a area, st style, r *row) {
			n := either(r.name == "", r.scheme.Failed, r.op.Failed) // since the table was empty, or in this phase
			a.right(a.w, 0, either(n > 0, bold|bad, st), count(n))
		}},
		once(figures("B/key", 9, 5, func(r *row) string { return number(bytesPerKey(r.scheme), 1) })),
	}
	list = append(list, t.hitColumns()...)
	if sc.Counted {
		list = append(list, once(figures("probes", 8, 6, func(r *row) string {
			v, ok := r.scheme.PerOp["probes"]
			return either(ok, number(v, 2), "")
		})))
	}
	if len(sc.Ops) > 1 && t.h == 1 {
		list = append(list, column[*row]{titles: []string{"share of time"}, rank: 11, least: 13, want: 10 * len(sc.Ops),
			once: true, draw: t.drawShares})
	}
	list = append(list, t.verdictColumn())
	for i := range list { // these are never dropped
		c := &list[i]
		if sorted := orders[sc.sorted].column; slices.Contains(c.titles, sorted) || slices.Contains(c.titles, failedTitle) && sc.failing() {
			c.rank = 0
		}
	}
	return list
}

// hitColumns are those of tables that were asked for keys, and of those that evict: to these nothing matters more.
func (t *lanes) hitColumns() (list []column[*row]) {
	lookups := lists.Max(t.sc.order, func(i int) uint64 { return t.sc.Schemes[i].All.Lookups })
	evicted := lists.Max(t.sc.order, func(i int) uint64 { return t.sc.Schemes[i].All.Evicted })
	if lookups > 0 {
		list = append(list, column[*row]{titles: []string{"hits now", "hits"}, rank: either(evicted > 0, 3, extra), least: 6, want: 12, draw: drawHits})
	}
	if evicted > 0 {
		list = append(list, figures("evicted", 8, 7, func(r *row) string { return count(r.op.Evicted) }))
	}
	return list
}

const failedTitle = "failed"

func (sc *scene) failing() bool {
	return slices.ContainsFunc(sc.order, func(i int) bool { return sc.Schemes[i].Failed > 0 })
}

// once makes a column empty in the lines of operations.
func once(c column[*row]) column[*row] {
	c.once = true
	return c
}

func (t *lanes) schemeColumn(title string, least, want int) column[*row] {
	schemes := lists.Max(t.sc.order, func(i int) int { return 3 + len(t.sc.Schemes[i].Name) })
	ops := lists.Max(t.sc.Ops, func(op string) int { return 3 + len(op) + len(" 100 %") })
	return column[*row]{titles: []string{title}, least: least, want: min(max(schemes, ops), want), draw: t.drawName}
}

func (t *lanes) rateColumn(rank, least int, mark style, of func(*live.Op) float64, titles ...string) column[*row] {
	c := column[*row]{titles: titles, rank: rank, least: least, want: len(titles[0]), number: true}
	c.draw = func(a area, st style, r *row) {
		a.right(a.w, 0, st|either(r.name == "", mark, 0), either(r.op.Batches > 0, number(of(r.op), t.rates), "-"))
	}
	return c
}

func now(o *live.Op) float64    { return o.Now }
func mean(o *live.Op) float64   { return o.Mean }
func median(o *live.Op) float64 { return o.Median }

func timeColumn(title string, rank int, of func(*live.Op) *live.Times, figure func(*live.Times) string) column[*row] {
	return figures(title, rank, max(7, len(title)), func(r *row) string { return figure(of(r.op)) })
}

func service(o *live.Op) *live.Times   { return &o.Times }
func responses(o *live.Op) *live.Times { return &o.Responses }

func p50(t *live.Times) string        { return timeText(t.P50) }
func p99(t *live.Times) string        { return timeText(t.P99) }
func p999(t *live.Times) string       { return timeText(t.P999) }
func most(t *live.Times) string       { return timeText(t.Most) }
func timeText(d time.Duration) string { return either(d > 0, span(d), "-") }

// drawName draws a scheme's letter, name and as many parameters as fit, or an operation and its share of the time.
func (t *lanes) drawName(a area, st style, r *row) {
	if r.name != "" {
		a.text(3, 0, st, fmt.Sprintf("%s %.0f %%", r.name, 100*r.op.Share))
		return
	}
	if r.index == t.sc.selected {
		a.text(0, 0, bold|accent, "▸")
	}
	a.text(1, 0, bold|schemeStyle(r.index), mark(r.index))
	name, settings, _ := strings.Cut(r.scheme.Name, ":")
	x := a.text(3, 0, bold|schemeStyle(r.index), name) + 1
	text := strings.ReplaceAll(settings, ",", " ")
	a.text(x, 0, st, either(width(text) > a.w-x, abbreviated(settings), text))
}

// abbreviated shortens the names of settings to their first letters: b=8 h=2.
func abbreviated(settings string) string {
	short := func(setting string) string {
		name, value, _ := strings.Cut(setting, "=")
		return name[:min(len(name), 1)] + "=" + value
	}
	return strings.Join(lists.Map(strings.Split(settings, ","), short), " ")
}

func (t *lanes) drawRates(a area, _ style, r *row) {
	values := rates(t.sc.overTime(r.op.Series), a.w*fine(a.c, a.h), 0)
	low, high := 0.0, t.peak
	if t.sc.zoom {
		low, high = axis(true, values)
	}
	drawSpark(a, schemeStyle(r.index), values, low, high)
}

func drawHits(a area, st style, r *row) {
	if r.op.Lookups > 0 {
		drawMeter(a, st, r, r.op.HitsNow, percent(r.op.HitsNow))
	}
}

func drawMeter(a area, st style, r *row, part float64, text string) {
	if n := a.w - len(text) - 1; n > 1 {
		a.text(0, 0, schemeStyle(r.index), meter(n, part))
	}
	a.right(a.w, 0, st, text)
}

// percent formats a part of all; NaN is a dash.
func percent(part float64) string {
	return either(math.IsNaN(part), "-", fmt.Sprintf("%.1f %%", 100*part))
}

func (t *lanes) drawShares(a area, st style, r *row) {
	x := 0
	for _, o := range t.sc.operations(r) {
		text := fmt.Sprintf("%s %.0f%%", o.name, 100*o.op.Share)
		if x+len(text) > a.w {
			return
		}
		x = a.text(x, 0, st, text) + 1
	}
}

const verdictWidth = 17 // of the longest usual verdict

func (t *lanes) verdictColumn() column[*row] {
	against := fit(t.sc.Schemes[t.sc.View.Baseline].Name, verdictWidth-3)
	return column[*row]{titles: []string{"vs " + against, "difference"}, rank: 2, least: 13, want: verdictWidth, once: true,
		draw: func(a area, _ style, r *row) {
			st, text := verdictText(r.scheme.Verdict, a.w)
			a.text(0, 0, st, text)
		}}
}

var verdictStyles = map[analysis.Kind]style{analysis.Unclear: faint, analysis.Faster: good, analysis.Slower: bad, analysis.Same: normal}

// verdictText compares a scheme with the baseline, in words since not everyone sees colors; the noise needs room.
func verdictText(v live.Verdict, w int) (st style, text string) {
	st, text = verdictStyles[v.Kind], v.Kind.String()
	switch {
	case v.None == live.Baseline:
		return bold | accent, v.None
	case v.None != "":
		return either(v.None == live.LostPairs, bad, faint), v.None
	case v.Kind == analysis.Unclear && (v.Pairs < 2 || !(v.Noise < math.Inf(1))):
		return st, text
	}
	if !(v.Noise <= results.MaxNoise*v.Ratio) {
		return st, text + either(w < verdictWidth, "", " "+results.NoFigure)
	}
	// A change in percent, or a factor if it is large.
	change, noise := fmt.Sprintf("×%.4g", v.Ratio), fmt.Sprintf(" ±%.1g", v.Noise)
	if percent := 100 * (v.Ratio - 1); percent < 999.5 {
		change, noise = fmt.Sprintf("%+4.0f %%", percent), fmt.Sprintf(" ±%.0f", math.Ceil(100*v.Noise-1e-9))
	}
	return st, fmt.Sprintf("%-7s%s%s", text, change, either(w < verdictWidth, "", noise))
}

// mark is the letter of a scheme, for places where its name does not fit. After 52 schemes letters repeat.
func mark(scheme int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	i := scheme % len(letters)
	return letters[i : i+1]
}
