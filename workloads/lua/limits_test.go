package lua

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Endless loops in every place where a script can have one.
func TestLoopsEnd(t *testing.T) {
	for _, lines := range []string{
		"while true do end",
		"repeat until false",
		"for i = 1, math.huge do end",
		"::again:: goto again",
		"local function f() return f() end f()",
		"while true do pcall(function() while true do end end) end",
		"while true do xpcall(function() while true do end end, function() while true do end end) end",
		"print(setmetatable({}, { __tostring = function() while true do end end }))",
		"print(setmetatable({}, { __index = function() while true do end end }).x)",
		"local a = setmetatable({}, { __concat = function() while true do end end }) print(a .. 1)",
		"table.sort({ 3, 2, 1 }, function() while true do end end)",
		"string.gsub('abc', '.', function() while true do end end)",
		"local t = {} for i = 1, 1e5 do t[i] = i end while true do table.sort(t, function(a, b) return a > b end) end",
		"while true do string.rep('x', 1000000) end",
		"while true do ('x'):rep(1000):find('y') end",
		"local s = ('x'):rep(1000000) while true do s:find('y', 1, true) end",
		"while true do for _ in ('x'):rep(100000):gmatch('x-y') do end end",
		"while true do ('x'):rep(100000):gsub('x-x-x-x-y', '') end",
		"while true do print('x') end",
		"local s = ('x'):rep(1000000) while true do print(s) end",
		"while true do gen.unique{ n = 5 } end",
		"while true do t:find(gen.unique{ n = 5 }) end",
		"while true do t:clear() end",
	} {
		s := begun(t, body(lines))
		s.table.forgets = true
		s.Meter.Limits.Steps = 300_000
		err := s.Prepare()
		must.Hold(t, err != nil && strings.Contains(err.Error(), "ran 300000 instructions in one call, the limit") && strings.HasPrefix(err.Error(), "test.lua:2: "),
			"%s: %v", lines, err)
		must.Say(t, s.Prepare(), "the script was stopped before", lines)
	}
}

func TestLoopsEndWhereverTheyAre(t *testing.T) {
	loop := "while true do end"
	for where, source := range map[string]string{
		"own lines": "shape = { n = 1, load = 1 } " + loop,
		"event":     "shape = { n = 1, load = 1 } stages = { batches = 1 } function event(t) " + loop + " end",
		"done":      "shape = { n = 1, load = 1 } function prepare(t) end function done(s) " + loop + " end",
		"from":      body("gen.from(function(i) " + loop + " end, { n = 5 })"),
	} {
		limits := generous
		limits.Steps = 100_000
		s, err := Inspect("test.lua", source, nil, limits)
		if err == nil {
			err = runAll(s, &fake{config: config(t, "bcht")})
		}
		must.Say(t, err, "instructions in one call", where)
	}
}

// Each call has its own limits.
func TestStepsAreOfOneCall(t *testing.T) {
	s := begun(t, `shape = { n = 1, load = 1 } stages = { batches = 1 }
		function event() for i = 1, 1000 do end end`)
	s.Meter.Limits.Steps = 3000
	for i := range uint64(20) {
		must.Get(s.Event(i+1, "run"))(t)
	}
}

// Batches count against a budget of the call, however small they are and whoever catches errors.
func TestBatchesAreBounded(t *testing.T) {
	for _, line := range []string{
		"for i = 1, 1e9 do t:find(gen.unique{ n = 1 }) end",
		"for i = 1, 1e9 do t:fill(gen.unique{ n = 1 }, 1) end",
		"while true do pcall(t.mix, t, { find = 1, keys = gen.unique{ n = 1 } }) end",
	} {
		s := begun(t, body("t:find(gen.unique{ n = 1 }) "+line))
		s.table.forgets, s.script.limits.Batches = true, 50
		err := s.Prepare()
		want := "the script asked for 51 batches in one call, the limit is 50; hint: give each batch more keys, or raise lua.batches"
		must.Hold(t, err != nil && strings.Contains(err.Error(), want) && strings.HasPrefix(err.Error(), "test.lua:2: "), "%s: %v", line, err)
	}
	s := begun(t, `shape = { n = 1, load = 1 } stages = { batches = 9 }
		function event(t) for i = 1, 40 do t:find(gen.unique{ n = 1 }) end end`)
	s.script.limits.Batches = 50
	for i := range uint64(3) {
		must.Say(t, must.Err(s.Event(i+1, "run")), "", "each call has its own budget")
	}
}

// The time of a call excludes waiting for a batch.
func TestTimeIsTheScripts(t *testing.T) {
	s := begun(t, body("t:clear() t:find(gen.unique{ n = 5 }) for i = 1, 1000 do end for i = 1, 1e9 do t:clear() end"))
	now := time.Now()
	s.Meter.Now = func() time.Time { return now }
	clears := 0
	table := &timed{fake: s.table, do: func() { now = now.Add(time.Hour) }, clear: func() { clears++; now = now.Add(time.Second) }}
	s.host.table = table
	must.Begin(t, s.Prepare(), "test.lua:2: the script ran for 1m0s in one call, the limit; hint: raise lua.time")
	must.Hold(t, clears >= 60 && clears <= 60+sandbox.LookEvery, "it ended after %d seconds", clears)
}

