package lua

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// vector is a stream in a script, which never sees its numbers.
type vector struct{ stream.Stream }

func (*vector) What() string { return "a vector" }

// Hint is for errors of functions that take a table, a text or a number.
func (*vector) Hint() string {
	return "a script never sees the numbers of a vector; it passes whole ones to t"
}

func (v *vector) Holds(tell func(what string, bytes int64)) {
	for _, source := range v.Sources() {
		tell(source.Text, 8*int64(source.Len))
	}
}

// methods are the kinds of streams that are methods of a vector, as in v:take(5).
var methods = []string{"take", "skip", "slice", "concat", "shuffle", "sample", "cycle", "at", "xor", "fnv"}

// operator is a kind of stream that is an operator, and the same for two numbers.
type operator struct {
	event, kind, sign string
	compute           func(a, b uint64) uint64
}

var operators = []operator{
	{"__add", "add", "+", func(a, b uint64) uint64 { return a + b }},
	{"__sub", "sub", "-", func(a, b uint64) uint64 { return a - b }},
	{"__mul", "mul", "*", func(a, b uint64) uint64 { return a * b }},
	{"__div", "div", "/", func(a, b uint64) uint64 { return a / b }},
	{"__mod", "mod", "%", func(a, b uint64) uint64 { return a % b }},
	{"__concat", "concat", "..", nil},
}

// types are the metatables of Go values in scripts.
type types struct{ vector, u64, table, result *glua.LTable }

// push returns a vector to Lua, or the stream's error.
func (h *host) push(L *glua.LState, s stream.Stream) (int, error) {
	sandbox.Raise(s.Err())
	if s.Joined() {
		sandbox.Raise(h.hold(8 * int64(s.Len())))
	}
	return sandbox.Return(L, h.Userdata(&vector{s}, h.kinds.vector))
}

func (h *host) vectorType() *glua.LTable {
	functions := map[string]glua.LValue{}
	for _, kind := range stream.Kinds() {
		if slices.Contains(methods, kind.Name) {
			functions[kind.Name] = h.Called("v:"+kind.Name, h.method(kind))
		}
	}
	functions["distinct"] = h.Called("v:distinct", h.distinct)
	functions["once"] = h.Called("v:once", h.once)
	metamethods := map[string]sandbox.Function{
		"__index": h.member("a vector", "method", functions), "__len": length, "__tostring": describe,
	}
	for _, o := range operators {
		metamethods[o.event] = h.operator(o)
	}
	for event := range impossible {
		metamethods[event] = refusing(event)
	}
	return h.metatable(metamethods)
}

func refusing(event string) sandbox.Function {
	return func(*glua.LState) (int, error) { return 0, errors.New(impossible[event]) }
}

// impossible are the operators that vectors lack, with what a script can do instead.
var impossible = map[string]string{
	"__pow":      "vectors and u64 have no powers; hint: x * x",
	"__unm":      "vectors and u64 have no negative numbers; hint: 0 - x wraps around",
	"__lt":       "vectors cannot be compared: a script never sees their numbers",
	"__le":       "vectors cannot be compared: a script never sees their numbers",
	"__call":     "a vector is no function, and nothing to go over: a script never sees its numbers; hint: v:take(5) makes a vector",
	"__newindex": "a vector cannot be changed; hint: operators and methods make new ones",
}

// self returns the vector that a method is called on. Too many arguments are an error.
func self(L *glua.LState, method string, most int) *vector {
	v, ok := sandbox.Value[*vector](L.Get(1))
	switch {
	case !ok:
		sandbox.Raise(fmt.Errorf("called on %s: write v:%s(...) with a vector and a colon", sandbox.Describe(L.Get(1)), method))
	case L.GetTop() > 1+most:
		sandbox.Raise(fmt.Errorf("unexpected argument %s: it takes %d", sandbox.Describe(L.Get(2+most)), most))
	}
	return v
}

// distinct is v:distinct(), how many different numbers of files a vector has.
func (h *host) distinct(L *glua.LState) (int, error) {
	v := self(L, "distinct", 0)
	return sandbox.Return(L, glua.LNumber(sandbox.Check(sandbox.Outside(h.Meter, v.Different))))
}

// once is v:once(), the different numbers of a vector, each where it comes first.
func (h *host) once(L *glua.LState) (int, error) {
	v := self(L, "once", 0)
	s := sandbox.Check(sandbox.Outside(h.Meter, func() (stream.Stream, error) { s := v.Once(); return s, s.Err() }))
	sandbox.Raise(h.hold(8 * int64(s.Len())))
	return h.push(L, s)
}

