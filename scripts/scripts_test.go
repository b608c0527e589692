package scripts_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
)

var limits = lua.Limits{Steps: 10_000_000, Time: time.Minute, Memory: 1 << 26, Vectors: 1 << 26, From: 1 << 20, Batches: 100_000}

// small lists how tests run each script, and the expected results.
type small struct {
	set, axis []string
	ok        map[string]float64 // by phase and operation: the part that succeeds
	fails     bool               // inserts are meant to find no room
	on        []string           // the schemes that it is for, if not all that are able
	fixed     bool               // its input does not depend on the seed
	wide      bool               // its pairs are larger than 4+4 bytes
	leaveOut  bool               // some schemes refuse what it asks for
}

var all = map[string]small{
	"quickstart": {set: []string{"n=5000"}, axis: []string{"load=0.8"}, ok: map[string]float64{"prepare insert": 1, "run find": 0.5}},
	"rates": {set: []string{"n=5000", "runs=2"}, axis: []string{"load=0.6,0.8"},
		ok: map[string]float64{"build insert": 1, "100% find": 1, "50% find": 0.5, "0% find": 0}},
	"sizes": {set: []string{"lookups=1000", "runs=2"}, axis: []string{"n=1k,4k"},
		ok: map[string]float64{"build insert": 1, "present find": 1, "absent find": 0}},
	"groupby": {set: []string{"rows=5000", "runs=6"}, axis: []string{"groups=100"}, on: []string{"linear", "double", "stash", "slab", "chained"},
		ok: map[string]float64{"run add": 0.02}},
	"degrees": {set: []string{"n=5000", "runs=6"}, axis: []string{"vertices=100"}, on: []string{"linear", "stash", "slab"},
		ok: map[string]float64{"edges tally": 0.01, "ask find": 1}},
	"kmers":       {set: []string{"genome=1000", "runs=6"}, axis: []string{"coverage=5"}, wide: true, on: []string{"linear", "double", "stash", "chained"}},
	"readthrough": {set: []string{"n=1000", "items=3000", "batch=1000", "batches=6"}},
	"cache":       {axis: []string{"slots=1000"}, set: []string{"items=3000", "batch=100", "batches=20", "scan=10"}, on: []string{"assoc"}},
	"bfs":         {set: []string{"vertices=1000", "searches=6"}, on: []string{"csr", "slab"}},
	"dedup": {set: []string{"rows=5000", "batch=800"}, wide: true, on: []string{"linear", "double", "stash", "chained"},
		ok: map[string]float64{"run upsert": 0.43}},
	"standard": {set: []string{"n=5000", "erase=true", "mix=true"}, axis: []string{"load=0.6,0.8"},
		ok: map[string]float64{"build insert": 1, "find 100 % find": 1, "find 50 % find": 0.5, "find 0 % find": 0, "empty erase": 1}},
	"ycsb/a": {set: ycsb, wide: true, ok: map[string]float64{"prepare insert": 1, "run mix": 1}},
	"ycsb/b": {set: ycsb, wide: true, ok: map[string]float64{"prepare insert": 1, "run mix": 1}},
	"ycsb/c": {set: ycsb, wide: true, ok: map[string]float64{"prepare insert": 1, "run find": 1}},
	"ycsb/d": {set: ycsb, wide: true, ok: map[string]float64{"prepare insert": 1, "run insert": 1, "run find": 1}},
	"ycsb/f": {set: ycsb, wide: true, ok: map[string]float64{"prepare insert": 1, "run find": 1, "run update": 1}},
	"paper/better-gpu-hash-tables-load": {set: []string{"n=5000", "runs=2"}, axis: []string{"load=0.6,0.8"},
		ok: map[string]float64{"build insert": 1, "100% find": 1, "50% find": 0.5, "0% find": 0}},
	"paper/better-gpu-hash-tables-size": {set: []string{"runs=2"}, axis: []string{"load=0.8", "n=1k:4k:*2"},
		ok: map[string]float64{"build insert": 1, "100% find": 1, "50% find": 0.5, "0% find": 0}},
	"paper/better-gpu-hash-tables-success": {set: []string{"n=4096", "builds=3"}, axis: []string{"load=0.8"}, ok: map[string]float64{"run insert": 1}},
	"paper/better-gpu-hash-tables-probes": {set: []string{"n=5000"}, axis: []string{"load=0.8"},
		ok: map[string]float64{"prepare insert": 1, "100% find": 1, "50% find": 0.5, "0% find": 0}},
	"paper/better-gpu-hash-tables-sectors": {set: []string{"n=5000"}, axis: []string{"load=0.8"},
		ok: map[string]float64{"build insert": 1, "lookup find": 1}},
	"paper/hh-hash-trace": {axis: []string{"n=1k:4k:*4"}, fixed: true,
		ok: map[string]float64{"build insert": 1, "lookups find": 1, "deletes erase": 1}},
	"paper/hh-hash-bucket": {set: []string{"n=5000"}, axis: []string{"bucket=8,512"}, on: []string{"fks"}, fixed: true,
		ok: map[string]float64{"build insert": 1, "deletes erase": 1}},
	"paper/hh-hash-regload": {set: []string{"n=5000"}, axis: []string{"reg_load=20,60"}, on: []string{"fks"}, fixed: true,
		ok: map[string]float64{"build insert": 1, "lookups find": 1}},
	"paper/hh-hash-rounds": {set: []string{"n=5000"}, axis: []string{"reg_load=20,60"}, on: []string{"fks"}, fixed: true,
		ok: map[string]float64{"build insert": 1, "lookups find": 1}},
	"paper/slab-hash-bulk": {set: []string{"n=5000", "runs=2"}, axis: []string{"load=0.6,0.8"}, on: []string{"slab", "bcht"},
		ok: map[string]float64{"build insert": 1, "search-all find": 1, "search-none find": 0}},
	"paper/slab-hash-size": {set: []string{"runs=2"}, axis: []string{"n=1k,4k"}, on: []string{"slab", "bcht"},
		ok: map[string]float64{"build insert": 1, "search-all find": 1, "search-none find": 0}},
	"paper/slab-hash-utilisation": {set: []string{"n=5000", "runs=2"}, axis: []string{"beta=70,200"}, on: []string{"slab"},
		ok: map[string]float64{"build upsert": 1, "search-all find": 1, "search-none find": 0}},
	"paper/slab-hash-incremental": {set: []string{"n=10000"}, axis: []string{"batch=4k"}, on: []string{"slab", "bcht"},
		ok: map[string]float64{"run insert": 1}},
	"paper/slab-hash-concurrent": {set: []string{"n=10000", "batch=1000"}, axis: []string{"load=0.5,0.8"}, on: []string{"slab", "stash"},
		ok: map[string]float64{"prepare insert": 1}},
	"paper/stadium-mixed": {set: []string{"n=6400", "slice=640"}, axis: []string{"present=1,0.5", "ticket=4"}, on: []string{"stash", "1cht"},
		ok: map[string]float64{"apart insert": 1}},
	"paper/stadium-tickets": {set: []string{"n=6000", "placement=host", "runs=2"}, axis: []string{"ticket=2,8"}, on: []string{"stash", "clstash"},
		ok: map[string]float64{"build insert": 1, "100% find": 1, "50% find": 0.5, "deletes erase": 1}},
	"paper/stadium-lanes": {set: []string{"n=5000"}, axis: []string{"load=0.8,0.95"}, on: []string{"stash", "clstash", "1cht"},
		ok: map[string]float64{"prepare insert": 1}},
	"paper/stadium-widths": {set: []string{"n=5000", "runs=2"}, axis: []string{"pair=k4v4,k8v64"}, wide: true, on: []string{"stash", "clstash"},
		ok: map[string]float64{"build insert": 1, "100% find": 1, "deletes erase": 1}},
	"paper/stadium-board": {set: []string{"n=5000", "runs=2"}, axis: []string{"ticket=2,8"}, on: []string{"stash", "clstash"},
		ok: map[string]float64{"build insert": 1, "100% find": 1, "50% find": 0.5}},
	"paper/stadium-hybrid": {set: []string{"n=5000"}, axis: []string{"threshold=0,60,100"}, on: []string{"clstash"},
		ok: map[string]float64{"empty insert": 1, "full insert": 1}},
	"stress/flush": {set: []string{"n=5000", "runs=2"}, axis: []string{"load=0.8"}, on: []string{"slab"},
		ok: map[string]float64{"build insert": 1, "delete erase": 1, "deleted find": 1, "flushed find": 1, "build again insert": 1}},
	"paper/dycuckoo-static": {set: []string{"n=5000", "lookups=5000", "runs=2"}, axis: []string{"load=0.75,0.9"},
		ok: map[string]float64{"build insert": 1, "lookups find": 1}},
	"paper/dycuckoo-dynamic": {set: []string{"n=20000", "batch=1000"}, axis: []string{"r=0.4"}, on: []string{"dycuckoo", "megakv", "linear"},
		ok: map[string]float64{"grow insert": 1, "grow erase": 1, "shrink erase": 0.6, "shrink insert": 1}},
	"paper/dycuckoo-stability": {set: []string{"batch=200", "batches=20"}, on: []string{"dycuckoo", "megakv", "linear"},
		ok: map[string]float64{"run insert": 1, "run erase": 1}},
	"paper/dycuckoo-profile": {set: []string{"n=5000"}, axis: []string{"load=0.75,0.95"}, on: []string{"dycuckoo", "linear"},
		ok: map[string]float64{"prepare insert": 1}},
	"paper/dycuckoo-subtables": {set: []string{"n=5000", "runs=2"}, axis: []string{"subtables=2,5"}, on: []string{"dycuckoo"},
		ok: map[string]float64{"build insert": 1, "present find": 1, "absent find": 0}},
	"paper/slab-hash-chained": {set: []string{"n=3000", "operations=1000"}, on: []string{"slab", "chained", "linear"},
		ok: map[string]float64{"prepare insert": 1}},
	"paper/knuth-probes":    {set: []string{"n=5000"}, ok: map[string]float64{"prepare insert": 1, "there find": 1, "not there find": 0}},
	"paper/dycuckoo-megakv": {set: []string{"n=20000", "builds=2"}, axis: []string{"load=0.75"}, on: []string{"megakv"}, fails: true},
	"stress/growth": {set: []string{"n=20000"}, on: []string{"fks"}, fixed: true,
		ok: map[string]float64{"grow insert": 1, "shrink erase": 1, "large batch insert": 1, "presized insert": 1}},
	"stress/aging": {set: []string{"n=2000", "rounds=20"},
		ok: map[string]float64{"prepare insert": 1, "run erase": 1, "run insert": 1, "run find": 0.5}},
	"stress/adversarial": {set: []string{"n=5000", "batches=3"}, ok: map[string]float64{"prepare insert": 1, "run insert": 1}},
	"stress/overfill":    {set: []string{"capacity=2000"}, fails: true},
	"stress/fill":        {set: []string{"capacity=2000"}, on: []string{"slab"}, fails: true}, // slots differ, so each has its own keys
	"join":               {set: []string{"build=5000", "runs=2"}, ok: map[string]float64{"run insert": 1, "run retrieve": 0.8}},
	"suite/churn":        {set: []string{"n=2000"}, ok: map[string]float64{"churn mix": 0.87}},
	"suite/erase":        {set: []string{"n=2000"}, ok: map[string]float64{"rounds erase": 1, "rounds insert": 1, "rounds find": 0.5}},
	"suite/groupby":      {set: []string{"rows=5000"}, on: []string{"linear", "stash", "slab"}, ok: map[string]float64{"sum add": 0.2}},
	"suite/join":         {set: []string{"n=2000"}, ok: map[string]float64{"join insert": 1, "join find": 0.8}},
	"suite/cache":        {set: []string{"n=2000"}, ok: map[string]float64{"trace find": 0.9, "trace erase": 1, "trace insert": 1}},
	"suite/small":        {set: []string{"n=2000"}, ok: map[string]float64{"prepare insert": 1, "lookups find": 0.5}},
	"suite/grow":         {set: []string{"n=2000"}, on: []string{"fks", "dycuckoo"}, ok: map[string]float64{"grow insert": 1}},
	"stress/cache": {set: []string{"n=2000", "batch=2000", "batches=3"},
		ok: map[string]float64{"prepare insert": 1, "run find": 0.9, "run erase": 1, "run insert": 1}},
}

