// Package analysis says what results mean: which of two runs or schemes is faster, and how
// sure that is. docs/comparing.md explains the statistics to users.
package analysis

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/aclements/go-moremath/mathx"
	"github.com/aclements/go-moremath/stats"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
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

// Mark stands for the word where there is no room.
func (k Kind) Mark() string { return []string{"~", "+", "-", "="}[k] }

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

// Estimate is a ratio of rates, with the interval that holds the true one with a probability of 95 percent.
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
	case e.unbounded():
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

// unbounded reports whether the runs say nothing about how far off the ratio may be.
func (e Estimate) unbounded() bool {
	return math.IsNaN(e.Low) || math.IsNaN(e.High) || math.IsInf(e.High, 0)
}

// Paired estimates a ratio from the ratios of batches that took turns: whatever disturbs
// the machine for longer than a batch disturbs both alike.
func Paired(ratios []float64) Estimate {
	s := engine.Policy{}.Summarize(ratios)
	half := s.Noise * s.Median
	return Estimate{Ratio: s.Median, Low: s.Median - half, High: s.Median + half, P: signTest(ratios), Runs: 1}
}

// signTest returns the probability that fair coins, one for each ratio, fall as unevenly as the ratios lie around 1.
func signTest(ratios []float64) float64 {
	above := len(lists.Filter(ratios, func(r float64) bool { return r > 1 }))
	below := len(lists.Filter(ratios, func(r float64) bool { return r < 1 }))
	coins, sum := float64(above+below), 0.0
	chance := math.Exp(mathx.Lchoose(above+below, above) - coins*math.Ln2) // of just as many
	for k := float64(min(above, below)); k >= 0 && chance > 1e-17*sum; k-- {
		sum += chance
		chance *= k / (coins - k + 1)
	}
	return min(1, 2*sum)
}

// between estimates a ratio of rates from repeated runs: by t-tests on the logarithms of their times, paired if the
// runs took turns. With a single run on each side, the variance between runs is unknown and spread stands for it,
// besides the noise within the runs. If one of them does not show its noise either, nothing is known.
func between(old, fresh []level, spread float64) Estimate {
	if ratios := inTurns(old, fresh); ratios != nil {
		return repeated(ratios)
	}
	a, b := trimmed(logs(old)), trimmed(logs(fresh))
	log, each, runs := a.mean-b.mean, 1/a.kept+1/b.kept, min(len(old), len(fresh))
	freedom := a.kept + b.kept - 2
	if freedom == 0 {
		variance := spread*spread + (within(old)+within(fresh))/2
		return estimate(log, math.Sqrt(variance*each), normal{}, runs)
	}
	variance := (a.squares + b.squares) / freedom
	return estimate(log, math.Sqrt(variance*each), student(freedom), runs)
}

// repeated estimates a ratio of rates from the logarithms that repeated runs gave.
func repeated(ratios []float64) Estimate {
	s := trimmed(ratios)
	return estimate(s.mean, s.deviation(), student(s.kept-1), len(ratios))
}

// leastPairs is the number of pairs of runs needed to compare pairs: of fewer, the variance of
// the ratios is known less well than that of the runs.
const leastPairs = 5

// inTurns returns the logarithms of the ratios of runs that took turns, A B A B or A B B A;
// nil if they did not. What disturbs a machine for longer than a run disturbs both of a pair.
func inTurns(old, fresh []level) (ratios []float64) {
	if len(old) != len(fresh) || len(old) < leastPairs {
		return nil
	}
	old, fresh = slices.SortedFunc(slices.Values(old), byStart), slices.SortedFunc(slices.Values(fresh), byStart)
	before := time.Time{}
	for k, o := range old {
		first, second := o.started, fresh[k].started
		if first.After(second) {
			first, second = second, first
		}
		if !first.After(before) || first.Equal(second) {
			return nil
		}
		before = second
		ratios = append(ratios, o.log-fresh[k].log)
	}
	return ratios
}

func byStart(a, b level) int { return a.started.Compare(b.started) }

// distribution is that of a deviation from the truth.
type distribution interface {
	Quantile(p float64) float64
	Survival(x float64) float64
}

type normal struct{}

func (normal) Quantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
func (normal) Survival(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// student is Student's t distribution with that many degrees of freedom.
type student float64

func (s student) Quantile(p float64) float64 { return stats.InvCDF(stats.TDist{V: float64(s)})(p) }

// Survival avoids 1-CDF, which has no digits of small probabilities, and NaN, for which BetaInc panics.
func (s student) Survival(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return mathx.BetaInc(float64(s)/(float64(s)+x*x), float64(s)/2, 0.5) / 2
}

// HalfInterval is half the 95 percent interval of a mean of n values with that standard deviation.
func HalfInterval(deviation float64, n uint64) float64 {
	return student(float64(n)-1).Quantile((1+confidence)/2) * deviation / math.Sqrt(float64(n))
}

func estimate(log, deviation float64, d distribution, runs int) Estimate {
	half, p := d.Quantile((1+confidence)/2)*deviation, 1.0
	if log != 0 {
		p = 2 * d.Survival(math.Abs(log)/deviation)
	}
	return Estimate{Ratio: math.Exp(log), Low: math.Exp(log - half), High: math.Exp(log + half), P: p, Runs: runs}
}

// sample is what repeated runs say. The largest and smallest values are trimmed, since a few
// runs that something disturbed would decide a mean (Yuen and Dixon 1973).
type sample struct {
	mean    float64
	squares float64 // of deviations, with the trimmed values moved to the nearest ones that are kept
	kept    float64
}

func trimmed(x []float64) sample {
	sorted := slices.Sorted(slices.Values(x))
	cut := max(0, min((len(x)-5)/3, len(x)/4)) // nothing of up to seven runs, a quarter on each side of many
	kept := sorted[cut : len(x)-cut]
	s := sample{mean: stats.Mean(kept), kept: float64(len(kept))}
	for i := range cut {
		sorted[i], sorted[len(x)-1-i] = kept[0], kept[len(kept)-1]
	}
	s.squares = stats.Variance(sorted) * float64(len(sorted)-1)
	return s
}

// deviation is the standard deviation of the mean.
func (s sample) deviation() float64 { return math.Sqrt(s.squares / s.kept / (s.kept - 1)) }

// discoveries returns the largest p-value that counts as a difference among these tests (Benjamini and Hochberg 1995).
func discoveries(ps []float64) float64 {
	const falseDiscovery = 1 - confidence // the part of the verdicts faster and slower that may be wrong
	slices.Sort(ps)
	most := 0.0
	for i, p := range ps {
		if p <= falseDiscovery*float64(i+1)/float64(len(ps)) {
			most = p
		}
	}
	return most
}
