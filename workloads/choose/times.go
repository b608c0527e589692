package choose

import (
	"slices"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// times are the service times of a candidate in one run of the workload, as far as the goal counts them.
type times struct {
	strata map[stratum][]piece // a piece for each round
	round  map[stratum]uint64  // of the last piece
}

// stratum is a phase; with weights, an operation in a phase.
type stratum struct{ phase, op string }

// piece is what one round did.
type piece struct {
	seconds float64
	n       uint64
}

func newTimes() *times { return &times{map[stratum][]piece{}, map[stratum]uint64{}} }

// goal is what is made as fast as possible.
type goal struct {
	weights map[string]float64 // of operations; nil: the time of all of them counts
}

func (g goal) counts(op string) bool { return g.weights == nil || g.weights[op] > 0 }

func (t *times) add(g goal, e run.Measured) {
	at := stratum{phase: e.Phase}
	if g.weights != nil {
		at.op = e.Sample.Op
	}
	p := piece{e.Sample.Service.Seconds(), e.Sample.N}
	pieces := t.strata[at]
	if last := len(pieces) - 1; last >= 0 && t.round[at] == e.Round && e.Phase != run.Prepare {
		pieces[last].seconds += p.seconds
		pieces[last].n += p.n
		return
	}
	t.strata[at], t.round[at] = append(pieces, p), e.Round
}

// counted are the strata that the goal looks at: those of stages. If no stage has any, those of prepare.
func (t *times) counted(g goal) (list []stratum) {
	staged := func(op string) bool {
		for at := range t.strata {
			if at.phase != run.Prepare && at.op == op {
				return true
			}
		}
		return false
	}
	for at := range t.strata {
		if g.counts(at.op) || at.op == "" {
			if at.phase != run.Prepare || !staged(at.op) {
				list = append(list, at)
			}
		}
	}
	return list
}

// maxBlocks bounds the blocks of a run.
const maxBlocks = 30

// ratios are those of the rates of a candidate to those of another in the same run, block by block. A block has every
// k-th round of each stratum, so that all blocks are alike even if the workload changes while it runs.
func ratios(g goal, t, base *times) (list []float64) {
	strata := slices.DeleteFunc(t.counted(g), func(at stratum) bool { return len(base.strata[at]) == 0 })
	blocks := maxBlocks
	for _, at := range strata {
		blocks = min(blocks, len(t.strata[at]), len(base.strata[at]))
	}
	if len(strata) == 0 {
		return nil
	}
	for k := range blocks {
		mine, others := 0.0, 0.0
		for _, at := range strata {
			n := min(len(t.strata[at]), len(base.strata[at]))
			mine += g.cost(at, t.strata[at][:n], k, blocks)
			others += g.cost(at, base.strata[at][:n], k, blocks)
		}
		if mine > 0 && others > 0 {
			list = append(list, others/mine)
		}
	}
	return list
}

// cost adds up every k-th piece: their time, or with weights the time of an operation.
func (g goal) cost(at stratum, pieces []piece, k, blocks int) float64 {
	seconds, n := 0.0, uint64(0)
	for i := k; i < len(pieces); i += blocks {
		seconds += pieces[i].seconds
		n += pieces[i].n
	}
	if g.weights == nil {
		return seconds
	}
	return g.weights[at.op] * seconds / float64(max(n, 1))
}

// total is the cost of the whole run.
func (g goal) total(t *times) (sum float64) {
	for _, at := range t.counted(g) {
		sum += g.cost(at, t.strata[at], 0, 1)
	}
	return sum
}

// mops is the rate of the counted operations of several runs, in millions per second.
func (g goal) mops(list []*times) float64 {
	n, seconds := uint64(0), 0.0
	for _, t := range list {
		more, took := g.work(t)
		n, seconds = n+more, seconds+took
	}
	return float64(n) / seconds / 1e6
}

// work returns the operations that the goal counts, and their service time.
func (g goal) work(t *times) (n uint64, seconds float64) {
	for _, at := range t.counted(g) {
		for _, p := range t.strata[at] {
			n, seconds = n+p.n, seconds+p.seconds
		}
	}
	return n, seconds
}

// estimate is that of the ratio of rates; of too few blocks, only the ratio is known.
func estimate(list []float64) (e analysis.Estimate, ok bool) {
	if len(list) == 0 {
		return e, false
	}
	return analysis.Paired(list), true
}