func (s small) counted() bool { return !s.wide || !testing.Short() }

var ycsb = []string{"records=5000", "batch=5000", "batches=2"}

// refused lists the scripts that refuse to run, with their errors.
var refused = map[string]string{"ycsb/e": "ycsb/e.lua:2: workload E is 95 percent range scans"}

// recorder keeps the events of a run.
type recorder struct {
	rows      []results.Row
	summaries []results.Summary
}

func (r *recorder) Hear(e run.Event) error {
	if ended, ok := e.(run.PointEnded); ok {
		r.rows, r.summaries = append(r.rows, ended.Rows...), append(r.summaries, ended.Summaries...)
	}
	return nil
}

func load(s scripts.Script) (*lua.Script, error) {
	return lua.Inspect(s.Name+".lua", s.Source, s.Folder(), limits)
}

// carryOut runs a script on all schemes, verified, and counted: the small tier does not compile wide kernels that count.
func carryOut(t *testing.T, s scripts.Script, how small, threads int, seed uint64) *recorder {
	t.Helper()
	plan := planned(t, s, how)
	plan.Seed, plan.Verify, plan.LeaveOut = seed, true, how.leaveOut
	plan.Counted = plan.Counted || how.counted()
	plan.Schemes = able(t, how.wide)
	if how.on != nil {
		plan.Schemes = named(t, how.on)
	}
	return must.Get(onCPU(t, plan, threads))(t)
}

