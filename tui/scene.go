package tui

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// view has the user's choices of what to show.
type view struct {
	screen   screen
	selected int // scheme
	baseline int
	op       string // empty: all together
	window   time.Duration
	sorted   int // of orders
	filter   string
	curve    int // over the load factor, counted from 1; 0: that of the operation
	scroll   [screens]int

	frozen, expanded, byLoad, zoom, raw bool
}

// scene is a snapshot and the user's view of it: everything that panes draw.
type scene struct {
	*live.Snapshot
	view
	order []int         // the schemes shown, from the top
	now   time.Duration // the run's time, which is later than a frozen snapshot's
}

// windows are how far back series can go; 0 is the whole run.
var windows = []time.Duration{10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
	15 * time.Minute, time.Hour, 0}

// order is a way to sort schemes: by a value, the least first, NaN last.
type order struct {
	name   string
	column string // that shows the value
	value  func(*scene, *live.Scheme) float64
}

var orders = []order{
	{"as given", "", func(*scene, *live.Scheme) float64 { return 0 }},
	{"mean rate", "mean", func(sc *scene, s *live.Scheme) float64 { return -sc.of(s).Mean }},
	{"rate now", "Mop/s", func(sc *scene, s *live.Scheme) float64 { return -sc.of(s).Now }},
	{"p50", "p50", func(sc *scene, s *live.Scheme) float64 { return positive(sc.of(s).Times.P50) }},
	{"p99", "p99", func(sc *scene, s *live.Scheme) float64 { return positive(sc.of(s).Times.P99) }},
	{"load factor", "load", func(_ *scene, s *live.Scheme) float64 { return -s.Load }},
	{"hits", "hits", func(sc *scene, s *live.Scheme) float64 { return -sc.of(s).HitsNow }},
	{"failed", "failed", func(_ *scene, s *live.Scheme) float64 { return float64(s.Failed) }},
	{"bytes per key", "B/key", func(_ *scene, s *live.Scheme) float64 { return bytesPerKey(s) }},
	{"difference", "difference", func(_ *scene, s *live.Scheme) float64 { return -s.Verdict.Ratio }},
}

// positive returns a time, or NaN for none.
func positive(d time.Duration) float64 { return either(d > 0, float64(d), math.NaN()) }

// bytesPerKey is infinite or NaN for an empty table.
func bytesPerKey(s *live.Scheme) float64 { return float64(s.Bytes) / float64(s.Size) }

func (sc *scene) of(s *live.Scheme) *live.Op {
	if i := slices.Index(sc.Ops, sc.View.Op); i >= 0 && i < len(s.Ops) {
		return &s.Ops[i]
	}
	return &s.All
}

func (sc *scene) arrange() {
	sc.order = sc.order[:0]
	for i := range sc.Schemes {
		if strings.Contains(strings.ToLower(sc.Schemes[i].Name), strings.ToLower(sc.filter)) {
			sc.order = append(sc.order, i)
		}
	}
	key := func(scheme int) (lost int, value float64) { // a table that lost pairs is not ranked
		s := &sc.Schemes[scheme]
		v := orders[sc.sorted].value(sc, s)
		return either(s.Lost && sc.sorted > 0, 1, 0), either(math.IsNaN(v), math.Inf(1), v)
	}
	slices.SortStableFunc(sc.order, func(i, j int) int {
		lostI, valueI := key(i)
		lostJ, valueJ := key(j)
		return cmp.Or(cmp.Compare(lostI, lostJ), cmp.Compare(valueI, valueJ))
	})
}

// place is the position of the selected scheme in the order; -1: it is not shown.
func (sc *scene) place() int { return slices.Index(sc.order, sc.selected) }

// halvings is how often the time axis can be halved and still contain the present, early in a run.
func (sc *scene) halvings() (n int) {
	for span := (sc.End - sc.Begin) / 2; n < 4 && span > 0 && sc.Begin+span >= sc.Elapsed; span /= 2 {
		n++
	}
	return n
}

func (sc *scene) end() time.Duration { return sc.Begin + (sc.End-sc.Begin)>>sc.halvings() }

// overTime returns the part of a series that is on the time axis.
func (sc *scene) overTime(bins []live.Bin) []live.Bin { return bins[:len(bins)>>sc.halvings()] }

type screen int

const (
	onStart screen = iota
	onOverview
	onCompare
	onLatency
	onInside
	onLog
	onRuns
	onStep
	screens int = iota
)

type pane struct {
	name string
	help string
	draw func(area, *scene) // does not change the scene
	bins func(w int) int    // of each series, at most; nil: few
}

// panes are indexed by screen. The form, the runs and the stepper draw theirs.
var panes = [screens]pane{
	onStart:    {name: "start"},
	onOverview: {name: "overview", help: "a lane each", draw: drawOverview, bins: func(w int) int { return w }},
	onCompare:  {name: "compare", help: "one chart", draw: drawCompare, bins: func(w int) int { return 2 * w }},
	onLatency:  {name: "latency", help: "times of batches", draw: drawLatency},
	onInside:   {name: "inside", help: "what a table holds", draw: drawInside},
	onLog:      {name: "log", help: "what happened", draw: drawLog},
	onRuns:     {name: "runs", help: "those of this session"},
	onStep:     {name: "step", help: "a scheme, step by step"},
}
