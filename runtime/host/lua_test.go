package host

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
)

// Errors in a source are reported when it is compiled. Errors in what it does are tested
// where tables exist (runtime/engine).
func TestHostSidesThatDoNotCompile(t *testing.T) {
	for source, want := range map[string]string{
		"": "a.lua:1: there is no function for any operation, such as function insert(t, batch)",
		"-- nothing\nlocal function insert(t, batch) end": "a.lua:1: there is no function for any operation",
		"function insert(t, batch)\nreturn 5":             "a.lua:2: the file ends too early; hint: check for a missing end or bracket | return 5",
		"function insert(t, batch)\nreturn == 5 end":      `a.lua:2: syntax error near "==" | return == 5 end`,
		"function insrt(t, batch) end":                    "a.lua:1: insrt is no operation: there are insert, find, ",
		"function count(t, batch) end":                    "a.lua:1: count is no operation",
		"\nlimit = 5":                                     "a.lua:2: limit is 5: globals are functions for operations; hint: local limit | limit = 5",
		"insert = math.floor":                             "a.lua:1: insert is a function of Lua's own: it takes one of this file",
		"insert = instert":                                `a.lua:1: unknown global "instert": did you mean assert?`,
		"function insert(t, batch) end\nflush = inserted": `a.lua:2: unknown global "inserted"`,
		"while true do end":                               "a.lua:1: the host side ran 1000000 instructions in one call",
		"require 'b'":                                     `a.lua:1: unknown global "require"`,
		"os.exit(1)":                                      `a.lua:1: unknown global "os"`,
		"error('no')":                                     "a.lua:1: no | error('no')",
	} {
		_, err := Compile("a.lua", source)
		var at *sandbox.Error
		if err == nil || !strings.HasPrefix(err.Error(), want) || !errors.As(err, &at) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", source, err, want)
		}
	}
}

func TestOperationsOfHostSides(t *testing.T) {
	ops, err := Compile("a.lua", "local function f() end function insert(t, b) return t:launch(b) end upsert = insert flush = f")
	if err != nil || len(ops) != 3 || ops["insert"] == nil || ops["upsert"] == nil || ops["flush"] == nil {
		t.Errorf("%v, %v", ops, err)
	}
}
