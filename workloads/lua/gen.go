package lua

import (
	"fmt"
	"maps"
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// makeGen makes the global gen: gen.from, gen.file, and the kinds of streams that vectors do not have.
func (h *host) makeGen() glua.LValue {
	made := map[string]glua.LValue{"from": h.Called("gen.from", h.genFrom), "file": h.Called("gen.file", h.genFile)}
	for _, kind := range generators() {
		made[kind.Name] = h.Called("gen."+kind.Name, h.generator(kind))
	}
	h.Keep(slices.Collect(maps.Values(made))...)
	return h.readOnly("gen", h.member("gen", "generator", made))
}

func generators() []stream.Kind {
	return slices.DeleteFunc(stream.Kinds(), func(k stream.Kind) bool {
		return slices.Contains(methods, k.Name) || slices.ContainsFunc(operators, func(o operator) bool { return o.kind == k.Name })
	})
}

// generator makes gen.NAME{ streams and parameters by name }; a kind without an end also takes count.
func (h *host) generator(kind stream.Kind) sandbox.Function {
	what := "gen." + kind.Name
	known := slices.Concat(kind.Inputs, kind.ParamNames(), []string{"count"})
	return func(L *glua.LState) (int, error) {
		f := &fields{path: what}
		switch v := L.Get(1); {
		case L.GetTop() > 1 || L.GetTop() == 1 && v.Type() != glua.LTTable:
			return 0, fmt.Errorf("%s is called with %s: it takes named arguments, as in %s{ name = value }", what, sandbox.Describe(v), what)
		case L.GetTop() == 1:
			f = sandbox.Check(only(what, v, known))
		}
		s := sandbox.Check(h.stream("gen.", kind, nil, f.get))
		if !f.has("count") {
			return h.push(L, s)
		}
		if s.Len() != stream.Endless {
			return 0, fmt.Errorf("count is for vectors without an end, this one has %d numbers; hint: :take(count)", s.Len())
		}
		var count uint64
		f.read("count", &count, "")
		sandbox.Raise(f.err)
		return h.push(L, s.Take(count))
	}
}
