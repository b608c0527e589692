package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// start is when the k-th run of a test starts.
func start(k int) time.Time { return time.Unix(int64(1000+k), 0) }

func TestInTurns(t *testing.T) {
	for _, c := range []struct {
		order string // of the sides O and N
		pairs int
	}{
		{"ONONONONON", 5},
		{"ONNOONNOON", 5},
		{"NOONNOONNOON", 6},
		{"ONONONON", 0}, // too few
		{"OOOOONNNNN", 0},
		{"ONONONOONN", 0},
		{"ONONONONONN", 0},
	} {
		var sides [2][]level
		for k, side := range c.order {
			l := level{log: 1, started: start(k)}
			if side == 'N' {
				sides[1] = append(sides[1], l)
				continue
			}
			l.log += float64(len(sides[0]) + 1)
			sides[0] = append(sides[0], l)
		}
		ratios := inTurns(sides[0], sides[1])
		must.Hold(t, len(ratios) == c.pairs, "%s has %d pairs, want %d", c.order, len(ratios), c.pairs)
		for k, ratio := range ratios {
			must.Hold(t, ratio == float64(k+1), "%s: pair %d has %v", c.order, k, ratio)
		}
	}
	if ratios := inTurns(make([]level, 5), make([]level, 5)); ratios != nil {
		t.Errorf("runs that do not know when they started are paired: %v", ratios)
	}
}

// turns makes runs that took turns A B B A; both runs of a pair are disturbed alike by drift,
// and one in five runs is slowed by up to a half on its own.
func (m machine) turns(pairs int, slower, drift float64) (old, fresh Side) {
	old, fresh = m.side("old", 1, 0, 0), m.side("new", 1, 0, 0)
	for k := range pairs {
		both := math.Exp(drift * m.NormFloat64())
		for i := range 2 {
			side, level := &old, both
			if (k+i)%2 == 1 {
				side, level = &fresh, slower*both
			}
			if m.Float64() < 0.2 {
				level *= 1 + m.Float64()/2
			}
			f := File{}
			f.Run.Started = start(2*k + i)
			for range 6 {
				f.Rows = append(f.Rows, m.row("scheme", level, 10))
			}
			side.Files = append(side.Files, f)
		}
	}
	return old, fresh
}

func TestRunsInTurnsOnABusyMachine(t *testing.T) {
	const trials = 200
	wrong, quiet, found, unpaired := 0, 0, 0, 0
	for seed := range uint64(trials) {
		m := machine{rand.New(rand.NewPCG(seed, 7)), 0.01, 0.01}
		old, fresh := m.turns(20, 1, 0.1)
		c := Compare(old, fresh, defaults)
		wrong += c.Count(Faster, 0) + c.Count(Slower, 0)
		old, fresh = m.turns(20, 1.05, 0.1)
		for _, r := range Compare(old, fresh, defaults).Rows {
			if (r.High-r.Low)/2/math.Sqrt2 >= 0.02 { // the noise of a side
				continue
			}
			quiet++
			if r.Verdict == Slower {
				found++
			}
		}
		for i := range fresh.Files { // as if they had run one day later
			fresh.Files[i].Run.Started = fresh.Files[i].Run.Started.AddDate(0, 0, 1)
		}
		unpaired += Compare(old, fresh, defaults).Count(Slower, 0)
	}
	rows := 6 * trials
	must.Hold(t, wrong <= rows/50, "%d of %d equal rows are faster or slower, want at most %d", wrong, rows, rows/50)
	if quiet < rows/2 || found < quiet*95/100 || unpaired > rows/2 {
		t.Errorf("of %d slower rows %d are quiet, of which %d were found; without pairs %d", rows, quiet, found, unpaired)
	}
}

func TestTrimmed(t *testing.T) {
	quiet := trimmed([]float64{1, 2, 3, 4, 5, 6, 7})
	must.Hold(t, quiet.mean == 4 && quiet.kept == 7 && quiet.squares == 28, "seven runs are %+v: nothing is trimmed of them", quiet)
	// Two values on each side are trimmed and count as the nearest of the others.
	disturbed := trimmed([]float64{900, 1, 5, 2, 3, 4, 6, 7, 8, 9, 10, 1000})
	must.Hold(t, disturbed.mean == 6.5 && disturbed.kept == 8, "twelve runs are %+v", disturbed)
}

// near reports whether two numbers have the same digits, as far as anything shows them.
func near(have, want float64) bool { return math.Abs(have-want) <= 1e-9*math.Abs(want) }

// Quantiles and tails are those of tables, or of exact arithmetic.
func TestDistributions(t *testing.T) {
	for freedom, want := range map[float64]float64{1: 12.70620473617, 2: 4.302652729750, 4: 2.776445105198, 10: 2.228138851965, 30: 2.042272456301,
		100: 1.983971518523, 1000: 1.962339080826, 1e6: 1.959966356912} {
		if have := student(freedom).Quantile(0.975); !near(have, want) {
			t.Errorf("the quantile at %v degrees of freedom is %.12f, want %.12f", freedom, have, want)
		}
	}
	for _, c := range []struct{ freedom, x, want float64 }{
		{1, 1, 0.25}, {2, 3, 0.04773298313335}, {5, 10, 8.5473787871482e-05}, {8, 50, 1.4172053225459e-11}, {30, 3, 2.6949820328260e-03}, {100, 50, 7.2360818398809e-73},
		{3, math.Inf(1), 0}, {3, math.NaN(), math.NaN()},
	} {
		if have := student(c.freedom).Survival(c.x); !near(have, c.want) && !(math.IsNaN(have) && math.IsNaN(c.want)) {
			t.Errorf("the tail above %v at %v degrees of freedom is %.13e, want %.13e", c.x, c.freedom, have, c.want)
		}
	}
	e := between([]level{{}}, []level{{log: -0.1}}, 0.05)
	must.Hold(t, near(e.High, 1.2694584376) && near(e.P, 0.1572992071), "of single runs: %.10g, %.10g", e.High, e.P)
	if have, want := HalfInterval(2, 5), 2.776445105198*2/math.Sqrt(5); !near(have, want) {
		t.Errorf("half an interval is %v, want %v", have, want)
	}
	if have := around([]float64{1, 2, 4, 8, 16}); !near(*have, 2.776445105198*math.Sqrt(37.2)/math.Sqrt(5)/4) {
		t.Errorf("around five values: %v", *have)
	}
}

func TestSigns(t *testing.T) {
	for _, c := range []struct {
		above, below int
		want         float64
	}{{0, 0, 1}, {1, 0, 1}, {5, 0, 0.0625}, {0, 10, 2.0 / 1024}, {8, 2, 112.0 / 1024}, {5, 5, 1}, {51, 49, 0.9204107626128}, {490, 510, 0.547972745923477},
		{250, 750, 1.3476256506037e-58}, {4900, 5100, 0.04658552770494739}, {500_000, 499_999, 1}} {
		ratios := append(slices.Repeat([]float64{2}, c.above), slices.Repeat([]float64{0.5}, c.below)...)
		have := signTest(append(ratios, 1))
		must.Hold(t, near(have, c.want), "%d above 1 and %d below: %.13g, want %.13g", c.above, c.below, have, c.want)
	}
}
