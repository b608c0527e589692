package lua

import (
	"errors"
	"fmt"
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/workloads/run"
)

// declarationNames are the globals that scripts declare by assigning, in the order in which they are read.
// They exist only in the globals' metatable.
var declarationNames = []string{"options", "axes", "shape", "stages", "thresholds", "count"}

func isDeclaration(name string) bool { return slices.Contains(declarationNames, name) }

// declared is what a script has declared so far.
type declared struct {
	values map[string]glua.LValue // as assigned
	lines  map[string]string      // "file:line:" of the first assignment of each global

	options    []Option
	axes       []run.Axis
	shape      shape
	stages     []run.Stage
	thresholds []string
	count      bool
}

// declare handles an assignment to a declaration. Options and axes are read at once, since the lines below use opt.
func (h *host) declare(name string, value glua.LValue, line string) error {
	if !h.declaring {
		return fmt.Errorf("%s must be declared at the top of the script, not in a function that runs later", name)
	}
	if _, twice := h.declared.values[name]; twice {
		return fmt.Errorf("%s is declared twice", name)
	}
	h.declared.values[name], h.declared.lines[name] = value, line
	h.Keep(value)
	if name == "options" || name == "axes" {
		return h.read(name, value)
	}
	return nil
}

func (h *host) read(name string, v glua.LValue) (err error) {
	d := &h.declared
	switch name {
	case "options":
		if d.options, err = readOptions(v); err == nil {
			err = h.setOptions()
		}
	case "axes":
		if d.axes, err = readAxes(v); err == nil {
			err = h.setAxes()
		}
	case "shape":
		d.shape, err = readShape(v)
	case "stages":
		d.stages, err = readStages(v)
	case "thresholds":
		d.thresholds, err = readThresholds(v, d.stages)
	case "count":
		err = convert("count", v, &d.count, "")
	}
	return err
}

func (h *host) setOptions() error {
	for _, o := range h.declared.options {
		if value, given := h.setup.Options[o.Name]; given && !o.takes(value) {
			return fmt.Errorf("option %s is %s: it takes %s", o.Name, run.Text(value), o.Allowed())
		}
		if err := h.setOpt("options", o.Name, h.setup.Options, o.Default); err != nil {
			return err
		}
	}
	return nil
}

func (h *host) setAxes() error {
	for _, a := range h.declared.axes {
		if err := h.setOpt("axes", a.Name, h.setup.Point, a.Values[0]); err != nil {
			return err
		}
	}
	return nil
}

// setOpt puts the value of an option or axis into opt: the chosen one or the default.
func (h *host) setOpt(what, name string, chosen map[string]any, standard any) error {
	if _, twice := h.opt[name]; twice {
		return wrongField(what+"."+name, ": an option and an axis have the same name")
	}
	value, ok := chosen[name]
	if !ok {
		value = standard
	}
	h.opt[name] = toLua(value)
	return nil
}

func (h *host) finish() error {
	if err := h.checkNames(); err != nil {
		return err
	}
	if _, ok := h.declared.values["shape"]; !ok {
		return errors.New("shape is missing: declare the table that the script needs, as in shape = { n = 1e6, load = 0.8 }")
	}
	for _, name := range declarationNames[2:] {
		if v, ok := h.declared.values[name]; ok {
			if err := h.read(name, v); err != nil {
				return err
			}
		}
	}
	return h.checkFunctions()
}
