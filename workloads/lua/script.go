// Package lua runs workload scripts: it reads their declarations, calls their functions,
// and turns their requests into batches for a table.
//
// Inspect runs a script once without a table and returns its declarations. Start runs it again
// for one scheme at one point of the axes, in a Lua state of its own. Instances with the same
// seed, options and point make the same streams.
//
// Scripts never run once per key: they compose streams (workloads/stream) and pass whole
// batches to a run.Table. They are untrusted: runtime/sandbox bounds what they may use. Their
// errors are *Error values with file and line. docs/lua.md is the reference.
package lua

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Limits bound what a script may use. They are settings and have no defaults here.
type Limits struct {
	Steps   uint64        // Lua instructions per call of the script
	Time    time.Duration // time per call, without its batches
	Memory  int64         // bytes of all reachable Lua values
	Vectors int64         // bytes of numbers in vectors of gen.from and gen.file
	From    uint64        // numbers per gen.from
	Batches uint64        // per call
}

// Above reports whether a limit exceeds that of others.
func (l Limits) Above(others Limits) bool {
	return l.Steps > others.Steps || l.Time > others.Time || l.Memory > others.Memory ||
		l.Vectors > others.Vectors || l.From > others.From || l.Batches > others.Batches
}

// Script is a script with its declarations.
type Script struct {
	Name    string // as the user wrote it
	Title   string // the comment in its first line
	Source  string
	Options []Option
	Axes    []run.Axis
	Count   bool // its results are counters of instrumented kernels
	Settles bool // all of its stages settle

	// Print receives the lines that the script prints, without control characters. It may
	// be nil. Inspect does not print.
	Print func(scheme, line string)
	// Context stops all instances when it ends. It may be nil.
	Context context.Context

	folder fs.FS
	limits Limits
	files  files
}

// Inspect runs a script without a table, with the defaults of its options and the first values of its axes. It may
// read modules and data from the folder, which may be nil.
func Inspect(name, source string, folder fs.FS, limits Limits) (*Script, error) {
	s := &Script{Name: name, Title: title(source), Source: source, folder: folder, limits: limits}
	h, err := s.load(run.Setup{}, nil)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	d := h.declared
	s.Options, s.Axes, s.Count = d.options, d.axes, d.count
	s.Settles = len(d.stages) > 0 && !slices.ContainsFunc(d.stages, func(s run.Stage) bool { return !s.Settles })
	return s, nil
}

// Start runs the top level of a script for a scheme at a point of the axes.
func (s *Script) Start(setup run.Setup, table run.Table) (*run.Instance, error) {
	h, err := s.load(setup, table)
	if err != nil {
		return nil, err
	}
	i, err := h.instance()
	if err != nil {
		h.Close()
	}
	return i, err
}

func (s *Script) load(setup run.Setup, table run.Table) (*host, error) {
	h, err := newHost(s, setup, table)
	if err != nil {
		return nil, err
	}
	if err := h.runTop(); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

func (h *host) runTop() error {
	c, err := h.Library.Compile(h.script.Name, h.script.Source)
	if err != nil {
		return err
	}
	h.declaring = true
	err = h.Call(h.L.NewFunctionFromProto(c.Proto), 0)
	h.declaring = false
	if err != nil {
		return err
	}
	if err := h.finish(); err != nil {
		return h.declarationError(err)
	}
	return h.checkSetup()
}

// checkSetup refuses values for unknown options and axes: a script may declare different ones on every run.
func (h *host) checkSetup() error {
	for _, values := range []map[string]any{h.setup.Options, h.setup.Point} {
		for name := range values {
			if _, ok := h.opt[name]; !ok {
				return h.Library.Located(h.script.Name, 0, fmt.Sprintf("%s is given, but the script declares no option or axis of that name", name), nil)
			}
		}
	}
	return nil
}

// title returns the comment in the first line, if any.
func title(source string) string {
	line, _, _ := strings.Cut(source, "\n")
	text, ok := strings.CutPrefix(strings.TrimSpace(line), "--")
	if !ok || strings.HasPrefix(text, "[[") {
		return ""
	}
	return sandbox.OneLine(strings.TrimSpace(text))
}
