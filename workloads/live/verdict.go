package live

import (
	"math"

	"github.com/hashzoo/hashzoo/analysis"
)

// comparedBatches is how many batches verdicts are based on: enough to know the noise, few enough that a change shows soon.
const comparedBatches = 256

// outcome is a measured batch of a scheme, to compare with another scheme's.
type outcome struct {
	op    int
	input string  // its digest
	each  float64 // seconds for each completed operation
}

type outcomes struct {
	last  [comparedBatches]outcome
	count uint64
}

// verdict compares the k-th batch of both schemes, for every k. Batches alternate, so a
// disturbance longer than a batch affects both. Batches that completed nothing do not count.
func (o *outcomes) verdict(base *outcomes, op int) Verdict {
	var ratios []float64
	oldest := max(o.count, base.count, comparedBatches) - comparedBatches + 1
	for k := oldest; k <= min(o.count, base.count); k++ {
		a, b := o.last[k%comparedBatches], base.last[k%comparedBatches]
		if op >= 0 && a.op != op && b.op != op {
			continue
		}
		if a.op != b.op || a.input != b.input {
			return Verdict{None: OtherInput}
		}
		if ratio := b.each / a.each; ratio > 0 && !math.IsInf(ratio, 0) {
			ratios = append(ratios, ratio)
		}
	}
	if len(ratios) == 0 {
		return Verdict{}
	}
	e := analysis.Paired(ratios) // the rule of package analysis
	return Verdict{Kind: e.Verdict(analysis.Least), Ratio: e.Ratio, Noise: (e.High - e.Low) / 2, Pairs: len(ratios)}
}
