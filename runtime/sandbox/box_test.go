package sandbox

import (
	"strings"
	"testing"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// workloads/lua tests what scripts may do; these tests cover what a box guarantees to Go.

var small = Limits{Steps: 1_000_000, Time: time.Minute, Memory: 1 << 22}

// runs runs a source in a new box.
func runs(t *testing.T, o Options, source string) (*Box, error) {
	t.Helper()
	o.Limits, o.File, o.Subject = small, "a.lua", "the code"
	box := must.Get(New(o))(t)
	t.Cleanup(box.Close)
	return box, box.Do(o.File, source, 1)
}

func TestLimitErrors(t *testing.T) {
	for _, c := range []struct{ setting, source, want string }{
		{"", "while true do end", "a.lua:1: the code ran 1000000 instructions in one call, the limit; hint: check for an endless loop | while true do end"},
		{"x.", "while true do end", "hint: check for an endless loop, or raise x.steps"},
		{"", "local a = {} for i = 1, 20 do a[i] = string.rep('x', 2^19) .. i end", "the code holds"},
	} {
		_, err := runs(t, Options{Setting: c.setting}, c.source)
		must.Say(t, err, c.want, c.source)
		must.Hold(t, c.setting != "" || !strings.Contains(err.Error(), "raise"), "%v: no setting to raise", err)
	}
}

// Code has print only if the options have Print.
func TestPrint(t *testing.T) {
	must.Say(t, must.Err(runs(t, Options{}, "print(5)")), "attempt to call a non-function object")
	printed := ""
	_, err := runs(t, Options{Print: func(text string) { printed += text }}, "print(5, 'a')")
	must.Hold(t, err == nil && printed == "5\ta", "%q, %v", printed, err)
}

func TestWholeNumbers(t *testing.T) {
	for v, want := range map[glua.LValue]bool{
		glua.LNumber(0): true, glua.LNumber(1 << 53): true, glua.LNumber(1<<53 + 2): false, glua.LNumber(-1): false, glua.LNumber(0.5): false,
		glua.LString("1"): false, glua.LNil: false,
	} {
		n, ok := Whole(v)
		must.Hold(t, ok == want && (!ok || glua.LNumber(n) == v), "%v: %d, %v", v, n, ok)
	}
}
