package tui

import (
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// later takes a snapshot for a new view, which a frozen screen does not show yet.
func (m *Model) later(what string) tea.Cmd {
	if m.frozen && m.Snapshot != nil {
		m.say(what + ", once the view follows again (space)")
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
	if s := m.scheme(); s != nil {
		m.view.baseline = m.selected
		return m.later("baseline " + s.Name)
	}
	return nil
}

func (m *Model) sort() tea.Cmd {
	m.sorted = (m.sorted + 1) % len(orders)
	m.say(either(m.sorted == 0, "in the order given", "sorted by "+orders[m.sorted].name))
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

func opText(op string) string {
	if op == "" {
		return "all operations"
	}
	return op
}

// window looks a step further back, or less far.
func (m *Model) window(step int) tea.Cmd {
	i := slices.Index(windows, m.view.window) // -1 if it was typed: then from the shortest on
	for i < 0 || windows[i] != 0 && windows[i] < m.view.window {
		i++
	}
	return m.lookBack(windows[clamp(i+step, 0, len(windows)-1)])
}

func (m *Model) lookBack(window time.Duration) tea.Cmd {
	m.view.window = window
	return m.later(windowText(window))
}

func (m *Model) back() tea.Cmd {
	switch {
	case m.expanded && m.screen == onOverview:
		m.expanded = false
	case m.filter != "":
		m.filter = ""
	case m.screen != onOverview && m.session != nil:
		return m.show(onOverview)
	}
	return nil
}

// quit ends the interface. Show ends the run.
func (m *Model) quit() tea.Cmd {
	m.quits = true
	return tea.Quit
}

// running reports whether a run is in progress, and says so if not.
func (m *Model) running() bool {
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
	if !m.running() {
		return nil
	}
	on := m.latest.State != live.Paused
	m.session.Pause(on)
	m.say(either(on, "pauses after this batch", "continues"))
	return m.sample()
}

func (m *Model) again() tea.Cmd {
	if m.latest == nil {
		return nil
	}
	if m.latest.Replay {
		m.complain(errors.New("a replay has the seed of its recording: record a run with another seed"))
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
		return done{fmt.Sprintf("moves by %+d in the phases, and pauses there", phases), session.Skip(phases)}
	}
}

func (m *Model) inReplay() bool {
	if m.latest != nil && !m.latest.Replay {
		m.complain(errors.New("this is no replay: only a recording has phases to step through, and a speed"))
		return false
	}
	return m.running()
}
