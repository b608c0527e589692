package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// runs are the runs of this session that the host keeps.
type runs struct {
	list     []Run
	statuses map[int]status // by number
	shown    int            // on the other screens
	at       int            // selected
	base     int            // that the selected one is compared with; 0: none
	compared *comparison
	from     int // the first line of the comparison, when scrolled
}

// status is the progress of a run.
type status struct {
	*live.Snapshot
	end results.End // of one that has ended
}

// comparison compares two runs, or two lists of repeated ones.
type comparison struct {
	old, fresh []int
	analysis.Comparison
	err error
}

// current is the last run, the only one that may go on; nil before the first.
func (r *runs) current() *Run {
	if len(r.list) == 0 {
		return nil
	}
	return &r.list[len(r.list)-1]
}

func (r *runs) index(number int) int {
	return slices.IndexFunc(r.list, func(run Run) bool { return run.Number == number })
}

func (r *runs) keep(list []Run) {
	r.list = list
	maps.DeleteFunc(r.statuses, func(number int, _ status) bool { return r.index(number) < 0 })
	if r.index(r.base) < 0 {
		r.base, r.compared = 0, nil
	}
	r.refresh()
}

// refresh reads how far the runs are that have not ended.
func (r *runs) refresh() {
	for _, run := range r.list {
		if s := r.statuses[run.Number]; s.Snapshot != nil && s.State == live.Ended {
			continue
		}
		s := status{Snapshot: brief(run)}
		if s.State == live.Ended {
			s.end = run.Results().End
		}
		r.statuses[run.Number] = s
	}
}

// brief is a snapshot without series.
func brief(s Session) *live.Snapshot { return s.Snapshot(live.View{Columns: 1}) }

func (m *Model) launch(choice Choice) { m.launchAt(choice, 0) }

// launchAt starts a run after the current one has ended, unless something is wrong with the choice. A replay goes to a
// phase first, counted from 1.
func (m *Model) launchAt(choice Choice, phase int) {
	if m.launching {
		m.say("a run is already starting")
		return
	}
	m.launching = true
	m.say("starting")
	before, ctx, host := m.runs.current(), m.ctx, m.host
	m.launches.Add(1)
	m.start(func() tea.Msg {
		defer m.launches.Done()
		err := host.Check(choice)
		if err == nil && before != nil {
			before.Stop()
			until(ctx, before, live.Ended)
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return launched{err: err}
		}
		return launchedAt(ctx, host, choice, phase)
	})
}

func launchedAt(ctx context.Context, host Host, choice Choice, phase int) launched {
	session, err := host.Start(choice)
	if err != nil {
		return launched{err: err}
	}
	if phase > 0 {
		err = session.Skip(phase)
	}
	if ctx.Err() != nil {
		session.Stop()
	}
	return launched{host.Runs(), err}
}

