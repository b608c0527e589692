package lua

import (
	"fmt"
	"maps"
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// makeGen makes the global gen: a function for every kind of stream that is no
// method or operator of vectors, and those that make vectors in other ways.
func (h *host) makeGen() glua.LValue {
	functions := map[string]sandbox.Function{"from": h.genFrom, "file": h.genFile}
	for _, kind := range generators() {
		functions[kind.Name] = h.generator(kind)
	}
	made := map[string]*glua.LFunction{}
	for name, f := range functions {
		made[name] = h.Function(f)
		h.Keep(made[name])
	}
	names := slices.Sorted(maps.Keys(made))
	return h.readOnly("gen", func(name string) (glua.LValue, error) {
		if f, ok := made[name]; ok {
			return f, nil
		}
		return nil, fmt.Errorf("gen: %w", nearest.Unknown("generator", name, names))
	})
}

// generators are the kinds of streams that gen has.
func generators() []stream.Kind {
	operator := slices.Collect(maps.Values(operators))
	return slices.DeleteFunc(stream.Kinds(), func(k stream.Kind) bool {
		return slices.Contains(methods, k.Name) || slices.Contains(operator, k.Name)
	})
}

// generator makes gen.NAME{ parameters and streams by name }. What has no end takes
// a count, too: the first count numbers.
func (h *host) generator(kind stream.Kind) sandbox.Function {
	what := "gen." + kind.Name
	known := slices.Clone(kind.Inputs)
	for _, p := range kind.Params {
		known = append(known, p.Name)
	}
	known = append(known, "count")
	return func(L *glua.LState) (int, error) {
		f, err := arguments(L, what)
		if err != nil {
			return 0, err
		}
		if err := f.only(known...); err != nil {
			return 0, err
		}
		var inputs []stream.Stream
		for _, name := range kind.Inputs {
			s, err := operand(f.get(name))
			if err != nil {
				return 0, fmt.Errorf("%s: %s %w", what, name, err)
			}
			inputs = append(inputs, s)
		}
		params := stream.Params{}
		for _, p := range kind.Params {
			if err := h.parameter(params, p, f.get(p.Name)); err != nil {
				return 0, fmt.Errorf("%s: %w", what, err)
			}
		}
		s := stream.New(kind.Name, inputs, params)
		if s.Err() != nil {
			return 0, fmt.Errorf("gen.%w", s.Err())
		}
		return h.pushCounted(L, what, s, f)
	}
}

// pushCounted gives the first count numbers if count is there.
func (h *host) pushCounted(L *glua.LState, what string, s stream.Stream, f fields) (int, error) {
	if !f.has("count") {
		return h.push(L, s)
	}
	if s.Len() != stream.Endless {
		return 0, fmt.Errorf("%s: count goes with what has no end, and this has %d numbers; hint: :take(count)", what, s.Len())
	}
	count, err := f.whole("count", 0, false)
	if err != nil {
		return 0, err
	}
	return h.push(L, s.Take(count))
}

// arguments reads the table of named arguments that a function is called with.
func arguments(L *glua.LState, what string) (fields, error) {
	if L.GetTop() == 0 {
		return fields{path: what}, nil
	}
	if _, ok := L.Get(1).(*glua.LTable); !ok || L.GetTop() > 1 {
		return fields{}, fmt.Errorf("%s is called with %s: it takes named arguments, as in %s{ name = value }", what, sandbox.Describe(L.Get(1)), what)
	}
	return named(what, L.Get(1))
}

// get is a field, or nil.
func (f fields) get(name string) glua.LValue {
	if v, ok := f.value[name]; ok {
		return v
	}
	return glua.LNil
}
