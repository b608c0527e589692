package host

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
)

// A host side in Lua decides what to launch and when; the ledger enforces what must hold (docs/host.md).

var luaLimits = sandbox.Limits{Steps: 1_000_000, Time: 10 * time.Second, Memory: 1 << 24}

// Compile makes a HostOp for each operation that a Lua source has a function for. Errors are *sandbox.Error.
func Compile(name, source string) (map[string]schemes.HostOp, error) {
	h := &luaHost{name: name, source: source}
	s, err := h.state()
	if err != nil {
		return nil, err
	}
	functions, err := s.load()
	if err != nil {
		return nil, err
	}
	if len(functions) == 0 {
		return nil, s.Library.Located(name, 1, "there is no function for any operation, such as function insert(t, batch)", nil)
	}
	h.idle.Put(s)
	ops := map[string]schemes.HostOp{}
	for op := range functions {
		ops[op] = func(t schemes.Table, b schemes.Batch) (schemes.Result, error) { return h.carryOut(op, t, b) }
	}
	return ops, nil
}

// luaHost is a source and the states that run it. Several tables may be using it concurrently.
type luaHost struct {
	name, source string
	idle         sync.Pool // of *luaState
}

// luaState is one Lua state with the source. Each call begins by running the source's top
// level, so no state survives a call.
type luaState struct {
	*sandbox.Box
	name    string
	code    *sandbox.Code
	kinds   map[string]*glua.LTable // metatables, by luaValue.what
	globals *glua.LTable            // the metatable of each call's globals
	loading bool
	found   map[string]*glua.LFunction // by operation

	ledger *ledger // of the current call
}

func (h *luaHost) state() (*luaState, error) {
	if s, idle := h.idle.Get().(*luaState); idle {
		return s, nil
	}
	box, err := sandbox.New(sandbox.Options{Limits: luaLimits, File: h.name, Subject: "the host side"})
	if err != nil {
		return nil, err
	}
	s := &luaState{Box: box, name: h.name, kinds: map[string]*glua.LTable{}}
	if s.code, err = box.Library.Compile(h.name, h.source); err != nil {
		return nil, err
	}
	for _, v := range luaValues {
		s.kinds[v.what] = s.kind(v)
		s.Keep(s.kinds[v.what])
	}
	s.globals = s.watched()
	s.Keep(s.globals)
	return s, nil
}

// release keeps a state for the next call; after a failure it is not reused.
func (h *luaHost) release(s *luaState) {
	s.ledger, s.found = nil, nil
	if s.Meter.Failure() == nil {
		h.idle.Put(s)
	}
}

func (h *luaHost) carryOut(op string, t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	s, err := h.state()
	if err != nil {
		return schemes.Result{}, err
	}
	defer h.release(s)
	s.ledger = newLedger(t, b)
	err = s.call(op)
	if errors.Is(err, schemes.ErrNoMemory) && !s.ledger.broken {
		return s.withoutMemory(err)
	}
	if s.ledger.broken {
		return schemes.Result{}, err
	}
	if err != nil {
		s.ledger.restore()
	}
	done, lost := s.ledger.close()
	if err == nil && lost != nil && !s.ledger.broken {
		lost = s.Library.Located(h.name, s.found[op].Proto.LineDefined, op+": "+lost.Error(), nil)
	}
	return done, cmp.Or(err, lost)
}

// withoutMemory restores the table, and carries out the batch as far as there is room, unless it was already.
func (s *luaState) withoutMemory(why error) (schemes.Result, error) {
	l := s.ledger
	l.restore()
	if located, ok := errors.AsType[*sandbox.Error](why); ok && located.Err != nil {
		why = located.Err
	}
	l.Note(fmt.Sprintf("no memory, so the table stays as it is: %v", why))
	if l.done == nil && l.hasKernel(l.asked.Op) {
		if _, err := l.carryOut(l.asked); err != nil {
			return schemes.Result{}, err
		}
	}
	return l.close()
}

