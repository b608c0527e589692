// Package lua runs workload scripts: it reads their declarations, calls their functions,
// and turns their requests into batches for a table.
//
// Inspect runs a script once without a table and returns its declarations. Start runs it again for one scheme at one
// point of the axes, in a Lua state of its own. Instances with the same seed, options and point make the same streams.
//
// Scripts never run once per key: they compose streams (workloads/stream) and pass whole
// batches to a run.Table. They are untrusted: runtime/sandbox bounds what they may use. Their
// errors are *sandbox.Error values with file and line. docs/lua.md is the reference.
package lua

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// Limits bound what a script may use. They are settings and have no defaults here.
type Limits struct {
	Steps   uint64        // Lua instructions per call of the script
	Time    time.Duration // time per call, without its batches
	Memory  int64         // bytes of all reachable Lua values
	Vectors int64         // bytes of numbers in vectors of gen.from and gen.file
	From    uint64        // numbers per gen.from
	Batches uint64        // per call
	Texts   bool          // keep the texts of files, so that keys can be written as texts again
	// Reading, if set, hears now and then how much of a file was read, from 0 to 1.
	Reading func(name string, share float64)
	Files   *sync.Map // the columns of files that were read, for several scripts; nil: they share none
}

// Above reports whether a limit exceeds that of others.
func (l Limits) Above(others Limits) bool {
	return l.Steps > others.Steps || l.Time > others.Time || l.Memory > others.Memory ||
		l.Vectors > others.Vectors || l.From > others.From || l.Batches > others.Batches
}

// Script is a script with its declarations.
type Script struct {
	Name    string // as the user wrote it
	Title   string // the comment in its first line
	Source  string
	Options []Option
	Axes    []run.Axis
	Count   bool // its results are counters of instrumented kernels
	Settles bool // all of its stages settle
	Stages  []string
	Plots   []results.Plot

	Contents  Names               // of its table's columns
	Published []results.Published // of the file NAME.published.csv beside it

	// Print receives the lines that the script prints, without control characters. It may
	// be nil. Inspect does not print.
	Print func(scheme, line string)
	// Context stops all instances when it ends. It may be nil.
	Context context.Context

	folder  fs.FS
	limits  Limits
	columns sync.Map // the columns of files that were read, for all instances
}

// Inspect runs a script without a table, with the defaults of its options and the first values of its axes. It may
// read modules and data from the folder, which may be nil.
//
// The user's settings name=value have effect if one of them names a file; =value is for the only file.
func Inspect(name, source string, folder fs.FS, limits Limits, settings ...string) (*Script, error) {
	about := results.Script{Source: source}
	s := &Script{Name: name, Title: about.Title(), Source: source, folder: folder, limits: limits}
	h, err := s.load(run.Setup{}, nil, settings...)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	d := h.declared
	s.Options, s.Axes, s.Count, s.Plots, s.Contents = d.options, d.axes, d.count, d.plots, d.contents
	if s.Published, err = s.published(); err != nil {
		return nil, err
	}
	named, err := run.Named(d.stages)
	if err != nil {
		return nil, err
	}
	s.Stages = lists.Map(named, func(s run.Stage) string { return s.Name })
	s.Settles = len(d.stages) > 0 && !slices.ContainsFunc(d.stages, func(s run.Stage) bool { return !s.Settles })
	return s, nil
}

// computing finds code that may compute names.
var computing = regexp.MustCompile(`\.\.|require|string\.|concat|:(format|rep|sub|gsub|upper|lower)\(`)

