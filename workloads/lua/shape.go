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

// shape is what a script wants of its table.
type shape struct {
	schemes.Shape
	overrides []change // of schemes' parameters
}

// change gives a parameter of a scheme another value.
type change struct{ scheme, param, value, path string }

// readShape reads shape = { n = , load = , pair = , schemes = { name = { param = value } } }.
func readShape(v glua.LValue) (s shape, err error) {
	f, err := named("shape", v)
	if err != nil {
		return s, err
	}
	if err := f.only("n", "load", "capacity", "bytes", "pair", "placement", "schemes"); err != nil {
		return s, err
	}
	if err := s.size(f); err != nil {
		return s, err
	}
	if s.Pair, err = readPair(f); err != nil {
		return s, err
	}
	placement, err := f.text("placement", "device", "host")
	if err != nil {
		return s, err
	}
	s.Host = placement == "host"
	if f.has("schemes") {
		s.overrides, err = readOverrides(f.at("schemes"), f.value["schemes"])
	}
	return s, err
}

func (s *shape) size(f fields) error {
	sizes := 0
	for _, name := range []string{"n", "capacity", "bytes"} {
		if f.has(name) {
			sizes++
		}
	}
	if sizes != 1 || f.has("load") != f.has("n") {
		return wrongField(f.path, ": it takes one of n with load, capacity, or bytes")
	}
	var err error
	if s.N, err = f.whole("n", 1, false); err != nil {
		return err
	}
	if s.Capacity, err = f.whole("capacity", 1, false); err != nil {
		return err
	}
	if s.Bytes, err = f.whole("bytes", 1, false); err != nil {
		return err
	}
	if s.Load, err = f.number("load", 0, 1); err == nil && f.has("load") && s.Load == 0 {
		err = wrongField(f.at("load"), " is 0, it takes a number above 0, up to 1")
	}
	return err
}

// readPair takes the key and value widths for which there is a scheme.
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

func readOverrides(path string, v glua.LValue) ([]change, error) {
	all, err := named(path, v)
	if err != nil {
		return nil, err
	}
	var list []change
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
			c := change{name, param, run.Text(value), params.at(param)}
			if config, err = config.With(c.param, c.value); err != nil {
				return nil, wrongField(c.path, ": %v", err)
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// applied is a configuration with the script's changes. What the user has chosen is
// left alone.
func (s shape) applied(config schemes.Config) (schemes.Config, error) {
	for _, c := range s.overrides {
		if c.scheme != config.Name || config.Given(c.param) {
			continue
		}
		var err error
		if config, err = config.With(c.param, c.value); err != nil {
			return config, wrongField(c.path, ": %v", err)
		}
	}
	if err := config.Compiled(); err != nil {
		return config, wrongField("shape.schemes", ": %v", err)
	}
	return config, s.possible(config)
}

// possible checks what the scheme declares that it can do.
func (s shape) possible(config schemes.Config) error {
	if err := config.CompiledFor(s.Pair); err != nil {
		return wrongField("shape.pair", ": %w", err)
	}
	if s.Host && !config.Caps.HostMemory {
		return wrongField("shape.placement", ` is "host": %w`, &schemes.Lack{
			What: "no tables in host memory",
			Text: fmt.Sprintf("the tables of scheme %s lie in device memory only; %s", config.Name, withHostMemory()),
		})
	}
	return nil
}

func withHostMemory() string {
	var names []string
	for _, scheme := range schemes.All() {
		if scheme.Caps.HostMemory {
			names = append(names, scheme.Name)
		}
	}
	if names == nil {
		return "no scheme of this zoo has others"
	}
	return "try " + strings.Join(names, ", ")
}
