package lua

import (
	"fmt"
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// batchMethod makes t:insert(keys, values) and the like.
func (h *host) batchMethod(op string, values bool) sandbox.Function {
	return func(L *glua.LState) (int, error) {
		if err := h.table.Supports(op); err != nil {
			return 0, err
		}
		most := 2
		if values {
			most = 3
		}
		if L.GetTop() > most {
			return 0, fmt.Errorf("%s is too much: it takes %s", sandbox.Describe(L.Get(most+1)), map[bool]string{true: "keys and values", false: "keys only"}[values])
		}
		keys, err := h.keys("keys", L.Get(2))
		if err != nil {
			return 0, err
		}
		b := engine.Batch{Op: op, Keys: keys}
		if values {
			v, err := valuesFor("values", L.Get(3), keys.Len())
			if err != nil {
				return 0, err
			}
			b.Values = v
		}
		return h.do(L, b)
	}
}

// keys is an argument that says which keys: a vector with an end, of numbers that
// the table's keys can be.
func (h *host) keys(name string, v glua.LValue) (stream.Stream, error) {
	vec, ok := toVector(v)
	if !ok {
		return stream.Stream{}, fmt.Errorf("%s is %s, it takes a vector, as gen makes them", name, sandbox.Describe(v))
	}
	if vec.Len() == stream.Endless {
		return vec.Stream, fmt.Errorf("%s has no end; hint: %s:take(1000), or count = 1000 where it is made", name, name)
	}
	pair := h.declared.shape.Pair
	if largest := vec.Largest(); largest > pair.EmptyKey() {
		return vec.Stream, fmt.Errorf("%s can be as large as %d, the keys of a %v table are at most %d; hint: %% 2^%d brings them into range, "+
			"and k8v8 has room for more", name, largest, pair, pair.EmptyKey(), 8*pair.Key)
	}
	return vec.Stream, vec.Check()
}

// valuesFor is an argument that says which values go with n keys: a vector, or a
// number for all of them.
func valuesFor(name string, v glua.LValue, n uint64) (stream.Stream, error) {
	s, err := operand(v)
	if err != nil {
		return s, fmt.Errorf("%s %w", name, err)
	}
	if s.Len() == stream.Endless {
		s = s.Take(n)
	}
	if s.Len() != n {
		return s, fmt.Errorf("%s has %d numbers, and there are %d keys: they must be as many", name, s.Len(), n)
	}
	return s, s.Check()
}

// wholeMethod makes the operations that take no keys. No script could do anything
// with one that the scheme lacks, so that is refused first.
func (h *host) wholeMethod(op string) sandbox.Function {
	return func(L *glua.LState) (int, error) {
		if err := h.table.Supports(op); err != nil {
			return 0, err
		}
		b := engine.Batch{Op: op}
		if L.GetTop() > 1 {
			slots, ok := toWhole(L.Get(2))
			if !ok || slots == 0 || op != "resize" {
				return 0, fmt.Errorf("the argument is %s: t:resize takes a capacity, a whole number of slots, t:flush takes nothing", sandbox.Describe(L.Get(2)))
			}
			b.Capacity = slots
		}
		return h.do(L, b)
	}
}

// do hands a batch to the table, and gives the script what became of it.
func (h *host) do(L *glua.LState, b engine.Batch) (int, error) {
	h.Meter.Pause()
	sample, err := h.table.Do(b)
	h.Meter.Resume()
	if err != nil {
		return 0, h.broken(err)
	}
	L.Push(h.result(sample))
	return 1, nil
}

// result is what a script sees of a sample: its fields are read when they are asked
// for.
type result struct{ engine.Sample }

func (*result) What() string { return "the result of a batch" }

func (h *host) result(s engine.Sample) glua.LValue { return h.Userdata(&result{s}, h.kinds.result) }

// outcomes are the counters that every result has.
var outcomes = kernels.Outcomes[1:]

// counted are the counters that only instrumented kernels have.
var counted = slices.DeleteFunc(slices.Clone(kernels.Counters), func(name string) bool {
	return slices.Contains(kernels.Outcomes, name) || name == "pairs"
})

// field is a result by its name. Rates and times are of the device; counters of
// instrumented kernels are per operation, and nil if nothing was counted.
func (r *result) field(name string) (glua.LValue, error) {
	switch {
	case name == "n":
		return glua.LNumber(r.N), nil
	case name == "ms":
		return glua.LNumber(r.Service.Seconds() * 1e3), nil
	case name == "mops":
		return glua.LNumber(r.Mops()), nil
	case slices.Contains(outcomes, name):
		return glua.LNumber(r.Counts.Get(name)), nil
	case slices.Contains(counted, name) && r.Counts.Get("probes") == 0:
		return glua.LNil, nil
	case slices.Contains(counted, name):
		return glua.LNumber(r.PerOp(name)), nil
	}
	known := slices.Concat([]string{"n", "ms", "mops"}, outcomes, counted)
	return nil, fmt.Errorf("the result of a batch: %w", nearest.Unknown("field", name, known))
}

func (h *host) resultType() *glua.LTable {
	meta := h.L.NewTable()
	meta.RawSetString("__index", h.Function(func(L *glua.LState) (int, error) {
		v, err := L.CheckUserData(1).Value.(*result).field(L.Get(2).String())
		if err != nil {
			return 0, err
		}
		L.Push(v)
		return 1, nil
	}))
	return meta
}

// results makes a table of tables of what Go has by name. Fields that are not there
// are errors.
func (h *host) results(what string, values map[string]any) glua.LValue {
	t, meta := h.L.NewTable(), h.L.NewTable()
	var known []string
	for name := range values {
		known = append(known, name)
	}
	slices.Sort(known) // pairs goes through them in this order
	for _, name := range known {
		if inner, ok := values[name].(map[string]any); ok {
			t.RawSetString(name, h.results(what+"."+name, inner))
		} else {
			t.RawSetString(name, toLua(values[name]))
		}
	}
	meta.RawSetString("__index", h.Function(func(L *glua.LState) (int, error) {
		return 0, fmt.Errorf("%s: %w", what, nearest.Unknown("result", L.Get(2).String(), known))
	}))
	t.Metatable = h.Protected(meta)
	return t
}
