package lua

import (
	"fmt"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Instance is a script at work for one scheme at one point.
type Instance struct{ h *host }

// Shape is the table that the script wants, and the scheme with the parameters that
// the script chooses for it.
func (i *Instance) Shape() (schemes.Shape, schemes.Config, error) {
	s := i.h.declared.shape
	config, err := s.applied(i.h.setup.Config)
	if err != nil {
		return s.Shape, config, i.h.declarationError(err)
	}
	return s.Shape, config, nil
}

// Stages are those that the script declares.
func (i *Instance) Stages() []run.Stage { return i.h.declared.stages }

// Thresholds are the conditions that the script declares.
func (i *Instance) Thresholds() []string { return i.h.declared.thresholds }

// Prepare calls the script's prepare, if it has one.
func (i *Instance) Prepare() error {
	fn := i.function("prepare")
	if fn == nil {
		return nil
	}
	return i.h.Call(fn, 0, i.h.handle)
}

// Event calls the script's event with a number, from 1 on, and the name of the
// stage. It says whether the run goes on: only false ends it.
func (i *Instance) Event(number uint64, stage string) (more bool, err error) {
	fn := i.function("event")
	if fn == nil {
		return false, nil
	}
	if err := i.h.Call(fn, 1, i.h.handle, glua.LNumber(number), glua.LString(stage)); err != nil {
		return false, err
	}
	return i.h.L.Get(-1) != glua.LFalse, nil
}

// Done calls the script's done with the results, if it has one, and returns the
// summary that it gives: numbers, texts and booleans by name.
func (i *Instance) Done(results map[string]any) (map[string]any, error) {
	i.h.noteEffort()
	fn := i.function("done")
	if fn == nil {
		return nil, nil
	}
	if err := i.h.Call(fn, 1, i.h.results("results", results)); err != nil {
		return nil, err
	}
	summary, err := readSummary(i.h.L.Get(-1))
	if err != nil {
		return nil, i.h.Library.Located(i.h.script.Name, fn.Proto.LineDefined, err.Error(), nil)
	}
	return summary, nil
}

// Close gives the state back.
func (i *Instance) Close() { i.h.L.Close() }

func (i *Instance) function(name string) *glua.LFunction {
	fn, _ := i.h.L.G.Global.RawGetString(name).(*glua.LFunction)
	return fn
}

func readSummary(v glua.LValue) (map[string]any, error) {
	if v == glua.LNil {
		return nil, nil
	}
	f, err := named("the summary that done returns", v)
	if err != nil {
		return nil, err
	}
	summary := map[string]any{}
	for _, name := range f.names {
		value, ok := scalar(f.value[name])
		if !ok {
			return nil, fmt.Errorf("done returns %s as %q: it takes numbers, texts and booleans", sandbox.Describe(f.value[name]), name)
		}
		summary[sandbox.OneLine(name)] = value
	}
	return summary, nil
}