// planned is a script with its options and points.
func planned(t *testing.T, s scripts.Script, how small) run.Plan {
	t.Helper()
	script, err := load(s)
	must.OK(t, err)
	script.Print = func(scheme, line string) { t.Logf("%s: %s", scheme, line) }
	plan := run.Plan{Script: script.Start, Rules: run.Rules{Policy: engine.Policy{Least: 6, Noise: 0.02}, Timeout: time.Minute}, Counted: script.Count}
	plan.Options = must.Get(script.ParseOptions(how.set))(t)
	axes, err := run.Override(script.Axes, how.axis)
	must.OK(t, err)
	plan.Points = must.Get(run.Points(axes))(t)
	return plan
}

func onCPU(t *testing.T, plan run.Plan, threads int) (*recorder, error) {
	t.Helper()
	dev := must.Get(cpu.Backend().Open(0, device.Options{Threads: threads}))(t)
	defer dev.Close()
	r := &recorder{}
	return r, run.Run(context.Background(), dev, plan, r.Hear)
}

// someThreads are numbers of threads that give the same.
func someThreads() []int {
	if testing.Short() {
		return []int{2}
	}
	return []int{1, 2}
}

// able returns the schemes that support the scripts' operations and load factors; in the small tier, some of them.
func able(t *testing.T, wide bool) (list []schemes.Config) {
	t.Helper()
	for _, scheme := range schemes.All() {
		can := scheme.MaxLoad(scheme.Defaults()) > 0.85
		can = can && (!wide || slices.Contains(scheme.Caps.Pairs, schemes.Pair8))
		for _, op := range []string{"insert", "find", "update", "erase"} {
			can = can && scheme.Caps.Has(op)
		}
		if can {
			list = append(list, scheme.Defaults())
		}
	}
	if testing.Short() {
		list = list[:min(3, len(list))]
	}
	must.Need(t, len(list) >= 2, "%d schemes to run scripts on", len(list))
	return list
}

