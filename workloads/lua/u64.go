package lua

import (
	"fmt"
	"strconv"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
)

// u64 is a 64-bit number in a script. Lua's own numbers are doubles, too coarse above 2^53.
type u64 uint64

func (n u64) What() string { return fmt.Sprintf(`u64"%d"`, n) }

// u64 is the global u64: u64"0xffffffffffffffff", u64"123", u64(5).
func (h *host) u64(L *glua.LState) (int, error) {
	v := L.Get(1)
	n, ok := toWhole(v)
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
		a, ok1 := toWhole(L.Get(1))
		b, ok2 := toWhole(L.Get(2))
		if !ok1 || !ok2 {
			return 0, fmt.Errorf("%s and %s cannot be compared; hint: u64(x) converts a number", sandbox.Describe(L.Get(1)), sandbox.Describe(L.Get(2)))
		}
		return sandbox.Return(L, glua.LBool(holds(a, b)))
	}
}
