package host

import (
	"errors"
	"fmt"
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
)

// The API of host sides in Lua. luaValues defines all of it; a test compares docs/host.md with it.

// luaField is a field of a value, luaMethod a function: value:name(...).
type (
	luaField struct {
		name, help string
		get        func(s *luaState, of any) (any, error)
	}
	luaMethod struct {
		name, args, help string
		do               func(*luaState, *glua.LState) (any, error)
	}
)

type luaValue struct {
	what    string // the name of these values in errors
	written string // the prefix of its fields and methods
	fields  []luaField
	methods []luaMethod
	other   func(s *luaState, name string) (any, error) // fields that depend on the scheme; may be nil
}

// The values that a function is given, and those that it gets from them.
type (
	luaTable  struct{}
	luaParams struct{}
	luaBatch  struct {
		schemes.Batch
		of   purpose
		from *schemes.Result // the result whose left-over pairs it holds; nil if none
	}
	luaResult struct {
		*schemes.Result
		ofBatch bool // it is the result of the batch, not of intermediate work
	}
	luaBlock  struct{ *block }
	luaMemory struct {
		at    uint64
		bytes uint64
		of    *block // nil until the batch is done
	}
)

// purpose is what a batch is for; it determines how its outcomes count.
type purpose int

const (
	theBatch  purpose = iota // the batch to carry out
	leftPairs                // pairs that are left over
	allPairs                 // all pairs
)

// What returns the name of these values in errors.
func (*luaTable) What() string  { return "the table" }
func (*luaParams) What() string { return "the parameters" }
func (*luaBatch) What() string  { return "a batch" }
func (*luaResult) What() string { return "a result" }
func (*luaBlock) What() string  { return "a block" }
func (*luaMemory) What() string { return "memory" }

// What arguments must be, for errors.
const (
	takesResult = "a result, as t:launch gives one"
	takesMemory = "memory, as t:alloc gives it"
)

var luaValues = []luaValue{
	{what: "the table", written: "t", fields: []luaField{
		{"capacity", "slots", func(s *luaState, _ any) (any, error) { return s.ledger.now.layout.Capacity, nil }},
		{"buckets", "the range of the hash functions", func(s *luaState, _ any) (any, error) { return s.ledger.now.layout.Buckets, nil }},
		{"size", "pairs in the table", func(s *luaState, _ any) (any, error) { return s.ledger.size() }},
		{"kept", "the number that `keep` noted last, 0 in a new block: all that survives a call", func(s *luaState, _ any) (any, error) { return s.ledger.now.table.Arg[keptArg], nil }},
		{"param", "the scheme's parameters by name: numbers, or the words of a choice", func(*luaState, any) (any, error) { return &luaParams{}, nil }},
	}, methods: []luaMethod{
		{"launch", `(batch)`, "runs a batch on the table and returns its result", (*luaState).launch},
		{"launch", `("kernel", { n = , keys = , values = , out = , select = })`, "launches one of the scheme's own kernels over n items: keys, values and " +
			"out are memory, select is a number or memory", (*luaState).launch},
		{"remember", "(batch)", "the same batch, recording the outcome of each operation for `again`", (*luaState).remember},
		{"again", "(result)", "repeats the operations of the batch that failed, in schemes whose failed inserts hand back their own pair", (*luaState).again},
		{"left", `(result, "insert")`, "a batch of the pairs that a result left over: \"insert\", \"upsert\", or \"find\", which looks up their keys", (*luaState).left},
		{"pairs", "(result)", "an insert batch of all pairs in the table and, if a result is given, of those it left over; the table keeps its pairs", (*luaState).pairs},
		{"make", "{ capacity = , reseed = }", "allocates an empty table of `capacity` slots (default: the present number), with the same hash functions, or new ones if reseed is true", (*luaState).makeBlock},
		{"swap", "(block)", "puts a block into use and returns the one it replaces", (*luaState).swap},
		{"keep", "(n)", "notes a whole number with the block that is in use, for later calls", (*luaState).keep},
		{"alloc", "{ bytes = , fill = }", "allocates memory until the batch is done, filled with the byte `fill` (default 0)", (*luaState).alloc},
		{"read", "(memory, i)", "the i-th 64-bit number in memory; i starts at 1", (*luaState).read},
		{"note", "(text)", "adds a note to the results", (*luaState).note},
	}},
	{what: "a batch", written: "batch", fields: []luaField{
		{"op", "its operation", field(func(b *luaBatch) any { return b.Op })},
		{"n", "the number of operations; for a resize, the requested number of slots, or 0", field(func(b *luaBatch) any { return b.N })},
	}},
	{what: "a result", written: "result", fields: resultFields()},
	{what: "a block", written: "block", fields: []luaField{
		{"capacity", "slots", field(func(b *luaBlock) any { return b.layout.Capacity })},
	}, methods: []luaMethod{
		{"region", `("name")`, "the memory of one of its regions, for kernels of the scheme's own", (*luaState).region},
	}},
	{what: "memory", written: "memory", fields: []luaField{
		{"bytes", "its size", field(func(m *luaMemory) any { return m.bytes })},
	}},
	{what: "the parameters", written: "t.param", other: (*luaState).param},
}

