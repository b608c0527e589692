package host

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
)

// Conversion of values between Go and a host side in Lua.

// luaKinds are the metatables of the values.
type luaKinds struct{ table, batch, result, block, memory, params *glua.LTable }

func (s *luaState) makeKinds() {
	s.kinds = luaKinds{
		table: s.kind(luaTableValue), batch: s.kind(luaBatchValue), result: s.kind(luaResultValue),
		block: s.kind(luaBlockValue), memory: s.kind(luaMemoryValue), params: s.paramsKind(),
	}
	for _, meta := range []*glua.LTable{s.kinds.table, s.kinds.batch, s.kinds.result, s.kinds.block, s.kinds.memory, s.kinds.params} {
		s.Keep(s.Protected(meta))
	}
}

// kind returns the metatable of values with fields and methods.
func (s *luaState) kind(v luaValue) *glua.LTable {
	methods, fields := map[string]glua.LValue{}, map[string]luaField{}
	var known []string
	for _, m := range v.methods {
		methods[m.name] = s.Function(s.paused(v, m))
		known = append(known, m.name)
	}
	for _, f := range v.fields {
		fields[f.name] = f
		known = append(known, f.name)
	}
	known = slices.Compact(slices.Sorted(slices.Values(known)))
	meta := s.L.NewTable()
	meta.RawSetString("__index", s.Function(func(L *glua.LState) (int, error) {
		name := L.Get(2).String()
		if m, ok := methods[name]; ok {
			L.Push(m)
			return 1, nil
		}
		f, ok := fields[name]
		if !ok {
			return 0, fmt.Errorf("%s: %w", v.what, nearest.Unknown("field", name, known))
		}
		got, err := f.get(s, L.Get(1))
		if err != nil {
			return 0, s.final(err)
		}
		L.Push(got)
		return 1, nil
	}))
	meta.RawSetString("__newindex", s.Function(func(L *glua.LState) (int, error) {
		return 0, fmt.Errorf("%s of %s cannot be assigned: it can only be read", L.Get(2), v.what)
	}))
	return meta
}

// paused makes a Lua function of a method and excludes its run time from the limit.
func (s *luaState) paused(v luaValue, m luaMethod) sandbox.Function {
	return func(L *glua.LState) (int, error) {
		if self, ok := L.Get(1).(*glua.LUserData); !ok || sandbox.Describe(self) != v.what {
			return 0, fmt.Errorf("%s is called on %s: write %s:%s(...), with a colon", m.name, sandbox.Describe(L.Get(1)), v.written, m.name)
		}
		s.Meter.Pause()
		n, err := m.do(s, L)
		s.Meter.Resume()
		if err != nil {
			return n, s.final(fmt.Errorf("%s:%s: %w", v.written, m.name, err))
		}
		return n, nil
	}
}

// final ends the call if Lua code cannot handle an error: the device has failed or is out
// of memory.
func (s *luaState) final(err error) error {
	if s.ledger.broken || errors.Is(err, schemes.ErrNoMemory) {
		s.Meter.Stop(err, err)
	}
	return err
}

// value returns the Go value within a Lua value.
func value[T any](v glua.LValue) (T, bool) {
	ud, ok := v.(*glua.LUserData)
	if !ok {
		var none T
		return none, false
	}
	got, ok := ud.Value.(T)
	return got, ok
}

// field makes the reader of a field.
func field[T any](get func(T) (glua.LValue, error)) func(*luaState, glua.LValue) (glua.LValue, error) {
	return func(_ *luaState, v glua.LValue) (glua.LValue, error) {
		of, ok := value[T](v)
		if !ok {
			return nil, fmt.Errorf("this is a field of another value than %s", sandbox.Describe(v))
		}
		return get(of)
	}
}

// number converts a number for Lua, whose numbers are doubles.
func number(n uint64) (glua.LValue, error) {
	if n > 1<<53 {
		return nil, fmt.Errorf("the number is %d: Lua has no whole ones above 2^53", n)
	}
	return glua.LNumber(n), nil
}

// result returns an argument that must be a result.
func (s *luaState) result(v glua.LValue) (*luaResult, error) {
	done, ok := value[*luaResult](v)
	if !ok {
		return nil, fmt.Errorf("it is given %s: it takes a result, as t:launch gives one", sandbox.Describe(v))
	}
	return done, nil
}

func (s *luaState) giveResult(done *schemes.Result, ofBatch bool, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	s.L.Push(s.Userdata(&luaResult{done, ofBatch}, s.kinds.result))
	return 1, nil
}

