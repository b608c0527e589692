package lua

import (
	"fmt"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// A host is a run.Instance: a running script for one scheme at one point.

// Shape returns the table that the script asks for, and the scheme with the script's
// parameters.
func (h *host) Shape() (schemes.Shape, schemes.Config, error) {
	s := h.declared.shape
	config, err := s.applied(h.setup.Config)
	if err != nil {
		return s.Shape, config, h.declarationError(err)
	}
	return s.Shape, config, nil
}

// Stages returns the declared stages.
func (h *host) Stages() []run.Stage { return h.declared.stages }

// Thresholds returns the declared conditions.
func (h *host) Thresholds() []string { return h.declared.thresholds }

// Prepare calls prepare, if the script defines it.
func (h *host) Prepare() error {
	_, err := h.call("prepare", h.handle)
	return err
}

// Event calls event with a number, from 1 on, and the name of the stage. It reports whether
// the run continues: only the result false ends it.
func (h *host) Event(number uint64, stage string) (more bool, err error) {
	v, err := h.call("event", h.handle, glua.LNumber(number), glua.LString(stage))
	return v != nil && v != glua.LFalse, err
}

// Done calls done with the results, if the script defines it, and returns its summary:
// numbers, texts and booleans by name.
func (h *host) Done(results map[string]any) (map[string]any, error) {
	h.noteEffort()
	v, err := h.call("done", h.results("results", results))
	if v == nil || v == glua.LNil {
		return nil, err
	}
	summary, err := readSummary(v)
	if err != nil {
		return nil, h.Library.Located(h.script.Name, h.function("done").Proto.LineDefined, err.Error(), nil)
	}
	return summary, nil
}

func (h *host) function(name string) *glua.LFunction {
	fn, _ := h.L.G.Global.RawGetString(name).(*glua.LFunction)
	return fn
}

// call returns the result of a function of the script, or nil if it does not exist or fails.
func (h *host) call(name string, arguments ...glua.LValue) (glua.LValue, error) {
	fn := h.function(name)
	if fn == nil {
		return nil, nil
	}
	h.asked = 0
	if err := h.Call(fn, 1, arguments...); err != nil {
		return nil, err
	}
	return h.L.Get(-1), nil
}

func readSummary(v glua.LValue) (map[string]any, error) {
	summary := map[string]any{}
	return summary, eachNamed("the summary that done returns", v, func(_, name string, v glua.LValue) error {
		value, ok := scalar(v)
		if !ok {
			return fmt.Errorf("done returns %s as %q: it takes numbers, texts and booleans", sandbox.Describe(v), name)
		}
		summary[sandbox.OneLine(name)] = value
		return nil
	})
}
