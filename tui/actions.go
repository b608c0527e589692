package tui

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// later is what is said when a choice cannot be seen before the view is followed again.
func (m *Model) later(what string) tea.Cmd {
	if m.frozenNow() {
		m.say(what + ", once the view is followed again (space)")
	}
	return m.sample()
}

func (m *Model) freeze() tea.Cmd {
	m.frozen = !m.frozen
	m.refresh()
	return m.sample()
}

func (m *Model) expand() tea.Cmd {
	m.expanded = !m.expanded
	return nil
}

func (m *Model) baseline() tea.Cmd {
	if s := m.scene.scheme(); s != nil {
		m.view.baseline = m.selected
		return m.later("baseline " + s.Name)
	}
	return nil
}

func (m *Model) sort() tea.Cmd {
	m.sorted = (m.sorted + 1) % len(orders)
	m.say("sorted by " + orders[m.sorted].name)
	if orders[m.sorted].value == nil {
		m.say("in the order given")
	}
	return nil
}

func (m *Model) operation() tea.Cmd {
	if m.latest == nil || len(m.latest.Ops) == 0 {
		return nil
	}
	i := slices.Index(m.latest.Ops, m.op)
	if m.op = ""; i+1 < len(m.latest.Ops) {
		m.op = m.latest.Ops[i+1]
	}
	return m.later(opText(m.op))
}

// opText names an operation, or all of them.
func opText(op string) string {
	if op == "" {
		return "all operations"
	}
	return op
}

// window looks a step further back, or less far.
func (m *Model) window(step int) tea.Cmd {
	i := slices.Index(windows, m.view.window) // -1 after one that was typed: from the shortest on
	for i < 0 || windows[i] != 0 && windows[i] < m.view.window {
		i++
	}
	m.view.window = windows[min(max(i+step, 0), len(windows)-1)]
	return m.later(windowText(m.view.window))
}

func (m *Model) windowAll() tea.Cmd {
	m.view.window = 0
	return m.later(windowText(0))
}

func (m *Model) axis() tea.Cmd {
	m.byLoad = !m.byLoad
	return nil
}

func (m *Model) zoom() tea.Cmd {
	m.view.zoom = !m.view.zoom
	return nil
}

func (m *Model) smooth() tea.Cmd {
	m.raw = !m.raw
	return nil
}

func (m *Model) back() tea.Cmd {
	switch {
	case m.help:
		m.help = false
	case m.expanded && m.screen == onOverview:
		m.expanded = false
	case m.filter != "":
		m.filter = ""
	case m.screen != onOverview && m.session != nil:
		return m.show(onOverview)
	}
	return nil
}

func (m *Model) toggleHelp() tea.Cmd {
	m.help, m.helpAt = !m.help, 0
	return nil
}

// quit ends the interface. Show ends the run.
func (m *Model) quit() tea.Cmd {
	m.quits = true
	return tea.Quit
}

// goingOn is whether there is a run to do something to.
func (m *Model) goingOn() bool {
	switch {
	case m.latest == nil:
		m.say("the run has not begun")
	case m.ended():
		m.complain(errors.New("the run has ended: n runs it again"))
	default:
		return true
	}
	return false
}

func (m *Model) pause() tea.Cmd {
	if !m.goingOn() {
		return nil
	}
	on := m.latest.State != live.Paused
	m.session.Pause(on)
	if m.say("going on"); on {
		m.say("pauses after this batch")
	}
	return m.sample()
}

// again runs with the next seed.
func (m *Model) again() tea.Cmd {
	if m.latest == nil {
		return nil
	}
	if m.latest.Replay {
		m.complain(errors.New("a replay has the seed of its recording: record a run with another one"))
		return nil
	}
	choice := m.choice
	choice.Seed = m.latest.Seed + 1
	return m.launch(choice)
}

func (m *Model) speed(factor float64) tea.Cmd {
	if !m.inReplay() {
		return nil
	}
	return m.setSpeed(m.latest.Speed * factor)
}

func (m *Model) setSpeed(speed float64) tea.Cmd {
	if err := m.session.Speed(speed); err != nil {
		m.complain(err)
		return nil
	}
	m.say(fmt.Sprintf("speed ×%g", speed))
	return m.sample()
}

func (m *Model) skip(phases int) tea.Cmd {
	if !m.inReplay() {
		return nil
	}
	session := m.session
	return func() tea.Msg {
		if err := session.Skip(phases); err != nil {
			return done{err: err}
		}
		return done{text: fmt.Sprintf("goes %s, and pauses there", phasesText(phases))}
	}
}

// phasesText is a way through phases in words.
func phasesText(n int) string {
	switch n {
	case 1:
		return "to the next phase"
	case -1:
		return "back to the phase before"
	}
	return fmt.Sprintf("%+d phases", n)
}

func (m *Model) inReplay() bool {
	if !m.goingOn() {
		return false
	}
	if !m.latest.Replay {
		m.complain(errors.New("this is no replay: only a recording has phases to step through, and a speed"))
	}
	return m.latest.Replay
}