// describe is tostring of a vector or a u64.
func describe(L *glua.LState) (int, error) {
	return sandbox.Return(L, glua.LString(fmt.Sprint(L.CheckUserData(1).Value)))
}

// length is #v, math.huge for a vector without an end.
func length(L *glua.LState) (int, error) {
	n := L.CheckUserData(1).Value.(*vector).Len()
	return sandbox.Return(L, glua.LNumber(lists.Either(n == stream.Endless, math.Inf(1), float64(n))))
}

// method makes a method of a kind: the vector is its first stream, the arguments are the rest, in declared order.
func (h *host) method(kind stream.Kind) sandbox.Function {
	names := append(slices.Clone(kind.Inputs[1:]), kind.ParamNames()...)
	return func(L *glua.LState) (int, error) {
		v := self(L, kind.Name, len(names))
		return h.push(L, sandbox.Check(h.stream("v:", kind, []stream.Stream{v.Stream}, func(name string) glua.LValue {
			return L.Get(2 + slices.Index(names, name))
		})))
	}
}

// stream makes a stream of a kind from arguments by name. The first inputs are given.
func (h *host) stream(prefix string, kind stream.Kind, inputs []stream.Stream, argument func(name string) glua.LValue) (stream.Stream, error) {
	for _, name := range kind.Inputs[len(inputs):] {
		s, err := operand(argument(name))
		if err != nil {
			return s, fmt.Errorf("%s %w", name, err)
		}
		inputs = append(inputs, s)
	}
	params := stream.Params{}
	if err := lists.Each(kind.Params, func(p stream.Param) error { return h.parameter(params, p, argument(p.Name)) }); err != nil {
		return stream.Stream{}, err
	}
	s := stream.New(kind.Name, inputs, params)
	if s.Err() != nil {
		return s, fmt.Errorf("%s%w", prefix, s.Err())
	}
	return s, nil
}

// parameter adds a Lua value to params. A missing key width is the table's.
func (h *host) parameter(params stream.Params, p stream.Param, v glua.LValue) (err error) {
	n, isU64 := sandbox.Value[u64](v)
	switch absent := v == glua.LNil; {
	case p.Name == "seed":
		params[p.Name], err = h.seed(v)
	case absent && p.Name == "width":
		params[p.Name] = h.pair().Key
	case absent:
	case v.Type() == glua.LTNumber:
		params[p.Name] = float64(v.(glua.LNumber))
	case isU64:
		params[p.Name] = uint64(n)
	default:
		err = fmt.Errorf("%s is %s, it takes a number: %s", p.Name, sandbox.Describe(v), p.Hint)
	}
	return err
}

// seed reads a seed: a number, a name for one, or nil to draw one.
func (h *host) seed(v glua.LValue) (uint64, error) {
	n, isU64 := sandbox.Value[u64](v)
	switch x, isNumber := v.(glua.LNumber); {
	case v == glua.LNil:
		h.drawn++ // all states of a run draw the same seeds in the same order
		return stream.Derive(h.setup.Seed, "script "+strconv.FormatUint(h.drawn, 10)), nil
	case v.Type() == glua.LTString:
		return stream.Derive(h.setup.Seed, v.String()), nil
	case isU64 && n <= number.MaxSeed:
		return uint64(n), nil
	case isNumber && float64(x) == math.Trunc(float64(x)) && x >= 0 && x < 1<<63:
		return uint64(x), nil
	}
	return 0, number.NotSeed(sandbox.Describe(v))
}

// operator makes an operator of vectors and numbers.
func (h *host) operator(o operator) sandbox.Function {
	return func(L *glua.LState) (int, error) {
		expression := func() string { return sandbox.Describe(L.Get(1)) + " " + o.sign + " " + sandbox.Describe(L.Get(2)) }
		a, isNumber := sandbox.Whole(L.Get(1))
		if b, both := sandbox.Whole(L.Get(2)); isNumber && both && o.compute != nil {
			if b == 0 && (o.sign == "/" || o.sign == "%") {
				return 0, fmt.Errorf("%s: division by zero", expression())
			}
			return sandbox.Return(L, h.Userdata(u64(o.compute(a, b)), h.kinds.u64))
		}
		inputs, err := lists.TryMap([]glua.LValue{L.Get(1), L.Get(2)}, operand)
		if err != nil {
			return 0, fmt.Errorf("%s: an operand %w", expression(), err)
		}
		return h.push(L, stream.New(o.kind, inputs, nil))
	}
}

