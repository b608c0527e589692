package scripts_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/analysis/plot"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
)

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
			if _, err := schemes.Parse(p.Of["scheme"]); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
}

// drawn draws the figures that a script declares, which its results must have.
func drawn(t *testing.T, s scripts.Script, r *recorder) {
	t.Helper()
	script := must.Get(load(s))(t)
	plots := script.Plots
	if len(plots) == 0 {
		t.Fatal("no plots")
	}
	d := results.Document{Rows: r.rows, Summaries: r.summaries}
	d.Run.Script = &results.Script{Plots: plots}
	side := analysis.Side{Name: "r.json", Files: []analysis.File{{Document: d}}}
	figures := must.Get(analysis.Figures([]analysis.Side{side}, results.Plot{}))(t)
	if len(figures) != len(plots) {
		t.Errorf("%d figures of %d plots: %q", len(figures), len(plots), figures[0].Notes)
	}
	for _, f := range figures {
		var svg bytes.Buffer
		must.OK(t, plot.Write(&svg, "x.svg", f, plot.Width(f)))
		if len(f.Panels) > 8 {
			t.Errorf("%d panels", len(f.Panels))
		}
	}
}
