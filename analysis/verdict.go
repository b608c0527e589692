// Package analysis says what results mean: which of two runs or schemes is faster, and how
// sure that is. docs/comparing.md explains the statistics to users.
package analysis

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hashzoo/hashzoo/runtime/engine"
)

// Kind is a verdict on a ratio of rates.
type Kind int

const (
	Unclear Kind = iota // the noise hides a difference that matters, or there may be one
	Faster
	Slower
	Same // any difference is too small to matter
)

var kinds = []string{"unclear", "faster", "slower", "same"}

func (k Kind) String() string { return kinds[k] }

// MarshalText writes the word.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// ParseKind reads the word.
func ParseKind(text string) (Kind, error) {
	if i := slices.Index(kinds, text); i >= 0 {
		return Kind(i), nil
	}
	return 0, fmt.Errorf("verdict %q: there are faster, slower, same, unclear", text)
}

// Least is a difference in rate that does not matter, unless the user names another one.
const Least = 0.02

// Spread is the standard deviation of equal runs that is assumed where no side was
// repeated, unless the user names another one.
const Spread = 0.05

// confidence is that of all intervals.
const confidence = 0.95

// Estimate is a ratio of rates, with the interval that holds the true one with a
// probability of 95 percent.
type Estimate struct {
	Ratio float64 `json:"ratio"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	P     float64 `json:"p"` // of so large a difference between equals
	Runs  int     `json:"runs"`
}

// Verdict is the one rule for all verdicts: a difference must be certain and matter.
func (e Estimate) Verdict(least float64) Kind {
	switch {
	case math.IsNaN(e.Low) || math.IsNaN(e.High) || math.IsInf(e.High, 0):
		return Unclear
	case e.Low > 1 && e.Ratio > 1+least:
		return Faster
	case e.High < 1 && e.Ratio < 1-least:
		return Slower
	case e.Low >= 1-least && e.High <= 1+least:
		return Same
	}
	return Unclear
}

// Paired estimates a ratio from the ratios of batches that took turns: whatever disturbs
// the machine for longer than a batch disturbs both alike.
func Paired(ratios []float64) Estimate {
	s := engine.Policy{}.Summarize(ratios)
	half := s.Noise * s.Median
	return Estimate{Ratio: s.Median, Low: s.Median - half, High: s.Median + half, P: signTest(ratios), Runs: 1}
}

// signTest returns the probability that of so many fair coins so many show the same side.
func signTest(ratios []float64) float64 {
	above, below := 0.0, 0.0
	for _, r := range ratios {
		switch {
		case r > 1:
			above++
		case r < 1:
			below++
		}
	}
	coins := distuv.Binomial{N: above + below, P: 0.5}
	return min(1, 2*coins.CDF(min(above, below)))
}

// between estimates a ratio of rates from the logarithms of times of repeated runs: a
// t-test with the variance between runs of both sides. With a single run on each side,
// that variance is unknown and spread stands for it, besides the noise within the runs.
func between(old, fresh []level, spread float64) Estimate {
	a, b := logs(old), logs(fresh)
	freedom := len(a) + len(b) - 2
	variance := spread*spread + (within(old)+within(fresh))/2
	t := distuv.Normal{Sigma: 1}.Quantile((1 + confidence) / 2)
	tail := distuv.Normal{Sigma: 1}.Survival
	if freedom > 0 {
		variance = (squares(a) + squares(b)) / float64(freedom)
		student := distuv.StudentsT{Sigma: 1, Nu: float64(freedom)}
		t, tail = student.Quantile((1+confidence)/2), student.Survival
	}
	return estimate(stat.Mean(a, nil)-stat.Mean(b, nil), math.Sqrt(variance*(1/float64(len(a))+1/float64(len(b)))), t, tail, min(len(a), len(b)))
}

// repeated estimates a ratio of rates from the logarithms that repeated runs gave.
func repeated(ratios []float64) Estimate {
	n := float64(len(ratios))
	student := distuv.StudentsT{Sigma: 1, Nu: n - 1}
	return estimate(stat.Mean(ratios, nil), stat.StdDev(ratios, nil)/math.Sqrt(n), student.Quantile((1+confidence)/2), student.Survival, len(ratios))
}

func estimate(log, deviation, t float64, tail func(float64) float64, runs int) Estimate {
	p := 1.0
	if log != 0 {
		p = 2 * tail(math.Abs(log)/deviation)
	}
	return Estimate{Ratio: math.Exp(log), Low: math.Exp(log - t*deviation), High: math.Exp(log + t*deviation), P: p, Runs: runs}
}

func squares(x []float64) float64 {
	mean, sum := stat.Mean(x, nil), 0.0
	for _, v := range x {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// falseDiscovery is the part of the verdicts faster and slower that may be wrong.
const falseDiscovery = 1 - confidence

// discoveries returns the largest p-value that counts as a difference among so many tests
// (Benjamini and Hochberg 1995).
func discoveries(ps []float64) float64 {
	slices.Sort(ps)
	most := 0.0
	for i, p := range ps {
		if p <= falseDiscovery*float64(i+1)/float64(len(ps)) {
			most = p
		}
	}
	return most
}
