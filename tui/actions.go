package tui

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"

	numbers "github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/session"
)

const endless = 1 << 30 // more lines than any list has

// clamp bounds n; low wins where the bounds cross.
func clamp(n, low, high int) int { return max(min(n, high), low) }

func (m *Model) show(s screen) {
	if s == onStep {
		m.stepInto()
		return
	}
	if s != onStart && m.session == nil {
		m.say("no run yet: choose one and press enter")
		return
	}
	m.screen = s
}

func (m *Model) turn(n int) {
	list := m.tabbed()
	i := slices.Index(list, m.screen)
	m.show(list[(i+n+len(list))%len(list)])
}

// tabbed are the screens of the run in their order; that of all runs is one of them if there are several.
func (m *Model) tabbed() []screen {
	return either(len(m.runs.list) > 1 || m.screen == onRuns, inRun, inRun[:len(inRun)-1])
}

// move moves the selection, or scrolls, n lines down.
func (m *Model) move(n int) {
	switch {
	case m.screen == onStart:
		m.form.move(n)
	case m.screen == onStep:
		m.stepper.move(&m.canvas, n)
	case m.screen == onRuns:
		m.moveRuns(n)
	case m.screen == onLog: // which is scrolled from its end
		m.canvas.scroll(&m.view.scroll[onLog], -n)
	case m.screen == onInside && m.canvas.hidden > 0:
		m.canvas.scroll(&m.view.scroll[onInside], n)
	default:
		m.choose(n)
	}
}

func (m *Model) page() int { return max(m.h-8, 1) }

// choose selects the scheme n places further down.
func (m *Model) choose(n int) {
	if len(m.order) > 0 {
		m.selected = m.order[clamp(m.place()+n, 0, len(m.order)-1)]
		m.view.scroll[onInside] = 0
	}
}

// later says that a frozen screen does not show a change of the view yet.
func (m *Model) later(what string) {
	if m.frozen && m.Snapshot != nil {
		m.say(what + ", once the view follows again (space)")
	}
}

func (m *Model) setBaseline(scheme int) {
	if m.latest == nil || scheme >= len(m.latest.Schemes) {
		return
	}
	m.view.baseline = scheme
	m.later("baseline " + m.latest.Schemes[scheme].Name)
}

func (m *Model) sortBy(order int) {
	m.sorted = order % len(orders)
	m.say(either(m.sorted == 0, "in the order given", "sorted by "+orders[m.sorted].name))
}

func (m *Model) nextOperation() {
	if m.screen == onCompare && m.byLoad {
		if m.latest == nil || len(m.latest.Curves) == 0 {
			m.say("nothing measured yet")
			return
		}
		m.curve = (m.latest.Curve+1)%len(m.latest.Curves) + 1
		m.later(m.latest.Curves[m.curve-1].String())
		return
	}
	list := opNames(m)
	i := slices.Index(list, either(m.op == "", "all", m.op))
	m.setOperation((i + 1) % len(list))
}

func (m *Model) setOperation(i int) {
	m.curve = 0
	if m.op = opNames(m)[i]; m.op == "all" {
		m.op = ""
	}
	m.later(opText(m.op))
}

func opText(op string) string { return either(op == "", "all operations", op) }

// window looks a step further back, or less far.
func (m *Model) window(step int) {
	at := func(w time.Duration) bool { return w == 0 || m.view.window > 0 && w >= m.view.window } // one may have been typed
	i := slices.IndexFunc(windows, at)
	m.lookBack(windows[clamp(i+step, 0, len(windows)-1)])
}

func (m *Model) lookBack(window time.Duration) {
	m.view.window = window
	m.later(windowText(window))
}

// setFilter filters what the screen lists.
func (m *Model) setFilter(text string) {
	if m.screen == onStart {
		m.form.setFilter(text)
		return
	}
	m.filter = text
}

func (m *Model) back() {
	switch {
	case m.screen == onStart && m.form.filter != "":
		m.form.setFilter("")
	case m.expanded && m.screen == onOverview:
		m.expanded = false
	case m.screen == onStep:
		m.show(either(m.session != nil, onInside, onStart))
	case m.filter != "":
		m.filter = ""
	case m.screen != onOverview && m.session != nil:
		m.show(onOverview)
	}
}

