package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/session"
)

func (r *runs) draw(a area) {
	list := a.rows(0, min(len(r.list)+1, max(a.h/2, 3)))
	r.drawList(list)
	rest := a.part(1, list.h+1, a.w-2, a.h-list.h-1)
	if r.compared == nil {
		hint := fmt.Sprintf("enter shows a run on the other screens, b compares the others with it. "+
			"A session keeps the last %d runs besides the current one; the files of all runs stay.", session.Kept)
		rest.lines(0, 0, faint, wrap(hint, rest.w, rest.h)...)
		return
	}
	lines := r.compared.lines(rest.w) // as hashzoo compare prints it
	rest = rest.scrolled(len(lines), r.from)
	for i, line := range lines {
		rest.text(0, i, line.style, line.text)
	}
}

func (r *runs) drawList(a area) {
	columns := place(r.columns(), a.w)
	drawHead(a, columns)
	body, from, to := listed(a.rows(1, a.h-1), len(r.list), 1, max(r.index(r.at), 0))
	for i := range r.list[from:to] {
		run := &r.list[from+i]
		line := body.rows(i, 1)
		line.clickable(func(m *Model) {
			m.runs.at = run.Number
			m.compareSelected()
		})
		if run.Number == r.at {
			line = line.marked(chosen)
		}
		drawRow(line, columns, normal, run)
	}
}

func (r *runs) columns() []column[*Run] {
	what := texts("script", 0, 16, 40, func(run *Run) string {
		return strings.Join(append(append([]string{run.Script}, run.Set...), run.Axis...), " ")
	})
	what.grows = true
	list := []column[*Run]{{titles: []string{"   run"}, least: 8, draw: r.drawNumber}, what}
	add := func(title string, rank, want int, text func(*Run) string) {
		if len(r.list) == 1 || slices.ContainsFunc(r.list, func(run Run) bool { return text(&run) != text(&r.list[0]) }) {
			list = append(list, texts(title, rank, min(want, 12), want, text))
		}
	}
	add("schemes", 5, 32, func(run *Run) string { return cmp.Or(strings.Join(run.Schemes, ","), "all") })
	add("seed", 3, 5, func(run *Run) string { return fmt.Sprint(run.Seed) })
	add("device", 4, 8, func(run *Run) string { return run.Device })
	return append(list,
		figures("took", 2, 6, func(run *Run) string { return clock(r.statuses[run.Number].Elapsed) }),
		column[*Run]{titles: []string{"state"}, rank: 1, least: 10, draw: func(a area, _ style, run *Run) {
			st, text := r.statuses[run.Number].text()
			a.text(0, 0, st, text)
		}})
}

// drawNumber marks the run that is selected, the one that is shown, and the one that others are compared with.
func (r *runs) drawNumber(a area, _ style, run *Run) {
	if run.Number == r.at {
		a.text(0, 0, bold|accent, "▸")
	}
	if run.Number == r.shown {
		a.text(1, 0, accent, "●")
	}
	x := a.text(3, 0, bold, fmt.Sprint(run.Number))
	if run.Number == r.base {
		a.text(x+1, 0, bold|accent, "b")
	}
}

func (s status) text() (style, string) {
	switch {
	case s.State == live.Ended && s.Err != nil:
		return bold | bad, "FAILED"
	case s.State == live.Ended && s.end.Interrupted:
		return warn, "left early"
	case s.State == live.Ended:
		return good, "ended"
	case s.State == live.Paused:
		return warn, "paused"
	case s.State == live.Starting:
		return accent, "begins"
	case s.Done < 0:
		return accent, fmt.Sprintf("lap %d", s.Point.Lap+1)
	}
	return accent, fmt.Sprintf("%.0f %%", 100*min(s.Done, 1))
}

func (c *comparison) lines(w int) (list pieces) {
	say := func(st style, lines ...string) {
		for _, line := range lines {
			list = append(list, piece{0, st, line, nil})
		}
	}
	say(bold, fmt.Sprintf("%s, compared with %s", runsText(c.fresh), runsText(c.old)))
	switch {
	case c.err != nil:
		say(bad, wrap(failed(c.err).text, w, 5)...)
		return list
	case c.New == "": // not done yet
		return list
	case len(c.Rows) > 0:
		say(normal, "")
		say(normal, strings.Split(strings.TrimSpace(ansi.Strip(verdictsFirst(c.Table()).Fit(w, true))), "\n")...)
	}
	for _, remark := range c.Remarks() {
		say(faint, either(remark == "", []string{""}, wrap(remark, w, 20))...)
	}
	return list
}

// verdictsFirst moves the verdicts of a comparison to where a narrow terminal has them in the first table.
func verdictsFirst(t results.Table) results.Table {
	at := t.Keys
	for i, c := range t.Columns {
		if c.Title == "verdict" || c.Title == "ratio" {
			t.Columns = moved(t.Columns, i, at)
			for n, row := range t.Rows {
				t.Rows[n] = moved(row, i, at)
			}
		}
	}
	return t
}

func moved[T any](list []T, i, at int) []T {
	item := list[i]
	return slices.Insert(slices.Delete(slices.Clone(list), i, i+1), at, item)
}

// runsText is run 1, or runs 1, 3.
func runsText(numbers []int) string {
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
	return either(len(numbers) > 1, "runs ", "run ") + list
}