// timed is a table whose batches take time.
type timed struct {
	*fake
	do, clear func()
}

func (t *timed) Do(b engine.Batch) (engine.Sample, error) { t.do(); return t.fake.Do(b) }
func (t *timed) Clear(reseed bool) error                  { t.clear(); return t.fake.Clear(reseed) }

func TestContextEndsScripts(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := begun(t, body("t:clear() while true do pcall(function() while true do end end) end"), func(s *Script, _ *run.Setup) { s.Context = ctx })
	s.host.table = &timed{fake: s.table, clear: cancel}
	err := s.Prepare()
	must.Hold(t, errors.Is(err, context.Canceled), "%v, want that the context was cancelled", err)
}

// Values that grow until memory runs out.
func TestMemoryIsBounded(t *testing.T) {
	for _, lines := range []string{
		"local x = {} for i = 1, 1e9 do x[i] = {} end",
		"x = {} for i = 1, 1e9 do x[i .. ''] = i end",
		"local x = {} for i = 1, 1e9 do x[i] = {} x[i][100000] = 1 x[i][100000] = nil end",
		"local x = {} for i = 1, 1e9 do x[i % 10] = {} for j = 1, 1e9 do x[i % 10][j] = j x[i % 10][j] = nil x[i % 10][j + 0.5] = j end end",
		"local x, s = {}, string.rep('x', 100000) for i = 1, 1e9 do x[i] = s .. i end",
		"local x for i = 1, 1e9 do local y = x x = function() return y end end",
		"local x for i = 1, 1e9 do x = { x } end",
		"local x, s = {}, string.rep('x', 100000) for i = 1, 1e9 do x[i] = string.gmatch(s .. i, 'x') end",
		"local x = {} for i = 1, 1e9 do x[i] = gen.unique{ n = 5 } end",
		"local x = {} for i = 1, 1e9 do x[i] = u64(5) end",
		"local function f(x) local y = string.rep('x', 1000000) .. x f(x + 1) return y end f(1)",
		"local function f(...) while true do rawset(..., #..., 5) rawset(..., #... + 1, {}) end end f({ 1 })",
		"local x = {} while true do pcall(function() for i = #x + 1, 1e9 do x[i] = {} end end) end",
	} {
		s := begun(t, body(lines))
		s.Meter.Limits.Memory = 1 << 23
		err := s.Prepare()
		must.Say(t, err, "in tables and strings, the limit is 8388608", lines)
	}
}

// Garbage does not count, however large.
func TestGarbageIsFree(t *testing.T) {
	s := begun(t, body(`
		for i = 1, 200000 do local x = { i, { i } } end
		for i = 1, 300 do local s = string.rep("x", 1000000) .. i end
		local shared, x = string.rep("x", 1000000), {}
		for i = 1, 1000 do x[i] = shared end
		for i = 1, 100 do keys = gen.from(function(i) return i end, { n = 10000 }) end`))
	s.Meter.Limits.Memory, s.script.limits.Vectors = 1<<24, 200_000
	must.OK(t, s.Prepare())
}

func TestVectorsAreBounded(t *testing.T) {
	s := begun(t, body("local x = {} for i = 1, 1000 do x[i] = gen.from(function(k) return k + i end, { n = 1000 }) * 2 + i end"))
	s.script.limits.Vectors = 100_000
	must.Say(t, s.Prepare(), "gen.from: 8000 bytes of numbers and the 96000 bytes that vectors hold exceed the limit of 100000; hint: raise lua.vectors")
}

// Nested calls, through everything that calls.
func TestRecursionEnds(t *testing.T) {
	for _, lines := range []string{
		"local function f() return 1 + select(2, pcall(f)) end f() f()",
		"local function f() local ok, e = pcall(f) error(e, 0) end f()",
		"local m = {} m.__index = function(x, k) return x[k + 1] end print(setmetatable({}, m)[1])",
		"local m = {} m.__tostring = function(x) return tostring(x) end print(tostring(setmetatable({}, m)))",
		"local m = {} m.__add = function(a, b) return a + b end print(setmetatable({}, m) + 1)",
		"local m = {} m.__lt = function(a, b) return a < b end m = setmetatable({}, m) print(m < m)",
		"local m = {} m.__concat = function(a, b) return a .. b end print(setmetatable({}, m) .. 1)",
		"local m = {} setmetatable(m, { __index = m }) print(m.x)",
		"local function f(s) return s:gsub('.', f) end f('abc')",
		"local function f() table.sort({ 1, 2, 3 }, f) end f()",
		"local function f() gen.from(f, { n = 1 }) end f()",
		"local function f() return xpcall(f, f) end print(f()) error('done')",
	} {
		must.Say(t, must.Err(prepared(t, lines)), "test.lua", lines)
	}
}