// quit ends the interface. Show ends the run.
func (m *Model) quit() {
	m.quits = true
	m.start(tea.Quit)
}

// running reports whether a run is in progress, and says so if not.
func (m *Model) running() bool {
	switch {
	case m.latest == nil:
		m.say("the run has not begun")
	case m.ended() && m.latest.Replay:
		m.complain(errors.New("the replay has ended: [ goes back a phase"))
	case m.ended():
		m.complain(errors.New("the run has ended: n runs it again"))
	default:
		return true
	}
	return false
}

// act does something to a run in progress.
func (m *Model) act(do func(Session) (string, error)) {
	if m.running() {
		session := m.session
		m.slowly(func() (string, error) { return do(session) })
	}
}

func (m *Model) pause() {
	if !m.running() {
		return
	}
	on := m.latest.State != live.Paused
	m.session.Pause(on)
	m.say(either(on, "pauses after this batch", "continues"))
}

func (m *Model) again() {
	switch {
	case m.latest == nil:
	case m.latest.Replay:
		m.complain(errors.New("a replay has the seed of its recording: record a run with another seed"))
	default:
		choice := m.choice
		choice.Seed = (m.latest.Seed + 1) & numbers.MaxSeed
		m.launch(choice)
	}
}

func (m *Model) speedUp(factor float64) {
	if m.running() {
		m.setSpeed(m.latest.Speed * factor)
	}
}

func (m *Model) setSpeed(speed float64) {
	m.act(func(s Session) (string, error) { return fmt.Sprintf("speed ×%g", speed), s.Speed(speed) })
}

func (m *Model) skip(phases int) {
	if m.ended() && m.latest.Replay {
		if phases > 0 {
			m.complain(errors.New("the replay has ended: only earlier phases can be gone to, such as -1"))
			return
		}
		m.launchAt(m.choice, max(m.latest.Phases+phases, 1)) // once more, from there on
		return
	}
	m.act(func(s Session) (string, error) {
		return fmt.Sprintf("moves by %+d in the phases, and pauses there", phases), s.Skip(phases)
	})
}

func (m *Model) record() {
	if m.latest == nil || m.latest.Recording != "" {
		m.recordTo("")
		return
	}
	name := strings.NewReplacer("/", "-", "\\", "-").Replace(strings.TrimSuffix(m.latest.Name, filepath.Ext(m.latest.Name)))
	m.recordTo(session.Unused(fmt.Sprintf("%s-%d.rec", name, m.latest.Seed)))
}

func (m *Model) recordTo(path string) {
	text := either(path == "", "the recording ends", "records into "+path+" from the next point on")
	m.act(func(s Session) (string, error) { return text, s.Record(path) })
}

func (m *Model) save() {
	if m.session == nil {
		return
	}
	watched, name, picture := m.session, panes[m.screen].name, m.picture()
	m.slowly(func() (string, error) {
		path, err := watched.Save()
		if err != nil {
			return "", err
		}
		drawn := session.Unused(strings.TrimSuffix(path, filepath.Ext(path)) + "-" + name + ".svg")
		return "wrote " + path + " and " + drawn, regular.WriteText(drawn, picture)
	})
}

func (m *Model) leave() {
	m.cancel()
	m.launches.Wait()
	m.stepper.close()
	if run := m.runs.current(); run != nil {
		run.Stop()
	}
}

// suspend stops the process, as Ctrl-Z does. It pauses the run first, so that no batch is timed across the stop.
func (m *Model) suspend() {
	if session, err := unix.Getsid(0); err != nil || session == unix.Getpid() {
		m.complain(errors.New("no shell to suspend to"))
		return
	}
	run := m.runs.current()
	if run == nil || brief(run).State != live.Running {
		m.start(tea.Suspend)
		return
	}
	m.suspended = true
	session, ctx := run.Steered, m.ctx
	session.Pause(true)
	m.start(func() tea.Msg {
		until(ctx, session, live.Paused, live.Ended)
		return tea.SuspendMsg{}
	})
}