// call runs the source's top level and the function, and checks what the function returns.
func (s *luaState) call(op string) error {
	functions, err := s.load()
	if err != nil {
		return err
	}
	batch := &luaBatch{Batch: s.ledger.asked, of: theBatch}
	if err := s.Call(functions[op], 1, s.userdata(&luaTable{}), s.userdata(batch)); err != nil {
		return err
	}
	if err := s.returned(op, s.L.Get(-1)); err != nil {
		return s.Library.Located(s.name, functions[op].Proto.LineDefined, op+" "+err.Error(), nil)
	}
	return nil
}

// returned checks that a function returned the result of the batch, or nothing for an operation on the table.
func (s *luaState) returned(op string, v glua.LValue) error {
	if slices.Contains(schemes.TableOps, op) {
		if v != glua.LNil {
			return fmt.Errorf("returns %s: there are no results of an operation on the whole table, so it returns nothing", sandbox.Describe(v))
		}
		return nil
	}
	if v == glua.LNil {
		return errors.New("returns nothing: it returns the result of the batch, as in return t:launch(batch)")
	}
	done, ok := sandbox.Value[*luaResult](v)
	if !ok {
		return fmt.Errorf("returns %s: it returns the result of the batch, as in return t:launch(batch)", sandbox.Describe(v))
	}
	if s.ledger.done == nil {
		return errors.New("has not launched the batch: t:launch(batch)")
	}
	if err := s.ledger.current(done.Result); err != nil {
		return fmt.Errorf("returns another result: %w", err)
	}
	return nil
}

func (s *luaState) load() (map[string]*glua.LFunction, error) {
	main := s.L.NewFunctionFromProto(s.code.Proto)
	main.Env = s.L.NewTable() // copies of the sandbox's globals, made when they are first read
	main.Env.Metatable = s.globals
	s.found, s.loading = map[string]*glua.LFunction{}, true
	err := s.Call(main, 0)
	s.loading = false
	return s.found, err
}

// watched returns the metatable of globals: only functions for operations may be defined.
func (s *luaState) watched() *glua.LTable {
	meta := s.L.NewTable()
	meta.RawSetString("__index", s.Function(func(L *glua.LState) (int, error) {
		name := L.Get(2).String()
		v, err := s.global(name)
		if library, ok := v.(*glua.LTable); ok {
			own := L.NewTable()
			library.ForEach(own.RawSet)
			L.CheckTable(1).RawSetString(name, own)
			v = own
		}
		L.Push(v)
		return 1, err
	}))
	meta.RawSetString("__newindex", s.Function(s.define))
	return s.Protected(meta)
}

func (s *luaState) global(name string) (glua.LValue, error) {
	if f, ok := s.found[name]; ok {
		return f, nil
	}
	if v := s.Module("").RawGetString(name); v != glua.LNil && name != "_G" {
		return v, nil
	}
	known := slices.Collect(maps.Keys(s.found))
	s.Module("").ForEach(func(k, _ glua.LValue) { known = append(known, k.String()) })
	slices.Sort(known)
	if near := nearest.Names(name, known); len(near) > 0 {
		return glua.LNil, nearest.Unknown("global", name, near)
	}
	return glua.LNil, fmt.Errorf("unknown global %q: there are local names, and the functions of Lua", name)
}

func (s *luaState) define(L *glua.LState) (int, error) {
	name, v := L.Get(2).String(), L.Get(3)
	f, isFunction := v.(*glua.LFunction)
	switch {
	case !s.loading:
		return 0, fmt.Errorf("%s is assigned in a function: globals are lost after the call; hint: local %s", name, name)
	case !isFunction:
		return 0, fmt.Errorf("%s is %s: globals are functions for operations; hint: local %s", name, sandbox.Describe(v), name)
	case f.IsG:
		return 0, fmt.Errorf("%s is a function of Lua's own: it takes one of this file", name)
	}
	if known := kernels.OpsOf(kernels.OnKeys, kernels.Mixed, kernels.OnTable); !slices.Contains(known, name) {
		return 0, fmt.Errorf("%s is no operation: there are %s; hint: local function %s", name, strings.Join(known, ", "), name)
	}
	s.found[name] = f
	return 0, nil
}
