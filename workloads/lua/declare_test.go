package lua

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

func inspected(t testing.TB, source string) *Script {
	t.Helper()
	return must.Get(Inspect("test.lua", source, nil, generous))(t)
}

const rest = " shape = { n = 1000, load = 0.8 } function prepare(t) end"

func TestOptions(t *testing.T) {
	s := inspected(t, `-- A title.
		options = {
			n = 1e6,
			hits = { 0.5, "fraction", min = 0, max = 1 },
			low = { 5, min = 1 }, high = { default = -1, max = 10, help = "at most" },
			order = { "random", "which order" },
			fast = { false, "go fast" },
		}`+rest)
	have := lists.Map(s.Options, func(o Option) string {
		return fmt.Sprintf("%s %s (%s) %q: %s", o.Name, run.Text(o.Default), run.Kind(o.Default), o.Help, o.Allowed())
	})
	equal(t, "options", have, []string{
		`n 1000000 (number) "": a number`,
		`hits 0.5 (number) "fraction": a number, 0 to 1`,
		`low 5 (number) "": a number from 1 on`,
		`high -1 (number) "at most": a number up to 10`,
		`order random (text) "which order": a text`,
		`fast false (boolean) "go fast": true or false`,
	})
	must.Hold(t, s.Title == "A title.", "title %q", s.Title)

	values := must.Get(s.ParseOptions([]string{"n=20M", "hits=1", "order=a=b, c", "fast=true"}))(t)
	must.Match(t, fmt.Sprint(values), "map[fast:true hits:1 n:2e+07 order:a=b, c]", values)
	for setting, want := range map[string]string{
		"m=5":      `unknown option "m": did you mean n?`,
		"hist=1":   `unknown option "hist": did you mean hits or high or fast?`,
		"n":        `option "n": write name=value`,
		"n=many":   `option n is "many": it takes a number`,
		"hits=1.5": `option hits is "1.5": it takes a number, 0 to 1`,
		"hits=nan": `option hits is "nan": it takes a number, 0 to 1`,
		"low=0":    `option low is "0": it takes a number from 1 on`,
		"fast=yes": `option fast is "yes": it takes true or false`,
	} {
		must.Equal(t, must.Err(s.ParseOptions([]string{setting})), want, setting)
	}
	must.Equal(t, must.Err(inspected(t, rest).ParseOptions([]string{"n=5"})), `unknown option "n": there are none`)
	must.Equal(t, must.Err(inspected(t, "options = { load = 0.5 }"+rest).ParseAxes([]string{"load=0.6"})), "load is an option of test.lua, not an axis; hint: --set load=value")
	must.Equal(t, must.Err(inspected(t, "axes = { load = { 0.5 } }"+rest).ParseOptions([]string{"load=0.6"})), "load is an axis of test.lua, not an option; hint: --axis load=value")
}

func TestWrongOptions(t *testing.T) {
	for options, want := range map[string]string{
		"5":                        "options is 5, it takes a table",
		"{ 5 }":                    "options has 5 without a name",
		"{ ['a b'] = 5 }":          "options.a b is not a name",
		"{ n = {} }":               "options.n: the default is nil",
		"{ n = { 'x', 5 } }":       "options.n.help is 5, it takes a text",
		"{ n = { 5, 'help', 7 } }": "options.n has 7 without a name",
		"{ n = { 5, min = 'x' } }": `options.n.min is "x", it takes a number`,
		"{ n = { 'x', max = 5 } }": `options.n: min and max are for numbers, the default is "x"`,
		"{ n = { 5, max = 4 } }":   "options.n: the default is 5, it takes a number up to 4",
		"{ n = 0/0 }":              "options.n: the default is NaN",
		"{ n = math.huge }":        "options.n: the default is +Inf",
		"{ n = print }":            "options.n: the default is a function",
	} {
		must.Say(t, must.Err(Inspect("test.lua", "options = "+options+rest, nil, generous)), "test.lua:1: "+want, options)
	}
}

