package lua

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// prints runs lines in prepare and returns what they print.
func prints(t testing.TB, lines string) []string {
	t.Helper()
	return does(t, lines).printed
}

// names lists the keys of a table, sorted.
func names(t *glua.LTable) (list []string) {
	t.ForEach(func(k, _ glua.LValue) { list = append(list, k.String()) })
	slices.Sort(list)
	return list
}

// The exact list of what scripts can use, so that a new version of the interpreter cannot open a hole.
func TestWhatScriptsFind(t *testing.T) {
	h := does(t, "").host
	for module, want := range map[string]string{
		"": ".. _G _VERSION assert error getmetatable ipairs math next pairs pcall prepare print rawequal rawget rawset require " +
			"select setmetatable string table tonumber tostring type unpack xpcall",
		"string": "byte char find format gmatch gsub len lower match rep reverse sub upper",
		"table":  "concat insert maxn remove sort",
		"math": "abs acos asin atan atan2 ceil cos cosh deg exp floor fmod frexp huge ldexp log log10 max min modf pi pow rad " +
			"random randomseed sin sinh sqrt tan tanh",
	} {
		have := strings.Join(names(h.Module(module)), " ")
		must.Hold(t, have == want, "module %q has\n  %s\nwant\n  %s", module, have, want)
	}
}

// Known sandbox escapes. TestMetatablesCannotBeRead has the metatables that are protected.
func TestEscapes(t *testing.T) {
	for lines, want := range map[string]string{
		"string.dump(print)":               "attempt to call a non-function object",
		"setmetatable('', {})":             "cannot change a protected metatable",
		"getmetatable('').__index.rep = 1": "attempt to index",
		"gen.unique = print":               "gen.unique cannot be assigned",
		"opt = {}":                         "opt is built in and cannot be assigned",
		"_G.gen = {}":                      "gen is built in and cannot be assigned",
		"pcall(error)(1)":                  "attempt to call a non-function object",
		"rawset(t, 'x', 1)":                "rawset takes a Lua table, not the table",
		"t.insert = print":                 "attempt to index a non-table object(userdata) with key 'insert'",
		"_G['..'] = function(a, b) end print('a' .. 1)":                           "",
		"_G['..'] = nil print('a' .. 1)":                                          `unknown global ".."`,
		"print(select(-1))":                                                       "index out of range",
		"print(('x'):rep(-1) .. tostring(nil))":                                   "",
		"error(setmetatable({}, { __tostring = function() error('again') end }))": "error with a table instead of a message",
		"print(setmetatable({}, { __tostring = function() error('again') end }))": "again",
	} {
		must.Say(t, must.Err(prepared(t, lines)), want, lines)
	}
	for _, name := range strings.Fields("os io debug package coroutine load loadstring dofile loadfile setfenv getfenv collectgarbage module") {
		must.Say(t, must.Err(prepared(t, name+"()")), name+" is not available")
	}
}

// A script that changes its functions does not affect others.
func TestStatesAreApart(t *testing.T) {
	does(t, "string.upper = nil table.insert = print math.random = nil print = nil pairs = nil _G[1] = 2")
	equal(t, "printed", prints(t, "print(('a'):upper(), math.random() < 1, type(pairs), rawget(_G, 1))"), []string{"A\ttrue\tfunction\tnil"})
}

// No script output can control the terminal.
func TestTextsCannotChangeATerminal(t *testing.T) {
	const red = "\\27[31m"
	s := begun(t, `--`+" \x1b[31mtitle\n"+`options = { x = { 5, "`+red+`help" } } shape = { n = 5, load = 1 }
		stages = { name = "`+red+`hot", batches = 1 } thresholds = { "`+red+`a > 1" }
		function event(t) print("`+red+`a\nb\tc\r") t:note("`+red+`note") error("`+red+`wrong\n\n") end
		function done() return { ["`+red+`a"] = 1 } end`)
	summary, err := s.Done(nil)
	must.OK(t, err)
	_, err = s.Event(1, "hot")
	shown := append([]string{s.script.Title, s.script.Options[0].Help, s.Stages[0].Name, s.Thresholds[0], fmt.Sprint(summary), err.Error(),
		s.table.notes[0]}, s.printed...)
	equal(t, "shown", shown, []string{"?[31mtitle", "?[31mhelp", "?[31mhot", "?[31ma > 1", "map[?[31ma:1]",
		"test.lua:4: ?[31mwrong | " + strings.TrimSpace(strings.Split(s.script.Source, "\n")[3]), "?[31mnote", "?[31ma", "b\tc?"})
	for _, source := range []string{"options = { x = '\x1b' }" + rest, "axes = { x = { '\x1b' } }" + rest} {
		if _, err := Inspect("test.lua", source, nil, generous); err == nil || !strings.Contains(err.Error(), "takes number") && !strings.Contains(err.Error(), "takes a number") {
			t.Errorf("%q: %v", source, err)
		}
	}
}

