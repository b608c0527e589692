package sandbox

import (
	"fmt"

	glua "github.com/yuin/gopher-lua"
)

// wanted are the first arguments of a module's functions, for errors: the interpreter calls a Go value "userdata".
var wanted = map[string]string{glua.TabLibName: aTable, glua.StringLibName: "a text", glua.MathLibName: "a number"}

const aTable = "a Lua table"

// ofTables are the functions without a module that take a table first.
var ofTables = []string{"ipairs", "next", "pairs", "rawget", "rawset", "unpack"}

// refuse makes a function of the interpreter name a Go value that it is given instead of a table, text or number.
func (box *Box) refuse(name, takes string, f glua.LValue) {
	fn, ok := f.(*glua.LFunction)
	if !ok {
		return
	}
	call := fn.GFunction
	fn.GFunction = func(L *glua.LState) int {
		if object, ok := Value[Named](L.Get(1)); ok {
			hint := "" // for all that cannot be done with the object
			if h, ok := object.(interface{ Hint() string }); ok {
				hint = "; hint: " + h.Hint()
			}
			err := fmt.Errorf("%s takes %s, not %s%s", name, takes, object.What(), hint)
			return box.raising("", func(*glua.LState) (int, error) { return 0, err })(L)
		}
		return call(L)
	}
}

// later are operators of newer versions of Lua, with the tokens at which the parser stops, and hints.
var later = []struct{ operator, token, hint string }{
	{"//", "/", "/ of vectors and u64 rounds down, and so does math.floor(a / b)"},
	{"<<", "<", "* 2^n"},
	{">>", ">", "/ 2^n of vectors and u64"},
	{"&", "&", "% 2^n keeps the lowest n bits"},
	{"|", "|", "v:xor(w) of vectors, and + where no bit is in both"},
	{"~", "~", "v:xor(w) of vectors"},
	{"!=", "!", "~="},
}