func TestAxes(t *testing.T) {
	s := inspected(t, `axes = {
		load = { 0.6, 0.8 }, kind = { "a", "b" }, fast = { true, false },
		by = { from = 0.5, to = 0.9, step = 0.1 }, down = { from = 3, to = 1, step = -1 },
		times = { from = 2 ^ 10, to = 2 ^ 13, factor = 2 },
	}`+rest)
	have := lists.Map(s.Axes, func(a run.Axis) string { return fmt.Sprint(a) })
	equal(t, "axes", have, []string{"{load [0.6 0.8]}", "{kind [a b]}", "{fast [true false]}", "{by [0.5 0.6 0.7 0.8 0.9]}", "{down [3 2 1]}",
		"{times [1024 2048 4096 8192]}"})
	for axes, want := range map[string]string{
		"5":                               "axes is 5, it takes a table",
		"{ load = 0.5 }":                  "axes.load is 0.5, it takes a list",
		"{ load = { {} } }":               "axes.load has a table, it takes numbers, texts or booleans",
		"{ load = { 1, [3] = 2 } }":       "axes.load has 2 at 3, it takes a list without gaps",
		"{ load = { from = 1, to = 2 } }": "axes.load: a range takes from, to, and either step or factor",
		"{ load = { from = 1, to = 2, step = 1, factor = 2 } }": "axes.load: a range takes from",
		"{ load = { from = 1, to = 2, step = 0 } }":             "axes.load: from 1 to 2 by 0",
		"{ load = { from = 0, to = 2, factor = 2 } }":           "axes.load: from 0 to 2 times 2",
		"{ load = { from = 1, to = 'x', step = 1 } }":           `axes.load.to is "x", it takes a number`,
		"{ load = { from = 1, to = 1e9, step = 1 } }":           "axes.load: from 1 to 1e+09 by 1",
		"{ ['a-b'] = { 1 } }":                                   "axes.a-b is not a name",
	} {
		must.Say(t, must.Err(Inspect("test.lua", "axes = "+axes+rest, nil, generous)), "test.lua:1: "+want, axes)
	}
}

// opt contains the values of the command line and of the point.
func TestOpt(t *testing.T) {
	source := "options = { n = 1000, order = 'up' } axes = { load = { 0.5, 0.7 } } shape = { n = opt.n, load = opt.load }" +
		" function prepare(t) print(opt.n, opt.order, opt.load) end"
	s := inspected(t, source)
	for _, c := range []struct {
		setup run.Setup
		want  string
	}{
		{run.Setup{}, "1000\tup\t0.5"},
		{run.Setup{Options: map[string]any{"n": 5.0}, Point: map[string]any{"load": 0.7}}, "5\tup\t0.7"},
		{run.Setup{Options: map[string]any{"order": "down"}}, "1000\tdown\t0.5"},
	} {
		table := &fake{config: config(t, "bcht")}
		c.setup.Config = table.config
		var printed []string
		s.Print = func(_, line string) { printed = append(printed, line) }
		i := must.Get(s.Start(c.setup, table))(t)
		must.OK(t, i.Prepare())
		equal(t, "opt", printed, []string{c.want})
		i.Close()
	}
	for want, setup := range map[string]run.Setup{
		"m is given, but the script declares no option or axis of that name":    {Options: map[string]any{"m": 5.0}},
		"size is given, but the script declares no option or axis of that name": {Point: map[string]any{"size": 5.0}},
		"option n is x: it takes a number":                                      {Options: map[string]any{"n": "x"}},
	} {
		must.Say(t, must.Err(s.Start(setup, &fake{config: config(t, "bcht")})), want)
	}
}

// shapeOf returns the table that a script asks for on a scheme.
func shapeOf(t testing.TB, source, scheme string) (schemes.Shape, schemes.Config, error) {
	t.Helper()
	s, err := start1(t, source+" function prepare(t) end", func(_ *Script, setup *run.Setup) { setup.Config = config(t, scheme) })
	if err != nil {
		return schemes.Shape{}, schemes.Config{}, err
	}
	return s.Shape, s.Config, nil
}

