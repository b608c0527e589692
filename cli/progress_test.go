package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// The line says how fast a batch was beside the row of the baseline that it belongs to.
func TestProgressBesideABaseline(t *testing.T) {
	var out bytes.Buffer
	w := newWatcher(t.Context(), &Env{Err: &out}, false, false)
	pair := schemes.Pair{Key: 4, Value: 4}
	before := results.Row{Scheme: "bcht", Pair: pair.String(), Op: "find", Point: results.Point{"load_factor": 0.8, "present": 1.0}, Rate: 4}
	w.base, w.row = analysis.Side{Files: []analysis.File{{Document: results.Document{Rows: []results.Row{before}}}}}.Rates(), benchRow
	w.onEvent(run.PointBegan{Of: 1, Point: run.Point{{Name: "load", Value: 0.8}}, Schemes: []string{"bcht"}, Shapes: []schemes.Shape{{Pair: pair}}})
	counts := schemes.NewCounts()
	counts.Set("ok", 1000)
	for _, phase := range []string{"find 100 %", "find 50 %"} {
		w.line.shown = time.Now().Add(-2 * linePeriod)
		w.onEvent(run.Measured{Phase: phase, Sample: engine.Sample{Op: "find", N: 1000, Counts: counts, Service: 500 * time.Microsecond}, Done: -1})
	}
	if text := out.String(); strings.Count(text, "(0.50 of the baseline)") != 1 || strings.Count(text, "bcht find 2.0 Mop/s") != 2 {
		t.Errorf("%q", text)
	}
}

// Off a terminal there is a line now and then, without control characters, unless --quiet.
func TestProgressOffATerminal(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		var out bytes.Buffer
		p := newProgress(t.Context(), &Env{Err: &out}, quiet)
		p.say(func() string { return "too early" })
		p.shown = time.Now().Add(-2 * linePeriod)
		p.say(func() string { return "a\x1b]0;evil\a line" })
		p.say(func() string { return "too early again" })
		p.end()
		if want := "a?]0;evil? line\n"; !quiet && out.String() != want || quiet && out.Len() > 0 {
			t.Errorf("quiet %v: %q", quiet, out.String())
		}
	}
}

// A file that is read says how far it is.
func TestProgressOfReading(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(t.Context(), &Env{Err: &out}, false)
	p.shown = time.Now().Add(-2 * linePeriod)
	p.reading("trips.csv", 0.43)
	if p.end(); out.String() != "reading trips.csv: 43 %\n" {
		t.Errorf("%q", out.String())
	}
}
