package analysis

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
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
		if len(ratios) != c.pairs {
			t.Errorf("%s has %d pairs, want %d", c.order, len(ratios), c.pairs)
		}
		for k, ratio := range ratios {
			if ratio != float64(k+1) {
				t.Errorf("%s: pair %d has %v", c.order, k, ratio)
			}
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
	if wrong > rows/50 {
		t.Errorf("%d of %d equal rows are faster or slower, want at most %d", wrong, rows, rows/50)
	}
	if quiet < rows/2 || found < quiet*95/100 || unpaired > rows/2 {
		t.Errorf("of %d slower rows %d are quiet, of which %d were found; without pairs %d", rows, quiet, found, unpaired)
	}
}

func TestTrimmed(t *testing.T) {
	quiet := trimmed([]float64{1, 2, 3, 4, 5, 6, 7})
	if quiet.mean != 4 || quiet.kept != 7 || quiet.squares != 28 {
		t.Errorf("seven runs are %+v: nothing is trimmed of them", quiet)
	}
	// Two values on each side are trimmed and count as the nearest of the others.
	disturbed := trimmed([]float64{900, 1, 5, 2, 3, 4, 6, 7, 8, 9, 10, 1000})
	if disturbed.mean != 6.5 || disturbed.kept != 8 {
		t.Errorf("twelve runs are %+v", disturbed)
	}
}
