package pattern

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/gopher-lua/pm"
)

func find(subject, pattern string, from int) (Match, error) {
	return New(subject, pattern, func(int) {}).Find(from)
}

// show writes a match as from-to and its captures.
func show(subject string, m Match) string {
	if m == nil {
		return "none"
	}
	text := fmt.Sprintf("%d-%d", m[0].Start, m[0].End)
	for _, c := range m[1:] {
		if c.Position {
			text += fmt.Sprintf(" @%d", c.Start)
		} else {
			text += fmt.Sprintf(" %q", subject[c.Start:c.End])
		}
	}
	return text
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
		{"f(a(b)c)d", "%b()", "1-8"},
		{"f(a(b", "%b()", "none"},
		{"THE (quick) fox", "%f[%a]%a+%f[%A]", "0-3"},
		{"x", "%f[%z]", "1-1"},
		{`say "it's" now`, `(["'])(.-)%1`, `4-10 "\"" "it's"`},
		{"abc", "()b()", "1-2 @1 @2"},
		{"a-z", "[a%-z]+", "0-3"},
		{"a-z", "[a-]+", "0-2"},
		{"]", "[]]", "0-1"},
		{"x", "[^]]", "0-1"},
		{"0x1F", "0[xX]%x+", "0-4"},
		{"\x00a", "%za", "0-2"},
		{"a.b", "%.", "1-2"},
		{"éa", "[^\x80-\xff]", "2-3"},
		{"(nested)", "((n)(e))", `1-3 "ne" "n" "e"`},
		{"__", "%p%p", "0-2"},
		{"a b", "%G", "1-2"},
	} {
		m, err := find(c.subject, c.pattern, 0)
		if err != nil {
			t.Errorf("%q in %q: %v", c.pattern, c.subject, err)
		} else if have := show(c.subject, m); have != c.want {
			t.Errorf("%q in %q: %s, want %s", c.pattern, c.subject, have, c.want)
		}
	}
}

func TestFindFrom(t *testing.T) {
	m, err := find("a1b2", "%d", 2)
	if err != nil || m == nil || m[0].Start != 3 {
		t.Errorf("%v, %v", m, err)
	}
	if m, _ := find("aab", "^a", 1); m == nil || m[0].Start != 1 {
		t.Errorf("an anchor holds where the search starts: %v", m)
	}
}

func TestMalformed(t *testing.T) {
	for pattern, want := range map[string]string{
		"%":                          "ends with %",
		"[a":                         "a [ without its ]",
		"[a%":                        "a [ without its ]",
		"(a":                         "unfinished capture",
		"a)":                         "a ) without its (",
		"%b(":                        "%b takes two characters",
		"%f":                         "%f takes a set",
		"%1":                         "%1 refers to a capture",
		"%0":                         "%0 refers to a capture",
		"(a%1)":                      "%1 refers to a capture",
		strings.Repeat("()", 40):     "more than 32 captures",
		strings.Repeat("a?", 300):    "too complex",
		"a" + strings.Repeat("(", 9): "unfinished capture",
	} {
		_, err := find(strings.Repeat("a", 400), pattern, 0)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", pattern, err, want)
		}
	}
}

// The meter stops a pattern that backtracks forever.
func TestMeterStops(t *testing.T) {
	type tooLong struct{}
	steps := 0
	defer func() {
		if _, ok := recover().(tooLong); !ok || steps > 1_000_001 {
			t.Errorf("the search was not stopped in time: %d steps", steps)
		}
	}()
	New(strings.Repeat("a", 1000), strings.Repeat("a-", 30)+"b", func(n int) {
		if steps += n; steps > 1_000_000 {
			panic(tooLong{})
		}
	}).Find(0)
	t.Error("the search ended")
}

// notAlike matches patterns that the interpreter's matcher reads differently from the manual.
var notAlike = regexp.MustCompile(`%[fgFG0-9]|[][^$]`)

// For all other patterns the interpreter's matcher is the oracle.
func FuzzAgainstTheInterpreters(f *testing.F) {
	f.Add("key = value", "(%w+)%s*=%s*(%w+)")
	f.Add("aaab", "a-b")
	f.Add("f(a(b)c)d", "%b()x?")
	f.Fuzz(func(t *testing.T, subject, pattern string) {
		if len(subject) > 16 || len(pattern) > 8 {
			return
		}
		m, err := find(subject, pattern, 0)
		if err != nil || notAlike.MatchString(pattern) {
			return // malformed, or read differently
		}
		want, err := pm.Find(pattern, []byte(subject), 0, 1)
		if err != nil {
			return // it checks the whole pattern first, Lua only what it needs
		}
		if (m != nil) != (len(want) == 1) || m != nil && (m[0].Start != want[0].Capture(0) || m[0].End != want[0].Capture(1)) {
			t.Errorf("%q in %q: %v, want %v", pattern, subject, m, want)
		}
	})
}

// Sets that are easy to misread: a ] that comes first, a % after a -, a - at either end.
func TestSets(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for set, members := range map[string]string{
		"[]a]": "]a", "[a-%]]": "]", "[a-c-e]": "abc-e", "[-a]": "-a", "[%]]": "]", "[]-a]": "]^_`a", "[%a-z]": letters + "-", "[^%A]": letters,
	} {
		for c := range byte(128) {
			m, err := find(string(rune(c)), set, 0)
			if inside := strings.IndexByte(members, c) >= 0; err != nil || (m != nil) != inside {
				t.Errorf("%s and %q: %v, %v", set, c, m, err)
			}
		}
	}
}
