package tui

import (
	"context"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/hashzoo/hashzoo/schemes"
)

// Options are how the interface begins and looks.
type Options struct {
	Choice *Choice             // what is run; nil: the user chooses
	Keys   map[string][]string // keys instead of the usual ones, by the name of the binding
	Hz     float64             // looks at the run each second; 0: the usual 5
	Ascii  bool                // draw with ASCII alone
	Theme  string              // dark, light, or auto: as the terminal says
	In     io.Reader           // nil: the terminal
	Out    io.Writer
}

// usualHz is how often a second the run is looked at, and framesPerSecond how often the
// library looks whether it has something to write: it sets the screen up.
const (
	usualHz         = 5
	framesPerSecond = 30
)

// Themes are the values of Options.Theme.
var Themes = []string{"auto", "dark", "light"}

// Show shows runs until the user has enough or the context ends. The run that goes on then
// has been told to stop, and the terminal is as it was before. An error of the first run's
// start, if it was chosen by the options, is returned before anything is shown.
func Show(ctx context.Context, host Host, options Options) error {
	m, err := newModel(ctx, host, options)
	if err != nil {
		return err
	}
	program := tea.NewProgram(m, programOptions(options, m.outlet)...)
	release := context.AfterFunc(ctx, program.Quit)
	defer release()
	_, err = program.Run()
	m.leave()
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

// Leave takes back what Show has a terminal do, for when it ends without the chance to.
var Leave = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr +
	ansi.ResetModeBracketedPaste + ansi.ResetModifyOtherKeys + ansi.PopKittyKeyboard(1) + ansi.ResetStyle +
	ansi.ResetModeAltScreenSaveCursor + ansi.SetModeTextCursorEnable

func programOptions(options Options, outlet *outlet) []tea.ProgramOption {
	list := []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond), tea.WithOutput(outlet.writer())}
	if options.In != nil {
		list = append(list, tea.WithInput(options.In))
	}
	return list
}

// newModel makes the model, with the first run begun if the options say which.
func newModel(ctx context.Context, host Host, options Options) (*Model, error) {
	bindings, err := Bound(options.Keys)
	if err != nil {
		return nil, err
	}
	hz := options.Hz
	if hz <= 0 {
		hz = usualHz
	}
	m := &Model{
		host: host, outlet: newOutlet(options.Out), bindings: bindings, period: time.Duration(float64(time.Second) / hz), after: tea.Tick,
		themed: options.Theme, dark: options.Theme != "light", profile: colorprofile.ANSI256,
		view: view{screen: onStart, window: 30 * time.Second},
	}
	m.ctx, m.cancel = context.WithCancel(ctx)
	m.canvas.ascii = options.Ascii
	m.paint()
	m.form = newForm(host.Catalog(), schemes.All())
	if options.Choice != nil {
		session, err := host.Start(*options.Choice)
		if err != nil {
			return nil, err
		}
		m.attach(launched{session: session, choice: *options.Choice})
		m.looking = false // Init looks
	}
	return m, nil
}