func field[T any](get func(T) any) func(*luaState, any) (any, error) {
	return func(_ *luaState, of any) (any, error) { return get(of.(T)), nil }
}

func resultFields() (list []luaField) {
	for i, name := range kernels.Counters {
		list = append(list, luaField{name, kernels.CounterHelp[i], field(func(r *luaResult) any { return r.Counts[i] })})
	}
	return list
}

func (s *luaState) param(name string) (any, error) {
	p, v, err := s.ledger.Config().Param(name)
	if err == nil && p.Words != nil {
		return p.Words[v], nil
	}
	return uint64(v), err
}

func (s *luaState) launch(L *glua.LState) (any, error) {
	if kernel, ok := L.Get(2).(glua.LString); ok {
		done, err := s.ledger.own(s.ownBatch(string(kernel), L.Get(3)))
		return &luaResult{done, false}, err
	}
	return s.launchBatch(argument[*luaBatch](L.Get(2), "a batch, or the name of a kernel"))
}

// launchBatch carries out a batch; its purpose determines how it counts.
func (s *luaState) launchBatch(b *luaBatch) (any, error) {
	l := s.ledger
	if b.of == theBatch {
		return ofBatch(l.carryOut(b.Batch))
	}
	if b.from != nil {
		sandbox.Raise(l.current(b.from))
		if b.of == leftPairs {
			return ofBatch(l.anew(b.Batch))
		}
	}
	done, err := l.run(b.Batch)
	if err != nil {
		return nil, err
	}
	if b.from != nil {
		return ofBatch(l.further(done), nil)
	}
	l.settle()
	return &luaResult{&done, false}, nil
}

func ofBatch(done *schemes.Result, err error) (any, error) { return &luaResult{done, true}, err }

func (s *luaState) ownBatch(kernel string, v glua.LValue) schemes.Batch {
	own := s.ledger.Config().Kernels
	if own == nil {
		sandbox.Raise(fmt.Errorf("there is no kernel %q: the scheme has none of its own; hint: t:launch(batch) launches that of an operation", kernel))
	}
	sandbox.Raise(nearest.Check("kernel", kernel, own))
	var a struct {
		N      uint64      `lua:"n"`
		Keys   glua.LValue `lua:"keys"`
		Values glua.LValue `lua:"values"`
		Out    glua.LValue `lua:"out"`
		Select glua.LValue `lua:"select"`
	}
	arguments(v, &a)
	return schemes.Batch{Op: kernel, N: a.N, Block: kernels.Batch{
		Keys: address("keys", a.Keys), Values: address("values", a.Values), Out: address("out", a.Out),
		Select: addressOrNumber("select", a.Select),
	}}
}

func (s *luaState) remember(L *glua.LState) (any, error) {
	const takes = "the batch that the function is given"
	b, l := argument[*luaBatch](L.Get(2), takes), s.ledger
	switch {
	case b.of != theBatch:
		return nil, wrongArgument(L.Get(2), takes)
	case l.done != nil:
		return nil, errors.New("the batch was launched already: outcomes are recorded from the launch on")
	}
	kept, err := Remembered(l.Table, b.Batch)
	if err != nil {
		return nil, l.wrong(err)
	}
	l.asked, l.remembers = kept, true
	return &luaBatch{Batch: kept, of: theBatch}, nil
}

func (s *luaState) again(L *glua.LState) (any, error) {
	return ofBatch(s.ledger.again(argument[*luaResult](L.Get(2), takesResult).Result))
}