func named(t *testing.T, names []string) (list []schemes.Config) {
	t.Helper()
	for _, name := range names {
		scheme := must.Get(schemes.Find(name))(t)
		list = append(list, scheme.Defaults())
	}
	return list
}

// Every script runs and passes verification, its operations do their work, its figures can be drawn, and its digests are
// the same on every run with any number of threads.
func TestEveryScript(t *testing.T) {
	for _, s := range scripts.All() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			how, known := all[s.Name]
			if says, no := refused[s.Name]; no {
				must.Begin(t, must.Err(load(s)), says)
				return
			} else if !known {
				t.Fatal("the script is in no test: say in this file how it is run at a small size")
			}
			one := carryOut(t, s, how, 1, 7)
			for _, r := range one.rows {
				check(t, r, how)
			}
			must.Hold(t, len(one.summaries) != 0, "no summaries")
			drawn(t, s, one)
			first := digests(one)
			for _, threads := range someThreads() {
				again := digests(carryOut(t, s, how, threads, 7))
				must.Hold(t, slices.Equal(first, again), "with %d threads\n%s\ninstead of\n%s", threads, strings.Join(again, "\n"), strings.Join(first, "\n"))
			}
			if testing.Short() {
				return // TestStandardDependsOnTheSeed
			}
			for i, other := range digests(carryOut(t, s, how, 2, 8)) {
				must.Hold(t, other != first[i] || how.fixed, "the same with another seed: %s", other)
			}
		})
	}
}

// Every script runs without named schemes: those that lack something are left out. Some fail
// in scripts for schemes that grow. In the small tier, a script has a third of the schemes beside its own.
func TestEveryScriptOnAllSchemes(t *testing.T) {
	for name, how := range all {
		if testing.Short() && !how.fails && how.on == nil {
			continue // TestEveryScript has schemes that are able
		}
		t.Run(name, func(t *testing.T) {
			s := must.Get(scripts.Find(name))(t)
			plan := planned(t, s, how)
			plan.LeaveOut, plan.Points = true, plan.Points[:1]
			for i, scheme := range schemes.All() {
				if !testing.Short() || (i+len(name))%3 == 0 || slices.Contains(how.on, scheme.Name) || how.fails {
					plan.Schemes = append(plan.Schemes, scheme.Defaults())
				}
			}
			r, err := onCPU(t, plan, 2)
			must.Hold(t, (err == nil || errors.Is(err, run.ErrThreshold)) && len(r.summaries) != 0, "%v, %d schemes went through it", err, len(r.summaries))
		})
	}
}

