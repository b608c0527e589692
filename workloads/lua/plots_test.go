package lua

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
)

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
