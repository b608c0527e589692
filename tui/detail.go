package tui

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawExpanded draws the selected scheme with all that is known of it, and the others in a
// line each, as far as there is room.
func (t *lanes) drawExpanded(a area) {
	lines := t.details(t.sc.scheme())
	n := len(t.sc.order)
	others := min(n-1, max(2, a.h-len(lines)-1))
	from, to := visible(n, others+1, t.sc.place())
	h := a.h - (to - from - 1)
	y := 0
	for _, scheme := range t.sc.order[from:to] {
		t.drawLane(a.rows(y, 1), scheme)
		y++
		if scheme == t.sc.selected {
			t.drawDetails(a.rows(y, h-1), lines)
			y += h - 1
		}
	}
	scrollMarks(a, from, n-to)
}

func (t *lanes) drawDetails(a area, lines []detail) {
	for i, d := range lines[:min(len(lines), a.h)] {
		if i == a.h-1 && len(lines) > a.h {
			a.text(3, i, bold|accent, fmt.Sprintf("▾ %d more lines, in a taller terminal", len(lines)-i))
			return
		}
		a.text(3, i, d.style, a.c.fit(d.text, a.w-4))
	}
}

// detail is a line about a scheme.
type detail struct {
	style style
	text  string
}

// details are the lines about a scheme: what went wrong, operations, counters, notes,
// parameters.
func (t *lanes) details(s *live.Scheme) (list []detail) {
	if s.State != live.Working {
		st, text := standing(s)
		list = append(list, detail{st, text})
	}
	list = append(list, detail{normal, fmt.Sprintf("%s pairs, capacity %s, load factor %.3f, %s, %s bytes per key",
		count(s.Size), count(s.Capacity), s.Load, memory(float64(s.Bytes)), number(bytesPerKey(s), 1))})
	list = append(list, t.operations(s)...)
	if len(s.PerOp) > 0 {
		text := "counted for each operation: "
		for i, name := range slices.Sorted(maps.Keys(s.PerOp)) {
			if i > 0 {
				text += ", "
			}
			text += name + " " + short(s.PerOp[name])
		}
		list = append(list, detail{normal, text})
	}
	for _, note := range s.Notes {
		list = append(list, detail{warn, note})
	}
	for _, p := range parameters(s.Name) {
		list = append(list, detail{faint, fmt.Sprintf("%-12s %-10s %s", p[0], p[1], p[2])})
	}
	return list
}

// operations are a line for each operation that the scheme did.
func (t *lanes) operations(s *live.Scheme) (list []detail) {
	list = append(list, detail{faint, fmt.Sprintf("%-10s %7s %7s %7s %6s %6s %6s %9s %9s %9s %9s", "", "batches", "now", "mean", "share",
		"failed", "absent", "p50", "p99", "p99.9", "most")})
	for i := range s.Ops {
		if o := &s.Ops[i]; o.Batches > 0 {
			list = append(list, operationLine(t.sc.Ops[i], o, t.rates)...)
		}
	}
	if len(s.Ops) != 1 {
		list = append(list, operationLine("all", &s.All, t.rates)...)
	}
	return list
}

func operationLine(name string, o *live.Op, places int) []detail {
	line := func(name string, t *live.Times) string {
		return fmt.Sprintf("%-10s %7s %7s %7s %5.0f%% %6s %6s %9s %9s %9s %9s", name, count(o.Batches), number(o.Now, places),
			number(o.Mean, places), 100*o.Share, count(o.Failed), count(o.Missing), span(t.P50), span(t.P99), span(t.P999), span(t.Most))
	}
	list := []detail{{normal, line(name, &o.Times)}}
	if r := &o.Responses; r.Count > 0 {
		list = append(list, detail{normal, fmt.Sprintf("%-52s %9s %9s %9s %9s", "  and response times", span(r.P50), span(r.P99), span(r.P999), span(r.Most))})
	}
	return list
}