func until(ctx context.Context, session Session, states ...live.State) {
	for ctx.Err() == nil && !slices.Contains(states, brief(session).State) {
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// attach shows a run that has started, or why it could not start.
func (m *Model) attach(msg launched) {
	m.launching, m.message = false, message{}
	if msg.runs != nil {
		m.runs.keep(msg.runs)
		m.watch(*m.runs.current())
	}
	if msg.err != nil && m.screen == onStart {
		m.form.failure = msg.err
	} else if msg.err != nil {
		m.complain(msg.err)
	}
	if msg.runs != nil && (m.screen == onStart || m.screen == onRuns) {
		m.screen = onOverview
	}
}

func (m *Model) watch(run Run) {
	m.session, m.choice = run.Steered, run.Choice
	m.runs.shown, m.runs.at = run.Number, run.Number
	m.latest, m.Snapshot = nil, nil
	m.frozen, m.expanded, m.op, m.curve, m.view.baseline, m.selected = false, false, "", 0, 0, 0
	m.suspended = false
	m.form.preset(m.choice)
}

func (m *Model) showRuns(arg string) error {
	if arg == "" {
		m.show(onRuns)
		return nil
	}
	list, err := m.parseRuns(arg)
	if err == nil && len(list) > 1 {
		err = fmt.Errorf("runs %q: it takes one number", arg)
	}
	if err == nil {
		m.showRun(list[0])
	}
	return err
}

func (m *Model) showRun(run Run) {
	if run.Number != m.runs.shown {
		m.watch(run)
	}
	m.show(onOverview)
}

// moveRuns selects another run, or scrolls the comparison page by page.
func (m *Model) moveRuns(n int) {
	r := &m.runs
	if n != 1 && n != -1 {
		m.canvas.scroll(&r.from, n)
		return
	}
	r.at = r.list[clamp(r.index(r.at)+n, 0, len(r.list)-1)].Number
	m.compareSelected()
}

func (m *Model) compareSelected() {
	r := &m.runs
	r.compared = nil
	if i := r.index(r.base); i >= 0 && r.base != r.at {
		m.compareRuns(r.list[i:i+1], r.list[r.index(r.at):][:1])
	}
}

// compareTyped reads the numbers of two runs, or of two lists of repeated ones.
func (m *Model) compareTyped(arg string) error {
	sides := strings.Fields(arg)
	if len(sides) != 2 {
		return fmt.Errorf("compare %q: it takes two runs, such as 1 2, or repeated ones: 1,3 2,4", arg)
	}
	old, err := m.parseRuns(sides[0])
	fresh, err2 := m.parseRuns(sides[1])
	if err = cmp.Or(err, err2); err != nil {
		return err
	}
	m.runs.base, m.runs.at = old[0].Number, fresh[0].Number
	m.compareRuns(old, fresh)
	m.show(onRuns)
	return nil
}

// parseRuns reads numbers of runs with commas between them.
func (m *Model) parseRuns(text string) (list []Run, err error) {
	for word := range strings.SplitSeq(text, ",") {
		number, err := strconv.Atoi(word)
		i := m.runs.index(number)
		if err != nil || i < 0 {
			return nil, fmt.Errorf("run %q: there are %s", word, cmp.Or(strings.Join(runNumbers(m), ", "), "no runs yet"))
		}
		list = append(list, m.runs.list[i])
	}
	return list, nil
}

func runNumbers(m *Model) []string {
	return lists.Map(m.runs.list, func(r Run) string { return strconv.Itoa(r.Number) })
}

func numbersOf(list []Run) []int { return lists.Map(list, func(r Run) int { return r.Number }) }

func (m *Model) compareRuns(old, fresh []Run) {
	c := comparison{old: numbersOf(old), fresh: numbersOf(fresh)}
	m.runs.compared, m.runs.from = &c, 0
	m.start(func() tea.Msg { return c.of(old, fresh) })
}

func (c comparison) of(old, fresh []Run) comparison {
	a, err := sideOf(old)
	b, err2 := sideOf(fresh)
	if c.err = errors.Join(err, err2); c.err == nil {
		c.Comparison = analysis.Compare(a, b, analysis.Options{Least: analysis.Least, Spread: analysis.Spread})
	}
	return c
}

func sideOf(list []Run) (side analysis.Side, err error) {
	side.Name = runsText(numbersOf(list))
	for _, run := range list {
		f := analysis.File{Path: fmt.Sprint("run ", run.Number), Document: run.Results()}
		if brief(run).State != live.Ended {
			return side, fmt.Errorf("%s goes on: compare runs that have ended", f.Path)
		}
		f.Run.Command = run.Choice.Words(either(brief(run).Replay, "replay", "run"), analysis.Flags("--schemes", run.Schemes)...)
		side.Files = append(side.Files, f)
	}
	if trouble := side.Trouble(); trouble != "" {
		err = errors.New(trouble + ": compare whole runs")
	}
	return side, err
}

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
		list = append(list, lists.Map(lines, func(line string) piece { return piece{0, st, line, nil} })...)
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
		verdictsFirst := []int{0, 1, 6, 4, 2, 3, 5} // of several tables on a narrow terminal, in the first one
		say(normal, strings.Split(strings.TrimSpace(ansi.Strip(c.Table().Pick(verdictsFirst...).Fit(w, true))), "\n")...)
	}
	for _, remark := range c.Remarks() {
		say(faint, either(remark == "", []string{""}, wrap(remark, w, 20))...)
	}
	return list
}

// runsText is run 1, or runs 1, 3.
func runsText(numbers []int) string {
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
	return either(len(numbers) > 1, "runs ", "run ") + list
}
