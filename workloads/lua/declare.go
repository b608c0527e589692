package lua

import (
	"fmt"
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// What a script declares by assigning to globals. These are never really there: the
// globals' metatable takes and gives them.
var declarations = []string{"options", "axes", "shape", "stages", "thresholds", "count"}

// functions are the globals that are called.
var functions = []string{"prepare", "event", "done"}

// given are the globals that scripts use and cannot assign to.
var given = []string{"opt", "gen", "u64"}

// ownNames are the globals that the metatable gives.
var ownNames = append(slices.Clone(given), declarations...)

func isDeclaration(name string) bool { return slices.Contains(declarations, name) }

// declared is what a script has declared so far.
type declared struct {
	values map[string]glua.LValue // as assigned
	lines  map[string]string      // where they and other globals were first assigned: file:line:

	options []Option
	axes    []run.Axis

	shape      shape
	stages     []run.Stage
	thresholds []string
	count      bool
}

// watchGlobals has reads of globals that are not there, and first assignments, come
// here.
func (h *host) watchGlobals() {
	meta := h.L.NewTable()
	meta.RawSetString("__index", h.Function(h.getGlobal))
	meta.RawSetString("__newindex", h.Function(h.setGlobal))
	h.L.SetMetatable(h.L.G.Global, h.Protected(meta))
}

func (h *host) getGlobal(L *glua.LState) (int, error) {
	name := L.Get(2).String()
	if v, ok := h.own[name]; ok {
		L.Push(v)
		return 1, nil
	}
	if isDeclaration(name) {
		v, ok := h.declared.values[name]
		if !ok {
			return 0, fmt.Errorf("%s is not declared yet", name)
		}
		L.Push(v)
		return 1, nil
	}
	return 0, h.unknownGlobal(name)
}

func (h *host) setGlobal(L *glua.LState) (int, error) {
	key, value := L.Get(2), L.Get(3)
	name := key.String()
	switch {
	case slices.Contains(given, name):
		return 0, fmt.Errorf("%s cannot be assigned: it is given", name)
	case isDeclaration(name):
		return 0, h.declare(L, name, value)
	case value != glua.LNil:
		if h.declaring {
			h.declared.lines[name] = L.Where(1)
		}
		L.G.Global.RawSet(key, value)
	}
	return 0, nil
}

// declare takes an assignment to one of the declarations. options and axes are read
// at once, since the lines below use opt; the others when the script is through.
func (h *host) declare(L *glua.LState, name string, value glua.LValue) error {
	if !h.declaring {
		return fmt.Errorf("%s is declared at the top of a script, not in a function that runs later", name)
	}
	if _, twice := h.declared.values[name]; twice {
		return fmt.Errorf("%s is declared twice", name)
	}
	h.declared.values[name], h.declared.lines[name] = value, L.Where(1)
	h.Keep(value)
	var err error
	switch name {
	case "options":
		if h.declared.options, err = readOptions(value); err == nil {
			err = h.setOptions()
		}
	case "axes":
		if h.declared.axes, err = readAxes(value); err == nil {
			err = h.setAxes()
		}
	}
	return err
}

// setOptions puts the options' values in force into opt.
func (h *host) setOptions() error {
	for _, o := range h.declared.options {
		value, chosen := h.setup.Options[o.Name]
		if !chosen {
			value = o.Default
		}
		if !o.takes(value) {
			return fmt.Errorf("option %s is %s: it takes %s", o.Name, run.Text(value), o.Allowed())
		}
		if err := h.setOpt("options", o.Name, value); err != nil {
			return err
		}
	}
	return nil
}

// setAxes puts the point that the run is at into opt: without one, the first values.
func (h *host) setAxes() error {
	for _, a := range h.declared.axes {
		value, ok := h.setup.Point[a.Name]
		if !ok {
			value = a.Values[0]
		}
		if err := h.setOpt("axes", a.Name, value); err != nil {
			return err
		}
	}
	return nil
}

func (h *host) setOpt(what, name string, value any) error {
	if _, twice := h.opt[name]; twice {
		return wrongField(what+"."+name, ": there is an option and an axis of that name")
	}
	h.opt[name] = value
	return nil
}

// makeOpt makes the global opt: a table that can only be read.
func (h *host) makeOpt() glua.LValue {
	return h.readOnly("opt", func(name string) (glua.LValue, error) {
		value, ok := h.opt[name]
		if ok {
			return toLua(value), nil
		}
		var known []string
		for name := range h.opt {
			known = append(known, name)
		}
		slices.Sort(known)
		if known == nil {
			return nil, fmt.Errorf("opt.%s: there are no options and axes; hint: options = { %s = 1000 } above this line", name, name)
		}
		return nil, fmt.Errorf("opt: %w", nearest.Unknown("option or axis", name, known))
	})
}

// readOnly makes a table whose fields a function gives.
func (h *host) readOnly(what string, get func(name string) (glua.LValue, error)) *glua.LTable {
	meta := h.L.NewTable()
	meta.RawSetString("__index", h.Function(func(L *glua.LState) (int, error) {
		v, err := get(L.Get(2).String())
		if err != nil {
			return 0, err
		}
		L.Push(v)
		return 1, nil
	}))
	meta.RawSetString("__newindex", h.Function(func(L *glua.LState) (int, error) {
		return 0, fmt.Errorf("%s.%s cannot be assigned: %s can only be read", what, L.Get(2), what)
	}))
	t := h.L.NewTable()
	t.Metatable = h.Protected(meta)
	return t
}

// finish reads the declarations that are left, and checks that the script is one.
func (h *host) finish() error {
	if err := h.checkNames(); err != nil {
		return err
	}
	d := &h.declared
	v, ok := d.values["shape"]
	if !ok {
		return wrongField("", "shape is missing: the script says what table it wants, as in shape = { n = 1e6, load = 0.8 }")
	}
	var err error
	if d.shape, err = readShape(v); err != nil {
		return err
	}
	if v, ok := d.values["stages"]; ok {
		if d.stages, err = readStages(v); err != nil {
			return err
		}
	}
	if v, ok := d.values["thresholds"]; ok {
		if d.thresholds, err = readThresholds(v, d.stages); err != nil {
			return err
		}
	}
	if v, ok := d.values["count"]; ok {
		flag, ok := v.(glua.LBool)
		if !ok {
			return wrongField("count", " is %s, it takes true or false", sandbox.Describe(v))
		}
		d.count = bool(flag)
	}
	return h.checkFunctions()
}

// checkFunctions looks at what the script defines to be called.
func (h *host) checkFunctions() error {
	for _, name := range functions {
		v := h.L.G.Global.RawGetString(name)
		if v.Type() != glua.LTFunction && v != glua.LNil {
			return wrongField(name, " is %s, it takes a function", sandbox.Describe(v))
		}
	}
	_, staged := h.declared.values["stages"]
	switch prepare, event := h.defines("prepare"), h.defines("event"); {
	case !prepare && !event:
		return wrongField("", "the script does nothing: it defines neither prepare nor event")
	case event && !staged:
		return &fieldError{path: "event", text: "stages are missing: event is called until they end, as in stages = { batches = 10 }; " +
			"hint: batches = math.huge if event ends the run by returning false"}
	case staged && !event:
		return &fieldError{path: "stages", text: "event is missing: it is what stages are made of, as in function event(t, i) t:find(keys) end"}
	}
	return nil
}

func (h *host) defines(function string) bool {
	return h.L.G.Global.RawGetString(function) != glua.LNil
}

// checkNames refuses a global that looks like a declaration or function with a wrong
// name, since it would be passed over without a word.
func (h *host) checkNames() error {
	for k, v := h.L.G.Global.Next(glua.LNil); k != glua.LNil; k, v = h.L.G.Global.Next(k) {
		if slices.Contains(ownNames, k.String()) {
			return fmt.Errorf("%s was set by rawset, and is passed over: assign it, as in %s = value", k, k)
		}
		known := declarations
		switch f := v.(type) {
		case *glua.LFunction:
			known = functions
			if f.IsG {
				continue
			}
		case *glua.LTable:
		default:
			continue
		}
		for _, meant := range known {
			if !h.has(meant) && isSlip(k.String(), meant) {
				return wrongField(k.String(), " is assigned, and %s is not: did you mean %s? hint: if not, make it local", meant, meant)
			}
		}
	}
	return nil
}

// isSlip says whether a name is another one but for a letter too many, missing or
// wrong.
func isSlip(name, meant string) bool {
	for i := range max(len(name), len(meant)) {
		without := func(text string) string { return text[:min(i, len(text))] + text[min(i+1, len(text)):] }
		if without(name) == meant || name == without(meant) || len(name) == len(meant) && without(name) == without(meant) {
			return name != meant
		}
	}
	return false
}

// has says whether the script has declared or defined something.
func (h *host) has(name string) bool {
	_, ok := h.declared.values[name]
	return ok || h.defines(name)
}