// Strings and stacks that a single call would make too large.
func TestSizesAreBounded(t *testing.T) {
	const long = "the string would be longer than 1048576 bytes"
	for lines, want := range map[string]string{
		"string.rep('x', 2^20 + 1)":                          long,
		"string.rep('xx', 2^62)":                             long,
		"local s = string.rep('x', 600000) print(#(s .. s))": long,
		"local s = string.rep('x', 30000) print(#(s" + strings.Repeat(" .. s", 60) + "))":     long,
		"print(#table.concat({ string.rep('x', 600000), string.rep('x', 600000) }))":          long,
		"local x = {} for i = 1, 1e4 do x[i] = '' end table.concat(x, string.rep('x', 1000))": long,
		"string.gsub(string.rep('x', 2000), 'x', string.rep('y', 1000))":                      long,
		"string.gsub('x', 'x', string.rep('%0%0', 200000))":                                   "",
		"string.gsub(string.rep('x', 1000), '.+', string.rep('%0', 2000))":                    long,
		"string.format('%s%s', string.rep('x', 600000), string.rep('x', 600000))":             long,
		"string.format('%100d', 1)":                                                        "%100d is wider than 99",
		"string.format('%.100f', 1)":                                                       "%.100f is wider than 99",
		"string.format(string.rep('%99d', 20000), unpack({}))":                             "value 1 is missing",
		"local x = {} for i = 1, 1e4 do x[i] = string.rep('x', 1000) end print(unpack(x))": long,
		"string.rep('x', 200000):byte(1, -1)":                                              "registry overflow",
		"local x = {} for i = 1, 2e5 do x[i] = i end return unpack(x)":                     "registry overflow",
		"t:note(1)": "the remark is 1",
		"for i = 1, 200 do t:note('remark ' .. i) end": "more than 100 different remarks",
	} {
		must.Say(t, must.Err(prepared(t, lines)), want, lines)
	}
}

// Long errors are shortened to one line.
func TestErrorsAreShort(t *testing.T) {
	_, err := prepared(t, "error(string.rep('long\\n', 100000))")
	must.Hold(t, err != nil && len(err.Error()) <= 2*sandbox.MaxText && !strings.Contains(err.Error(), "\n"), "%.200v", err)
	_, err = prepared(t, "local x = '"+strings.Repeat("a", 5000)+"' error('no')")
	must.Hold(t, err != nil && len(err.Error()) <= 200, "%v", err)
}

// The weight of a table is close to what Go allocates.
func TestWeights(t *testing.T) {
	for lines, per := range map[string][2]float64{
		"x = {} for i = 1, 1e5 do x[i] = i end":                            {16, 60},
		"x = {} for i = 1, 1e5 do x['k' .. i] = i end":                     {100, 300},
		"x = {} for i = 1, 1e5 do x[i + 0.5] = true end":                   {80, 250},
		"x = {} for i = 1, 1e5 do x[i] = 'a text of some length' .. i end": {40, 120},
	} {
		s := does(t, lines)
		each := float64(s.Weigh().Bytes) / 1e5
		must.Hold(t, each >= per[0] && each <= per[1], "%s: %.0f bytes an entry, want %v", lines, each, per)
	}
	empty := does(t, "").Weigh().Bytes
	must.Hold(t, empty <= 200_000, "an idle script holds %d bytes", empty)
}

var errTable = errors.New("made up by the table")

// A failure of the table ends the script and cannot be caught.
func TestFailuresOfTheTable(t *testing.T) {
	for _, lines := range []string{
		"t:find(gen.unique{ n = 5 })",
		"pcall(t.find, t, gen.unique{ n = 5 }) print('caught')",
		"while true do pcall(t.find, t, gen.unique{ n = 5 }) end",
		"while true do pcall(t.clear, t) end",
	} {
		s := begun(t, body(lines))
		s.table.fail = fmt.Errorf("scheme x: %w", errTable)
		err := s.Prepare()
		var located *sandbox.Error
		must.Hold(t, errors.Is(err, errTable) && errors.As(err, &located), "%s: %v", lines, err)
		must.Hold(t, len(s.printed) == 0, "%s: it was caught", lines)
	}
	s := begun(t, body("t:find(gen.unique{ n = 5 })"))
	s.table.fail = errTable
	must.Equal(t, s.Prepare(), "test.lua:2: t:find: made up by the table | t:find(gen.unique{ n = 5 })")
}

// Scripts that share files read each of them once, as it is: when it changes, they read it again.
func TestFilesAreShared(t *testing.T) {
	limits, heard := generous, 0
	limits.Files, limits.Reading = &sync.Map{}, func(_ string, share float64) { heard += int(share) }
	for i, text := range []string{"id\n1\n", "id\n1\n", "id\n1\n2\n"} {
		before, folder := heard, fstest.MapFS{"a.csv": {Data: []byte(text)}}
		_, err := Inspect("a.lua", `shape = { n = 10, load = 0.5 } function prepare(t) end a = gen.file("a.csv", { column = "id" })`, folder, limits)
		must.Hold(t, err == nil && (heard > before) == (i != 1), "file %d: %d after %d, %v", i, heard, before, err)
	}
}

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
