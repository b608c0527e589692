package choose

import (
	"maps"
	"slices"

	"github.com/hashzoo/hashzoo/workloads/run"
)

// times are the service times of a candidate in one run of the workload, as far as the wish counts them: a piece for
// each batch of a stratum.
type times struct {
	Wish
	strata map[stratum][]piece
}

// stratum is a phase, of hits all stages; with weights, an operation in a phase.
type stratum struct{ phase, op string }

// piece is the work of one call of event.
type piece struct {
	round   uint64
	seconds float64
	n       uint64 // operations, or hits
	lookups uint64
}

func (p *piece) add(more piece) {
	p.seconds += more.seconds
	p.n += more.n
	p.lookups += more.lookups
}

func (t *times) add(e run.Measured) {
	at, p := t.piece(e)
	pieces := t.strata[at]
	if last := len(pieces) - 1; last >= 0 && pieces[last].round == p.round && e.Phase != run.Prepare {
		pieces[last].add(p)
		return
	}
	t.strata[at] = append(pieces, p)
}

func (w Wish) piece(e run.Measured) (stratum, piece) {
	hits, misses := e.Sample.Hits()
	at, p := stratum{phase: e.Phase}, piece{e.Round, e.Sample.Service.Seconds(), e.Sample.N, hits + misses}
	if w.Maximize != nil {
		at.op = e.Sample.Op
	}
	if w.Hits {
		p.n = hits
		p.seconds += float64(misses) * w.Miss.Seconds()
	}
	if w.Hits && e.Phase != run.Prepare {
		at.phase = ""
	}
	return at, p
}

// counted are the strata of stages; for an operation that no stage has, those of prepare.
func (t *times) counted() []stratum {
	staged := map[string]bool{}
	for at := range t.strata {
		staged[at.op] = staged[at.op] || at.phase != run.Prepare
	}
	return slices.DeleteFunc(slices.Collect(maps.Keys(t.strata)), func(at stratum) bool { return at.phase == run.Prepare && staged[at.op] })
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

// cost adds up every k-th of the first n pieces: their time, or the time of a hit, or with weights that of an operation.
func (t *times) cost(at stratum, n, k, blocks int) float64 {
	var all piece
	for i := k; i < n; i += blocks {
		all.add(t.strata[at][i])
	}
	switch each := all.seconds / float64(max(all.n, 1)); {
	case t.Hits:
		return each
	case t.Maximize != nil:
		return t.Maximize[at.op] * each
	}
	return all.seconds
}

// total adds up what counts of several runs.
func total(list []*times) (all piece) {
	for _, t := range list {
		for _, at := range t.counted() {
			for _, p := range t.strata[at] {
				all.add(p)
			}
		}
	}
	return all
}
