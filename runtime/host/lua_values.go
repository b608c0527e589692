package host

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
)

// Conversion of values between Go and a host side in Lua.

func (s *luaState) kind(v luaValue) *glua.LTable {
	members := map[string]any{}
	for _, m := range v.methods {
		members[m.name] = s.Function(s.paused(v, m))
	}
	for _, f := range v.fields {
		members[f.name] = f.get
	}
	meta := s.L.NewTable()
	meta.RawSetString("__index", s.Function(func(L *glua.LState) (int, error) {
		name, self := L.Get(2).String(), L.Get(1)
		if sandbox.Describe(self) != v.what {
			return 0, fmt.Errorf("this is a field of another value than %s", sandbox.Describe(self))
		}
		switch member := members[name].(type) {
		case *glua.LFunction:
			L.Push(member)
			return 1, nil
		case func(*luaState, any) (any, error):
			n, err := s.give(member(s, self.(*glua.LUserData).Value))
			return n, s.final(err)
		}
		if v.other != nil {
			return s.give(v.other(s, name))
		}
		return 0, fmt.Errorf("%s: %w", v.what, nearest.Unknown("field", name, slices.Sorted(maps.Keys(members))))
	}))
	meta.RawSetString("__newindex", s.Function(func(L *glua.LState) (int, error) {
		return 0, fmt.Errorf("%s of %s cannot be assigned: it can only be read", L.Get(2), v.what)
	}))
	return s.Protected(meta)
}

// paused makes a Lua function of a method and excludes its run time from the limit.
func (s *luaState) paused(v luaValue, m luaMethod) sandbox.Function {
	return func(L *glua.LState) (int, error) {
		if self, ok := L.Get(1).(*glua.LUserData); !ok || sandbox.Describe(self) != v.what {
			return 0, fmt.Errorf("%s is called on %s: write %s:%s(...), with a colon", m.name, sandbox.Describe(L.Get(1)), v.written, m.name)
		}
		s.Meter.Pause()
		n, err := sandbox.Attempt(L, func(L *glua.LState) (int, error) { return s.give(m.do(s, L)) })
		s.Meter.Resume()
		if err != nil {
			err = fmt.Errorf("%s:%s: %w", v.written, m.name, err)
		}
		return n, s.final(err)
	}
}

// final ends the call if Lua code cannot handle an error: the device has failed or is out of memory.
func (s *luaState) final(err error) error {
	if err != nil && (s.ledger.broken || errors.Is(err, schemes.ErrNoMemory)) {
		s.Meter.Stop(err, err)
	}
	return err
}

// give returns a value to Lua, or an error. Numbers of Lua are doubles.
func (s *luaState) give(v any, err error) (int, error) {
	if err != nil || v == nil {
		return 0, err
	}
	switch v := v.(type) {
	case string:
		s.L.Push(glua.LString(v))
	case uint64:
		if v > 1<<53 {
			return 0, fmt.Errorf("the number is %d: Lua has no whole ones above 2^53", v)
		}
		s.L.Push(glua.LNumber(v))
	case sandbox.Named:
		s.L.Push(s.userdata(v))
	}
	return 1, nil
}

func (s *luaState) userdata(v sandbox.Named) *glua.LUserData { return s.Userdata(v, s.kinds[v.What()]) }

func argument[T any](v glua.LValue, takes string) T {
	got, ok := sandbox.Value[T](v)
	if !ok {
		sandbox.Raise(wrongArgument(v, takes))
	}
	return got
}

func wrongArgument(v glua.LValue, takes string) error {
	return fmt.Errorf("it is given %s: it takes %s", sandbox.Describe(v), takes)
}

func (m *luaMemory) address() (uint64, error) {
	if m.of != nil && m.of.gone {
		return 0, errGone
	}
	return m.at, nil
}

// arguments reads { name = value, ... } into a struct; nil means no arguments.
func arguments(v glua.LValue, into any) {
	if v == glua.LNil {
		return
	}
	if v.Type() != glua.LTTable {
		sandbox.Raise(wrongArgument(v, "{ name = value }"))
	}
	sandbox.Check(sandbox.Decode("", v, into))
}

// address returns the address of an argument, or 0 if it is absent.
func address(name string, v glua.LValue) uint64 {
	if v == nil {
		return 0
	}
	m, ok := sandbox.Value[*luaMemory](v)
	if !ok {
		sandbox.Raise(sandbox.WrongValue(name, v, takesMemory))
	}
	at, err := m.address()
	if err != nil {
		sandbox.Raise(fmt.Errorf("%s: %w", name, err))
	}
	return at
}

// addressOrNumber returns an address, or a whole number.
func addressOrNumber(name string, v glua.LValue) (n uint64) {
	if _, ok := sandbox.Value[*luaMemory](v); ok || v == nil {
		return address(name, v)
	}
	if err := sandbox.Convert(name, v, &n, ""); err != nil {
		sandbox.Raise(err)
	}
	return n
}
