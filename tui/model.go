package tui

import (
	"context"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// endless is more lines than any list has.
const endless = 1 << 30

// Model is the interface as bubbletea runs it. It draws snapshots; everything slow is done in
// commands, so that no key waits for a batch.
type Model struct {
	scene
	ctx      context.Context // ends with the interface
	cancel   context.CancelFunc
	host     Host
	bindings []Binding
	period   time.Duration                                        // between snapshots
	after    func(time.Duration, func(time.Time) tea.Msg) tea.Cmd // the clock
	launches sync.WaitGroup

	session   Session
	run       int // counts the sessions, to recognize snapshots of a former one
	choice    Choice
	launching bool
	suspended bool // the run is paused until the process continues
	latest    *live.Snapshot
	looking   bool // a snapshot is being taken
	stale     bool // and the view has changed since

	form    form
	prompt  prompt
	help    help
	message message

	w, h    int
	themed  string
	profile colorprofile.Profile
	dark    bool
	canvas  canvas
	content string // of the screen
	drawn   bool   // content is up to date
	quits   bool
}

// message is a line about what the user did, until the next key.
type message struct {
	text string
	bad  bool
}

func (m *Model) say(text string) { m.message = message{text: text} }
func (m *Model) complain(e error) {
	m.message = message{text: strings.ReplaceAll(e.Error(), "\n", "; "), bad: true}
}
func (m *Model) ended() bool { return m.latest != nil && m.latest.State == live.Ended }

type (
	ticked  struct{}
	sampled struct {
		run      int
		snapshot *live.Snapshot
	}
	launched struct {
		session Session
		choice  Choice
		err     error
	}
	// done is the end of something slow.
	done struct {
		text string
		err  error
	}
	// action is a click on the hint of a binding, schemeAt a click on a scheme.
	action   string
	schemeAt int
)

// Init starts the clock, and asks for the terminal's background.
func (m *Model) Init() tea.Cmd {
	list := []tea.Cmd{m.tick(), m.sample()}
	if m.themed == "auto" {
		list = append(list, tea.RequestBackgroundColor)
	}
	return tea.Batch(list...)
}

func (m *Model) tick() tea.Cmd {
	return m.after(m.period, func(time.Time) tea.Msg { return ticked{} })
}

// Update handles a message. After a tick, the screen is as before.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(ticked); ok {
		if m.session != nil { // also where the terminal does not tell its size
			m.session.Begin()
		}
		return m, tea.Batch(m.tick(), m.watch())
	}
	m.drawn = false
	return m, m.handle(msg)
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sampled:
		return m.see(msg)
	case launched:
		return m.attach(msg)
	case done:
		if m.say(msg.text); msg.err != nil {
			m.complain(msg.err)
		}
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		return m.sample()
	case tea.ColorProfileMsg:
		m.profile = msg.Profile
		m.paint()
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.paint()
	default:
		defer m.refresh()
		return m.input(msg)
	}
	return nil
}

// input handles what the user does.
func (m *Model) input(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.paste(msg)
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft && m.prompt.kind == noPrompt && !m.form.editing {
			return m.input(m.canvas.hitAt(msg.X, msg.Y))
		}
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case action:
		if b := m.named(string(msg)); b != nil {
			return b.do(m)
		}
	case schemeAt:
		m.selected = int(msg)
	case formPlace:
		m.form.focus(msg)
	case tea.ResumeMsg:
		m.resume()
	}
	return nil
}

func (m *Model) paint() { m.canvas.theme = newTheme(m.dark, m.profile) }

// watch takes a snapshot, unless one is being taken.
func (m *Model) watch() tea.Cmd {
	if m.session == nil || m.looking {
		return nil
	}
	m.looking, m.stale = true, false
	session, run, look := m.session, m.run, m.look(m.bins())
	return func() tea.Msg { return sampled{run, session.Snapshot(look)} }
}

// sample takes a snapshot now, or after the one that is being taken.
func (m *Model) sample() tea.Cmd {
	m.stale = m.looking
	return m.watch()
}

func (m *Model) bins() int {
	if m.screen == onStart || m.w == 0 {
		return few(0, 0)
	}
	return max(1, panes[m.screen].bins(m.w, m.h))
}

// see takes in a snapshot. A frozen view keeps the one it has.
func (m *Model) see(msg sampled) tea.Cmd {
	m.looking = false
	if msg.run != m.run || msg.snapshot == nil {
		return nil
	}
	if m.latest = msg.snapshot; m.w > 0 {
		m.session.Begin()
	}
	m.refresh()
	if m.stale && m.latest.View != m.look(m.bins()) {
		return m.sample()
	}
	return nil
}

// refresh updates the scene, after a snapshot or a key.
func (m *Model) refresh() {
	if !m.frozen || m.Snapshot == nil {
		m.Snapshot = m.latest
	}
	if m.latest != nil {
		m.now = m.latest.Elapsed
		m.arrange()
		m.selected = min(m.selected, max(0, len(m.Schemes)-1))
	}
}
