package lua

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// careful are limits for scripts that exceed them; the expected errors contain the numbers.
var careful = Limits{Steps: 1_000_000, Time: time.Minute, Memory: 1 << 26, Vectors: 1 << 20, From: 1000, Batches: 100_000}

// runAll runs all phases of a script and returns the first error.
func runAll(s *Script, table *fake) error {
	made, err := s.Start(run.Setup{Seed: 1, Config: table.config}, table)
	if err != nil {
		return err
	}
	defer made.Close()
	if err := made.Prepare(); err != nil {
		return err
	}
	for i := range uint64(3) {
		if more, err := made.Event(i+1, "run"); err != nil {
			return err
		} else if !more {
			break
		}
	}
	_, err = made.Done(map[string]any{"size": 0.0, "insert": map[string]any{"mops": 1.0, "ms": 1.0}})
	return err
}

// Every script in testdata/broken contains one mistake, and its second line is the expected
// error. <...> stands for text that depends on the schemes.
func TestBrokenScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/broken/*.lua")
	must.Need(t, err == nil && len(paths) >= 25, "%d broken scripts: %v", len(paths), err)
	for _, path := range paths {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			source := must.Get(os.ReadFile(path))(t)
			lines := strings.SplitN(string(source), "\n", 3)
			want, ok := strings.CutPrefix(lines[1], "-- error: ")
			s, err := Inspect(name, string(source), os.DirFS("testdata/broken"), careful)
			if err == nil {
				err = runAll(s, &fake{config: config(t, "bcht")})
			}
			must.Hold(t, ok && err != nil && says(err.Error(), want), "have %v\nwant %s", err, want)
		})
	}
}

func says(have, want string) bool {
	start, end, open := strings.Cut(want, "<...>")
	if !open {
		return have == want
	}
	return strings.HasPrefix(have, start) && strings.HasSuffix(have, end)
}

// nestings are sources that nest something n times.
func nestings(n int) map[string]string {
	rep := strings.Repeat
	return map[string]string{
		"brackets":       "x = " + rep("(", n) + "1" + rep(")", n),
		"open brackets":  "x = " + rep("(", n),
		"tables":         "x = " + rep("{", n) + rep("}", n),
		"not":            "x = " + rep("not ", n) + "1",
		"minus":          "x = " + rep("- ", n) + "1",
		"length":         "x = " + rep("#", n) + "''",
		"sums":           "x = 1" + rep("+1", n),
		"powers":         "x = 1" + rep("^1", n),
		"texts":          "x = ''" + rep("..''", n),
		"texts in calls": "x = " + rep("f(''..", n) + "''" + rep(")", n),
		"and":            "x = 1" + rep(" and 1", n),
		"comparisons":    "x = 1" + rep("<1", n),
		"fields":         "x = a" + rep(".a", n),
		"indices":        "x = a" + rep("[1]", n),
		"calls":          "x = a" + rep("()", n),
		"methods":        "x = a" + rep(":a()", n),
		"blocks":         rep("do ", n) + rep("end ", n),
		"ifs":            rep("if x then ", n) + rep("end ", n),
		"elseifs":        "if x then " + rep("elseif x then ", n) + "end",
		"whiles":         rep("while x do ", n) + rep("end ", n),
		"repeats":        rep("repeat ", n) + rep("until x ", n),
		"fors":           rep("for i = 1, 2 do ", n) + rep("end ", n),
		"functions":      rep("function f() ", n) + rep("end ", n),
		"closures":       "x = " + rep("function() return ", n) + "1" + rep(" end", n),
		"locals":         rep("local a = 1 ", n),
		"arguments":      "f(" + rep("a, ", n) + "a)",
		"assignments":    rep("a,", n) + "a = 1",
		"gotos":          rep("goto a ", n) + "::a::",
		"long text":      "x = '" + rep("a", n) + "'",
		"long comment":   "--[[" + rep("a", n),
		"levels":         "x = [" + rep("=", n) + "[",
	}
}

// A source of any depth compiles or is an error; it never overflows Go's stack, which would end the program.
func TestDeepSources(t *testing.T) {
	for _, n := range []int{100, sandbox.MaxDepth, sandbox.MaxSource} {
		for what, source := range nestings(n) {
			if len(source) > sandbox.MaxSource {
				source = source[:sandbox.MaxSource]
			}
			if _, err := Inspect("deep.lua", source, nil, careful); err == nil {
				t.Errorf("%d %s: no error although shape is missing", n, what)
			} else if !strings.HasPrefix(err.Error(), "deep.lua") {
				t.Errorf("%d %s: %v", n, what, err)
			}
		}
	}
	must.Equal(t, must.Err(Inspect("long.lua", strings.Repeat(" ", sandbox.MaxSource+1), nil, careful)), "long.lua: the file has 262145 bytes, at most 262144")
}

// Realistic nesting is allowed.
func TestNestingThatIsFine(t *testing.T) {
	for what, source := range nestings(40) {
		_, err := Inspect("deep.lua", source, nil, careful)
		must.Hold(t, !strings.Contains(err.Error(), "deep than") && !strings.Contains(err.Error(), "compiled"), "%s: %v", what, err)
	}
}

// heavy is a script whose events do more than most scripts.
const heavy = `
options = { n = { 1e6, "pairs" }, hits = 0.5 }
shape = { n = opt.n, load = 0.8 }
stages = { batches = 10 }
function prepare(t)
  keys = gen.unique{ n = opt.n }
  t:insert(keys, keys * 2)
end
function event(t, i)
  local found = t:find(gen.hits{ of = keys, ratio = opt.hits, n = opt.n })
  local part = keys:slice((i * 1000) % (opt.n / 2), 1000)
  local new = keys + opt.n * i
  if found.missing > 2 * opt.n or t:load_factor() < 0 then error("cannot be") end
  t:erase(part)
  t:insert(part, part * 3 + 1)
  t:mix{ find = 0.5, update = 0.3, erase = 0.1, insert = 0.1, values = 7,
         keys = { find = keys, update = keys, erase = keys:shuffle(), insert = new % 2^32 } }
  for k = 1, 20 do last = (last or 0) + math.random(k) end
end
`

func FuzzInspect(f *testing.F) {
	for _, source := range nestings(3) {
		f.Add(source)
	}
	f.Add(body("t:insert(gen.unique{ n = 100 }, 1)"))
	f.Add(heavy)
	f.Fuzz(func(t *testing.T, source string) {
		s, err := Inspect("fuzz.lua", source, nil, Limits{Steps: 10_000, Time: careful.Time, Memory: 1 << 24, Vectors: 1 << 20, From: 10, Batches: 100_000})
		if err == nil {
			err = runAll(s, &fake{config: config(t, "bcht")})
		}
		must.Hold(t, err == nil || strings.HasPrefix(err.Error(), "fuzz.lua"), "an error without its file: %v", err)
	})
}
