// Package sweep measures many points: schemes on the axes of scripts, each point in a run of its own. A plan says which
// points there are; a folder has the results of those that are done, under names that are digests of everything that a
// result depends on, so a sweep that was cut off continues with what is missing. Points are carried out on this
// machine, or by the tasks of a job on many.
package sweep

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	glua "github.com/yuin/gopher-lua"
	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Schema names the format of plan.json.
const Schema = "hashzoo.sweep/1"

// Plan lists the points of a sweep and the settings they share. It is the file plan.json of the sweep's folder.
type Plan struct {
	Schema   string            `json:"schema"`
	Command  []string          `json:"command"`
	Folder   string            `json:"folder"`   // where relative paths begin, seen from the sweep's folder
	Settings map[string]string `json:"settings"` // that points depend on
	Parts    []Part            `json:"parts"`
	Points   []Ref             `json:"points"` // that the parts stand for
}

// Ref refers to a point.
type Ref struct {
	Name  string `json:"name"`  // the digest of everything that its results depend on
	Title string `json:"title"` // for people: quickstart.lua a:b=4 load=0.8
	Part  int    `json:"part"`  // of the plan
}

// Part is the product of the axes of a script and of schemes.
type Part struct {
	Script     string       `json:"script" lua:"script"`
	Schemes    []string     `json:"schemes,omitempty" lua:"schemes"`
	Axis       []string     `json:"axis,omitempty"`
	Set        []string     `json:"set,omitempty"`
	Seed       *uint64      `json:"seed,omitempty" lua:"seed"` // instead of the setting
	Pair       schemes.Pair `json:"pair,omitzero"`
	Repeat     int          `json:"repeat,omitempty"`
	Count      *bool        `json:"count,omitempty" lua:"count"`
	Gauges     bool         `json:"gauges,omitempty" lua:"gauges"`
	Verify     bool         `json:"verify,omitempty" lua:"verify"`
	Thresholds []string     `json:"thresholds,omitempty" lua:"thresholds"`
	Pass       int          `json:"pass,omitempty"` // tells parts apart that are measured several times
}

// PartOf is the part of a sweep that a request measures.
func PartOf(q session.Request) Part {
	return Part{Script: q.Script, Schemes: q.Choice.Schemes, Axis: q.Axis, Set: q.Set, Pair: q.Pair, Repeat: q.Repeat,
		Count: q.Count, Gauges: q.Gauges, Verify: q.Verify, Thresholds: q.Thresholds}
}

// request is the part, with everything else as in the base.
func (p Part) request(base session.Request) session.Request {
	q := base
	q.Script, q.Choice.Schemes, q.Axis, q.Set = p.Script, p.Schemes, p.Axis, p.Set
	q.Pair, q.Repeat, q.Count, q.Gauges, q.Verify, q.Thresholds = p.Pair, p.Repeat, p.Count, p.Gauges, p.Verify, p.Thresholds
	if p.Seed != nil {
		q.Seed = *p.Seed
	}
	return q
}

// Point is a part of a plan that is measured at once.
type Point struct {
	session.Single
	Ref
}

// identity is everything that the results of a point depend on.
type identity struct {
	Point   Part
	Source  string
	Options any
	Files   []string
	Scheme  map[string]string
	Plugin  string
	Seed    uint64
	Kind    string
	Threads int
	Policy  any
	Build   results.Build
	Program string // the digest of a program that no revision names
}

// Obtain compiles the kernels that the points need and the program lacks, before processes ask for them one by one. It
// returns the first error, and compiles those of the other parts all the same.
func (p Plan) Obtain(ctx context.Context, base session.Request) (first error) {
	for _, part := range p.Parts {
		if part.Pass <= 1 { // other passes need the same
			first = cmp.Or(first, part.request(base).Obtain(ctx))
		}
	}
	return first
}

// Expand lists the points of a plan's parts, each once.
func (p Plan) Expand(ctx context.Context, base session.Request) (list []Point, err error) {
	program, err := ProgramDigest()
	if err != nil {
		return nil, err
	}
	device, err := devices.Parse(base.Device)
	if err != nil {
		return nil, session.Wrong(err)
	}
	known := map[string]bool{}
	for i, part := range p.Parts {
		singles, err := part.request(base).Split(ctx)
		if err != nil {
			return nil, err
		}
		for _, s := range singles {
			title := strings.TrimSpace(fmt.Sprintf("%s %s %s", s.Header.Script.Name, s.Config, s.Point))
			point := Point{s, Ref{nameOf(s, part.Pass, device.Kind(), program), title, i}}
			if !known[point.Name] {
				list = append(list, point)
			}
			known[point.Name] = true
		}
	}
	return list, nil
}

func nameOf(s session.Single, pass int, kind, program string) string {
	i := identity{Point: PartOf(s.Request), Source: s.Header.Script.Source, Options: s.Header.Options, Files: files(s),
		Scheme: s.Config.Settings(), Plugin: s.Config.PluginHash(), Seed: s.Seed, Kind: kind, Threads: s.Threads, Policy: s.Policy,
		Build: results.ThisBuild(), Program: program}
	i.Point.Set, i.Point.Pass = nil, pass // Options has the settings, and the defaults
	return fmt.Sprintf("%x", xxh3.Hash128(lists.Must(json.Marshal(i))).Bytes())
}

// files says of each option that is a file how long it is, and when it was changed.
func files(s session.Single) (list []string) {
	for _, o := range s.Header.Options {
		if info, err := os.Stat(o.Value); err == nil && info.Mode().IsRegular() {
			list = append(list, fmt.Sprintf("%s %d %d", o.Name, info.Size(), info.ModTime().UnixNano()))
		}
	}
	return list
}

// ProgramDigest is that of this program, and empty for a program that its revision names.
func ProgramDigest() (string, error) {
	if b := results.ThisBuild(); b.Revision != "" && !b.Modified {
		return "", nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", xxh3.Hash128(program).Bytes()), nil
}

// Here is the way from the folder to the current one.
func (f Folder) Here() (string, error) {
	from, err := filepath.Abs(string(f))
	to, wrong := filepath.Abs(".")
	if err := errors.Join(err, wrong); err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}

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

func readPart(v glua.LValue) (p Part, err error) {
	var given struct { // the fields that are written otherwise in a part
		*Part
		Axes    map[string][]string `lua:"axes"`
		Set     map[string][]string `lua:"set"`
		Pair    string              `lua:"pair"`
		Repeats uint64              `lua:"repeats" min:"1"`
	}
	given.Part = &p
	f, err := sandbox.Decode("sweep", v, &given)
	if err != nil {
		return p, err
	}
	if !f.Has("script") {
		return p, errors.New(`sweep: script is missing, as in sweep{ script = "quickstart" }`)
	}
	p.Axis, p.Set, p.Repeat = settings(given.Axes), settings(given.Set), int(given.Repeats)
	if f.Has("pair") {
		var known bool
		if p.Pair, known = schemes.FindPair(given.Pair); !known {
			err = fmt.Errorf("sweep.pair is %q: it takes %s", given.Pair, strings.Join(schemes.PairNames(), ", "))
		}
	}
	return p, err
}

// settings writes { name = { value, value } } as name=value,value.
func settings(values map[string][]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(values)) { // tables have no order
		list = append(list, name+"="+strings.Join(values[name], ","))
	}
	return list
}
