package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// Merge returns the rows of repeated runs as those of one: of each, the run with the median
// rate, and as its noise how much the runs differ.
func (s Side) Merge() (list []results.Row) {
	for _, g := range s.group() {
		row := medianRow(g.rows)
		row.Noise, row.Settled = spread(g.rows), true
		list = append(list, row)
	}
	return list
}

func medianRow(rows []results.Row) results.Row {
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b results.Row) int { return cmp.Compare(a.Rate, b.Rate) })
	return sorted[(len(sorted)-1)/2]
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