func TestShapes(t *testing.T) {
	for source, want := range map[string]schemes.Shape{
		"shape = { n = 1e6, load = 0.8 }":                            {Pair: schemes.Pair4, N: 1e6, Load: 0.8},
		"shape = { capacity = 4096, pair = 'k8v8' }":                 {Pair: schemes.Pair8, Capacity: 4096},
		"shape = { bytes = u64'0x100000000', placement = 'device' }": {Pair: schemes.Pair4, Bytes: 1 << 32},
	} {
		have, _, err := shapeOf(t, source, "bcht")
		must.Hold(t, err == nil && have == want, "%s: %+v %v, want %+v", source, have, err, want)
	}
}

// Parameters on the command line take precedence over those of the script.
func TestSchemesParameters(t *testing.T) {
	source := "shape = { n = 1000, load = 0.8, schemes = { bcht = { bucket = 4, hash = 'universal' }, ['1cht'] = { hashes = 3 } } }"
	for scheme, want := range map[string]string{
		"bcht":           "bcht:bucket=4,hash=universal",
		"bcht:bucket=8":  "bcht:hash=universal",
		"bcht:hash=fast": "bcht:bucket=4",
		"1cht":           "1cht:hashes=3",
		"1cht:hashes=5":  "1cht:hashes=5",
	} {
		_, have, err := shapeOf(t, source, scheme)
		must.Hold(t, err == nil && have.String() == config(t, want).String(), "%s becomes %v %v, want %s", scheme, have, err, want)
	}
}

func TestStages(t *testing.T) {
	for stages, want := range map[string]string{
		"{ batches = 10 }":                                   "[{ 0 10 0 0s 0 [] false 0}]",
		"{ batches = math.huge, warmup = 2 }":                fmt.Sprintf("[{ 2 %d 0 0s 0 [] false 0}]", uint64(math.MaxUint64)),
		"{ operations = 1e8, rate = 2e6 }":                   "[{ 0 0 100000000 0s 2e+06 [] false 0}]",
		"{ settle = true }":                                  "[{ 0 0 0 0s 0 [] true 0}]",
		"{ settle = 0.01 }":                                  "[{ 0 0 0 0s 0 [] true 0.01}]",
		"{ duration = 0.5, name = 'all' }":                   "[{all 0 0 0 500ms 0 [] false 0}]",
		"{ { batches = 1 }, { name = 'b', duration = 60 } }": "[{ 0 1 0 0s 0 [] false 0} {b 0 0 0 1m0s 0 [] false 0}]",
	} {
		s, err := start1(t, "shape = { n = 5, load = 1 } function event() end stages = "+stages)
		if err != nil {
			t.Errorf("%s: %v", stages, err)
		} else if have := fmt.Sprint(s.Stages); have != want {
			t.Errorf("%s is %s, want %s", stages, have, want)
		}
	}
	for stages, want := range map[string]string{
		"5":                             "stages is 5, it takes { batches = 10 }, or a list",
		"{ batches = 0 }":               "stages.batches is 0, it takes a whole number from 1 on",
		"{ batches = -math.huge }":      "stages.batches is -Inf",
		"{ duration = 0 }":              "stages.duration is 0, it takes a number",
		"{ duration = math.huge }":      "stages.duration is +Inf",
		"{ batches = 5, rate = 0 }":     "stages.rate is 0, it takes a number",
		"{ batches = 5, warmup = -1 }":  "stages.warmup is -1",
		"{ settle = 2 }":                "stages.settle is 2, it takes a number, 0.0001 to 1",
		"{ settle = true, warmup = 1 }": "stages: settle goes without rate and warmup",
		"{ batches = 5, name = 5 }":     "stages.name is 5, it takes a text",
		"{ { batches = 5 }, 5 }":        "stages[2] is 5, it takes a table",
		"{ { batches = 5 }, rate = 5 }": "stages has 5 at rate, it takes a list",
		"{ { name = 'a', batches = 5 }, { name = 'a', batches = 5 } }":                          `stages: the name "a" is taken`,
		"(function() local x = {} for i = 1, 101 do x[i] = { batches = 1 } end return x end)()": "stages has 101 items, at most 100",
	} {
		must.Say(t, must.Err(Inspect("test.lua", "shape = { n = 5, load = 1 } function event() end stages = "+stages, nil, generous)), "test.lua:1: "+want, stages)
	}
}

