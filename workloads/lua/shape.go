package lua

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

type shape struct {
	schemes.Shape
	overrides []override
}

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
	pair, pairs := schemes.Pair4.String(), pairs()
	f.read("pair", &pair, reflect.StructTag(fmt.Sprintf("oneof:%q", strings.Join(slices.Sorted(maps.Keys(pairs)), " "))))
	s.Shape = schemes.Shape{
		N: table.N, Load: table.Load, Capacity: table.Capacity, Bytes: table.Bytes, Pair: pairs[pair], Host: table.Placement == "host",
	}
	if f.err == nil && f.has("schemes") {
		s.overrides, f.err = readOverrides(f.at("schemes"), table.Schemes)
	}
	return s, f.err
}

// pairs returns the key and value widths that at least one scheme supports, by name.
func pairs() map[string]schemes.Pair {
	pairs := map[string]schemes.Pair{}
	for _, scheme := range schemes.All() {
		for _, p := range scheme.Caps.Pairs {
			pairs[p.String()] = p
		}
	}
	return pairs
}

func readOverrides(path string, v glua.LValue) (list []override, err error) {
	err = eachNamed(path, v, func(path, name string, v glua.LValue) error {
		scheme, err := schemes.Find(name)
		if err != nil {
			return wrongField(path, ": %v", err)
		}
		config := scheme.Defaults()
		return eachNamed(path, v, func(path, param string, v glua.LValue) error {
			value, ok := scalar(v)
			if !ok {
				return wrongValue(path, v, "a number or a text")
			}
			o := override{name, param, run.Text(value), path}
			list = append(list, o)
			config, err = o.apply(config)
			return err
		})
	})
	return list, err
}

func (o override) apply(config schemes.Config) (schemes.Config, error) {
	changed, err := config.With(o.param, o.value)
	if err != nil {
		return changed, wrongField(o.path, ": %v", err)
	}
	return changed, nil
}

// applied returns a configuration with the script's overrides, except for what the user gave.
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
		with := schemes.Where(func(s *schemes.Scheme) bool { return s.Caps.HostMemory })
		return config, wrongField("shape.placement", ` is "host": %w`, &schemes.Lack{
			What: "no tables in host memory",
			Text: fmt.Sprintf("scheme %s supports only device memory; try %s", config.Name, strings.Join(with, ", ")),
		})
	}
	return config, nil
}