func (s *luaState) left(L *glua.LState) (any, error) {
	given, op := argument[*luaResult](L.Get(2), takesResult), L.OptString(3, "insert")
	sandbox.Raise(nearest.Check("operation", op, []string{"insert", "upsert", "find"}))
	if !s.ledger.hasKernel(op) {
		return nil, fmt.Errorf("the scheme has no operation %s", op)
	}
	b, err := s.ledger.leftOver(given.Result, op)
	batch := &luaBatch{Batch: b, of: leftPairs}
	if op != "find" && given.ofBatch {
		batch.from = given.Result
	}
	return batch, err
}

func (s *luaState) pairs(L *glua.LState) (any, error) {
	var done *schemes.Result
	if L.Get(2) != glua.LNil {
		given := argument[*luaResult](L.Get(2), takesResult)
		if done = given.Result; given.ofBatch {
			sandbox.Raise(s.ledger.current(done))
		}
	}
	b, err := s.ledger.everything(done)
	batch := &luaBatch{Batch: b, of: allPairs}
	if done == s.ledger.done {
		batch.from = done
	}
	return batch, err
}

func (s *luaState) makeBlock(L *glua.LState) (any, error) {
	a := struct {
		Capacity uint64 `lua:"capacity" min:"1"`
		Reseed   bool   `lua:"reseed"`
	}{Capacity: s.ledger.now.layout.Capacity}
	arguments(L.Get(2), &a)
	b, err := s.ledger.make(a.Capacity, a.Reseed)
	return &luaBlock{b}, err
}

func (s *luaState) swap(L *glua.LState) (any, error) {
	b := argument[*luaBlock](L.Get(2), "a block, as t:make{ capacity = 1000 } gives one")
	switch {
	case b.gone:
		return nil, errGone
	case b.block == s.ledger.now:
		return nil, errors.New("the block is in its place already")
	}
	return &luaBlock{s.ledger.swap(b.block)}, nil
}

var errGone = errors.New("the block was released: a replaced block is kept until the next t:make")

func (s *luaState) region(L *glua.LState) (any, error) {
	b, name := L.CheckUserData(1).Value.(*luaBlock), L.CheckString(2)
	i := slices.Index(b.layout.RegionNames(), name)
	if b.gone {
		return nil, errGone
	}
	sandbox.Raise(nearest.Check("region", name, b.layout.RegionNames()))
	return &luaMemory{b.table.Region[i], uint64(b.layout.Regions[i].Bytes), b.block}, nil
}

func (s *luaState) alloc(L *glua.LState) (any, error) {
	var a struct {
		Bytes uint64 `lua:"bytes" min:"1"`
		Fill  uint64 `lua:"fill"`
	}
	arguments(L.Get(2), &a)
	if a.Bytes == 0 || a.Fill > 255 {
		return nil, fmt.Errorf("bytes is %d and fill is %d: it takes at least 1, and 0 to 255", a.Bytes, a.Fill)
	}
	at, err := s.ledger.Scratch(int64(a.Bytes), byte(a.Fill))
	return &luaMemory{at: uint64(at), bytes: a.Bytes}, s.ledger.wrong(err)
}

func (s *luaState) read(L *glua.LState) (any, error) {
	m := argument[*luaMemory](L.Get(2), takesMemory)
	i, ok := sandbox.Whole(L.Get(3))
	if !ok || i == 0 || i > m.bytes/8 {
		return nil, fmt.Errorf("number %s of %d: it takes 1 to %d", sandbox.Describe(L.Get(3)), m.bytes/8, m.bytes/8)
	}
	word, err := Read[uint64](s.ledger, sandbox.Check(m.address())+8*(i-1), 1)
	return word[0], s.ledger.wrong(err)
}

// keptArg is the last of the arguments of a table: its scheme declares fewer.
const keptArg = len(kernels.Table{}.Arg) - 1

func (s *luaState) keep(L *glua.LState) (any, error) {
	n, ok := sandbox.Whole(L.Get(2))
	if !ok {
		return nil, wrongArgument(L.Get(2), "a whole number")
	}
	s.ledger.now.table.Arg[keptArg] = n
	s.ledger.SetBlock(s.ledger.now.table)
	return nil, nil
}

func (s *luaState) note(L *glua.LState) (any, error) {
	text, ok := L.Get(2).(glua.LString)
	if !ok {
		return nil, wrongArgument(L.Get(2), "a text")
	}
	s.ledger.Note(nearest.Shorten(sandbox.OneLine(string(text)), 1000))
	return nil, nil
}
