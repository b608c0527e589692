package lua

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Option is a value of a script that users choose with --set name=value.
type Option struct {
	Name    string
	Help    string
	Default any  // float64, string or bool
	File    bool // a file, which may be outside of the script's folder if the user names it

	min, max float64 // bounds of a number; may be infinite
}

// Allowed describes the values that the option takes.
func (o Option) Allowed() string {
	switch kind := run.Kind(o.Default); {
	case o.File:
		return "a file"
	case kind == "boolean":
		return "true or false"
	case kind == "text":
		return "a text"
	}
	return sandbox.Numbers(o.min, o.max)
}

// Parse reads a value as a user writes it.
func (o Option) Parse(text string) (any, error) {
	value, ok := run.ParseValue(text, o.Default)
	if !ok || !o.takes(value) {
		return nil, fmt.Errorf("option %s is %q: it takes %s", o.Name, text, o.Allowed())
	}
	return value, nil
}

func (o Option) takes(value any) bool {
	x, isNumber := value.(float64)
	return run.Kind(value) == run.Kind(o.Default) && (!isNumber || x >= o.min && x <= o.max)
}

// ParseOptions reads name=value settings for Setup.
func (s *Script) ParseOptions(settings []string) (map[string]any, error) {
	values := map[string]any{}
	for _, setting := range settings {
		name, text, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, fmt.Errorf("option %q: write name=value", setting)
		}
		if slices.ContainsFunc(s.Axes, func(a run.Axis) bool { return a.Name == name }) {
			return nil, fmt.Errorf("%s is an axis of %s, not an option; hint: --axis %s=value", name, s.Name, name)
		}
		i, err := nearest.Index("option", name, s.Options, func(o Option) string { return o.Name })
		if err != nil {
			return nil, err
		}
		if values[name], err = s.Options[i].Parse(text); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// ParseAxes returns the axes with the values of name=values settings.
func (s *Script) ParseAxes(settings []string) ([]run.Axis, error) {
	for _, setting := range settings {
		name, _, _ := strings.Cut(setting, "=")
		if slices.ContainsFunc(s.Options, func(o Option) bool { return o.Name == name }) {
			return nil, fmt.Errorf("%s is an option of %s, not an axis; hint: --set %s=value", name, s.Name, name)
		}
	}
	return run.Override(s.Axes, settings)
}

// Give returns the setting for a file that the user gives: NAME=PATH, or PATH without = if the script takes only one.
func (s *Script) Give(file string) (string, error) {
	files := slices.DeleteFunc(slices.Clone(s.Options), func(o Option) bool { return !o.File })
	names := lists.Map(files, func(o Option) string { return o.Name })
	name, _, named := strings.Cut(file, "=")
	switch {
	case len(files) == 0:
		return "", fmt.Errorf("%s takes no files", s.Name)
	case slices.Contains(names, name) && named:
		return file, nil
	case len(files) == 1 && !named:
		return names[0] + "=" + file, nil
	case !named:
		return "", fmt.Errorf("file %q: write name=path; %s takes %s", file, s.Name, strings.Join(names, ", "))
	}
	return "", nearest.Unknown("file", name, names)
}

func readOption(path, name string, v glua.LValue) Option {
	if !isName(name) {
		refuse(path, " is not a name: it takes letters, digits and _, such as batch_size")
	}
	option := struct {
		Default glua.LValue `lua:"default"`
		Help    string      `lua:"help"`
		Min     float64     `lua:"min"`
		Max     float64     `lua:"max"`
		File    bool        `lua:"file"`
	}{Default: glua.LNil, Min: math.Inf(-1), Max: math.Inf(1)}
	if _, isTable := v.(*glua.LTable); !isTable {
		option.Default = v
	} else {
		sandbox.Check(sandbox.Decode(path, v, &option, "default", "help"))
	}
	value, ok := sandbox.Scalar(option.Default)
	o := Option{name, option.Help, value, option.File, option.Min, option.Max}
	switch shown := sandbox.Describe(option.Default); {
	case !ok:
		refuse(path, ": the default is %s, it takes a number, a text or a boolean", shown)
	case run.Kind(o.Default) != "number" && sandbox.Numbers(o.min, o.max) != "a number":
		refuse(path, ": min and max are for numbers, the default is %s", shown)
	case o.File && run.Kind(o.Default) != "text":
		refuse(path, ": the default of a file is a text, empty for none; it is %s", shown)
	case !o.takes(value):
		refuse(path, ": the default is %s, it takes %s", shown, o.Allowed())
	}
	return o
}

// readAxes reads axes = { name = { a, b }, name = { from = , to = , step = } }.
func (h *host) readAxes(v glua.LValue) {
	sandbox.Raise(sandbox.EachNamed("axes", v, func(path, name string, v glua.LValue) error {
		if !isName(name) {
			refuse(path, " is not a name: it takes letters, digits and _, such as load_factor")
		}
		values := lists.Either(sandbox.IsNamed(v), readRange, readValues)(path, v)
		h.declared.axes = append(h.declared.axes, run.Axis{Name: name, Values: values})
		h.setOpt("axes", name, h.setup.Point, values[0])
		return nil
	}))
}

func readValues(path string, v glua.LValue) (values []any) {
	items := sandbox.Check(sandbox.List(path, v))
	if len(items) == 0 {
		refuse(path, " has no values, it takes at least one")
	}
	for i, item := range items {
		value, ok := sandbox.Scalar(item)
		switch {
		case !ok:
			refuse(path, " has %s, it takes numbers, texts or booleans", sandbox.Describe(item))
		case i > 0 && run.Kind(value) != run.Kind(values[0]):
			refuse(path, " has %s and %s, it takes values of one kind", sandbox.Describe(items[i-1]), sandbox.Describe(item))
		}
		values = append(values, value)
	}
	return values
}

func readRange(path string, v glua.LValue) (values []any) {
	var r struct {
		From   float64 `lua:"from" min:"-0x1p53" max:"0x1p53"`
		To     float64 `lua:"to" min:"-0x1p53" max:"0x1p53"`
		Step   float64 `lua:"step" min:"-0x1p53" max:"0x1p53"`
		Factor float64 `lua:"factor" min:"-0x1p53" max:"0x1p53"`
	}
	f := sandbox.Check(sandbox.Decode(path, v, &r))
	if f.Count("from", "to") != 2 || f.Count("step", "factor") != 1 {
		refuse(path, ": a range takes from, to, and either step or factor")
	}
	by, read := r.Step, run.Range
	if f.Has("factor") {
		by, read = r.Factor, run.Powers
	}
	values, err := read(r.From, r.To, by)
	if err != nil {
		refuse(path, ": %v", err)
	}
	return values
}

var isName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString

// toLua is the inverse of sandbox.Scalar.
func toLua(value any) glua.LValue {
	switch v := value.(type) {
	case float64:
		return glua.LNumber(v)
	case string:
		return glua.LString(v)
	case bool:
		return glua.LBool(v)
	}
	return glua.LNil
}
