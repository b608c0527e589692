package lua

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/results"
)

func TestPlots(t *testing.T) {
	s := inspected(t, `axes = { load = { 0.5, 0.8 } }
		plots = {
			{ x = "load", y = "mops" },
			{ x = "capacity", y = "good %", group = { "scheme", "pair" }, log = "xy", title = "A", xlabel = "B", ylabel = "C",
			  where = { op = "find", load = { 0.5, 0.8 } } },
		}`+rest)
	if want := []results.Plot{
		{X: "load", Y: "mops"},
		{X: "capacity", Y: "good %", Group: []string{"scheme", "pair"}, Log: "xy", Title: "A", XLabel: "B", YLabel: "C",
			Where: map[string][]string{"op": {"find"}, "load": {"0.5", "0.8"}}},
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
	} {
		_, err := Inspect("test.lua", "axes = { load = { 0.5 } } "+source+rest, nil, generous)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", source, err, want)
		}
	}
}
