package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/lua"
)

// ReadParts reads a plan in Lua: each call of sweep{...} is a part. A file that calls it nowhere is a
// workload, and has no parts.
func ReadParts(path string, limits lua.Limits) ([]Part, error) {
	if _, ok := scripts.Get(path); ok {
		return nil, nil
	}
	source, err := regular.Read(path, sandbox.MaxSource)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	box, err := sandbox.New(sandbox.Options{Limits: sandbox.Limits{Steps: limits.Steps, Time: limits.Time, Memory: limits.Memory},
		File: path, Subject: "the plan", Setting: "lua."})
	if err != nil {
		return nil, err
	}
	defer box.Close()
	var p planned
	box.SetFunctions("", map[string]sandbox.Function{"sweep": p.sweep})
	err = box.Do(path, string(source), 0)
	if !p.called {
		return nil, nil // whatever is wrong with it is said of a workload
	}
	return p.parts, err
}

// planned has the parts of all calls of sweep.
type planned struct {
	parts  []Part
	called bool
}

// maxParts bounds the calls of sweep.
const maxParts = 10_000

func (p *planned) sweep(L *glua.LState) (int, error) {
	p.called = true
	if len(p.parts) == maxParts {
		return 0, fmt.Errorf("sweep is called more than %d times; hint: give a call more values of axes", maxParts)
	}
	part, err := readPart(L.Get(1))
	p.parts = append(p.parts, part)
	return 0, err
}

// given are the fields of sweep{...}.
type given struct {
	Script  string              `lua:"script"`
	Schemes []string            `lua:"schemes"`
	Axes    map[string][]string `lua:"axes"`
	Set     map[string][]string `lua:"set"`
	Seed    uint64              `lua:"seed"`
	Pair    string              `lua:"pair"`
	Repeats uint64              `lua:"repeats" min:"1"`
	Count   bool                `lua:"count"`
	Gauges  bool                `lua:"gauges"`
	Verify  bool                `lua:"verify"`

	Thresholds []string `lua:"thresholds"`
}

func readPart(v glua.LValue) (p Part, err error) {
	var g given
	f, err := sandbox.Decode("sweep", v, &g)
	if err != nil {
		return p, err
	}
	if !f.Has("script") {
		return p, errors.New(`sweep: script is missing, as in sweep{ script = "quickstart" }`)
	}
	p = Part{
		Script: g.Script, Schemes: g.Schemes, Axis: settings(g.Axes), Set: settings(g.Set), Thresholds: g.Thresholds,
		Repeat: int(g.Repeats), Gauges: g.Gauges, Verify: g.Verify,
	}
	if f.Has("seed") {
		p.Seed = &g.Seed
	}
	if f.Has("count") {
		p.Count = &g.Count
	}
	if f.Has("pair") {
		if p.Pair, err = pairOf(g.Pair); err != nil {
			return p, err
		}
	}
	return p, nil
}

func pairOf(text string) (schemes.Pair, error) {
	pair, ok := schemes.FindPair(text)
	if !ok {
		return pair, fmt.Errorf("sweep.pair is %q: it takes %s", text, strings.Join(schemes.PairNames(), ", "))
	}
	return pair, nil
}

// settings writes { name = { value, value } } as name=value,value.
func settings(values map[string][]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(values)) { // tables have no order
		list = append(list, name+"="+strings.Join(values[name], ","))
	}
	return list
}
