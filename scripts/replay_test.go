package scripts_test

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/analysis/plot"
	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Every shipped script is recorded, as a recipe and with its numbers, and replayed on the
// recorded scheme and on another one, with 1 and 2 threads: inputs and results are the same.
func TestEveryScriptIsReplayed(t *testing.T) {
	for _, s := range scripts.All() {
		if refused[s.Name] != "" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			kinds := []record.Kind{record.Recipe, record.Materialised}
			if testing.Short() { // each for half of the scripts
				kinds = kinds[len(s.Name)%2:][:1]
			}
			for _, kind := range kinds {
				path := filepath.Join(t.TempDir(), "recording")
				recorded(t, s, all[s.Name], kind, path)
				r := must.Get(record.Open(path, false))(t)
				defer r.Close()
				must.Need(t, r.Kind == kind && r.Batches != 0 && r.Script.Source == s.Source, "a recording of kind %s with %d batches", r.Kind, r.Batches)
				for _, threads := range someThreads() {
					replayed(t, r, threads)
				}
			}
		})
	}
}

// recorded runs a script on a scheme and records it.
func recorded(t *testing.T, s scripts.Script, how small, kind record.Kind, path string) {
	t.Helper()
	plan := planned(t, s, how)
	plan.Seed, plan.Digests, plan.Counted = 7, true, how.counted()
	if plan.Schemes = able(t, how.wide)[:1]; how.on != nil {
		plan.Schemes = named(t, how.on[:1])
	}
	dev := open(t, 2)
	defer dev.Close()
	to := must.Get(record.NewRecorder(path, record.Header{Kind: kind, Seed: 7, Script: record.Script{Name: s.Name, Source: s.Source}}, dev))(t)
	must.OK(t, run.Run(context.Background(), dev, plan, to.Hear))
	must.OK(t, to.Close())
}

func open(t *testing.T, threads int) device.Device {
	t.Helper()
	return must.Get(cpu.Backend().Open(0, device.Options{Threads: threads}))(t)
}

// replayed replays a recording on the recorded scheme and on another one.
func replayed(t *testing.T, r *record.Recording, threads int) {
	t.Helper()
	on := must.Get(r.Schemes())(t)
	on = append(on[:1], another(t, r, on[0]))
	plan := run.Plan{Script: (&record.Replay{Recording: r}).Start, Seed: r.Seed, Schemes: on, Points: r.Coordinates(),
		Rules: run.Rules{Policy: engine.Policy{Least: 6, Noise: 0.02}, Timeout: time.Minute}, Digests: true}
	dev := open(t, threads)
	defer dev.Close()
	checker := record.NewChecker(r, false, (&recorder{}).Hear)
	must.OK(t, run.Run(context.Background(), dev, plan, checker.Hear))
	must.OK(t, checker.Err())
	for _, v := range checker.Verdicts() {
		must.Hold(t, v.Batches != 0, "nothing was compared on %s", v.Scheme)
		if v.Legal > 0 || v.Counts > 0 {
			t.Log(v)
		}
	}
}

// another returns a scheme that supports the recorded tables and operations.
func another(t *testing.T, r *record.Recording, than schemes.Config) schemes.Config {
	t.Helper()
	for _, scheme := range schemes.All() {
		config := scheme.Defaults()
		able := scheme.Name != than.Name && config.MaxLoad(config) > 0.8
		for _, p := range r.Points {
			able = able && config.CompiledFor(p.Shape.Pair) == nil && (!p.Shape.Host || config.Caps.HostMemory)
			for op := range p.Operations() {
				able = able && (config.Caps.Has(op) || slices.Contains(schemes.TableOps, op) || op == schemes.MixOp)
			}
		}
		if able {
			return config
		}
	}
	return must.Get(than.With("hash", "universal"))(t) // the only scheme that can do it, with other places
}

// Every paper script ships the paper's numbers, or says that there are none. They are of schemes that exist.
func TestPublishedNumbers(t *testing.T) {
	for _, s := range scripts.All() {
		if !strings.HasPrefix(s.Name, "paper/") {
			continue
		}
		script := must.Get(load(s))(t)
		if says := strings.Contains(s.Source, "\n-- The paper prints no numbers"); says == (len(script.Published) > 0) {
			t.Errorf("%s: it ships %d numbers, and says that the paper prints none: %v", s.Name, len(script.Published), says)
		}
		for _, p := range script.Published {
			_, err := schemes.Parse(p.Of["scheme"])
			must.Hold(t, err == nil, "%s: %v", s.Name, err)
		}
	}
}

// drawn draws the figures that a script declares, which its results must have.
func drawn(t *testing.T, s scripts.Script, r *recorder) {
	t.Helper()
	script := must.Get(load(s))(t)
	plots := script.Plots
	must.Need(t, len(plots) != 0, "no plots")
	d := results.Document{Rows: r.rows, Summaries: r.summaries}
	d.Run.Script = &results.Script{Plots: plots}
	side := analysis.Side{Name: "r.json", Files: []analysis.File{{Document: d}}}
	figures := must.Get(analysis.Figures([]analysis.Side{side}, results.Plot{}))(t)
	must.Hold(t, len(figures) == len(plots), "%d figures of %d plots: %q", len(figures), len(plots), figures[0].Notes)
	for _, f := range figures {
		var svg bytes.Buffer
		must.OK(t, plot.Write(&svg, "x.svg", f, plot.Width(f)))
		must.Hold(t, len(f.Panels) <= 8, "%d panels", len(f.Panels))
	}
}
