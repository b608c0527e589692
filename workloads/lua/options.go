package lua

import (
	"fmt"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Option is a value that a script lets users choose: --set name=value.
type Option struct {
	Name    string
	Help    string
	Default any      // float64, string or bool
	Min     *float64 // of numbers, if there is such a bound
	Max     *float64
}

// Kind says in a word what values the option takes.
func (o Option) Kind() string { return kindOf(o.Default) }

func kindOf(value any) string {
	switch value.(type) {
	case float64:
		return "number"
	case bool:
		return "boolean"
	}
	return "text"
}

// Allowed says which values the option takes.
func (o Option) Allowed() string {
	switch {
	case o.Kind() == "boolean":
		return "true or false"
	case o.Kind() == "text":
		return "a text"
	case o.Min != nil && o.Max != nil:
		return fmt.Sprintf("a number, %s to %s", run.Text(*o.Min), run.Text(*o.Max))
	case o.Min != nil:
		return fmt.Sprintf("a number from %s on", run.Text(*o.Min))
	case o.Max != nil:
		return fmt.Sprintf("a number up to %s", run.Text(*o.Max))
	}
	return "a number"
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
	if kindOf(value) != o.Kind() {
		return false
	}
	x, _ := value.(float64)
	return (o.Min == nil || x >= *o.Min) && (o.Max == nil || x <= *o.Max)
}

// ParseOptions reads name=value settings. The result is what Setup takes.
func (s *Script) ParseOptions(settings []string) (map[string]any, error) {
	values := map[string]any{}
	for _, setting := range settings {
		name, text, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, fmt.Errorf("option %q: write name=value", setting)
		}
		o, err := s.option(name)
		if err != nil {
			return nil, err
		}
		if values[name], err = o.Parse(text); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (s *Script) option(name string) (Option, error) {
	var known []string
	for _, o := range s.Options {
		if o.Name == name {
			return o, nil
		}
		known = append(known, o.Name)
	}
	for _, a := range s.Axes {
		if a.Name == name {
			return Option{}, fmt.Errorf("%s is an axis of %s, not an option; hint: --axis %s=value", name, s.Name, name)
		}
	}
	if known == nil {
		return Option{}, fmt.Errorf("unknown option %q: %s has none", name, s.Name)
	}
	return Option{}, nearest.Unknown("option", name, known)
}

// readOptions reads options = { name = default, name = { default, "help" }, ... }.
func readOptions(v glua.LValue) ([]Option, error) {
	all, err := named("options", v)
	if err != nil {
		return nil, err
	}
	var options []Option
	for _, name := range all.names {
		o, err := readOption(name, all.at(name), all.value[name])
		if err != nil {
			return nil, err
		}
		options = append(options, o)
	}
	return options, nil
}

func readOption(name, path string, v glua.LValue) (o Option, err error) {
	if !isName(name) {
		return o, wrongField(path, " is no name, it takes letters, digits and _, such as batch_size")
	}
	o.Name = name
	t, ok := v.(*glua.LTable)
	if !ok {
		o.Default, ok = scalar(v)
		return o, o.checkDefault(path, v, ok)
	}
	first := t.RawGetString("default")
	if first == glua.LNil {
		first = t.RawGetInt(1)
	}
	help := t.RawGetString("help")
	if help == glua.LNil {
		help = t.RawGetInt(2)
	}
	if o.Default, ok = scalar(first); !ok {
		return o, o.checkDefault(path, first, false)
	}
	if text, ok := help.(glua.LString); ok {
		o.Help = sandbox.OneLine(string(text))
	} else if help != glua.LNil {
		return o, wrongField(path, ": the help is %s, it takes a text", sandbox.Describe(help))
	}
	if err := o.bounds(path, t); err != nil {
		return o, err
	}
	return o, o.checkDefault(path, first, true)
}

// bounds reads what a table of an option has besides default and help.
func (o *Option) bounds(path string, t *glua.LTable) error {
	for k, v := t.Next(glua.LNil); k != glua.LNil; k, v = t.Next(k) {
		switch k {
		case glua.LNumber(1), glua.LNumber(2), glua.LString("default"), glua.LString("help"):
			continue
		case glua.LString("min"), glua.LString("max"):
		default:
			return wrongField(path, " has a %s, it takes { default, \"help\", min = , max = }", k)
		}
		x, ok := v.(glua.LNumber)
		if !ok || o.Kind() != "number" {
			return wrongField(path+"."+k.String(), " is %s of an option that is %s, it takes a number, of a number", sandbox.Describe(v), sandbox.Describe(toLua(o.Default)))
		}
		bound := float64(x)
		if k == glua.LString("min") {
			o.Min = &bound
		} else {
			o.Max = &bound
		}
	}
	return nil
}

func (o Option) checkDefault(path string, v glua.LValue, ok bool) error {
	if !ok {
		return wrongField(path, ": the default is %s, it takes a number, a text or a boolean", sandbox.Describe(v))
	}
	if !o.takes(o.Default) {
		return wrongField(path, ": the default is %s, it takes %s", sandbox.Describe(v), o.Allowed())
	}
	return nil
}

func isName(name string) bool {
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
