// Package tui is the terminal interface: schemes side by side, while they run.
//
// It takes a snapshot of the run (workloads/live) a few times a second, and never touches
// a device. What it shows of schemes comes from their declarations.
package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Host starts runs one after the other, and keeps the last ones.
type Host interface {
	Catalog() Catalog
	Check(Choice) error // says what is wrong with a choice, while another run may go on
	// Start prepares a run. An error is the user's mistake, or the device is missing.
	Start(Choice) (Session, error)
	Runs() []Run // the oldest first; only the last one may go on
}

// Run is a run of a host.
type Run struct {
	Number int
	Choice
	Session
}

// Session is a run in progress, such as a session.Watched.
type Session interface {
	Begin() // is called when the screen is set up, which would disturb the first batches
	Snapshot(live.View) *live.Snapshot
	Pause(on bool)
	Stop()
	Speed(factor float64) error
	Skip(phases int) error
	Record(path string) error
	Save() (path string, err error)
	Results() results.Document // so far
}

// The offers of a session, and a choice of them.
type (
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
