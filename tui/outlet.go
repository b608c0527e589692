package tui

import (
	"bytes"
	"io"
	"os"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// outlet is the way to the terminal, for what the interface draws and for what the library
// writes that reads the keys. The library would draw as well, but when its own clock ticks,
// and the run waits for a screen (run.Gap): 8 milliseconds are long enough for other
// programs to take a table's place in the caches. So the library sets the screen up and
// leaves it empty, and what changes is drawn past it, at once. Where it writes something
// itself, as when the size changes, all has to be drawn anew.
type outlet struct {
	mutex sync.Mutex
	out   io.Writer
	up    bool          // the screen is set up
	over  chan struct{} // the library has written over what was drawn
}

// newOutlet is the outlet to a writer; nil: the terminal.
func newOutlet(out io.Writer) *outlet {
	if out == nil {
		out = os.Stdout
	}
	return &outlet{out: out, over: make(chan struct{}, 1)}
}

// ready says whether the screen is set up.
func (o *outlet) ready() bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.up
}

// draw brings to the screen what the interface has drawn, if it is set up.
func (o *outlet) draw(frame string) (shown bool) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if !o.up {
		return false
	}
	_, err := io.WriteString(o.out, frame)
	return err == nil
}

// Write is for the library.
func (o *outlet) Write(text []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if bytes.Contains(text, []byte(ansi.SetModeAltScreenSaveCursor)) {
		o.up = true
	}
	if bytes.Contains(text, []byte(ansi.ResetModeAltScreenSaveCursor)) {
		o.up = false
	}
	select {
	case o.over <- struct{}{}:
	default: // it is known already
	}
	return o.out.Write(text)
}

// writer is the outlet for the library, to which a terminal must be one.
func (o *outlet) writer() io.Writer {
	if file, ok := o.out.(term.File); ok {
		return terminal{file, o}
	}
	return o
}

type terminal struct {
	term.File
	outlet *outlet
}

func (t terminal) Write(text []byte) (int, error) { return t.outlet.Write(text) }