func TestThresholds(t *testing.T) {
	s := begun(t, "thresholds = { 'find.mops > 1', 'my own name <= 1e6' }"+rest)
	equal(t, "thresholds", s.Thresholds, []string{"find.mops > 1", "my own name <= 1e6"})
	for thresholds, want := range map[string]string{
		"'find.mops > 1'": `thresholds is "find.mops > 1", it takes a list`,
		"{ 5 }":           "thresholds[1] is 5, it takes a text",
		"{ a = 'b > 1' }": `thresholds has "b > 1" at a, it takes a list`,
	} {
		must.Say(t, must.Err(Inspect("test.lua", "thresholds = "+thresholds+rest, nil, generous)), "test.lua:1: "+want, thresholds)
	}
}

// Declarations can be read back, and other globals can be anything.
func TestGlobals(t *testing.T) {
	s := begun(t, "shape = { n = 5, load = 1 } size = shape.n * 2 local x = shape x.n = 7 _G.y = 3 function prepare(t) print(size, y, shape.n) z = 1 print(z) end")
	must.OK(t, s.Prepare())
	equal(t, "printed", s.printed, []string{"10\t3\t7", "1"})
	must.Hold(t, s.Shape.N == 7, "%+v: a declaration counts as it is at the end", s.Shape)
	for source, want := range map[string]string{
		"print(shape)" + rest:                          "test.lua:1: shape is not declared yet",
		"rawset(_G, 'stages', { batches = 1 })" + rest: "test.lua:1: stages was set by rawset, which declares nothing",
		"prepared = function() end" + rest:             "",
		"stage = { batches = 1 }" + rest:               "test.lua:1: stage is assigned but stages is not: did you mean stages?",
		"local stage = { batches = 1 }" + rest:         "",
		"stage = 'a text'" + rest:                      "",
		"function dne() end" + rest:                    "test.lua:1: dne is assigned but done is not",
		"function dump() end" + rest:                   "",
		"function done() end dne = done" + rest:        "",
	} {
		must.Say(t, must.Err(Inspect("test.lua", source, nil, generous)), want, source)
	}
}

// The lines of fields are found wherever they are written.
func TestLinesOfFields(t *testing.T) {
	source := "options = { a = 1,\n b = {\n 'x',\n min = 5 } }\nshape = {\n n = 5 }\nstages = {\n { batches = 1 },\n { batches = 0 } }"
	box := must.Get(sandbox.New(sandbox.Options{File: "test.lua"}))(t)
	must.Get(box.Compile("test.lua", source))(t)
	for path, line := range map[string]int{"options": 1, "options.a": 1, "options.b": 2, "options.b.min": 4, "options.b.max": 2, "shape": 5,
		"shape.n": 6, "shape.load": 5, "stages[2]": 9, "stages[2].batches": 9, "stages[1].rate": 8, "axes": 1, "": 1} {
		_, have := box.LineOf(path)
		must.Hold(t, have == line, "%s is on line %d, want %d", path, have, line)
	}
}

