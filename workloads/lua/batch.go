package lua

import (
	"fmt"
	"maps"
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// doing runs a batch: run.Table.Do or run.Table.Fill.
type doing func(run.Table, engine.Batch) (engine.Sample, error)

// batchMethod makes the methods on batches of keys, such as t:insert(keys, values).
func (h *host) batchMethod(op kernels.Operation, do doing) sandbox.Function {
	most, takes := 2, "keys only"
	if op.Value {
		most, takes = 3, "keys and values"
	}
	return func(L *glua.LState) (int, error) {
		sandbox.Raise(h.table.Supports(op.Name))
		if L.GetTop() > most {
			return 0, fmt.Errorf("unexpected argument %s: it takes %s", sandbox.Describe(L.Get(most+1)), takes)
		}
		keys := sandbox.Check(h.keys("keys", L.Get(2)))
		b := engine.Batch{Op: op.Name, Keys: keys}
		if op.Value {
			b.Values = sandbox.Check(valuesFor("values", L.Get(3), keys.Len()))
		}
		return h.do(L, b, do)
	}
}

// keys converts an argument to keys: a vector with an end, whose numbers fit the table's keys.
func (h *host) keys(name string, v glua.LValue) (stream.Stream, error) {
	vec, ok := sandbox.Value[*vector](v)
	if !ok {
		return stream.Stream{}, wrongValue(name, v, "a vector; hint: gen makes vectors")
	}
	if vec.Len() == stream.Endless {
		return vec.Stream, fmt.Errorf("%s has no end; hint: %s:take(1000), or count = 1000 where it is made", name, name)
	}
	pair := h.declared.shape.Pair
	if largest := vec.Largest(); largest > pair.EmptyKey() {
		return vec.Stream, fmt.Errorf("%s can be as large as %d, the keys of a %v table are at most %d; hint: %% 2^%d brings them into range, "+
			"or use k8v8", name, largest, pair, pair.EmptyKey(), 8*pair.Key)
	}
	return vec.Stream, vec.Check()
}

// valuesFor converts an argument to the values of n keys: a vector, or one number for all.
func valuesFor(name string, v glua.LValue, n uint64) (stream.Stream, error) {
	s, err := operand(v)
	if err != nil {
		return s, fmt.Errorf("%s %w", name, err)
	}
	if s.Len() == stream.Endless {
		s = s.Take(n)
	}
	if s.Len() != n {
		return s, fmt.Errorf("%s has %d numbers for %d keys: it takes as many values as keys", name, s.Len(), n)
	}
	return s, s.Check()
}

// wholeMethod makes the methods on the whole table. Those that the scheme lacks are refused first.
func (h *host) wholeMethod(op kernels.Operation) sandbox.Function {
	takes := "no argument"
	if op.Value {
		takes = "a capacity: a whole number of slots"
	}
	return func(L *glua.LState) (int, error) {
		sandbox.Raise(h.table.Supports(op.Name))
		slots, ok := toWhole(L.Get(2))
		if L.GetTop() > 1 && (!ok || slots == 0 || !op.Value) {
			return 0, wrongValue("the argument", L.Get(2), takes)
		}
		return h.do(L, engine.Batch{Op: op.Name, Capacity: slots}, run.Table.Do)
	}
}

func (h *host) do(L *glua.LState, b engine.Batch, do doing) (int, error) {
	if h.asked++; h.asked > h.script.limits.Batches {
		return 0, h.broken(fmt.Errorf("the script asked for %d batches in one call, the limit is %d; hint: give each batch more keys, or raise lua.batches",
			h.asked, h.script.limits.Batches))
	}
	h.Meter.Pause()
	sample, err := do(h.table, b)
	h.Meter.Resume()
	sandbox.Raise(h.broken(err))
	return sandbox.Return(L, h.sample(sample))
}

// outcomes are the counters of every result.
var outcomes = kernels.Outcomes[1:]

// counted are the counters of instrumented kernels only.
var counted = slices.DeleteFunc(slices.Clone(kernels.Counters), func(name string) bool {
	return slices.Contains(kernels.Outcomes, name) || name == "pairs"
})

// sample converts the result of a batch. Counters of instrumented kernels are per operation, and nil without any.
func (h *host) sample(s engine.Sample) *glua.LTable {
	t := h.L.NewTable()
	set := func(name string, x float64) { t.RawSetString(name, glua.LNumber(x)) }
	set("n", float64(s.N))
	set("ms", s.Service.Seconds()*1e3)
	set("mops", s.Mops())
	for _, name := range outcomes {
		set(name, float64(s.Counts.Get(name)))
	}
	if s.Counts.Get("probes") > 0 {
		for _, name := range counted {
			set(name, s.PerOp(name))
		}
	}
	t.Metatable = h.kinds.result
	return t
}

// resultType has the fields that a result may lack.
func (h *host) resultType() *glua.LTable {
	absent := map[string]glua.LValue{}
	for _, name := range slices.Concat([]string{"n", "ms", "mops"}, outcomes, counted) {
		absent[name] = glua.LNil
	}
	return h.metatable(map[string]sandbox.Function{"__index": h.member("the result of a batch", "field", absent)})
}

// results converts nested results to Lua tables. Reading an unknown field is an error.
func (h *host) results(what string, values map[string]any) glua.LValue {
	t, members := h.L.NewTable(), map[string]glua.LValue{}
	for _, name := range slices.Sorted(maps.Keys(values)) { // the order of pairs
		members[name] = toLua(values[name])
		if inner, ok := values[name].(map[string]any); ok {
			members[name] = h.results(what+"."+name, inner)
		}
		t.RawSetString(name, members[name])
	}
	t.Metatable = h.metatable(map[string]sandbox.Function{"__index": h.member(what, "result", members)})
	return t
}
