package lua

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/rows"
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
		return stream.Stream{}, sandbox.WrongValue(name, v, "a vector; hint: gen makes vectors")
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
	takes := lists.Either(op.Value, "a capacity: a whole number of slots", "no argument")
	return func(L *glua.LState) (int, error) {
		sandbox.Raise(h.table.Supports(op.Name))
		slots, ok := sandbox.Whole(L.Get(2))
		if L.GetTop() > 1 && (!ok || slots == 0 || !op.Value) {
			return 0, sandbox.WrongValue("the argument", L.Get(2), takes)
		}
		return h.do(L, engine.Batch{Op: op.Name, Capacity: slots}, run.Table.Do)
	}
}

func (h *host) do(L *glua.LState, b engine.Batch, do doing) (int, error) {
	if h.asked++; h.asked > h.script.limits.Batches {
		return 0, h.broken(fmt.Errorf("the script asked for %d batches in one call, the limit is %d; hint: give each batch more keys, or raise lua.batches",
			h.asked, h.script.limits.Batches))
	}
	sample, err := sandbox.Outside(h.Meter, func() (engine.Sample, error) { return do(h.table, b) })
	sandbox.Raise(h.broken(err))
	h.last = h.sample(sample)
	h.of, _ = b.Keys.(stream.Stream)
	return sandbox.Return(L, h.last)
}

// counted are the counters of instrumented kernels only.
var counted = slices.DeleteFunc(slices.Clone(kernels.Counters), func(name string) bool {
	return slices.Contains(kernels.Outcomes, name) || slices.Contains(run.Amounts, name) || slices.Contains(engine.Questions, name) || name == "pairs"
})

