package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// Measured is a row of a side. Of repeated runs, it is the merged one.
type Measured struct {
	results.Row
	Mark string // why its rate is no figure of its scheme, or nothing
}

// Measured returns the rows of a side for figures and tables.
func (s Side) Measured() (list []Measured) {
	if len(s.Files) == 1 {
		return lists.Map(s.Files[0].Rows, func(r results.Row) Measured { return Measured{r, wrong(r)} })
	}
	merged := s.Merge()
	for i, g := range s.group() {
		m := Measured{merged[i], wrong(merged[i])}
		for _, r := range g.rows {
			r.Noise = nil // theirs is that of the spread
			m.Mark = cmp.Or(m.Mark, wrong(r))
		}
		list = append(list, m)
	}
	return list
}

// Interval holds the true rate with a probability of 95 percent. It is empty if that is not known.
func (m Measured) Interval() (low, high float64) { return bounds(m.Rate, m.Noise) }

// bounds is the interval of a value whose logarithm has this noise. Beyond MaxNoise it would say nothing.
func bounds(y float64, noise *float64) (low, high float64) {
	if noise == nil || *noise > results.MaxNoise {
		return y, y
	}
	return y * math.Exp(-*noise), y * math.Exp(*noise)
}

// Merge returns the rows of repeated runs as those of one: of each, the run with the median
// rate, and as its noise how much the runs differ.
func (s Side) Merge() (list []results.Row) {
	for _, g := range s.group() {
		sorted := slices.SortedFunc(slices.Values(g.rows), func(a, b results.Row) int { return cmp.Compare(a.Rate, b.Rate) })
		row := sorted[(len(sorted)-1)/2]
		row.Noise, row.Settled = spread(g.rows), true
		list = append(list, row)
	}
	return list
}

// spread is half the 95 percent interval of the mean, as a fraction; nil for a single run.
func spread(rows []results.Row) *float64 {
	if len(rows) < 2 {
		return nil
	}
	s := trimmed(lists.Map(rows, func(r results.Row) float64 { return -math.Log(r.Rate) }))
	half := student(s.kept-1).Quantile((1+confidence)/2) * s.deviation()
	if math.IsNaN(half) || math.IsInf(half, 0) {
		return nil
	}
	return &half
}
