package lua

import (
	"fmt"
	"slices"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// shape is the table that a script asks for.
type shape struct {
	schemes.Shape
	overrides []override
}

// override sets a parameter of a scheme.
type override struct{ scheme, param, value, path string }

// readShape reads shape = { n = , load = , pair = , schemes = { name = { param = value } } }.
func readShape(v glua.LValue) (s shape, err error) {
	var table struct {
		N         uint64      `lua:"n" min:"1"`
		Load      float64     `lua:"load" min:"0" max:"1"`
		Capacity  uint64      `lua:"capacity" min:"1"`
		Bytes     uint64      `lua:"bytes" min:"1"`
		Pair      glua.LValue `lua:"pair"`
		Placement string      `lua:"placement" oneof:"device host"`
		Schemes   glua.LValue `lua:"schemes"`
	}
	f, err := decode("shape", v, &table)
	switch {
	case err != nil:
		return s, err
	case f.count("n", "capacity", "bytes") != 1 || f.has("load") != f.has("n"):
		return s, wrongField(f.path, ": it takes one of n with load, capacity, or bytes")
	case f.has("load") && table.Load == 0:
		return s, wrongField(f.at("load"), " is 0, it takes a number above 0, up to 1")
	}
	s.N, s.Load, s.Capacity, s.Bytes = table.N, table.Load, table.Capacity, table.Bytes
	s.Host = table.Placement == "host"
	if s.Pair, err = readPair(f); err == nil && f.has("schemes") {
		s.overrides, err = readOverrides(f.at("schemes"), table.Schemes)
	}
	return s, err
}

// readPair reads key and value widths that at least one scheme supports.
func readPair(f fields) (schemes.Pair, error) {
	var names []string
	pairs := map[string]schemes.Pair{"": schemes.Pair4}
	for _, scheme := range schemes.All() {
		for _, p := range scheme.Caps.Pairs {
			if !slices.Contains(names, p.String()) {
				names = append(names, p.String())
			}
			pairs[p.String()] = p
		}
	}
	name, err := f.text("pair", names...)
	return pairs[name], err
}

func readOverrides(path string, v glua.LValue) (list []override, err error) {
	all, err := named(path, v)
	if err != nil {
		return nil, err
	}
	for _, name := range all.names {
		scheme, err := schemes.Find(name)
		if err != nil {
			return nil, wrongField(all.at(name), ": %v", err)
		}
		params, err := named(all.at(name), all.value[name])
		if err != nil {
			return nil, err
		}
		config := scheme.Defaults()
		for _, param := range params.names {
			value, ok := scalar(params.value[param])
			if !ok {
				return nil, wrongField(params.at(param), " is %s, it takes a number or a text", sandbox.Describe(params.value[param]))
			}
			o := override{name, param, run.Text(value), params.at(param)}
			if config, err = o.apply(config); err != nil {
				return nil, err
			}
			list = append(list, o)
		}
	}
	return list, nil
}

func (o override) apply(config schemes.Config) (schemes.Config, error) {
	changed, err := config.With(o.param, o.value)
	if err != nil {
		return changed, wrongField(o.path, ": %v", err)
	}
	return changed, nil
}

// applied returns a configuration with the script's overrides, except for parameters that
// the user gave.
func (s shape) applied(config schemes.Config) (_ schemes.Config, err error) {
	for _, o := range s.overrides {
		if o.scheme == config.Name && !config.Given(o.param) {
			if config, err = o.apply(config); err != nil {
				return config, err
			}
		}
	}
	if err := config.Compiled(); err != nil {
		return config, wrongField("shape.schemes", ": %v", err)
	}
	if err := config.CompiledFor(s.Pair); err != nil {
		return config, wrongField("shape.pair", ": %w", err)
	}
	if s.Host && !config.Caps.HostMemory {
		return config, wrongField("shape.placement", ` is "host": %w`, &schemes.Lack{
			What: "no tables in host memory",
			Text: fmt.Sprintf("scheme %s supports only device memory; %s", config.Name, withHostMemory()),
		})
	}
	return config, nil
}

func withHostMemory() string {
	var names []string
	for _, scheme := range schemes.All() {
		if scheme.Caps.HostMemory {
			names = append(names, scheme.Name)
		}
	}
	if names == nil {
		return "no scheme supports host memory"
	}
	return "try " + strings.Join(names, ", ")
}
