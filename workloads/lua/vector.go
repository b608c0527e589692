package lua

import (
	"fmt"
	"math"
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// vector is a stream in a script. Scripts put vectors together and hand them on;
// they never see a number.
type vector struct{ stream.Stream }

// What is what errors call it.
func (*vector) What() string { return "a vector" }

// Holds tells of the numbers that the vector holds.
func (v *vector) Holds(tell func(what string, bytes int64)) {
	for _, source := range v.Sources() {
		tell(source.Text, 8*int64(source.Len))
	}
}

// methods are the kinds of streams that are methods of a vector: v:take(5).
var methods = []string{"take", "skip", "slice", "concat", "shuffle", "sample", "cycle", "at", "xor", "fnv"}

// operators are the kinds that are operators, by what Lua calls those.
var operators = map[string]string{
	"__add": "add", "__sub": "sub", "__mul": "mul", "__div": "div", "__mod": "mod", "__concat": "concat",
}

// signs are the operators as scripts write them.
var signs = map[string]string{"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "concat": ".."}

// types are the metatables of what is no Lua value.
type types struct{ vector, u64, table, result *glua.LTable }

func (h *host) makeTypes() {
	h.kinds = types{vector: h.vectorType(), u64: h.u64Type(), table: h.tableType(), result: h.resultType()}
	h.handle = h.Userdata(&tableHandle{}, h.kinds.table)
	for _, meta := range []*glua.LTable{h.kinds.vector, h.kinds.u64, h.kinds.table, h.kinds.result} {
		h.Keep(h.Protected(meta))
	}
}

// push gives a script a vector, or the error that the stream has.
func (h *host) push(L *glua.LState, s stream.Stream) (int, error) {
	if err := s.Err(); err != nil {
		return 0, err
	}
	L.Push(h.Userdata(&vector{s}, h.kinds.vector))
	return 1, nil
}

func (h *host) vectorType() *glua.LTable {
	meta, functions := h.L.NewTable(), h.L.NewTable()
	for _, kind := range stream.Kinds() {
		if slices.Contains(methods, kind.Name) {
			functions.RawSetString(kind.Name, h.Function(h.method(kind)))
		}
	}
	meta.RawSetString("__index", h.methodsOf("a vector", functions))
	for event, kind := range operators {
		meta.RawSetString(event, h.Function(h.operator(kind)))
	}
	meta.RawSetString("__len", h.Function(length))
	meta.RawSetString("__tostring", h.Function(func(L *glua.LState) (int, error) {
		L.Push(glua.LString(L.CheckUserData(1).Value.(*vector).String()))
		return 1, nil
	}))
	return meta
}

// methodsOf gives the methods of what is no table, and refuses others by name.
func (h *host) methodsOf(what string, functions *glua.LTable) *glua.LFunction {
	var known []string
	for k, _ := functions.Next(glua.LNil); k != glua.LNil; k, _ = functions.Next(k) {
		known = append(known, k.String())
	}
	slices.Sort(known)
	return h.Function(func(L *glua.LState) (int, error) {
		key := L.Get(2)
		name, ok := key.(glua.LString)
		if !ok {
			return 0, fmt.Errorf("%s has no element %s that a script could read; hint: whole batches are given to t", what, key)
		}
		v := functions.RawGetString(string(name))
		if v == glua.LNil {
			return 0, fmt.Errorf("%s: %w", what, nearest.Unknown("method", string(name), known))
		}
		L.Push(v)
		return 1, nil
	})
}

// length is #v: math.huge if there is no end.
func length(L *glua.LState) (int, error) {
	n := L.CheckUserData(1).Value.(*vector).Len()
	if n == stream.Endless {
		L.Push(glua.LNumber(math.Inf(1)))
	} else {
		L.Push(glua.LNumber(n))
	}
	return 1, nil
}

// method makes a method of a kind: the vector is its first stream, the arguments are
// the others and then the parameters, in the order of the declaration.
func (h *host) method(kind stream.Kind) sandbox.Function {
	return func(L *glua.LState) (int, error) {
		v, ok := toVector(L.Get(1))
		if !ok {
			return 0, fmt.Errorf("%s is called on %s: write v:%s(...) with a vector and a colon", kind.Name, sandbox.Describe(L.Get(1)), kind.Name)
		}
		inputs, at := []stream.Stream{v.Stream}, 2
		for _, name := range kind.Inputs[1:] {
			s, err := operand(L.Get(at))
			if err != nil {
				return 0, fmt.Errorf("v:%s: %s %w", kind.Name, name, err)
			}
			inputs, at = append(inputs, s), at+1
		}
		params := stream.Params{}
		for _, p := range kind.Params {
			if err := h.parameter(params, p, L.Get(at)); err != nil {
				return 0, fmt.Errorf("v:%s: %w", kind.Name, err)
			}
			at++
		}
		if L.GetTop() >= at {
			return 0, fmt.Errorf("v:%s: %s is too much: it takes %d arguments", kind.Name, sandbox.Describe(L.Get(at)), at-2)
		}
		s := stream.New(kind.Name, inputs, params)
		if s.Err() != nil {
			return 0, fmt.Errorf("v:%w", s.Err())
		}
		return h.push(L, s)
	}
}

// parameter puts a Lua value into params. A seed that is not given is drawn, a key
// width is the table's.
func (h *host) parameter(params stream.Params, p stream.Param, v glua.LValue) error {
	switch v := v.(type) {
	case *glua.LNilType:
		switch p.Name {
		case "seed":
			params[p.Name] = h.nextSeed()
		case "width":
			params[p.Name] = h.pair().Key
		}
		return nil
	case glua.LNumber:
		params[p.Name] = float64(v)
		return nil
	case *glua.LUserData:
		if n, ok := v.Value.(u64); ok {
			params[p.Name] = uint64(n)
			return nil
		}
	}
	return fmt.Errorf("%s is %s, it takes a number: %s", p.Name, sandbox.Describe(v), p.Hint)
}

// operator makes the function of an operator; at least one operand is a vector.
func (h *host) operator(kind string) sandbox.Function {
	return func(L *glua.LState) (int, error) {
		var inputs []stream.Stream
		for i := 1; i <= 2; i++ {
			s, err := operand(L.Get(i))
			if err != nil {
				return 0, fmt.Errorf("%s %s %s: an operand %w", sandbox.Describe(L.Get(1)), signs[kind], sandbox.Describe(L.Get(2)), err)
			}
			inputs = append(inputs, s)
		}
		return h.push(L, stream.New(kind, inputs, nil))
	}
}

func toVector(v glua.LValue) (*vector, bool) {
	ud, ok := v.(*glua.LUserData)
	if !ok {
		return nil, false
	}
	vec, ok := ud.Value.(*vector)
	return vec, ok
}

// operand is a vector, or a number that is meant at every index.
func operand(v glua.LValue) (stream.Stream, error) {
	if vec, ok := toVector(v); ok {
		return vec.Stream, nil
	}
	if n, ok := toWhole(v); ok {
		return stream.Const(n), nil
	}
	return stream.Stream{}, fmt.Errorf(`is %s, it takes a vector, a whole number from 0 to 2^53, or u64"..."`, sandbox.Describe(v))
}
