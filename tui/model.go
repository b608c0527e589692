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

// endless is further than any list is long.
const endless = 1 << 30

// The smallest terminal in which everything can be seen.
const (
	leastWidth  = 60
	leastHeight = 16
)

// Model is the interface as bubbletea runs it: it owns what is looked at and passes keys
// and drawing on. It draws snapshots; what takes time is done in commands, so that no key
// waits for a batch.
type Model struct {
	view
	ctx      context.Context // ends with the interface
	cancel   context.CancelFunc
	host     Host
	bindings []Binding
	period   time.Duration                                        // between two looks
	after    func(time.Duration, func(time.Time) tea.Msg) tea.Cmd // the clock
	launches sync.WaitGroup

	session Session
	run     int // counts the sessions, so that what belongs to a former one is not shown
	choice  Choice
	begun   bool // a session is being started
	latest  *live.Snapshot
	scene   scene  // of latest, or of the snapshot that is frozen
	looking bool   // a snapshot is being taken
	stale   bool   // and another view is wanted than it was taken for
	hurry   func() // lets it be taken at once

	form    form
	prompt  prompt
	help    bool
	helpAt  int // lines that were scrolled
	message message

	sized   bool // it is known how large the terminal is
	w, h    int
	themed  string
	profile colorprofile.Profile
	dark    bool
	theme   *theme
	canvas  canvas
	out     strings.Builder
	quits   bool

	outlet *outlet
	sheet  sheet
}

// message is a line for the user about what he did, until the next key.
type message struct {
	text string
	bad  bool
}

func (m *Model) say(text string) { m.message = message{text: text} }
func (m *Model) complain(e error) {
	m.message = message{text: strings.ReplaceAll(e.Error(), "\n", "; "), bad: true}
}
func (m *Model) frozenNow() bool             { return m.frozen && m.scene.Snapshot != nil }
func (m *Model) ended() bool                 { return m.latest != nil && m.latest.State == live.Ended }
func (m *Model) binding(key string) *Binding { return bound(m.bindings, m.screen, key) }

// Messages.
type (
	ticked  struct{}
	sampled struct {
		run      int
		snapshot *live.Snapshot
		leave    func() // is called when it is on the screen
	}
	launched struct {
		session Session
		choice  Choice
		err     error
	}
	// overwritten says that the screen is not what was drawn.
	overwritten struct{}
	// done is the end of something that took time.
	done struct {
		text string
		err  error
	}
)

// Init starts the clock, and asks what the terminal's background is.
func (m *Model) Init() tea.Cmd {
	list := []tea.Cmd{m.tick(), m.sample(), m.listen()}
	if m.themed == "auto" {
		list = append(list, tea.RequestBackgroundColor)
	}
	return tea.Batch(list...)
}

func (m *Model) tick() tea.Cmd {
	return m.after(m.period, func(time.Time) tea.Msg { return ticked{} })
}

// Update takes in what happened.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.hear(msg)
	if _, ok := msg.(ticked); !ok {
		m.render()
	}
	if msg, ok := msg.(sampled); ok {
		msg.leave()
	}
	return m, cmd
}

// hear does what a message is about.
func (m *Model) hear(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ticked:
		if m.latest != nil { // the run has had time to be shown, if it is to be at all
			m.session.Begin()
		}
		return tea.Batch(m.tick(), m.watch())
	case sampled:
		return m.see(msg)
	case launched:
		return m.attach(msg)
	case overwritten:
		m.sheet.forget()
		return m.listen()
	case done:
		if m.say(msg.text); msg.err != nil {
			m.complain(msg.err)
		}
	case tea.WindowSizeMsg:
		m.sized, m.w, m.h = true, msg.Width, msg.Height
		return m.sample()
	case tea.ColorProfileMsg:
		m.profile = msg.Profile
		m.paint()
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.paint()
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.prompt.paste(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	}
	return nil
}

func (m *Model) paint() {
	m.theme = newTheme(m.dark, m.profile)
	m.sheet.forget()
}

// patience is how long a look waits until it disturbs no batch.
const patience = 250 * time.Millisecond

// watch takes a snapshot between two batches, or when they take too long, unless one is being
// taken.
func (m *Model) watch() tea.Cmd {
	if m.session == nil || m.looking {
		return nil
	}
	return m.take(patience)
}

// sample takes a snapshot at once, for somebody has pressed a key, or as soon as the one is
// there that is being taken.
func (m *Model) sample() tea.Cmd {
	switch {
	case m.session == nil:
		return nil
	case m.looking:
		m.stale = true
		m.hurry()
		return nil
	}
	return m.take(0)
}

func (m *Model) take(patience time.Duration) tea.Cmd {
	ctx, hurry := context.WithTimeout(m.ctx, patience)
	m.looking, m.stale, m.hurry = true, false, hurry
	session, run, look := m.session, m.run, m.look(m.bins())
	return func() tea.Msg {
		defer hurry()
		leave := session.Between(ctx)
		return sampled{run, session.Snapshot(look), leave}
	}
}

func (m *Model) bins() int {
	if m.screen == onStart || m.w == 0 {
		return few(0, 0)
	}
	return max(1, panes[m.screen].bins(m.w, m.h))
}

// see takes a snapshot in: what is shown is the newest, unless the view is frozen.
func (m *Model) see(msg sampled) tea.Cmd {
	m.looking = false
	if msg.run != m.run || msg.snapshot == nil {
		return nil
	}
	m.latest = msg.snapshot
	m.refresh()
	if m.stale && m.latest.View != m.look(m.bins()) {
		return m.sample()
	}
	return nil
}

// refresh makes the scene anew, after a snapshot or a key.
func (m *Model) refresh() {
	m.scene.view = m.view
	if m.latest == nil {
		m.scene.Snapshot = nil
		return
	}
	if !m.frozen || m.scene.Snapshot == nil {
		m.scene.Snapshot = m.latest
	}
	m.scene.now = m.latest.Elapsed
	m.scene.arrange()
	if n := len(m.scene.Schemes); m.selected >= n {
		m.selected = max(0, n-1)
	}
	m.scene.selected = m.selected
}

// key passes a key to what has the focus: the prompt, else what is bound to it.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	if m.message.text != "" {
		m.message = message{}
	}
	defer m.refresh()
	if msg.String() == "ctrl+c" { // whatever else is bound, and whatever is being written
		return m.quit()
	}
	if m.prompt.kind != noPrompt {
		return m.promptKey(msg)
	}
	if b := m.binding(msg.String()); b != nil {
		if m.help && b.Name != "quit" && b.Name != "keys" {
			m.helpKey(b.Name)
			return nil
		}
		return b.do(m)
	}
	m.help = false
	return m.digit(msg)
}
