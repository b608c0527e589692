package sandbox

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"
	glua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/pm"
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

// found writes the first match as from-to and its captures.
func found(text, pattern string) string {
	p, err := compilePattern(pattern)
	if err != nil {
		return err.Error()
	}
	p.read = func() {}
	ends := p.search(text, 0)
	if ends == nil {
		return "none"
	}
	shown := fmt.Sprintf("%d-%d", ends[0], ends[1])
	for i, v := range p.captures(text, ends) {
		switch {
		case len(p.positions) == 0:
		case p.positions[i]:
			shown += " @" + v.String()
		default:
			shown += " " + strconv.Quote(v.String())
		}
	}
	return shown
}

func TestMatches(t *testing.T) {
	for _, c := range []struct{ subject, pattern, want string }{
		{"hello", "l+", "2-4"},
		{"hello", "^l+", "none"},
		{"hello", "o$", "4-5"},
		{"a$b", "a$b", "0-3"},
		{"key = value", "^(%w+)%s*=%s*(%w+)$", `0-11 "key" "value"`},
		{"", ".*", "0-0"},
		{"", ".", "none"},
		{"aaab", "a-b", "0-4"},
		{"aaab", "a-", "0-0"},
		{"colour color", "colou?r", "0-6"},
		{"abc", "()b()", "1-2 @2 @3"},
		{"x", "[^]]", "0-1"},
		{"0x1F", "0[xX]%x+", "0-4"},
		{"\x00a", "%za", "0-2"},
		{"a.b", "%.", "1-2"},
		{"éa", "[^\x80-\xff]", "2-3"},
		{"(nested)", "((n)(e))", `1-3 "ne" "n" "e"`},
		{"__", "%p%p", "0-2"},
		{"a b", "%G", "1-2"},
	} {
		must.Match(t, found(c.subject, c.pattern), c.want, c.pattern, c.subject)
	}
}

func TestMalformed(t *testing.T) {
	for pattern, want := range map[string]string{
		"%":                          "ends with %",
		"[a":                         "a [ without its ]",
		"[a%":                        "a [ without its ]",
		"[^]a":                       "a [ without its ]",
		"[z-a]":                      "the range z-a is reversed",
		"(a":                         "unfinished capture",
		"a)":                         "a ) without its (",
		"%b()":                       "%b is not supported",
		"%f[%w]":                     "%f is not supported",
		"(a)%1":                      "%1 is not supported",
		strings.Repeat("()", 40):     "more than 32 captures",
		strings.Repeat("a?", 600):    "it has 1200 bytes, at most 1000; hint: find(text, 1, true) looks for plain text",
		"a" + strings.Repeat("(", 9): "unfinished capture",
	} {
		must.Match(t, found("a", pattern), want, pattern)
	}
}

// Patterns that would backtrack forever end, and cost steps in proportion to the subject and the pattern.
func TestStepsOfPatterns(t *testing.T) {
	box, err := runs(t, Options{}, "return (('a'):rep(1000):find(('a-'):rep(30) .. 'b'))")
	steps := box.Meter.steps
	must.Hold(t, err == nil && box.L.Get(-1) == glua.LNil && steps >= 8000 && steps <= 9000, "%d steps, %v", steps, err)
}

// notAlike matches patterns that the interpreter's matcher reads differently from the manual.
var notAlike = regexp.MustCompile(`%[gG]|[][^$]`)

// For all other patterns the interpreter's matcher is the oracle.
func FuzzAgainstTheInterpreters(f *testing.F) {
	f.Add("key = value", "(%w+)%s*=%s*(%w+)")
	f.Add("aaab", "a-b")
	f.Add("ab\xff\x00", "()%W-%z")
	f.Fuzz(func(t *testing.T, subject, pattern string) {
		if _, err := compilePattern(pattern); err != nil || len(subject) > 16 || len(pattern) > 8 || notAlike.MatchString(pattern) {
			return
		}
		matches, err := pm.Find(pattern, []byte(subject), 0, 1)
		if err != nil {
			return // it checks the whole pattern first, Lua only what it needs
		}
		want := "none"
		if len(matches) == 1 {
			want = fmt.Sprintf("%d-%d", matches[0].Capture(0), matches[0].Capture(1))
		}
		must.Match(t, strings.SplitN(found(subject, pattern), " ", 2)[0], want, pattern, subject)
	})
}

// Sets that are easy to misread: a ] that comes first, a % after a -, a - at either end.
func TestSets(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for set, members := range map[string]string{
		"[]a]": "]a", "[a-%]]": "a-]", "[a-c-e]": "abc-e", "[-a]": "-a", "[%]]": "]", "[]-a]": "]^_`a", "[%a-z]": letters + "-", "[^%A]": letters,
	} {
		for c := range byte(128) {
			inside := strings.IndexByte(members, c) >= 0
			must.Match(t, found(string(rune(c)), set) == "0-1", inside, set, c)
		}
	}
}
