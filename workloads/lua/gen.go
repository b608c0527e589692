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

// makeGen makes the global gen: a function for every kind of stream that is neither a
// method nor an operator of vectors, and gen.from and gen.file.
func (h *host) makeGen() glua.LValue {
	made := map[string]*glua.LFunction{"from": h.Function(h.genFrom), "file": h.Function(h.genFile)}
	for _, kind := range generators() {
		made[kind.Name] = h.Function(h.generator(kind))
	}
	for _, f := range made {
		h.Keep(f)
	}
	names := slices.Sorted(maps.Keys(made))
	return h.readOnly("gen", func(name string) (glua.LValue, error) {
		if f, ok := made[name]; ok {
			return f, nil
		}
		return nil, fmt.Errorf("gen: %w", nearest.Unknown("generator", name, names))
	})
}

// generators returns the kinds of streams that gen offers.
func generators() []stream.Kind {
	operator := slices.Collect(maps.Values(operators))
	return slices.DeleteFunc(stream.Kinds(), func(k stream.Kind) bool {
		return slices.Contains(methods, k.Name) || slices.Contains(operator, k.Name)
	})
}

// generator makes gen.NAME{ streams and parameters by name }. A kind without an end also
// takes count: only the first count numbers.
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
		s, err := h.stream("gen.", kind, nil, f.get)
		if err != nil {
			return 0, err
		}
		if f.has("count") {
			if s.Len() != stream.Endless {
				return 0, fmt.Errorf("%s: count is for vectors without an end, this one has %d numbers; hint: :take(count)", what, s.Len())
			}
			count, err := f.whole("count", 0, false)
			if err != nil {
				return 0, err
			}
			s = s.Take(count)
		}
		return h.push(L, s)
	}
}

// arguments reads the table of named arguments of a call.
func arguments(L *glua.LState, what string) (fields, error) {
	if L.GetTop() == 0 {
		return fields{path: what}, nil
	}
	if _, ok := L.Get(1).(*glua.LTable); !ok || L.GetTop() > 1 {
		return fields{}, fmt.Errorf("%s is called with %s: it takes named arguments, as in %s{ name = value }", what, sandbox.Describe(L.Get(1)), what)
	}
	return named(what, L.Get(1))
}