// MayName reports whether a stage or a result of the script may have a name.
func (s *Script) MayName(name string) bool {
	if computing.MatchString(s.Source) || strings.Contains(s.Source, `"`+name+`"`) || strings.Contains(s.Source, "'"+name+"'") {
		return true
	}
	returned := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\s*=`)
	return strings.Contains(s.Source, "done") && returned.MatchString(s.Source)
}

// Start runs the top level of a script for a scheme at a point of the axes.
func (s *Script) Start(setup run.Setup, table run.Table) (*run.Instance, error) {
	h, err := s.load(setup, table)
	if err != nil {
		return nil, err
	}
	i, err := h.instance()
	if err != nil {
		h.Close()
	}
	return i, err
}

func (s *Script) load(setup run.Setup, table run.Table, settings ...string) (*host, error) {
	h, err := newHost(s, setup, table)
	if err != nil {
		return nil, err
	}
	h.settings, h.declaring = settings, true
	err = h.Do(s.Name, s.Source, 0)
	if h.declaring = false; err == nil {
		if wrong := sandbox.Try(h.finish); wrong != nil {
			err = h.declarationError(wrong)
		}
	}
	if err == nil {
		err = h.checkSetup()
	}
	if err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// checkSetup refuses values for unknown options and axes: a script may declare different ones on every run.
func (h *host) checkSetup() error {
	for _, values := range []map[string]any{h.setup.Options, h.setup.Point} {
		for name := range values {
			if _, ok := h.opt[name]; !ok && name != run.Repeat {
				return h.Located(h.script.Name, 0, fmt.Sprintf("%s is given, but the script declares no option or axis of that name", name), nil)
			}
		}
	}
	return nil
}

// instance is the script for the run, with the scheme's parameters that it declares.
func (h *host) instance() (*run.Instance, error) {
	d := h.declared
	var config schemes.Config
	if err := sandbox.Try(func() { config = d.shape.applied(h.setup.Config) }); err != nil {
		return nil, h.declarationError(err)
	}
	return &run.Instance{
		Shape: d.shape.Shape, Config: config, Stages: d.stages, Thresholds: d.thresholds, Answers: d.answers,
		Prepare: h.prepare, Event: h.event, Done: h.done, Close: h.Close,
	}, nil
}

func (h *host) prepare() error {
	_, err := h.call("prepare", h.handle)
	h.noteData()
	return err
}

// event reports whether the run continues: only the result false ends it.
func (h *host) event(number uint64, stage string) (more bool, err error) {
	v, err := h.call("event", h.handle, glua.LNumber(number), glua.LString(stage))
	return v != nil && v != glua.LFalse, err
}

// done returns the script's summary: numbers, texts and booleans by name.
func (h *host) done(results map[string]any) (map[string]any, error) {
	h.noteData()
	if e := h.from; e.calls > 0 && h.table != nil {
		h.table.Note(fmt.Sprintf("gen.from made %d numbers in Lua, calls: %d, in %.0f ms outside the measured time",
			e.numbers, e.calls, e.took.Seconds()*1e3))
	}
	h.from = effort{}
	v, err := h.call("done", h.results("results", results))
	if err != nil || v == nil || v == glua.LNil {
		return nil, err
	}
	summary, err := readSummary(v)
	if err != nil {
		return nil, h.Located(h.script.Name, h.function("done").Proto.LineDefined, err.Error(), nil)
	}
	return summary, nil
}

func (h *host) function(name string) *glua.LFunction {
	fn, _ := h.L.G.Global.RawGetString(name).(*glua.LFunction)
	return fn
}

// call returns the result of a function of the script, or nil if it does not exist or fails.
func (h *host) call(name string, arguments ...glua.LValue) (glua.LValue, error) {
	fn := h.function(name)
	if fn == nil {
		return nil, nil
	}
	h.asked, h.last = 0, nil
	if err := h.Call(fn, 2, arguments...); err != nil {
		return nil, err
	}
	return h.L.Get(-2), h.unused(name, h.L.Get(-2), h.L.Get(-1))
}

// unused names a value that a function returns for nobody.
func (h *host) unused(name string, first, second glua.LValue) error {
	_, isBool := first.(glua.LBool)
	if second == glua.LNil && (name == "done" || name == "event" && isBool || first == glua.LNil) {
		return nil
	}
	returns := map[string]string{"prepare": "nothing", "event": "true, false or nothing", "done": "one table or nothing"}
	why := fmt.Sprintf("%s returns %s, which nothing uses: it may return %s", name, sandbox.Describe(lists.Either(second == glua.LNil, first, second)), returns[name])
	return h.Located(h.script.Name, h.function(name).Proto.LineDefined, why, nil)
}

func readSummary(v glua.LValue) (map[string]any, error) {
	summary := map[string]any{}
	return summary, sandbox.EachNamed("the summary that done returns", v, func(_, name string, v glua.LValue) error {
		value, ok := sandbox.Scalar(v)
		if !ok {
			return fmt.Errorf("done returns %s as %q: it takes numbers, texts and booleans", sandbox.Describe(v), name)
		}
		summary[sandbox.OneLine(name)] = value
		return nil
	})
}

// host is one Lua state and everything that its script can reach.
type host struct {
	*sandbox.Box
	script *Script

	setup     run.Setup
	settings  []string // instead of a setup
	declared  declared
	declaring bool                   // the top level of the script is running
	opt       map[string]glua.LValue // the values of options and axes
	own       map[string]glua.LValue
	modules   map[string]glua.LValue

	drawn uint64 // number of seeds drawn
	rng   *rand.Rand
	from  effort // of gen.from

	remarks []string // on the files that were read

	table  run.Table
	asked  uint64        // batches of this call
	last   *glua.LTable  // the result of the last batch, whose answers the table still knows
	of     stream.Stream // and its keys
	kinds  types
	handle glua.LValue     // the script's t
	notes  map[string]bool // the script's remarks
}

func newHost(s *Script, setup run.Setup, table run.Table) (_ *host, err error) {
	h := &host{
		script: s, setup: setup, table: table, rng: newRandom(setup.Seed),
		opt: map[string]glua.LValue{}, modules: map[string]glua.LValue{}, notes: map[string]bool{},
		declared: declared{values: map[string]glua.LValue{}},
	}
	print := func(text string) {
		if s.Print != nil && table != nil {
			for line := range strings.SplitSeq(text, "\n") {
				s.Print(table.Scheme(), sandbox.OneLine(line))
			}
		}
	}
	h.Box, err = sandbox.New(sandbox.Options{
		Limits:  sandbox.Limits{Steps: s.limits.Steps, Time: s.limits.Time, Memory: s.limits.Memory},
		Context: s.Context, File: s.Name, Subject: "the script", Setting: "lua.",
		Print: print,
	})
	if err != nil {
		return nil, err
	}
	h.SetFunctions("", map[string]sandbox.Function{"require": h.require})
	h.SetFunctions(glua.MathLibName, map[string]sandbox.Function{"random": h.random, "randomseed": h.randomseed})
	h.kinds = types{vector: h.vectorType(), u64: h.u64Type(), table: h.tableType(), result: h.resultType()}
	h.handle = h.Userdata(&tableHandle{}, h.kinds.table)
	h.own = map[string]glua.LValue{"opt": h.makeOpt(), "gen": h.makeGen(), "u64": h.Function(h.u64)}
	h.L.SetMetatable(h.L.G.Global, h.metatable(map[string]sandbox.Function{"__index": h.getGlobal, "__newindex": h.setGlobal}))
	return h, nil
}

// pair returns the key and value widths of the table, as far as they are declared.
func (h *host) pair() schemes.Pair {
	if !h.declaring {
		return h.declared.shape.Pair
	}
	if v, ok := h.declared.values["shape"]; ok {
		var s shape
		if sandbox.Try(func() { s = h.readShape(v) }) == nil {
			return s.Pair
		}
	}
	return schemes.Pair4
}