func check(t *testing.T, r results.Row, how small) {
	t.Helper()
	if slices.Contains(schemes.TableOps, r.Op) {
		return // it has no operations that could be counted
	}
	where := fmt.Sprintf("%s, %s %s at %v", r.Scheme, r.Phase, r.Op, r.Point)
	must.Hold(t, r.Compare == "" && r.N != 0 && r.Input != "" && (!how.counted() || r.PerOp["probes"] > 0), "%s: %+v", where, r)
	failed := r.Counts["failed"] + r.Counts["rejected"]
	must.Hold(t, failed == 0 || how.fails, "%s: %d failed", where, failed)
	part, known := how.ok[r.Phase+" "+r.Op]
	if !known {
		return
	}
	found, n := float64(r.Counts["ok"]), float64(r.N)
	slack := 6 * math.Sqrt(n*part*(1-part))
	must.Hold(t, math.Abs(found-n*part) <= slack, "%s: %.0f of %.0f succeed, it should be %g of them", where, found, n, part)
}

// digests returns the digests of every row.
func digests(r *recorder) (list []string) {
	for _, row := range r.rows {
		if slices.Contains(schemes.TableOps, row.Op) {
			continue
		}
		list = append(list, fmt.Sprintf("%s %v %s %s: %s %s", row.Scheme, row.Point, row.Phase, row.Op, row.Input, row.Result))
	}
	return list
}

// Every script starts with a line that says what it does, and its options have a help text; paper scripts name their
// figure or table.
func TestTitles(t *testing.T) {
	for _, s := range scripts.All() {
		must.Hold(t, strings.HasPrefix(s.Source, "-- ") && len(s.Title) >= 20 && len(s.Title) <= 100 && strings.HasSuffix(s.Title, "."), "%s: title %q", s.Name, s.Title)
		must.Hold(t, !strings.HasPrefix(s.Name, "paper/") || strings.Contains(s.Title, "Figure") || strings.Contains(s.Title, "Table"),
			"%s says in its title of no figure or table that it repeats it", s.Name)
		if refused[s.Name] != "" {
			continue
		}
		for _, o := range must.Get(load(s))(t).Options {
			must.Hold(t, o.Help != "", "%s: option %s has no help", s.Name, o.Name)
		}
	}
	for name := range all {
		_, err := scripts.Find(name)
		must.Hold(t, err == nil, "%v", err)
	}
}

func TestFind(t *testing.T) {
	for _, name := range []string{"ycsb/a", "ycsb/a.lua"} {
		s, err := scripts.Find(name)
		must.Hold(t, err == nil && s.Name == "ycsb/a", "%s: %s, %v", name, s.Name, err)
	}
	_, err := scripts.Find("quikstart")
	must.Hold(t, err != nil && errors.Unwrap(err) == nil && err.Error() == `unknown script "quikstart": did you mean quickstart?`, "%v", err)
	names := scripts.Names()
	inFolders := slices.IndexFunc(names, func(name string) bool { return strings.Contains(name, "/") })
	must.Hold(t, names[0] == "quickstart" && slices.IsSorted(names[1:inFolders]) && slices.IsSorted(names[inFolders:]), "order %v", names)
}

// The published success rates and probes also show at a small size. A table that cannot have the load is no success.
func TestPaperFigures(t *testing.T) {
	rates := func(load string) map[string]float64 {
		t.Helper()
		s := must.Get(scripts.Find("paper/better-gpu-hash-tables-success"))(t)
		rates := map[string]float64{}
		for _, r := range carryOut(t, s, small{set: []string{"n=4096", "builds=5"}, axis: []string{"load=" + load}, leaveOut: true}, 2, 1).summaries {
			rates[r.Scheme] = r.Values["success %"].(float64)
		}
		return rates
	}
	low, high := rates("0.8"), rates("0.99")
	for _, config := range able(t, false) {
		must.Hold(t, low[config.String()] == 100, "%s: %g %% of the builds succeed at 0.8", config, low[config.String()])
		must.Hold(t, config.MaxLoad(config) >= 0.95 || config.Caps.Has("resize") || high[config.String()] == 0,
			"%s: %g %% of the builds succeed at 0.99", config, high[config.String()])
	}
}
