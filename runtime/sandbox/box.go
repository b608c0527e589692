// Package sandbox runs untrusted Lua: workloads (workloads/lua) and the host sides of
// schemes (package schemes). It opens base, table, string and math, and bounds what the
// interpreter does not: instructions and time per call, memory, strings and patterns.
// sandbox.go lists what code may use, limits.go how much. Errors are *Error values with
// file, line and the line's text.
//
// Users add their own functions to a Box. Go functions are not interrupted, so they must
// charge for work that grows with their arguments.
package sandbox

import (
	"context"
	"time"

	glua "github.com/yuin/gopher-lua"
)

// Options configure a box.
type Options struct {
	Limits  Limits
	Context context.Context // stops the code when it ends; may be nil
	File    string          // for errors without a line
	Subject string          // how errors refer to the code: the script
	Setting string          // prefix of the settings that set the limits, for hints; may be empty

	// Print receives what the code prints. If it is nil, code has no print.
	Print func(text string)
	// Declares reports whether a global is a declaration, whose fields get lines of their
	// own in errors. May be nil.
	Declares func(name string) bool
	// Raising sees every error of a Go function before Lua does and may raise another. May be
	// nil.
	Raising func(L *glua.LState, err error)
	// Cause returns the Go error behind a failed call, or nil. It must recognize the error by
	// its text, because Lua code may have caught it and put it into an error of its own. May
	// be nil.
	Cause func(error) error
}

// Box is one Lua state with its limits and its code.
type Box struct {
	L       *glua.LState
	Library *Library
	Meter   *Meter

	options Options
	roots   []glua.LValue // values that only Go refers to
}

// New returns a box that has not run any code.
func New(o Options) (*Box, error) {
	if o.Context == nil {
		o.Context = context.Background()
	}
	box := &Box{options: o, Library: NewLibrary(o.Declares)}
	box.Meter = &Meter{
		Limits: o.Limits, Context: o.Context, Now: time.Now, subject: o.Subject, setting: o.Setting,
		memory: func() int64 { return box.Weigh().Bytes }, weighed: allocated(),
	}
	box.Meter.begin()
	return box, box.newState()
}

// Keep registers values that only Go refers to, so that Weigh counts them.
func (box *Box) Keep(values ...glua.LValue) { box.roots = append(box.roots, values...) }

// Close frees the state.
func (box *Box) Close() { box.L.Close() }

// Call runs a function within the limits and leaves its results on the stack. After a
// failure it refuses to run more.
func (box *Box) Call(fn *glua.LFunction, results int, arguments ...glua.LValue) error {
	m := box.Meter
	if m.failure != nil {
		return box.Library.Located(box.options.File, 0, box.options.Subject+" was stopped before: "+m.failure.Error(), m.cause)
	}
	m.begin()
	box.L.SetTop(0)
	err := box.L.CallByParam(glua.P{Fn: fn, NRet: results, Protect: true}, arguments...)
	if err == nil && m.failure != nil {
		err = m.failure // the code caught it in its last lines
	}
	if err == nil {
		return nil
	}
	why := m.cause
	if why == nil && box.options.Cause != nil {
		why = box.options.Cause(err)
	}
	failed := box.Library.Failed(box.options.File, err, why)
	if m.failure == nil {
		m.Stop(failed, nil)
	}
	return failed
}
