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

// The API of host sides in Lua. The tables below define all of it; a test compares
// docs/host.md with them.

// luaField is a field of a value, luaMethod a function: value:name(...).
type (
	luaField struct {
		name, help string
		get        func(*luaState, glua.LValue) (glua.LValue, error)
	}
	luaMethod struct {
		name, args, help string
		do               func(*luaState, *glua.LState) (int, error)
	}
)

// luaValue is a kind of value.
type luaValue struct {
	what    string
	written string // the prefix of its fields and methods
	fields  []luaField
	methods []luaMethod
}

// The values that a function is given, and those that it gets from them.
type (
	luaTable struct{}
	luaBatch struct {
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
func (*luaBatch) What() string  { return "a batch" }
func (*luaResult) What() string { return "a result" }
func (*luaBlock) What() string  { return "a block" }
func (*luaMemory) What() string { return "memory" }

var luaTableValue = luaValue{"the table", "t", []luaField{
	{"capacity", "slots", func(s *luaState, _ glua.LValue) (glua.LValue, error) { return number(s.ledger.now.layout.Capacity) }},
	{"buckets", "what a hash function ranges over", func(s *luaState, _ glua.LValue) (glua.LValue, error) {
		return number(s.ledger.now.layout.Buckets)
	}},
	{"size", "pairs in the table", (*luaState).size},
	{"param", "the scheme's parameters by name: numbers, or the words of a choice", func(s *luaState, _ glua.LValue) (glua.LValue, error) {
		return s.Userdata(&luaParams{}, s.kinds.params), nil
	}},
}, []luaMethod{
	{"launch", `(batch)`, "carries out a batch on the table, and gives what became of it", (*luaState).launch},
	{"launch", `("kernel", { n = , keys = , values = , out = , select = })`, "launches a kernel of the scheme's own over n items: keys, values and " +
		"out are memory, select is a number or memory", (*luaState).launch},
	{"remember", "(batch)", "the same batch, of which the outcome of each operation is kept, for `again`", (*luaState).remember},
	{"again", "(result)", "carries out those operations of the batch that failed, in schemes whose inserts hand their own pair back", (*luaState).again},
	{"left", `(result, "insert")`, "a batch of the pairs that a result left over; \"insert\", \"upsert\" or \"find\", which asks whether their keys are in the table", (*luaState).left},
	{"pairs", "(result)", "an insert batch of all pairs in the table, and of those that the result left over, if one is given; they also stay in the table", (*luaState).pairs},
	{"make", "{ capacity = , reseed = }", "takes memory for a table, empty, of so many slots (as many as there are), with the same hash functions, or with others if reseed is true", (*luaState).makeBlock},
	{"swap", "(block)", "puts a block in the place of the one that is there, which it gives", (*luaState).swap},
	{"alloc", "{ bytes = , fill = }", "takes memory until the batch is done; each byte is fill (0)", (*luaState).alloc},
	{"read", "(memory, i)", "the i-th 64-bit number of memory, from 1 on", (*luaState).read},
	{"note", "(text)", "says in the results that something out of the ordinary happened", (*luaState).note},
}}

var luaBatchValue = luaValue{"a batch", "batch", []luaField{
	{"op", "its operation", field(func(b *luaBatch) (glua.LValue, error) { return glua.LString(b.Op), nil })},
	{"n", "how many operations; of a resize, how many slots are asked for, 0 if that is not said",
		field(func(b *luaBatch) (glua.LValue, error) { return number(b.N) })},
}, nil}

var luaResultValue = luaValue{"a result", "result", resultFields(), nil}

// resultFields are the counters.
func resultFields() []luaField {
	var list []luaField
	for i, name := range kernels.Counters {
		list = append(list, luaField{name, kernels.CounterHelp[i],
			field(func(r *luaResult) (glua.LValue, error) { return number(r.Counts.Get(name)) })})
	}
	return list
}

var luaBlockValue = luaValue{"a block", "block", []luaField{
	{"capacity", "slots", field(func(b *luaBlock) (glua.LValue, error) { return number(b.layout.Capacity) })},
}, []luaMethod{
	{"region", `("name")`, "the memory of one of its regions, for kernels of the scheme's own", (*luaState).region},
}}

var luaMemoryValue = luaValue{"memory", "memory", []luaField{
	{"bytes", "its size", field(func(m *luaMemory) (glua.LValue, error) { return number(m.bytes) })},
}, nil}

// size returns the number of pairs in the table. After one of the scheme's own kernels it
// counts them.
func (s *luaState) size(glua.LValue) (glua.LValue, error) {
	if s.ledger.now.unknown {
		if err := s.ledger.count(); err != nil {
			return nil, err
		}
	}
	return number(s.ledger.now.pairs)
}

// launch implements t:launch.
func (s *luaState) launch(L *glua.LState) (int, error) {
	if kernel, ok := L.Get(2).(glua.LString); ok {
		b, err := s.ownBatch(string(kernel), L.Get(3))
		if err != nil {
			return 0, err
		}
		done, err := s.ledger.own(b)
		return s.giveResult(done, false, err)
	}
	b, ok := value[*luaBatch](L.Get(2))
	if !ok {
		return 0, fmt.Errorf("it is given %s: it takes a batch, or the name of a kernel", sandbox.Describe(L.Get(2)))
	}
	return s.launchBatch(b)
}

// launchBatch carries out a batch; its purpose determines how it counts.
func (s *luaState) launchBatch(b *luaBatch) (int, error) {
	l := s.ledger
	if b.of == theBatch {
		done, err := l.carryOut(b.Batch)
		return s.giveResult(done, true, err)
	}
	if b.from != nil {
		if err := l.current(b.from); err != nil {
			return 0, err
		}
		if b.of == leftPairs {
			done, err := l.anew(b.Batch)
			return s.giveResult(done, true, err)
		}
	}
	done, err := l.run(b.Batch)
	if err != nil {
		return 0, err
	}
	if b.from != nil {
		return s.giveResult(l.further(done), true, nil)
	}
	l.settle()
	return s.giveResult(&done, false, nil)
}

// ownBatch returns the launch of one of the scheme's own kernels.
func (s *luaState) ownBatch(kernel string, v glua.LValue) (schemes.Batch, error) {
	b := schemes.Batch{Op: kernel}
	if own := s.ledger.Config().Kernels; !slices.Contains(own, kernel) {
		if own == nil {
			return b, fmt.Errorf("there is no kernel %q: the scheme has none of its own; hint: t:launch(batch) launches that of an operation", kernel)
		}
		return b, nearest.Unknown("kernel", kernel, own)
	}
	f, err := s.named(v, "n", "keys", "values", "out", "select")
	if err != nil {
		return b, err
	}
	b.N = f.whole("n", 0)
	b.Block = kernels.Batch{Keys: f.address("keys"), Values: f.address("values"), Out: f.address("out"), Select: f.number("select")}
	return b, f.err
}

// remember implements t:remember.
func (s *luaState) remember(L *glua.LState) (int, error) {
	b, ok := value[*luaBatch](L.Get(2))
	if !ok || b.of != theBatch {
		return 0, fmt.Errorf("it is given %s: it takes the batch that the function is given", sandbox.Describe(L.Get(2)))
	}
	l := s.ledger
	if l.done != nil {
		return 0, errors.New("the batch was launched already: what became of each operation is kept from the launch on")
	}
	kept, err := Remembered(l.Table, b.Batch)
	if err != nil {
		return 0, l.wrong(err)
	}
	l.asked, l.remembers = kept, true
	return s.giveBatch(&luaBatch{Batch: kept, of: theBatch})
}

// again implements t:again.
func (s *luaState) again(L *glua.LState) (int, error) {
	given, err := s.result(L.Get(2))
	if err != nil {
		return 0, err
	}
	done, err := s.ledger.again(given.Result)
	return s.giveResult(done, true, err)
}

// left implements t:left.
func (s *luaState) left(L *glua.LState) (int, error) {
	given, err := s.result(L.Get(2))
	if err != nil {
		return 0, err
	}
	op := L.OptString(3, "insert")
	if known := []string{"insert", "upsert", "find"}; !slices.Contains(known, op) {
		return 0, nearest.Unknown("operation", op, known)
	}
	if !s.ledger.hasKernel(op) {
		return 0, fmt.Errorf("the scheme has no operation %s", op)
	}
	b, err := s.ledger.leftOver(given.Result, op)
	if err != nil {
		return 0, err
	}
	batch := &luaBatch{Batch: b, of: leftPairs}
	if op != "find" && given.ofBatch {
		batch.from = given.Result
	}
	return s.giveBatch(batch)
}

// pairs implements t:pairs.
func (s *luaState) pairs(L *glua.LState) (int, error) {
	var done *schemes.Result
	if L.Get(2) != glua.LNil {
		given, err := s.result(L.Get(2))
		if err != nil {
			return 0, err
		}
		if done = given.Result; given.ofBatch {
			err = s.ledger.current(done)
		}
		if err != nil {
			return 0, err
		}
	}
	b, err := s.ledger.everything(done)
	if err != nil {
		return 0, err
	}
	batch := &luaBatch{Batch: b, of: allPairs}
	if done == s.ledger.done {
		batch.from = done
	}
	return s.giveBatch(batch)
}

// makeBlock implements t:make.
func (s *luaState) makeBlock(L *glua.LState) (int, error) {
	f, err := s.named(L.Get(2), "capacity", "reseed")
	if err != nil {
		return 0, err
	}
	capacity, reseed := f.whole("capacity", s.ledger.now.layout.Capacity), f.flag("reseed")
	if f.err == nil && capacity == 0 {
		f.err = errors.New("capacity is 0: it takes at least 1")
	}
	if f.err != nil {
		return 0, f.err
	}
	b, err := s.ledger.make(capacity, reseed)
	return s.giveBlock(b, err)
}

// swap implements t:swap.
func (s *luaState) swap(L *glua.LState) (int, error) {
	b, ok := value[*luaBlock](L.Get(2))
	switch {
	case !ok:
		return 0, fmt.Errorf("it is given %s: it takes a block, as t:make{ capacity = 1000 } gives one", sandbox.Describe(L.Get(2)))
	case b.gone:
		return 0, errGone
	case b.block == s.ledger.now:
		return 0, errors.New("the block is in its place already")
	}
	return s.giveBlock(s.ledger.swap(b.block), nil)
}

var errGone = errors.New("the block was given back: one that another has replaced is kept until the next is made")

// region implements block:region.
func (s *luaState) region(L *glua.LState) (int, error) {
	b, name := L.CheckUserData(1).Value.(*luaBlock), L.CheckString(2)
	if b.gone {
		return 0, errGone
	}
	var known []string
	for i, r := range b.layout.Regions {
		if r.Name == name {
			L.Push(s.Userdata(&luaMemory{b.table.Region[i], uint64(r.Bytes), b.block}, s.kinds.memory))
			return 1, nil
		}
		known = append(known, r.Name)
	}
	return 0, nearest.Unknown("region", name, known)
}

// alloc implements t:alloc.
func (s *luaState) alloc(L *glua.LState) (int, error) {
	f, err := s.named(L.Get(2), "bytes", "fill")
	if err != nil {
		return 0, err
	}
	bytes, fill := f.whole("bytes", 0), f.whole("fill", 0)
	if f.err == nil && (bytes == 0 || fill > 255) {
		f.err = fmt.Errorf("bytes is %d and fill is %d: it takes at least 1, and 0 to 255", bytes, fill)
	}
	if f.err != nil {
		return 0, f.err
	}
	at, err := s.ledger.Scratch(int64(bytes), byte(fill))
	if err != nil {
		return 0, s.ledger.wrong(err)
	}
	L.Push(s.Userdata(&luaMemory{at: uint64(at), bytes: bytes}, s.kinds.memory))
	return 1, nil
}

// note implements t:note.
func (s *luaState) note(L *glua.LState) (int, error) {
	text, ok := L.Get(2).(glua.LString)
	if !ok {
		return 0, fmt.Errorf("it is given %s: it takes a text", sandbox.Describe(L.Get(2)))
	}
	s.ledger.Note(sandbox.Shorten(sandbox.OneLine(string(text)), 1000))
	return 0, nil
}
