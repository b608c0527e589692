// Package sandbox runs Lua that is not trusted: workloads (workloads/lua), and the host
// sides of schemes (package schemes). It opens base, table, string and math, and bounds
// what the interpreter does not: the instructions and the time of a call, the memory of
// values, what string functions and patterns may do. sandbox.go has what code may use,
// limits.go how much of it. What goes wrong is an *Error with file, line and the line's
// text.
//
// Every user gives a Box functions and values of its own; what is written in Go runs
// unbounded, so it charges for work that grows with its arguments.
package sandbox

import (
	"context"
	"time"

	glua "github.com/yuin/gopher-lua"
)

// Options are what a box is made with.
type Options struct {
	Limits  Limits
	Context context.Context // ends the code from outside; nil never does
	File    string          // that of the code, for errors that are no line's
	Subject string          // what errors call the code, such as: the script
	Setting string          // in front of the names of limits where these are settings, for hints

	// Print is given what the code prints, as it comes; nil: there is no print.
	Print func(text string)
	// Declares says of a global whether it is a declaration: errors of its fields are put on
	// the lines where these are written. Nil: none is.
	Declares func(name string) bool
	// Raising is told of an error before it becomes one of Lua's, and may raise another.
	Raising func(L *glua.LState, err error)
	// Cause is asked why a call failed, if not the code alone is to blame. Between Go and here an
	// error is but a text, which the code may have caught, and put into one of its own. Nil,
	// or an answer of nil: the meter knows.
	Cause func(error) error
}

// Box is one Lua state with its limits and its code.
type Box struct {
	L       *glua.LState
	Library *Library
	Meter   *Meter

	options Options
	roots   []glua.LValue // what only Go holds
}

// New makes a box in which nothing runs yet.
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

// Keep notes values that only Go holds, so that they are weighed.
func (box *Box) Keep(values ...glua.LValue) { box.roots = append(box.roots, values...) }

// Close gives the state back.
func (box *Box) Close() { box.L.Close() }

// Call runs a function within the limits, and leaves its results on the stack. After a
// failure nothing more is run.
func (box *Box) Call(fn *glua.LFunction, results int, arguments ...glua.LValue) error {
	m := box.Meter
	if m.failure != nil {
		return box.Library.Located(box.options.File, 0, box.options.Subject+" is not run further: "+m.failure.Error(), m.cause)
	}
	m.begin()
	box.L.SetTop(0)
	err := box.L.CallByParam(glua.P{Fn: fn, NRet: results, Protect: true}, arguments...)
	if err == nil && m.failure != nil {
		err = m.failure // caught by the code in its last lines
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
