package lua

import (
	"fmt"
	"strconv"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
)

// u64 is a number of 64 bits in a script. Lua's own are doubles, which cannot tell
// 2^64-1 from 2^64-2.
type u64 uint64

func (n u64) What() string { return n.String() }

// String is the number as a script writes it.
func (n u64) String() string { return fmt.Sprintf("u64%q", strconv.FormatUint(uint64(n), 10)) }

// u64 is the global u64: u64"0xffffffffffffffff", u64"123", u64(5).
func (h *host) u64(L *glua.LState) (int, error) {
	v := L.Get(1)
	n, ok := toWhole(v)
	if text, isText := v.(glua.LString); isText {
		n, ok = parse64(string(text))
	}
	if !ok {
		return 0, fmt.Errorf(`u64: %s is no number of 64 bits: it takes a text such as "123" or "0xff", or a whole number from 0 to 2^53`, sandbox.Describe(v))
	}
	L.Push(h.Userdata(u64(n), h.kinds.u64))
	return 1, nil
}

func parse64(text string) (uint64, bool) {
	base := 10
	if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		text, base = hex, 16
	}
	n, err := strconv.ParseUint(text, base, 64)
	return n, err == nil
}

// u64Type has arithmetic that wraps around, and comparisons. With a vector on one
// side, + and the like are the vector's.
func (h *host) u64Type() *glua.LTable {
	meta := h.L.NewTable()
	for event, compute := range map[string]func(a, b uint64) uint64{
		"__add": func(a, b uint64) uint64 { return a + b },
		"__sub": func(a, b uint64) uint64 { return a - b },
		"__mul": func(a, b uint64) uint64 { return a * b },
		"__div": func(a, b uint64) uint64 { return a / b },
		"__mod": func(a, b uint64) uint64 { return a % b },
	} {
		meta.RawSetString(event, h.Function(h.arithmetic(event, compute)))
	}
	for event, holds := range map[string]func(a, b uint64) bool{
		"__eq": func(a, b uint64) bool { return a == b },
		"__lt": func(a, b uint64) bool { return a < b },
		"__le": func(a, b uint64) bool { return a <= b },
	} {
		meta.RawSetString(event, h.Function(comparison(holds)))
	}
	meta.RawSetString("__tostring", h.Function(func(L *glua.LState) (int, error) {
		L.Push(glua.LString(strconv.FormatUint(uint64(L.CheckUserData(1).Value.(u64)), 10)))
		return 1, nil
	}))
	return meta
}

func (h *host) arithmetic(event string, compute func(a, b uint64) uint64) sandbox.Function {
	kind := operators[event]
	return func(L *glua.LState) (int, error) {
		_, left := toVector(L.Get(1))
		_, right := toVector(L.Get(2))
		if left || right {
			return h.operator(kind)(L)
		}
		a, ok1 := toWhole(L.Get(1))
		b, ok2 := toWhole(L.Get(2))
		if !ok1 || !ok2 {
			return 0, fmt.Errorf("%s %s %s: it takes u64 values and whole numbers from 0 to 2^53", sandbox.Describe(L.Get(1)), signs[kind], sandbox.Describe(L.Get(2)))
		}
		if b == 0 && (kind == "div" || kind == "mod") {
			return 0, fmt.Errorf("%s %s 0: there is no such number", sandbox.Describe(L.Get(1)), signs[kind])
		}
		L.Push(h.Userdata(u64(compute(a, b)), h.kinds.u64))
		return 1, nil
	}
}

func comparison(holds func(a, b uint64) bool) sandbox.Function {
	return func(L *glua.LState) (int, error) {
		a, ok1 := toWhole(L.Get(1))
		b, ok2 := toWhole(L.Get(2))
		if !ok1 || !ok2 {
			return 0, fmt.Errorf("%s and %s cannot be compared; hint: u64(x) makes a u64 of a number", sandbox.Describe(L.Get(1)), sandbox.Describe(L.Get(2)))
		}
		L.Push(glua.LBool(holds(a, b)))
		return 1, nil
	}
}
