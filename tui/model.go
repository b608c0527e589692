// Package tui is the terminal interface: schemes side by side, while they run.
//
// It takes a snapshot of the run (workloads/live) a few times a second, and never touches
// a device. What it shows of schemes comes from their declarations.
package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Model is the interface as bubbletea runs it. It draws snapshots; everything slow is done in
// commands, so that no key waits for a batch.
type Model struct {
	scene
	ctx      context.Context // ends with the interface
	cancel   context.CancelFunc
	host     Host
	bindings []Binding
	period   time.Duration                                        // between snapshots of a screen of usual size
	after    func(time.Duration, func(time.Time) tea.Msg) tea.Cmd // the clock
	launches sync.WaitGroup
	commands []tea.Cmd // to start after the present message

	session   Session // the one that is shown
	choice    Choice
	runs      runs
	launching bool
	suspended bool // the run is paused until the process continues
	latest    *live.Snapshot

	form    form
	stepper *stepper // nil: no scheme was chosen
	prompt  prompt
	help    help
	message message

	w, h    int
	themed  string
	profile colorprofile.Profile
	dark    bool
	canvas  canvas
	quits   bool
}

// message is a line about what the user did, until the next key.
type message struct {
	text string
	bad  bool
}

type (
	ticked   struct{}
	launched struct {
		runs []Run // the last one was launched; nil: none was
		err  error
	}
)

func (m *Model) say(text string)    { m.message = message{text: text} }
func (m *Model) complain(err error) { m.message = failed(err) }
func (m *Model) ended() bool        { return m.latest != nil && m.latest.State == live.Ended }

func failed(err error) message {
	return message{text: strings.ReplaceAll(err.Error(), "\n", "; "), bad: true}
}

// start starts a command after the present message has been handled.
func (m *Model) start(c tea.Cmd) { m.commands = append(m.commands, c) }

// slowly does something that may take long, then shows a message or an error.
func (m *Model) slowly(do func() (text string, err error)) {
	m.start(func() tea.Msg {
		text, err := do()
		if err != nil {
			return failed(err)
		}
		return message{text: text}
	})
}

func (m *Model) started() tea.Cmd {
	list := m.commands
	m.commands = nil
	return tea.Batch(list...)
}

// Init starts the clock, and asks for the terminal's background.
func (m *Model) Init() tea.Cmd {
	m.tick()
	if m.themed == "auto" {
		m.start(tea.RequestBackgroundColor)
	}
	return m.started()
}

// pace is the time between snapshots: a larger screen is drawn less often, so that it takes no more of a core.
func (m *Model) pace() time.Duration {
	const usual = 80 * 60 // cells
	return m.period * time.Duration(max(m.w*m.h, usual)) / usual
}

func (m *Model) tick() { m.start(m.after(m.pace(), func(time.Time) tea.Msg { return ticked{} })) }

// Update handles a message, and takes a snapshot for the view that is then wanted.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.handle(msg)
	m.sample()
	return m, m.started()
}

func (m *Model) handle(msg tea.Msg) {
	switch msg := msg.(type) {
	case ticked:
		m.begin() // also where the terminal does not tell its size
		m.tick()
	case launched:
		m.attach(msg)
	case message:
		m.message = msg
	case *stepper:
		m.showStepper(msg)
	case did:
		m.carriedOut(msg)
	case comparison:
		if now := m.runs.compared; now != nil && slices.Equal(msg.old, now.old) && slices.Equal(msg.fresh, now.fresh) {
			m.runs.compared = &msg // no other one is wanted meanwhile
		}
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.ColorProfileMsg:
		m.profile = msg.Profile
		m.paint()
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.paint()
	case tea.KeyPressMsg, tea.PasteMsg:
		m.key(msg)
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft && m.prompt.sign == "" && !m.form.editing {
			for _, h := range slices.Backward(m.canvas.hits) {
				if (uv.Position{X: msg.X, Y: msg.Y}).In(h.Rectangle) {
					h.do(m)
					break
				}
			}
		}
	case tea.MouseWheelMsg:
		m.move(map[tea.MouseButton]int{tea.MouseWheelUp: -1, tea.MouseWheelDown: 1}[msg.Button])
	case tea.ResumeMsg:
		if run := m.runs.current(); m.suspended && run != nil {
			run.Pause(false)
		}
		m.suspended = false
	}
}

