package analysis

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

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
	var list []float64
	for _, r := range rows {
		list = append(list, -math.Log(r.Rate))
	}
	if len(list) < 2 {
		return nil
	}
	n := float64(len(list))
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+confidence)/2) * math.Sqrt(squares(list)/(n-1)/n)
	if math.IsNaN(half) || math.IsInf(half, 0) {
		return nil
	}
	return &half
}
