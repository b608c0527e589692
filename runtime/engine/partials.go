package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Where several devices combine the values of few groups, each first does so on its own, in a table with the capacity of
// all shards. The pairs of these tables are partial aggregates, and the devices exchange them instead of rows. Each shard
// gets all of them and empties the keys that other shards own, so that its table rejects them: no device waits until the
// host knows how many pairs there are.

// Groups are few if each device has combineFrom times as many rows as it gets slots of all devices: two H200s aggregated
// 59 G rows/s instead of 46 with 11 times as many, and 43 instead of 49 with 3.4. With less than leastCombined rows, the
// launches would cost more than the exchange. Tests change it.
const combineFrom = 6

var leastCombined uint64 = 1 << 20

// partials are a device's partial aggregates.
type partials struct {
	whole *shard      // a table of all shards' capacity, for the rows of the device
	slots uint64      // for whose pairs there is memory
	full  bool        // there are more: some found no room, or the table grew
	pairs device.Addr // of all devices, one behind the other: keys, and then values
	block device.Addr // of the kernel that makes a batch of them
	all   *Input      // that batch, for the shard
}

// combinesFirst reports whether the devices exchange partial aggregates, which give no outcomes of rows.
func (t *Table) combinesFirst(in *Input) bool {
	parts := uint64(len(t.parts))
	return t.several() && kernels.Op(in.Op).Combines() && t.spec.Config.Caps.Has(merging(in.Op)) && !t.spec.Results &&
		!t.spec.Shape.Host && in.N >= max(leastCombined, combineFrom*parts*parts*t.Capacity())
}

// merging is the operation that makes one of two partial aggregates.
func merging(op string) string {
	return kernels.OpsThat(func(o kernels.Operation) bool { return o.Value && o.Combines() && o.Becomes == kernels.Op(op).Becomes })[0]
}

// combineFirst carries out such a batch. It returns nil, and the shards are as before, if memory does not suffice or the
// groups are more than the slots; the batch has a note then.
func (t *Table) combineFirst(p *plan) (*Sample, error) {
	err := cmp.Or(p.in.results(false), t.preparePartials(merging(p.in.Op)))
	if err != nil || t.partials == nil {
		p.notes = []string{fmt.Sprintf("rows are exchanged, not partial aggregates: %v", t.tight)}
		return nil, err
	}
	defer func() { p.in.busy = p.in.busy || t.hanging() != nil }()
	local, err := t.stepOf(p, func(q int) *result { return t.partials[q].combine(p, q) })
	if err != nil || slices.ContainsFunc(t.partials, func(p *partials) bool { return p.full }) {
		p.sharing.Service, p.notes = p.sharing.Operation, []string{"rows are exchanged, not partial aggregates: the groups are more than the slots"}
		return nil, err
	}
	traffic := device.NewTraffic(t.parts)
	err = t.slowest(&p.sharing.Exchange, func(q int) (time.Duration, error) { return t.exchangePairs(traffic, q) })
	if err != nil {
		return nil, err
	}
	merge := t.spec.phases(merging(p.in.Op), nil)
	done, err := t.stepOf(p, func(q int) *result { return t.shards[q].run(t.partials[q].all, merge) })
	if err != nil {
		return nil, err
	}
	p.sharing.combined(p.in, append(slices.Clone(local), done...))
	s := t.account(p, done)
	s.countRows(local)
	return &s, nil
}

// stepOf runs batches on all parts, and adds the longest time to that of the operation.
func (t *Table) stepOf(p *plan, run func(part int) *result) ([]*result, error) {
	done := make([]*result, len(t.parts))
	return done, t.slowest(&p.sharing.Operation, func(q int) (time.Duration, error) {
		done[q] = run(q)
		return done[q].sample.Service, done[q].err
	})
}

// combined takes the sizes of the shares, and how long parts took on average.
func (s *Sharing) combined(in *Input, steps []*result) {
	s.Service = s.Operation + s.Exchange
	s.mean = lists.Sum(steps, func(r *result) time.Duration { return r.sample.Service }) / time.Duration(len(in.shares))
	s.even = float64(in.N) / float64(len(in.shares))
	s.most = lists.Max(in.shares, func(s *share) uint64 { return s.n })
}

// countRows turns the outcomes of partial aggregates into those of rows: one of a new key is ok, others are replaced.
func (s *Sample) countRows(local []*result) {
	work, rejected := slices.Clone(s.Counts), uint64(0)
	for _, r := range local {
		work.Add(r.sample.Counts)
		rejected += r.sample.Counts.Get("rejected")
	}
	ok, failed := s.Counts.Get("ok"), s.Counts.Get("failed")
	s.Counts.Set("rejected", rejected)
	s.Counts.Set("replaced", s.N-ok-failed-rejected)
	s.Counts.SetWork(work)
	if failed > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("the %d that failed are partial aggregates of several rows each", failed))
	}
}