func (s *luaState) giveBatch(b *luaBatch) (int, error) {
	s.L.Push(s.Userdata(b, s.kinds.batch))
	return 1, nil
}

func (s *luaState) giveBlock(b *block, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	s.L.Push(s.Userdata(&luaBlock{b}, s.kinds.block))
	return 1, nil
}

// luaParams is t.param.
type luaParams struct{}

// What returns its name in errors.
func (*luaParams) What() string { return "the parameters" }

func (s *luaState) paramsKind() *glua.LTable {
	meta := s.L.NewTable()
	meta.RawSetString("__index", s.Function(func(L *glua.LState) (int, error) {
		p, v, err := s.ledger.Config().Param(L.Get(2).String())
		if err != nil {
			return 0, err
		}
		if p.Words != nil {
			L.Push(glua.LString(p.Words[v]))
		} else {
			L.Push(glua.LNumber(v))
		}
		return 1, nil
	}))
	return meta
}

// read implements t:read.
func (s *luaState) read(L *glua.LState) (int, error) {
	m, ok := value[*luaMemory](L.Get(2))
	if !ok {
		return 0, fmt.Errorf("it is given %s: it takes memory, as t:alloc gives it", sandbox.Describe(L.Get(2)))
	}
	i, ok := sandbox.Whole(L.Get(3))
	if !ok || i == 0 || i > m.bytes/8 {
		return 0, fmt.Errorf("number %s of %d: it takes 1 to %d", sandbox.Describe(L.Get(3)), m.bytes/8, m.bytes/8)
	}
	at, err := m.address()
	if err != nil {
		return 0, err
	}
	var raw [8]byte
	if err := s.ledger.Read(raw[:], device.Addr(at+8*(i-1))); err != nil {
		return 0, s.ledger.wrong(err)
	}
	n, err := number(binary.LittleEndian.Uint64(raw[:]))
	if err != nil {
		return 0, err
	}
	L.Push(n)
	return 1, nil
}

func (m *luaMemory) address() (uint64, error) {
	if m.of != nil && m.of.gone {
		return 0, errGone
	}
	return m.at, nil
}

// luaFields are named arguments. It keeps the first error.
type luaFields struct {
	value map[string]glua.LValue
	err   error
}

// named reads { name = value, ... }; nil means no arguments.
func (s *luaState) named(v glua.LValue, known ...string) (*luaFields, error) {
	f := &luaFields{value: map[string]glua.LValue{}}
	if v == glua.LNil {
		return f, nil
	}
	t, ok := v.(*glua.LTable)
	if !ok {
		return nil, fmt.Errorf("it is given %s: it takes { %s = }", sandbox.Describe(v), known[0])
	}
	for k, v := t.Next(glua.LNil); k != glua.LNil; k, v = t.Next(k) {
		if !slices.Contains(known, k.String()) {
			return nil, nearest.Unknown("argument", k.String(), known)
		}
		f.value[k.String()] = v
	}
	return f, nil
}

func (f *luaFields) wrong(name, takes string) uint64 {
	if f.err == nil {
		f.err = fmt.Errorf("%s is %s: it takes %s", name, sandbox.Describe(f.value[name]), takes)
	}
	return 0
}

// whole returns a whole number.
func (f *luaFields) whole(name string, absent uint64) uint64 {
	v, ok := f.value[name]
	if !ok {
		return absent
	}
	n, ok := sandbox.Whole(v)
	if !ok {
		return f.wrong(name, "a whole number from 0 to 2^53")
	}
	return n
}

// flag returns a boolean.
func (f *luaFields) flag(name string) bool {
	v, ok := f.value[name]
	if !ok {
		return false
	}
	if _, ok := v.(glua.LBool); !ok {
		f.wrong(name, "true or false")
	}
	return v == glua.LTrue
}

// address returns an address, or 0 if the argument is absent.
func (f *luaFields) address(name string) uint64 {
	v, ok := f.value[name]
	if !ok {
		return 0
	}
	m, ok := value[*luaMemory](v)
	if !ok {
		return f.wrong(name, "memory, as t:alloc gives it")
	}
	at, err := m.address()
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%s: %w", name, err)
	}
	return at
}

// number returns a whole number or an address.
func (f *luaFields) number(name string) uint64 {
	if _, ok := value[*luaMemory](f.value[name]); ok {
		return f.address(name)
	}
	return f.whole(name, 0)
}