func TestDone(t *testing.T) {
	for returned, want := range map[string]string{
		"nil":                                "map[]",
		"{}":                                 "map[]",
		"{ a = 1, ['b c'] = 'x', d = true }": "map[a:1 b c:x d:true]",
		"{ mops = s.find.mops * 2, s = s.scheme }": "map[mops:5 s:bcht]",
		"{ 5 }":         "test.lua:1: the summary that done returns has 5 without a name",
		"5":             "test.lua:1: the summary that done returns is 5, it takes a table",
		"{ a = 0/0 }":   `test.lua:1: done returns NaN as "a"`,
		"{ a = s.fnd }": `test.lua:1: results: unknown result "fnd": did you mean find?`,
	} {
		s := begun(t, "function done(s) return "+returned+" end"+rest)
		have, err := s.Done(map[string]any{"scheme": "bcht", "find": map[string]any{"mops": 2.5, "ok": 5.0}})
		text := fmt.Sprint(have)
		if err != nil {
			text = err.Error()
		}
		must.Hold(t, strings.HasPrefix(text, want), "%s: %s, want %s", returned, text, want)
	}
	if s, err := start1(t, rest); err != nil {
		t.Error(err)
	} else if have, err := s.Done(nil); have != nil || err != nil {
		t.Errorf("without done: %v %v", have, err)
	}
	s := begun(t, "function done(s) for k in pairs(s) do print(k) end end"+rest)
	must.Get(s.Done(map[string]any{"b": 1.0, "c": 1.0, "a": 1.0}))(t)
	must.Hold(t, slices.Equal(s.printed, []string{"a", "b", "c"}), "pairs goes through %q", s.printed)
}

func FuzzOptions(f *testing.F) {
	for _, seed := range []string{"n=5", "n=1e6", "n=20M", "hits=0.5", "order=", "fast=true", "n=1_000", "=", "n==", "n=-0", "n=1e308G"} {
		f.Add(seed)
	}
	s := inspected(f, `options = { n = { 1000, min = 0 }, hits = { 0.5, min = 0, max = 1 }, order = "x", fast = true }`+rest)
	f.Fuzz(func(t *testing.T, setting string) {
		values, err := s.ParseOptions([]string{setting})
		if err != nil {
			return
		}
		for name, value := range values {
			o := s.Options[slices.IndexFunc(s.Options, func(o Option) bool { return o.Name == name })]
			must.Hold(t, o.takes(value), "%q: %s is %v", setting, name, value)
			if again, err := o.Parse(run.Text(value)); err != nil || again != value {
				t.Errorf("%q is %v, and written again %v: %v", setting, value, again, err)
			}
		}
		i, err := s.Start(run.Setup{Options: values, Config: config(t, "bcht")}, &fake{config: config(t, "bcht")})
		if err != nil {
			t.Errorf("%q is taken, and then is not: %v", setting, err)
		} else {
			i.Close()
		}
	})
}