// operand converts a vector, or a number that stands for the same number at every index.
func operand(v glua.LValue) (stream.Stream, error) {
	if vec, ok := sandbox.Value[*vector](v); ok {
		return vec.Stream, nil
	}
	if n, ok := sandbox.Whole(v); ok {
		return stream.Const(n), nil
	}
	return stream.Stream{}, fmt.Errorf(`is %s, it takes a vector, a whole number from 0 to 2^53, or u64"..."`, sandbox.Describe(v))
}

// u64 is a 64-bit number in a script. Lua's own numbers are doubles, too coarse above 2^53.
type u64 uint64

// Uint64 makes it a whole number for sandbox.Whole.
func (n u64) Uint64() uint64 { return uint64(n) }

func (n u64) What() string { return fmt.Sprintf(`u64"%d"`, n) }

// u64 is the global u64: u64"0xffffffffffffffff", u64"123", u64(5).
func (h *host) u64(L *glua.LState) (int, error) {
	v := L.Get(1)
	n, ok := sandbox.Whole(v)
	if text, isText := v.(glua.LString); isText {
		n, ok = parse64(string(text))
	}
	if !ok {
		return 0, fmt.Errorf(`u64: %s is not a 64-bit number: it takes a text such as "123" or "0xff", or a whole number from 0 to 2^53`, sandbox.Describe(v))
	}
	return sandbox.Return(L, h.Userdata(u64(n), h.kinds.u64))
}

func parse64(text string) (uint64, bool) {
	base := 10
	if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		text, base = hex, 16
	}
	n, err := strconv.ParseUint(text, base, 64)
	return n, err == nil
}

// u64Type defines arithmetic that wraps around, and comparisons.
func (h *host) u64Type() *glua.LTable {
	metamethods := map[string]sandbox.Function{
		"__eq":       comparison(func(a, b uint64) bool { return a == b }),
		"__lt":       comparison(func(a, b uint64) bool { return a < b }),
		"__le":       comparison(func(a, b uint64) bool { return a <= b }),
		"__tostring": describe,
		"__pow":      refusing("__pow"), "__unm": refusing("__unm"),
	}
	for _, o := range operators {
		if o.compute != nil {
			metamethods[o.event] = h.operator(o)
		}
	}
	return h.metatable(metamethods)
}

func comparison(holds func(a, b uint64) bool) sandbox.Function {
	return func(L *glua.LState) (int, error) {
		a, ok1 := sandbox.Whole(L.Get(1))
		b, ok2 := sandbox.Whole(L.Get(2))
		if !ok1 || !ok2 {
			return 0, fmt.Errorf("%s and %s cannot be compared; hint: u64(x) converts a number", sandbox.Describe(L.Get(1)), sandbox.Describe(L.Get(2)))
		}
		return sandbox.Return(L, glua.LBool(holds(a, b)))
	}
}

// makeGen makes the global gen: gen.from, gen.file, and the kinds of streams that vectors do not have.
func (h *host) makeGen() glua.LValue {
	made := map[string]glua.LValue{"from": h.Called("gen.from", h.genFrom), "file": h.Called("gen.file", h.genFile)}
	for _, kind := range generators() {
		made[kind.Name] = h.Called("gen."+kind.Name, h.generator(kind))
	}
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
		f := &sandbox.Fields{Path: what}
		switch v := L.Get(1); {
		case L.GetTop() > 1 || L.GetTop() == 1 && v.Type() != glua.LTTable:
			return 0, fmt.Errorf("%s is called with %s: it takes named arguments, as in %s{ name = value }", what, sandbox.Describe(v), what)
		case L.GetTop() == 1:
			f = sandbox.Check(sandbox.Only(what, v, known))
		}
		s := sandbox.Check(h.stream("gen.", kind, nil, f.Get))
		if !f.Has("count") {
			return h.push(L, s)
		}
		if s.Len() != stream.Endless {
			return 0, fmt.Errorf("count is for vectors without an end, this one has %d numbers; hint: :take(count)", s.Len())
		}
		var count uint64
		f.Read("count", &count, "")
		sandbox.Raise(f.Err)
		return h.push(L, s.Take(count))
	}
}