// sample converts the result of a batch. Counters of instrumented kernels are per operation, and nil without any.
func (h *host) sample(s engine.Sample) *glua.LTable {
	t := h.L.NewTable()
	set := func(name string, x float64) { t.RawSetString(name, glua.LNumber(x)) }
	set("n", float64(s.N))
	set("ms", s.Service.Seconds()*1e3)
	set("upkeep_ms", s.Upkeep.Seconds()*1e3)
	set("mops", s.Mops())
	for _, name := range run.Amounts {
		if !slices.Contains(engine.Questions, name) || kernels.Op(s.Op).Lists() {
			set(name, float64(s.Counts.Get(name)))
		}
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
	for _, name := range slices.Concat([]string{"n", "ms", "upkeep_ms", "mops"}, run.Amounts, counted) {
		absent[name] = glua.LNil
	}
	for _, what := range engine.Questions {
		absent[what] = h.Called("r:"+what, h.answer(what))
	}
	return h.metatable(map[string]sandbox.Function{"__index": h.member("the result of a batch", "field", absent)})
}

// answer makes a method on the result of a batch, such as r:missed(): the numbers that the table gave, as a vector.
func (h *host) answer(what string) sandbox.Function {
	return func(L *glua.LState) (int, error) {
		switch r, ok := L.Get(1).(*glua.LTable); {
		case !ok || r.Metatable != h.kinds.result || L.GetTop() > 1:
			return 0, fmt.Errorf("called on %s: write r:%s(), with the result of a batch and a colon", sandbox.Describe(L.Get(1)), what)
		case !h.declared.answers:
			return 0, fmt.Errorf("the table does not write down what each operation gives; hint: declare answers = true at the top of the script")
		case r != h.last:
			return 0, errors.New("what a batch gave is known until the next batch or the end of the call; hint: local v = r:" + what + "() right after it")
		}
		numbers := sandbox.Check(sandbox.Outside(h.Meter, func() ([]uint64, error) { return h.table.Gave(what) }))
		sandbox.Raise(h.hold(8 * int64(len(numbers))))
		var fields []rows.Field
		if what != "values" {
			fields = h.of.Fields()
		}
		return h.push(L, stream.OfFields("r:"+what+"()", numbers, fields))
	}
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

// mixture is a batch of operations that differ. The lists are parallel, in the order of the operations' names.
type mixture struct {
	ops                 []string
	weights             []float64
	codes, keys, values []stream.Stream
}

// mix is t:mix{ find = 0.95, update = 0.05, keys = , values = , n = }: each operation is drawn with these
// probabilities. keys and values are a vector for all, or a table with one for each: { find = , update = }.
// With group = 32, operations take turns, 32 of each.
func (h *host) mix(L *glua.LState) (int, error) {
	f := sandbox.Check(sandbox.Only("t:mix", L.Get(2), append(mixable(), "keys", "values", "n", "seed", "group")))
	m := h.fractions(f)
	h.mixKeys(m, f)
	return h.do(L, h.arranged(m, f), run.Table.Do)
}

func mixable() []string { return slices.Sorted(slices.Values(engine.Keyed)) }

func (h *host) fractions(f *sandbox.Fields) *mixture {
	m, sum := &mixture{}, 0.0
	sandbox.Raise(h.table.Supports(engine.Mix))
	for _, op := range mixable() {
		weight := 0.0
		f.Read(op, &weight, `min:"0" max:"1"`)
		sandbox.Raise(f.Err)
		if weight == 0 {
			continue
		}
		sandbox.Raise(h.table.Supports(op))
		sum += weight
		m.ops, m.weights = append(m.ops, op), append(m.weights, weight)
		m.codes = append(m.codes, stream.Const(uint64(kernels.OpNumber(op))))
	}
	if math.Abs(sum-1) > 1e-6 {
		sandbox.Raise(fmt.Errorf("the fractions of operations add up to %v, they must add up to 1, as in { find = 0.95, update = 0.05 }", sum))
	}
	return m
}

// mixKeys reads the keys and values of each operation. One without values gets those of another.
func (h *host) mixKeys(m *mixture, f *sandbox.Fields) {
	n := uint64(stream.Endless)
	f.Read("n", &n, "")
	sandbox.Raise(f.Err)
	some := stream.Const(0)
	for _, op := range m.ops {
		name, v := perOp(f, "keys", op, n)
		keys := sandbox.Check(h.keys(name, v))
		if m.keys = append(m.keys, keys); keys.Len() != m.keys[0].Len() {
			sandbox.Raise(fmt.Errorf("%s has %d numbers, others have %d: they must be as many", name, keys.Len(), m.keys[0].Len()))
		}
		if kernels.Op(op).Value {
			name, v := perOp(f, "values", op, n)
			some = sandbox.Check(valuesFor(name, v, keys.Len()))
		}
		m.values = append(m.values, some)
	}
	for i, op := range m.ops {
		if !kernels.Op(op).Value {
			m.values[i] = some
		}
	}
}

// perOp returns a field's value for one operation, at most n numbers, and its name in errors.
func perOp(f *sandbox.Fields, field, op string, n uint64) (string, glua.LValue) {
	name, v := field, f.Get(field)
	if t, ok := v.(*glua.LTable); ok {
		name, v = field+"."+op, t.RawGetString(op)
	}
	if vec, ok := sandbox.Value[*vector](v); ok && vec.Len() > n {
		v = &glua.LUserData{Value: &vector{vec.Take(n)}}
	}
	return name, v
}

type arrangement = func([]stream.Stream) stream.Stream

func (h *host) arranged(m *mixture, f *sandbox.Fields) engine.Batch {
	seed, group := sandbox.Check(h.seed(f.Get("seed"))), uint64(0)
	f.Read("group", &group, `min:"1"`)
	sandbox.Raise(f.Err)
	arrange := m.drawn(seed)
	if group > 0 {
		arrange = m.inTurn(group)
	}
	ops, keys, values := arrange(m.codes), arrange(m.keys), arrange(m.values)
	for _, s := range []stream.Stream{ops, keys, values} {
		if err := s.Check(); err != nil {
			sandbox.Raise(fmt.Errorf("%s: %w", strings.Join(m.ops, ", "), err))
		}
	}
	return engine.Batch{Op: engine.Mix, Keys: keys, Values: values, Ops: ops, Mixed: m.ops}
}

// drawn makes the same random choices for all streams.
func (m *mixture) drawn(seed uint64) arrangement {
	return func(list []stream.Stream) stream.Stream {
		mixed := list[0]
		if slices.ContainsFunc(list, func(s stream.Stream) bool { return s.String() != mixed.String() }) {
			mixed = stream.Mix(seed, m.weights, list)
		}
		return mixed.Take(m.keys[0].Len())
	}
}

// inTurn lets the operations take turns, each with the next keys of its group.
func (m *mixture) inTurn(group uint64) arrangement {
	each, kinds := m.keys[0].Len(), uint64(len(m.ops))
	if slices.Min(m.weights) != slices.Max(m.weights) || each%group != 0 {
		sandbox.Raise(fmt.Errorf("with group = %d operations take turns: their fractions must be equal, "+
			"and the number of keys of each, %d, a multiple of the group", group, each))
	}
	at, size := stream.Sequential(), stream.Const(group)
	turn := at.Div(size).Mod(stream.Const(kinds))
	place := at.Div(stream.Const(group * kinds)).Mul(size).Add(at.Mod(size))
	all := stream.Const(each * kinds)
	index := turn.Mul(stream.Const(each)).Add(place).Mod(all).Take(each * kinds) // mod bounds it
	return func(list []stream.Stream) stream.Stream {
		one := list[0].Take(each)
		for _, s := range list[1:] {
			one = one.Concat(s.Take(each))
		}
		return one.At(index)
	}
}

// tableHandle is the t that prepare and event are given.
type tableHandle struct{}

func (*tableHandle) What() string { return "the table" }

// tableMethods are the methods of t.
func (h *host) tableMethods() map[string]sandbox.Function {
	methods := map[string]sandbox.Function{
		"mix": h.mix, "clear": h.clear, "has": h.hasOperation, "note": h.note,
		"size":        h.number(func(t run.Table) float64 { return float64(t.Size()) }),
		"capacity":    h.number(func(t run.Table) float64 { return float64(t.Capacity()) }),
		"load_factor": h.number(run.Table.Load),
		"bytes":       h.number(func(t run.Table) float64 { return float64(t.Bytes()) }),
	}
	for _, op := range kernels.Operations {
		switch op.Kind {
		case kernels.OnKeys:
			methods[op.Name] = h.batchMethod(op, run.Table.Do)
		case kernels.OnTable:
			methods[op.Name] = h.wholeMethod(op)
		}
	}
	methods["fill"] = h.batchMethod(kernels.Op("insert"), run.Table.Fill)
	return methods
}

func (h *host) number(get func(run.Table) float64) sandbox.Function {
	return func(L *glua.LState) (int, error) { return sandbox.Return(L, glua.LNumber(get(h.table))) }
}

func (h *host) tableType() *glua.LTable {
	functions := map[string]glua.LValue{}
	for name, f := range h.tableMethods() {
		functions[name] = h.Called("t:"+name, func(L *glua.LState) (int, error) {
			if L.Get(1) != h.handle {
				return 0, fmt.Errorf("called on %s: write t:%s(...), with a colon", sandbox.Describe(L.Get(1)), name)
			}
			return f(L)
		})
	}
	return h.metatable(map[string]sandbox.Function{"__index": h.member("the table", "method", functions)})
}

// clear is t:clear() or t:clear{ reseed = true }.
func (h *host) clear(L *glua.LState) (int, error) {
	var arguments struct {
		Reseed bool `lua:"reseed"`
	}
	if L.GetTop() > 1 {
		sandbox.Check(sandbox.Decode("t:clear", L.Get(2), &arguments))
	}
	return 0, h.broken(h.table.Clear(arguments.Reseed))
}

// hasOperation is t:has("upsert"), or t:has("find", "insert"): both in one launch.
func (h *host) hasOperation(L *glua.LState) (int, error) {
	most := max(L.GetTop(), 2)
	has := true
	for i := 2; i <= most; i++ {
		op, ok := L.Get(i).(glua.LString)
		if !ok {
			return 0, sandbox.WrongValue("the operation", L.Get(i), `a name such as "upsert"`)
		}
		if known := kernels.OpsOf(kernels.OnKeys, kernels.Mixed, kernels.OnTable); !slices.Contains(known, string(op)) {
			return 0, nearest.Unknown("operation of a table", string(op), known)
		}
		has = has && h.table.Supports(string(op)) == nil && (most == 2 || slices.Contains(h.setup.Config.Caps.Concurrent, string(op)))
	}
	return sandbox.Return(L, glua.LBool(has))
}

// note is t:note("text"): a remark in the results.
func (h *host) note(L *glua.LState) (int, error) {
	const maxNotes = 100 // remarks, which are part of the results
	text, ok := L.Get(2).(glua.LString)
	if !ok {
		return 0, sandbox.WrongValue("the remark", L.Get(2), "a text")
	}
	remark := nearest.Shorten(sandbox.OneLine(string(text)), 1000)
	if h.notes[remark] = true; len(h.notes) > maxNotes {
		return 0, fmt.Errorf("more than %d different remarks; hint: print is for what changes", maxNotes)
	}
	h.table.Note(remark)
	return 0, nil
}

// broken ends the script if an error of the table occurred, which no script can handle.
func (h *host) broken(err error) error {
	if err != nil {
		h.Meter.Stop(err, err)
	}
	return err
}