// key passes a key or a paste to what has the focus: an editor, the page of keys, or a binding.
func (m *Model) key(msg tea.Msg) {
	m.message = message{}
	press, _ := msg.(tea.KeyPressMsg)
	name := press.String()
	switch b := bound(m.bindings, m.screen, name); {
	case name == "ctrl+c": // always
		m.quit()
	case name == "ctrl+z" && b != nil: // also where text is typed
		b.do(m)
	case m.prompt.sign != "":
		m.promptKey(name, msg)
	case m.help.open && (b == nil || b.Name != "quit" && b.Name != "suspend"):
		step := 0 // keys that scroll the page; others close it
		if b != nil {
			step = map[string]int{"up": -1, "down": 1, "page-up": -m.page(), "page-down": m.page()}[b.Name]
		}
		m.help.open = step != 0
		m.canvas.scroll(&m.help.from, step)
	case m.screen == onStep && b == nil && isPair(press.Text): // a digit begins a key
		m.typeKeys(press.Text)
	case m.screen == onStart && m.form.key(msg) || b == nil:
	default:
		b.do(m)
	}
}

func (m *Model) paint() { m.canvas.theme = newTheme(m.dark, m.profile) }

// begin lets the run begin once its screen is set up, which would disturb the first batches.
func (m *Model) begin() {
	if run := m.runs.current(); run != nil {
		run.Begin()
	}
}

// sample takes a snapshot, which waits for no batch. A frozen view keeps the one it has.
func (m *Model) sample() {
	if m.session == nil {
		return
	}
	if m.w > 0 {
		m.begin()
	}
	if m.screen == onRuns {
		m.runs.refresh()
	}
	m.latest = m.session.Snapshot(m.wanted())
	if !m.frozen || m.Snapshot == nil {
		m.Snapshot = m.latest
	}
	m.now = m.latest.Elapsed
	m.arrange()
	m.selected = min(m.selected, max(0, len(m.Schemes)-1))
}

func (m *Model) wanted() live.View {
	const few = 64
	v := live.View{Window: m.view.window, Columns: few, Op: m.op, Baseline: m.view.baseline, Curve: m.curve}
	if bins := panes[m.screen].bins; bins != nil && m.w > 0 {
		v.Columns = bins(m.w)
	}
	return v
}

// View is the screen.
func (m *Model) View() tea.View {
	m.draw(&m.canvas)
	v := tea.NewView(m.canvas.Render())
	v.AltScreen, v.MouseMode, v.WindowTitle = true, tea.MouseModeCellMotion, "hashzoo"
	return v
}

// The smallest terminal that shows everything.
const (
	leastWidth  = 60
	leastHeight = 16
)

func (m *Model) draw(c *canvas) {
	c.reset(m.w, m.h)
	if m.w < leastWidth || m.h < leastHeight {
		c.all().lines(0, 0, normal, "hashzoo needs a terminal", fmt.Sprintf("of %d×%d at least,", leastWidth, leastHeight),
			fmt.Sprintf("this one has %d×%d", m.w, m.h))
	} else {
		m.drawScreen(c.all())
	}
	if c.ascii {
		c.toASCII()
	}
}

func (m *Model) drawScreen(all area) {
	head, body, foot := m.layout(all)
	switch {
	case m.screen == onStart:
		head.line(0, pieces{{0, bold | title, "hashzoo", nil}, {1, normal, "schemes side by side, on the same input", nil}}, nil)
		head.text(1, 1, faint, "Choose a script and schemes; enter runs them.")
		if head.h > 2 {
			head.fill(0, head.h-1, head.w, frame, "─")
		}
		m.form.draw(body)
	case m.screen == onStep:
		m.stepper.drawHeader(head)
		m.stepper.draw(body)
	case m.screen == onRuns && m.Snapshot != nil:
		drawHeader(head, &m.scene)
		m.runs.draw(body)
	case m.Snapshot == nil:
		head.text(1, 0, bold|title, "hashzoo")
		body.text(1, 0, faint, "the run begins")
	default:
		drawHeader(head, &m.scene)
		if m.screen == onLog || !noneShown(body, &m.scene) {
			panes[m.screen].draw(body, &m.scene)
		}
	}
	m.drawFooter(foot)
	if m.help.open {
		m.drawHelp(either(m.ruled(), body, all.rows(0, m.h-1))) // in a low terminal over the header, too
	}
}

