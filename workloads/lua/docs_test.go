package lua_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// page is the reference. Its examples run on CPU tables with the oracle.
const page = "../../docs/lua.md"

// folder contains the files that the examples read.
var folder = fstest.MapFS{
	"keys.csv":      {Data: []byte("id,name\n5,a\n999,b\n1000,c\n0,d\n4000000000,e\n")},
	"util/warm.lua": {Data: []byte("return function(t, keys) return t:find(keys) end\n")},
}

// before precedes the lines of examples that are not whole scripts.
const before = `shape = { n = 1e4, load = 0.8 } function prepare(t)
keys = gen.unique{ n = 1000 }
t:insert(keys, keys * 2)
`

// example is a piece of Lua on the page and its heading.
type example struct {
	heading, source string
	line            int
}

func examples(t *testing.T) (list []example) {
	text := must.Get(os.ReadFile(page))(t)
	heading, inside := "", false
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimLeft(line, "# ")
		case line == "```lua":
			inside = true
			list = append(list, example{heading: heading, line: i + 2})
		case line == "```":
			inside = false
		case inside:
			list[len(list)-1].source += line + "\n"
		}
	}
	return list
}

// script returns the example as a whole script.
func (e example) script() string {
	if strings.Contains(e.source, "shape =") {
		return e.source
	}
	return before + e.source + "end\n"
}

// expected returns the lines that the example claims to print, and its error.
func (e example) expected() (printed []string, failure string) {
	for _, line := range strings.Split(e.source, "\n") {
		if _, text, ok := strings.Cut(line, "--> "); ok {
			printed = append(printed, text)
		}
		if _, text, ok := strings.Cut(line, "-- error: "); ok {
			failure = text
		}
	}
	return printed, failure
}

func silent(run.Event) error { return nil }

// carryOut runs an example on a scheme and returns what it prints.
func (e example) carryOut(t *testing.T, scheme string) (printed []string, err error) {
	limits := lua.Limits{Steps: 1_000_000, Time: time.Minute, Memory: 1 << 26, Vectors: 1 << 20, From: 1000, Batches: 100_000}
	s, err := lua.Inspect("test.lua", e.script(), folder, limits)
	if err != nil {
		return nil, err
	}
	s.Print = func(_, line string) { printed = append(printed, strings.ReplaceAll(line, "\t", " ")) }
	config := must.Get(schemes.Parse(scheme))(t)
	dev := must.Get(cpu.Backend().Open(0, device.Options{Threads: 2}))(t)
	defer dev.Close()
	points, err := run.Points(s.Axes)
	if err != nil {
		return nil, err
	}
	plan := run.Plan{Script: s.Start, Schemes: []schemes.Config{config}, Points: points, Seed: 7, Counted: s.Count,
		Rules: run.Rules{Timeout: time.Minute, Verify: true, Policy: engine.Policy{Least: 6, Noise: 0.02}}}
	err = run.Run(context.Background(), dev, plan, silent)
	return printed, err
}

// names are the names in the heading.
func (e example) names() []string { return regexp.MustCompile(`[,\s]+`).Split(e.heading, -1) }

// schemes are two without much, and one for each operation of the heading that they lack.
func (e example) schemes() []string {
	list := []string{"bcht", "1cht"}
	for _, op := range e.operations() {
		able := func(name string) bool { return offers(name, op) }
		if i := slices.IndexFunc(schemes.Names(), able); i >= 0 && !slices.ContainsFunc(list, able) {
			list = append(list, schemes.Names()[i])
		}
	}
	return list
}

func (e example) operations() (list []string) {
	for _, name := range e.names() {
		if op, ok := strings.CutPrefix(name, "t:"); ok && slices.Contains(kernels.OpsOf(kernels.OnKeys, kernels.OnTable), op) {
			list = append(list, op)
		}
	}
	return list
}

func offers(scheme, op string) bool {
	s, err := schemes.Find(scheme)
	return err == nil && s.Caps.Has(op)
}

func TestExamplesOfTheReference(t *testing.T) {
	all := examples(t)
	must.Need(t, len(all) >= 30, "only %d examples", len(all))
	for _, e := range all {
		for _, scheme := range e.schemes() {
			t.Run(fmt.Sprintf("%s line %d %s", e.heading, e.line, scheme), func(t *testing.T) {
				printed, err := e.carryOut(t, scheme)
				want, failure := e.expected()
				if failure == "" && err != nil || failure != "" && (err == nil || !strings.Contains(err.Error(), failure)) {
					t.Fatalf("it ends with %v, the page says %q", err, failure)
				}
				must.Hold(t, len(printed) == 0 || slices.Equal(printed, want),
					"it prints\n  %s\nthe page says\n  %s", strings.Join(printed, "\n  "), strings.Join(want, "\n  "))
				able := !slices.ContainsFunc(e.operations(), func(op string) bool { return !offers(scheme, op) })
				must.Hold(t, len(printed) != 0 || len(want) == 0 || !able, "it prints nothing, the page says %q", want)
			})
		}
	}
}

// The page has an entry with an example for everything that scripts can use.
func TestTheReferenceIsComplete(t *testing.T) {
	documented := map[string]bool{}
	for _, e := range examples(t) {
		for _, name := range e.names() {
			documented[name] = true
		}
	}
	for _, name := range lua.Entries() {
		must.Hold(t, documented[name], "%s has no entry %q with an example", page, name)
	}
}