func TestCount(t *testing.T) {
	for text, want := range map[string]bool{"": false, "count = true": true, "count = false": false} {
		if s, err := Inspect("test.lua", text+rest, nil, generous); err != nil || s.Count != want {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
	must.Say(t, must.Err(Inspect("test.lua", "count = 1"+rest, nil, generous)), "test.lua:1: count is 1, it takes true or false", "the script")
}

func TestMayName(t *testing.T) {
	const plain = "keys = 1\nfunction event(t) t:find(keys) end\n"
	for _, c := range []struct {
		source, name string
		want         bool
	}{
		{plain, "keys", false},
		{plain + `stages = { { name = "per load" } }`, "per load", true},
		{plain + "function done(s) return { lost = 1, ['of all'] = 2 } end", "lost", true},
		{plain + "function done(s) return { lost = 1, ['of all'] = 2 } end", "of all", true},
		{plain + "function done(s) return { lost = 1 } end", "found", false},
		{plain + `function done(s) return { ["part " .. 1] = 1 } end`, "part 1", true},
		{`local other = require "other"`, "anything", true},
	} {
		must.Match(t, (&Script{Source: c.source}).MayName(c.name), c.want, c.name, c.source)
	}
}

func TestPlots(t *testing.T) {
	s := inspected(t, `axes = { load = { 0.5, 0.8 } }
		plots = {
			{ x = "load", y = "mops" },
			{ x = "capacity", y = "good %", group = { "scheme", "pair" }, log = "xy", title = "A", xlabel = "B", ylabel = "C",
			  where = { op = "find", load = { 0.5, 0.8 } } },
			{ x = "load", y = "ms", relative = "a:b=1" },
			{ x = "load", y = "ms", relative = { scheme = "a", load = 0.5 } },
		}`+rest)
	if want := []results.Plot{
		{X: "load", Y: "mops"},
		{X: "capacity", Y: "good %", Group: []string{"scheme", "pair"}, Log: "xy", Title: "A", XLabel: "B", YLabel: "C",
			Where: map[string][]string{"op": {"find"}, "load": {"0.5", "0.8"}}},
		{X: "load", Y: "ms", Relative: map[string]string{"scheme": "a:b=1"}},
		{X: "load", Y: "ms", Relative: map[string]string{"scheme": "a", "load": "0.5"}},
	}; !reflect.DeepEqual(s.Plots, want) {
		t.Errorf("%+v", s.Plots)
	}
}

func TestWrongPlots(t *testing.T) {
	for source, want := range map[string]string{
		`plots = 3`:                                                    `plots is`,
		`plots = { { x = "load" } }`:                                   `plots[1] needs x and y`,
		`plots = { { x = "lod", y = "ms" } }`:                          `plots[1].x: unknown field "lod": did you mean load?`,
		`plots = { { x = "load", y = "ms", z = 1 } }`:                  `unknown field "z"`,
		`plots = { { x = "load", y = "ms", log = 1 }}`:                 `plots[1].log`,
		`plots = { { x = "load", y = "ms", where = { op = print } } }`: `plots[1].where.op`,
		`plots = { { x = "load", y = "ms", group = { "" } } }`:         `it takes a name such as load`,
		`plots = { { x = "load", y = "ms", relative = 3 } }`:           `plots[1].relative`,
		`plots = { { x = "load", y = "ms", relative = { how = 1 } } }`: `plots[1].relative needs a scheme`,
	} {
		_, err := Inspect("test.lua", "axes = { load = { 0.5 } } "+source+rest, nil, generous)
		must.Say(t, err, want, source)
		must.Hold(t, !strings.Contains(fmt.Sprint(err), "\n"), "%s: more than a line: %v", source, err)
	}
}

const published = `# published: A paper, Table 1
scheme,load,column,value,unit
a,0.5,mops,1000,Mop/s
`

// A file beside a script has a paper's numbers.
func TestPublished(t *testing.T) {
	script := `axes = { load = { 0.5 } } plots = { { x = "load", y = "mops", relative = "b" } }` + rest
	read := func(name, numbers, script string) (*Script, error) {
		return Inspect(name, script, fstest.MapFS{"mine.published.csv": {Data: []byte(numbers)}}, generous)
	}
	s, err := read("/some/where/mine.lua", published, script)
	must.Need(t, err == nil && len(s.Published) == 1 && s.Published[0].Value == 1000, "%v, %+v", err, s)
	if s, err = read("other.lua", published, script); err != nil || s.Published != nil {
		t.Errorf("%v: the numbers of another script", err)
	}
	for _, c := range []struct{ numbers, script, want string }{
		{"column\n1", script, "mine.published.csv:2: a figure without a source"},
		{strings.Replace(published, "load", "lood", 1), script, `mine.published.csv: unknown column "lood": did you mean load`},
		{strings.Replace(published, "mops", "mopps", 1), script, `column "mopps": no plot of the script has it as y`},
		{published, strings.Replace(script, `, relative = "b"`, "", 1), "mops in Mop/s: a plot of it needs relative"},
		{strings.Replace(published, "Mop/s", "times c", 1), script, "mops in times c: a plot of it needs relative"},
	} {
		must.Say(t, must.Err(read("mine.lua", c.numbers, c.script)), c.want, c.numbers)
	}
}
