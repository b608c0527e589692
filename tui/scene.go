package tui

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// view is what a user has chosen to look at.
type view struct {
	screen   screen
	selected int // scheme
	baseline int
	op       string // empty: all together
	window   time.Duration
	sorted   int // of orders
	filter   string
	scroll   [screens]int

	frozen, expanded, byLoad, zoom, raw bool
}

// scene is a snapshot and how it is looked at: all that panes draw.
type scene struct {
	*live.Snapshot
	view
	order []int         // the schemes shown, from above
	now   time.Duration // how far the run is, which is further than a frozen snapshot
}

// windows are the times that one can look back; 0 is the whole run.
var windows = []time.Duration{10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
	15 * time.Minute, time.Hour, 0}

// orders are the ways to sort schemes. What is better comes first; where there is no
// figure, last.
var orders = []struct {
	name  string
	value func(*scene, *live.Scheme) float64
}{
	{"as given", nil},
	{"mean rate", func(sc *scene, s *live.Scheme) float64 { return -sc.of(s).Mean }},
	{"rate now", func(sc *scene, s *live.Scheme) float64 { return -sc.of(s).Now }},
	{"p50", func(sc *scene, s *live.Scheme) float64 { return something(float64(sc.of(s).Times.P50)) }},
	{"p99", func(sc *scene, s *live.Scheme) float64 { return something(float64(sc.of(s).Times.P99)) }},
	{"load factor", func(_ *scene, s *live.Scheme) float64 { return -s.Load }},
	{"failed", func(sc *scene, s *live.Scheme) float64 { return float64(sc.of(s).Failed) }},
	{"bytes per key", func(_ *scene, s *live.Scheme) float64 { return bytesPerKey(s) }},
	{"difference", func(_ *scene, s *live.Scheme) float64 { return -s.Verdict.Ratio }},
}

// something is a value that is not 0.
func something(v float64) float64 {
	if v == 0 {
		return math.NaN()
	}
	return v
}

// of is what a scheme did of the operation that is shown.
func (sc *scene) of(s *live.Scheme) *live.Op {
	if sc.View.Op != "" {
		if i := slices.Index(sc.Ops, sc.View.Op); i >= 0 && i < len(s.Ops) {
			return &s.Ops[i]
		}
	}
	return &s.All
}

// arrange decides which schemes are shown, and in which order.
func (sc *scene) arrange() {
	sc.order = sc.order[:0]
	for i := range sc.Schemes {
		if strings.Contains(strings.ToLower(sc.Schemes[i].Name), strings.ToLower(sc.filter)) {
			sc.order = append(sc.order, i)
		}
	}
	value := orders[sc.sorted].value
	if value == nil {
		return
	}
	slices.SortStableFunc(sc.order, func(i, j int) int {
		a, b := value(sc, &sc.Schemes[i]), value(sc, &sc.Schemes[j])
		if math.IsNaN(a) || math.IsNaN(b) {
			return cmp.Compare(btoi(math.IsNaN(a)), btoi(math.IsNaN(b)))
		}
		return cmp.Compare(a, b)
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// scheme is the one that is selected, or nil if none is shown.
func (sc *scene) scheme() *live.Scheme {
	if sc.Snapshot == nil || sc.selected < 0 || sc.selected >= len(sc.Schemes) {
		return nil
	}
	return &sc.Schemes[sc.selected]
}

// place is where the selected scheme is in the order, -1 if it is not shown.
func (sc *scene) place() int { return slices.Index(sc.order, sc.selected) }

// look is what is to be seen in the next snapshot.
func (v view) look(bins int) live.View {
	return live.View{Window: v.window, Columns: bins, Op: v.op, Baseline: v.baseline}
}

// halvings is how often what series show can be halved until it ends not long after now: when a
// run begins, most of its window is yet to come. It changes seldom, so nothing moves.
func (sc *scene) halvings() (n int) {
	for span := (sc.End - sc.Begin) / 2; n < 4 && span > 0 && sc.Begin+span >= sc.Elapsed; span /= 2 {
		n++
	}
	return n
}

// end is the end of what is drawn of series over time.
func (sc *scene) end() time.Duration { return sc.Begin + (sc.End-sc.Begin)>>sc.halvings() }

// overTime is what is drawn of a series over time.
func (sc *scene) overTime(bins []live.Bin) []live.Bin { return bins[:len(bins)>>sc.halvings()] }

func bytesPerKey(s *live.Scheme) float64 {
	if s.Size == 0 {
		return math.NaN()
	}
	return float64(s.Bytes) / float64(s.Size)
}

// visible is the part of n lines that is shown in h rows so that line i is among them.
func visible(n, h, i int) (from, to int) {
	from = min(max(i-h/2, 0), max(n-h, 0))
	return from, min(from+h, n)
}