func TestMetatablesCannotBeRead(t *testing.T) {
	equal(t, "printed", prints(t, "print(getmetatable(''), getmetatable(_G), getmetatable(t), getmetatable(gen.random{}), "+
		"getmetatable(opt), getmetatable(gen), getmetatable(u64(1)), getmetatable(t:find(gen.unique{ n = 5 })))"),
		[]string{strings.TrimSuffix(strings.Repeat("false\t", 8), "\t")})
}

// modules is a folder next to a file that scripts must not reach.
func modules(t *testing.T) (inside string) {
	t.Helper()
	top := t.TempDir()
	inside = filepath.Join(top, "inside")
	for path, text := range map[string]string{
		"secret.lua": "return 'secret'", "secret.csv": "id\n42\n",
		"inside/lib.lua":       "loads = (rawget(_G, 'loads') or 0) + 1 return { twice = function(x) return 2 * x end }",
		"inside/util/deep.lua": "local name = ... return name", "inside/nothing.lua": "", "inside/loop.lua": "require 'loop'",
		"inside/wrong.lua": "return 5 +", "inside/fails.lua": "local x = nil\nreturn x.y",
		"inside/keys.csv": "id,name\n1,a\n2,b\n3,b\n4294967295,d\n", "inside/util/more.csv": "7\n8\n",
	} {
		path = filepath.Join(top, path)
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.OK(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for from, to := range map[string]string{"out.lua": "../secret.lua", "out.csv": "../secret.csv", "abs.lua": filepath.Join(top, "secret.lua")} {
		must.OK(t, os.Symlink(to, filepath.Join(inside, from)))
	}
	return inside
}

// inFolder runs lines in prepare of a script in a folder.
func inFolder(t *testing.T, folder, lines string) (*started, error) {
	t.Helper()
	root := must.Get(os.OpenRoot(folder))(t)
	t.Cleanup(func() { root.Close() })
	s, err := startIn(t, root.FS(), body(lines))
	if err != nil {
		return nil, err
	}
	return s, s.Prepare()
}

func TestRequire(t *testing.T) {
	folder := modules(t)
	s, err := inFolder(t, folder, `
		local lib = require "lib"
		print(lib.twice(4), require("lib") == lib, loads, require "util.deep", require "nothing")`)
	must.OK(t, err)
	equal(t, "printed", s.printed, []string{"8\ttrue\t1\tutil.deep\ttrue"})

	for name, want := range map[string]string{
		"out": "path escapes", "abs": "path escapes", "../secret": "not a module name", "..secret": "not a module name",
		"/etc/passwd": "not a module name", "util/deep": "not a module name", "util..deep": "not a module name", "": "not a module name",
		"lib.lua": "no file lib/lua.lua", "loop": "loop.lua:1: require: module loop requires itself | require 'loop'",
		"wrong": "require: wrong.lua:1: ", "fails": "fails.lua:2: attempt to index a non-table object(nil) with key 'y' | return x.y",
	} {
		must.Say(t, must.Err(inFolder(t, folder, "require '"+name+"'")), want, name)
	}
	must.Say(t, must.Err(prepared(t, "require 'lib'")), "this script has no folder")
	huge := fstest.MapFS{"big.lua": {Data: make([]byte, 10<<20)}}
	must.Say(t, must.Err(startIn(t, huge, "require 'big'")), "the file has 262145 bytes, at most 262144")
}

func TestFiles(t *testing.T) {
	folder := modules(t)
	s, err := inFolder(t, folder, `
		local ids = gen.file("keys.csv", { column = "id" })
		local names = gen.file("./keys.csv", { column = "name", rows = 3 })
		local more = gen.file("util/more.csv", { numbered = true, as = "text" })
		local both, text = gen.file("keys.csv", { column = "id", rows = 3 }, { column = "name" })
		print(#ids, #names, #more, #both, tostring(text) == tostring(names))
		t:find(ids)`)
	must.OK(t, err)
	equal(t, "printed", s.printed, []string{"4\t3\t2\t3\ttrue"})
	must.Hold(t, len(s.table.notes) == 4 && s.table.notes[0] == "keys.csv, column id: rows with one of the two largest keys, which no table takes: 1",
		"remarks %q", s.table.notes)
	must.Hold(t, strings.HasPrefix(s.table.asked[0], "find data("), "asked for %s", s.table.asked[0])

	for call, want := range map[string]string{
		`gen.file("out.csv")`:                                                    "path escapes",
		`gen.file("util/../../secret.csv")`:                                      "is not in the script's folder",
		`gen.file("/etc/passwd", { format = "csv" })`:                            "is not in the script's folder",
		`gen.file("util", { format = "csv" })`:                                   "util is a folder: it takes a regular file",
		`gen.file("keys.csv")`:                                                   "one must be named",
		`gen.file("keys.csv", { column = "nmae" })`:                              "did you mean name?",
		`gen.file("keys.csv", { colum = "id" })`:                                 "did you mean column?",
		`gen.file("keys.csv", { column = 1 })`:                                   "gen.file.column is 1, it takes a text",
		`gen.file("keys.csv", { numbered = 1 })`:                                 "gen.file.numbered is 1, it takes true or false",
		`gen.file("keys.csv", { rows = 0 })`:                                     "gen.file.rows is 0",
		`gen.file("keys.csv", { width = 5 })`:                                    "keys of 5 bytes, allowed are 4 and 8",
		`gen.file(5)`:                                                            "the file is 5, it takes a name",
		`gen.file("keys.csv", { column = "id" }, true)`:                          "gen.file is true, it takes",
		`gen.file("keys.csv", { column = "id" }, { column = "name", rows = 2 })`: "columns of one file differ in what they say about it",
	} {
		must.Say(t, must.Err(inFolder(t, folder, "print("+call+")")), want, call)
	}
	must.Say(t, must.Err(prepared(t, "gen.file('keys.csv')")), "this script has no folder")
}

// A column is read once for all instances.
func TestFilesAreReadOnce(t *testing.T) {
	folder := fstest.MapFS{"keys.csv": {Data: []byte("id\n1\n2\n")}}
	source := `ids = gen.file("keys.csv") ` + body("t:find(ids)")
	s := must.Get(startIn(t, folder, source))(t)
	delete(folder, "keys.csv")
	again := must.Get(s.script.Start(s.setup, s.table))(t)
	defer again.Close()
	for _, i := range []*run.Instance{s.Instance, again} {
		must.OK(t, i.Prepare())
	}
	equal(t, "asked for", s.table.asked[:1], s.table.asked[1:])
}

// Only the user's settings open files outside of the script's folder, and axes may depend on them.
func TestGivenFiles(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.csv")
	must.OK(t, os.WriteFile(outside, []byte("id\n5\n6\n6\n"), 0o600))
	const script = `options = { a = { "", "a table", file = true } }
		shape = { n = 100, load = 0.5 }
		local ids = opt.a ~= "" and gen.file(opt.a)
		axes = ids and {} or { x = { 1, 2 } }
		stages = { batches = 1 }
		plots = ids and { { x = "scheme", y = "mops", title = ids:distinct() .. " of " .. #ids } } or {}
		function event(t) end`
	for setting, want := range map[string]string{"a=" + outside: "2 of 3", "=" + outside: "2 of 3", "b=" + outside: ""} {
		s := must.Get(Inspect("a.lua", script, os.DirFS(modules(t)), generous, setting))(t)
		must.Hold(t, (want != "" || len(s.Axes) == 1) && (want == "" || len(s.Axes) == 0 && s.Plots[0].Title == want), "%s: %+v", setting, s)
	}
	named := fmt.Sprintf(`options = { a = { %q, "a table", file = true } }
		shape = { n = 100, load = 0.5 }
		stages = { batches = 1 }
		local ids = gen.file(opt.a)
		function event(t) end`, outside)
	must.Say(t, must.Err(Inspect("a.lua", named, os.DirFS(modules(t)), generous)), "is not in the script's folder")
	for source, want := range map[string]string{
		`{ a = { 5, "x", file = true } }`: "options.a: the default of a file is a text, empty for none; it is 5",
		`{ a = { "", "x", file = 1 } }`:   "options.a.file is 1, it takes true or false",
	} {
		must.Say(t, must.Err(Inspect("a.lua", "options = "+source, nil, generous)), want, source)
	}
	for call, want := range map[string]string{
		`gen.uniform{ n = 5 }:take(3):distinct()`: "v:distinct: take is generated on the device",
		`gen.file("").x()`:                        "the file has no name; hint: --file gives the script one",
	} {
		must.Say(t, must.Err(prepared(t, call)), want, call)
	}
}