// ruled reports whether there is room for lines between the parts.
func (m *Model) ruled() bool { return m.h >= 20 }

func (m *Model) layout(all area) (head, body, foot area) {
	below := either(m.ruled(), 3, 2)
	above := below
	if m.screen != onStart && m.screen != onStep && m.Snapshot != nil && trouble(&m.scene) != "" {
		above++
	}
	return all.rows(0, above), all.rows(above, m.h-above-below), all.rows(m.h-below, below)
}

// Host starts runs one after the other, and keeps the last ones.
type Host interface {
	Catalog() Catalog
	Check(Choice) error // says what is wrong with a choice, while another run may go on
	// Start prepares a run. An error is the user's mistake, or the device is missing.
	Start(Choice) (Session, error)
	Runs() []Run // the oldest first; only the last one may go on
}

// The runs and the offers of a host, and a choice of them.
type (
	Run     = session.Run
	Session = session.Steered
	Choice  = session.Choice
	Catalog = session.Catalog
	Script  = session.Offer
	Option  = session.Option
	Device  = device.Info
)

// Options set the first screen and the look of the interface.
type Options struct {
	Choice *Choice                // the first run; nil: the user chooses
	Step   *schemes.Config        // show this scheme step by step first
	Keys   map[string][]string    // keys instead of the usual ones, by the name of the binding
	Hz     float64                // snapshots a second; 0: 5
	Ascii  bool                   // draw with ASCII only
	Theme  string                 // one of Themes
	Listen func(say func(string)) // receives a function that shows messages; nil: there are none
}

// usualHz is the default of Options.Hz. framesPerSecond bounds how soon a key is answered;
// frames in which nothing has changed cost next to nothing.
const (
	usualHz         = 5
	framesPerSecond = 20
)

// Themes are the values of Options.Theme.
var Themes = []string{"auto", "dark", "light"}

// Show runs the interface until the user quits or the context ends. The terminal is then as before, and the current run
// has been told to stop. If the first run cannot start, Show returns its error before it draws anything.
func Show(ctx context.Context, host Host, options Options) error {
	m, err := newModel(ctx, host, options)
	if err != nil {
		return err
	}
	program := tea.NewProgram(m, tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond))
	defer context.AfterFunc(ctx, program.Quit)()
	if options.Listen != nil {
		options.Listen(func(text string) { program.Send(message{text: text}) })
	}
	_, err = program.Run()
	m.leave()
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

// Leave restores the terminal after an abnormal exit.
var Leave = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr +
	ansi.ResetModeBracketedPaste + ansi.ResetModifyOtherKeys + ansi.PopKittyKeyboard(1) + ansi.ResetStyle +
	ansi.ResetModeAltScreenSaveCursor + ansi.SetModeTextCursorEnable

// newModel returns the model, with the first run prepared if the options name one.
func newModel(ctx context.Context, host Host, options Options) (*Model, error) {
	bindings, err := Bound(options.Keys)
	if err != nil {
		return nil, err
	}
	hz := either(options.Hz > 0, options.Hz, usualHz)
	m := &Model{
		host: host, bindings: bindings, period: time.Duration(float64(time.Second) / hz), after: tea.Tick,
		themed: options.Theme, dark: options.Theme != "light", profile: colorprofile.ANSI256,
		runs: runs{statuses: map[int]status{}}, scene: scene{view: view{screen: onStart, window: 30 * time.Second}},
	}
	m.ctx, m.cancel = context.WithCancel(ctx)
	m.canvas.ascii = options.Ascii
	m.paint()
	m.form = newForm(host.Catalog(), schemes.All())
	if options.Choice != nil {
		if _, err := host.Start(*options.Choice); err != nil {
			return nil, err
		}
		m.attach(launched{runs: host.Runs()})
	}
	if options.Step != nil {
		s, err := openStepper(*options.Step)
		if err != nil {
			return nil, err
		}
		m.showStepper(s)
	}
	return m, nil
}
