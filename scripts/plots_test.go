package scripts_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/analysis/plot"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
)

// Every script that ships declares figures, and its results have what these show.
func TestPlots(t *testing.T) {
	for name, how := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := scripts.Find(name)
			must(t, err)
			script, err := load(s)
			must(t, err)
			if len(script.Plots) == 0 {
				t.Fatal("no plots")
			}
			plan := planned(t, s, how)
			plan.Counted = true
			plan.Schemes = able(t, how.wide)[:3]
			if how.on != nil {
				plan.Schemes = named(t, how.on)
			}
			r, err := onCPU(t, plan, 1)
			must(t, err)
			drawn(t, script.Plots, r)
		})
	}
}

// Every paper script ships the paper's numbers, or says that there are none. They are of schemes that exist.
func TestPublishedNumbers(t *testing.T) {
	for _, s := range scripts.All() {
		if !strings.HasPrefix(s.Name, "paper/") {
			continue
		}
		script, err := load(s)
		must(t, err)
		if says := strings.Contains(s.Source, "\n-- The paper prints no numbers"); says == (len(script.Published) > 0) {
			t.Errorf("%s: it ships %d numbers, and says that the paper prints none: %v", s.Name, len(script.Published), says)
		}
		for _, p := range script.Published {
			if _, err := schemes.Parse(p.Of["scheme"]); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
}

func drawn(t *testing.T, plots []results.Plot, r *recorder) {
	t.Helper()
	d := results.Document{Rows: r.rows, Summaries: r.summaries}
	d.Run.Script = &results.Script{Plots: plots}
	side := analysis.Side{Name: "r.json", Files: []analysis.File{{Document: d}}}
	figures, err := analysis.Figures([]analysis.Side{side}, results.Plot{})
	must(t, err)
	if len(figures) != len(plots) {
		t.Errorf("%d figures of %d plots: %q", len(figures), len(plots), figures[0].Notes)
	}
	for _, f := range figures {
		var svg bytes.Buffer
		must(t, plot.Write(&svg, "x.svg", f, plot.Width(f)))
		if len(f.Panels) > 8 {
			t.Errorf("%d panels", len(f.Panels))
		}
	}
}
