package lua

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Script is a script whose declarations were read.
type Script struct {
	Name    string // as the user wrote it, and in errors
	Title   string // its first line, a comment
	Source  string
	Options []Option
	Axes    []run.Axis
	Count   bool // its results are what instrumented kernels count

	// Print is given what the script prints, line by line, without control
	// characters; nil drops it. While a script is inspected nothing is printed.
	Print func(scheme, line string)
	// Context ends all instances when it ends; nil never does.
	Context context.Context

	folder fs.FS
	limits Limits
	files  files
}

// Inspect runs a script without a table, with the options' defaults and the axes'
// first values. The folder is where it may read modules and data from: that of the
// script; nil if it has none. Errors are *Error.
func Inspect(name, source string, folder fs.FS, limits Limits) (*Script, error) {
	s := &Script{Name: name, Title: title(source), Source: source, folder: folder, limits: limits}
	h, err := s.load(run.Setup{}, nil)
	if h != nil {
		defer h.L.Close()
	}
	if err != nil {
		return nil, err
	}
	s.Options, s.Axes, s.Count = h.declared.options, h.declared.axes, h.declared.count
	return s, nil
}

// Start runs a script for a scheme at a point of the axes, up to where prepare would
// be called.
func (s *Script) Start(setup run.Setup, table run.Table) (run.Instance, error) {
	h, err := s.load(setup, table)
	if err != nil {
		if h != nil {
			h.L.Close()
		}
		return nil, err
	}
	return &Instance{h}, nil
}

// load makes a state and runs the script's own lines.
func (s *Script) load(setup run.Setup, table run.Table) (*host, error) {
	h, err := newHost(s, setup, table)
	if err != nil {
		return nil, err
	}
	c, err := h.Library.Compile(s.Name, s.Source)
	if err != nil {
		return h, err
	}
	h.declaring = true
	err = h.Call(h.L.NewFunctionFromProto(c.Proto), 0)
	h.declaring = false
	if err != nil {
		return h, err
	}
	if err := h.finish(); err != nil {
		return h, h.declarationError(err)
	}
	return h, h.checkSetup()
}

// checkSetup refuses values for options and axes that the script does not have: it
// may declare others at each run.
func (h *host) checkSetup() error {
	for _, values := range []map[string]any{h.setup.Options, h.setup.Point} {
		for name := range values {
			if _, ok := h.opt[name]; !ok {
				return h.Library.Located(h.script.Name, 0, fmt.Sprintf("%s is given, and the script declares no option or axis of that name", name), nil)
			}
		}
	}
	return nil
}

// print hands a text of a script on, line by line.
func (s *Script) print(table run.Table, text string) {
	if s.Print == nil || table == nil {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		s.Print(table.Scheme(), sandbox.OneLine(line))
	}
}

func folderOf(name string) string { return path.Dir(strings.ReplaceAll(name, `\`, "/")) }

// title is the first line of a script if that is a comment.
func title(source string) string {
	line, _, _ := strings.Cut(source, "\n")
	text, ok := strings.CutPrefix(strings.TrimSpace(line), "--")
	if !ok || strings.HasPrefix(text, "[[") {
		return ""
	}
	return sandbox.OneLine(strings.TrimSpace(text))
}
