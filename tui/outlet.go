package tui

import (
	"io"
	"sync"

	"github.com/charmbracelet/x/term"
)

// outlet is the way of frames to the terminal, and knows when one is out. The library that
// draws them gives no other sign of it: it makes a frame of what View gave when its own clock
// ticks, and writes it at once, or writes nothing if it is the same as the one before.
type outlet struct {
	mutex sync.Mutex
	then  func()
}

// after has something done once what is written next is out, with what is to be done then
// already.
func (o *outlet) after(then func()) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if before := o.then; before != nil {
		o.then = func() { before(); then() }
		return
	}
	o.then = then
}

// awaited says whether something is to be done after what is written next.
func (o *outlet) awaited() bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.then != nil
}

// wrote is called when something is out.
func (o *outlet) wrote() {
	o.mutex.Lock()
	then := o.then
	o.then = nil
	o.mutex.Unlock()
	if then != nil {
		then()
	}
}

// to is a writer that writes to another and says so. Of a terminal it is one itself.
func (o *outlet) to(out io.Writer) io.Writer {
	if file, ok := out.(term.File); ok {
		return tappedFile{file, o}
	}
	return tapped{out, o}
}

type tapped struct {
	io.Writer
	outlet *outlet
}

func (t tapped) Write(text []byte) (int, error) {
	defer t.outlet.wrote()
	return t.Writer.Write(text)
}

type tappedFile struct {
	term.File
	outlet *outlet
}

func (t tappedFile) Write(text []byte) (int, error) {
	defer t.outlet.wrote()
	return t.File.Write(text)
}
