package lua

import (
	"fmt"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// instance is the script for the run, with the scheme's parameters that it declares.
func (h *host) instance() (*run.Instance, error) {
	d := h.declared
	config, err := d.shape.applied(h.setup.Config)
	if err != nil {
		return nil, h.declarationError(err)
	}
	return &run.Instance{
		Shape: d.shape.Shape, Config: config, Stages: d.stages, Thresholds: d.thresholds,
		Prepare: h.prepare, Event: h.event, Done: h.done, Close: h.Close,
	}, nil
}

func (h *host) prepare() error {
	_, err := h.call("prepare", h.handle)
	return err
}

// event reports whether the run continues: only the result false ends it.
func (h *host) event(number uint64, stage string) (more bool, err error) {
	v, err := h.call("event", h.handle, glua.LNumber(number), glua.LString(stage))
	return v != nil && v != glua.LFalse, err
}

// done returns the script's summary: numbers, texts and booleans by name.
func (h *host) done(results map[string]any) (map[string]any, error) {
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