// preparePartials takes the memory the first time. Without memory, it leaves t.partials nil.
func (t *Table) preparePartials(op string) error {
	if t.partials == nil && t.tight == nil {
		list, err := t.newPartials(op)
		if err != nil {
			t.tight = err
			return cmp.Or(lists.Map(list, (*partials).close)...)
		}
		t.partials = list
	}
	return nil
}

func (t *Table) newPartials(op string) (list []*partials, err error) {
	spec := t.spec
	spec.Launch = 0
	for q, dev := range t.parts {
		whole, err := newShard(dev, spec)
		if err != nil {
			return list, err
		}
		p := &partials{whole: whole, all: &Input{Op: op, pair: t.Pair()}}
		list = append(list, p)
		if err := p.alloc(dev, uint64(q), uint64(len(t.parts))); err != nil {
			return list, err
		}
	}
	return list, nil
}

// alloc takes memory for the pairs of all devices.
func (p *partials) alloc(dev device.Device, own, parts uint64) (err error) {
	pair := p.all.pair
	p.slots = warp * divideUp(p.whole.layout.Capacity, warp) // so that values are aligned
	p.all.N = parts * p.slots
	p.all.shares = divided(0, p.all.N, []device.Device{dev})
	s := p.all.shares[0]
	if p.pairs, err = s.mem.alloc(p.all.N * uint64(pair.Bytes())); err != nil {
		return err
	}
	all, err := s.mem.arrays(pair, p.all.N)
	if err != nil {
		return err
	}
	s.keys, s.values = all[0], all[1]
	block := kernels.Split{Items: p.slots, Parts: parts, Own: own}
	block.Column[0] = kernels.SplitColumn{Here: uint64(p.pairs), Away: uint64(s.keys), Width: uint64(pair.Key)}
	block.Column[1] = kernels.SplitColumn{Away: uint64(s.values), Width: uint64(pair.Value)}
	if p.block, err = s.mem.alloc(uint64(len(kernels.Bytes(&block)))); err != nil {
		return err
	}
	return cmp.Or(ready(dev, p.kernel(), p.block, kernels.Bytes(&block)), p.all.results(false))
}

func (p *partials) kernel() string { return fmt.Sprintf("hz_split_own_k%d", p.all.pair.Key) }

// combine combines the rows of a device.
func (p *partials) combine(of *plan, part int) *result {
	s := of.in.shares[part]
	in := &Input{Op: of.in.Op, N: s.n, pair: of.in.pair, shares: []*share{s}}
	cleared, err := p.timed(p.whole.afresh)
	if err != nil {
		return &result{sample: newSample(in), err: err}
	}
	r := p.whole.run(in, of.phases)
	r.sample.Service += cleared
	p.full = r.sample.Counts.Get("failed") > 0 || p.whole.size > p.slots
	return r
}

// timed returns the device's time for requests to the table.
func (p *partials) timed(f func() error) (time.Duration, error) {
	var s Sample
	p.whole.sample, p.whole.inBatch = &s, true
	defer func() { p.whole.inBatch = false }()
	err := f()
	return s.Service, err
}

// exchangePairs copies the pairs of all devices to a shard, and empties the keys that it does not own.
func (t *Table) exchangePairs(traffic *device.Traffic, part int) (time.Duration, error) {
	p, dev := t.partials[part], t.parts[part]
	listed, err := p.timed(func() error { return p.list(part) })
	if err != nil {
		traffic.Fail(err)
		return 0, err
	}
	moved, err := dev.Time(func() error {
		arrived, err := traffic.Exchange(lapExchange, t.pairCopies(part), part)
		if err != nil {
			traffic.Fail(err)
			return err
		}
		return inOrder(arrived, func() error { return dev.Launch(p.kernel(), p.block, p.block, p.all.N) })
	})
	return listed + moved, err
}

// list lists the pairs of the table, and empty keys behind them.
func (p *partials) list(part int) error {
	w := p.whole
	keys := p.pairs + device.Addr(uint64(part)*p.slots*uint64(w.Pair().Bytes()))
	bytes := p.slots * uint64(w.Pair().Key)
	if err := w.Set(keys, 0xff, int64(bytes)); err != nil {
		return err
	}
	_, err := w.Launch(schemes.Batch{Op: "export", N: w.layout.Capacity, Block: kernels.Batch{
		PairKeys: uint64(keys), PairValues: uint64(keys) + bytes, PairLimit: p.slots,
	}})
	return err
}

// pairCopies lists the copies of the other devices' pairs to a part.
func (t *Table) pairCopies(part int) (list []device.Copy) {
	for q, p := range t.partials {
		if first := uint64(q) * p.slots; q != part {
			list = copied(list, q, t.partials[part].pairs, first, p.pairs, first, p.slots, t.Pair().Bytes())
		}
	}
	return list
}

func (p *partials) close() error { return cmp.Or(p.all.Release(), p.whole.close()) }
