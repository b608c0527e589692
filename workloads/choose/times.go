package choose

import (
	"slices"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// goal is the time to minimize: that of operations with weights; nil: of all operations.
type goal map[string]float64

func (g goal) counts(op string) bool { return g == nil || g[op] > 0 }

// times are the service times of a candidate in one run of the workload, as far as the goal counts them: a piece for
// each batch of a stratum.
type times struct {
	weights goal
	strata  map[stratum][]piece
}

// stratum is a phase; with weights, an operation in a phase.
type stratum struct{ phase, op string }

// piece is the work of one call of event.
type piece struct {
	round   uint64
	seconds float64
	n       uint64
}

func (g goal) newTimes() *times { return &times{g, map[stratum][]piece{}} }

func (t *times) add(e run.Measured) {
	at := stratum{phase: e.Phase}
	if t.weights != nil {
		at.op = e.Sample.Op
	}
	p := piece{e.Round, e.Sample.Service.Seconds(), e.Sample.N}
	pieces := t.strata[at]
	if last := len(pieces) - 1; last >= 0 && pieces[last].round == p.round && e.Phase != run.Prepare {
		pieces[last].seconds += p.seconds
		pieces[last].n += p.n
		return
	}
	t.strata[at] = append(pieces, p)
}

// counted are the strata of stages; for an operation that no stage has, those of prepare.
func (t *times) counted() (list []stratum) {
	staged := map[string]bool{}
	for at := range t.strata {
		staged[at.op] = staged[at.op] || at.phase != run.Prepare
	}
	for at := range t.strata {
		if at.phase != run.Prepare || !staged[at.op] {
			list = append(list, at)
		}
	}
	return list
}

// maxBlocks bounds the blocks of a run.
const maxBlocks = 30

// ratios are those of the rates of a candidate to those of another in the same run, block by block. A block has every
// k-th piece of each stratum, so that all blocks are alike even if the workload changes while it runs.
func ratios(t, base *times) (list []float64) {
	strata := slices.DeleteFunc(t.counted(), func(at stratum) bool { return len(base.strata[at]) == 0 })
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
			mine += t.cost(at, n, k, blocks)
			others += base.cost(at, n, k, blocks)
		}
		if mine > 0 && others > 0 {
			list = append(list, others/mine)
		}
	}
	return list
}

// cost adds up every k-th of the first n pieces: their time, or with weights the time of an operation.
func (t *times) cost(at stratum, n, k, blocks int) float64 {
	seconds, operations := 0.0, uint64(0)
	for i := k; i < n; i += blocks {
		seconds += t.strata[at][i].seconds
		operations += t.strata[at][i].n
	}
	if t.weights == nil {
		return seconds
	}
	return t.weights[at.op] * seconds / float64(max(operations, 1))
}

// mops is the rate of the counted operations of several runs, in millions per second.
func mops(list []*times) float64 {
	n, seconds := uint64(0), 0.0
	for _, t := range list {
		for _, at := range t.counted() {
			for _, p := range t.strata[at] {
				n, seconds = n+p.n, seconds+p.seconds
			}
		}
	}
	if seconds == 0 {
		return 0
	}
	return float64(n) / seconds / 1e6
}

// estimate is that of the ratio of rates; of too few blocks, only the ratio is known.
func estimate(list []float64) (e analysis.Estimate, ok bool) {
	if len(list) == 0 {
		return e, false
	}
	return analysis.Paired(list), true
}
