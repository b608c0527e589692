package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/digest"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Spec describes a table.
type Spec struct {
	Config  schemes.Config
	Shape   schemes.Shape
	Seed    uint64
	Counted bool          // run the instrumented kernels
	Results bool          // keep and digest the result of every operation
	Verify  bool          // check everything against the oracle; implies Results
	Keep    bool          // contents have their pairs, and samples the values that operations listed
	Timeout time.Duration // the longest that a launch may take; 0: a minute
	Launch  uint64        // operations in a launch: a larger one is cut (launch.go); 0: none is
}

// Table is a hash table of one scheme, with a shard on each part of a device. Most devices have one part. A shard holds
// the pairs of the keys that it owns; its scheme does not know of the others.
type Table struct {
	*shard // the first one, for what all have in common
	spec   Spec
	parts  []device.Device
	shards []*shard
	oracle *oracle // may be nil

	partials []*partials // of each part, from the first batch that has some (partials.go)
	tight    error       // there is no memory for them
}

// New makes an empty table.
func New(dev device.Device, spec Spec) (*Table, error) {
	spec.Timeout = cmp.Or(spec.Timeout, time.Minute)
	spec.Results = spec.Results || spec.Verify
	t := &Table{spec: spec, parts: device.PartsOf(dev)}
	if spec.Verify {
		t.oracle = newOracle(spec.Config.Caps.Duplicates, t.several())
	}
	if t.several() {
		spec.Shape, spec.Launch = shardOf(spec.Shape, len(t.parts)), 0
	}
	for q, part := range t.parts {
		s, err := newShard(part, spec)
		if err != nil && t.several() {
			err = fmt.Errorf("shard %d of %d: %w", q, len(t.parts), err)
		}
		if err != nil {
			return nil, errors.Join(err, t.Close())
		}
		t.shards = append(t.shards, s)
	}
	t.shard = t.shards[0]
	return t, nil
}

func (t *Table) several() bool { return len(t.parts) > 1 }

// shardOf is the shape of one of several shards.
func shardOf(s schemes.Shape, parts int) schemes.Shape {
	s.Capacity, s.N = shardSize(s.Capacity, parts), shardSize(s.N, parts)
	s.Bytes = divideUp(s.Bytes, uint64(parts))
	return s
}

// deviations is by how many standard deviations a shard may have more keys than the others. Keys go to shards at
// random, so the number on one is binomial, and less than one shard in a billion has more.
const deviations = 6

// shardSize returns how many of n keys a shard has room for.
func shardSize(n uint64, parts int) uint64 {
	mean := float64(n) / float64(parts)
	return min(n, uint64(math.Ceil(mean+deviations*math.Sqrt(mean))))
}

// Size returns the number of pairs, by the counters of the batches.
func (t *Table) Size() uint64 { return lists.Sum(t.shards, (*shard).Size) }

// Capacity returns the number of slots. A library's table grows by itself.
func (t *Table) Capacity() uint64 { return lists.Sum(t.shards, (*shard).capacity) }

// Bytes returns the memory of the table, wherever it lies; of a library's, the most since it was empty.
func (t *Table) Bytes() int64 { return int64(lists.Sum(t.shards, (*shard).bytes)) }

// Load returns the load factor.
func (t *Table) Load() float64 { return float64(t.Size()) / float64(t.Capacity()) }

// MaxLoad returns the load factor to which the scheme says it fills; of several shards, the one at which the fullest
// shard is that full.
func (t *Table) MaxLoad() float64 {
	if !t.several() {
		return t.maxLoad()
	}
	slots := float64(t.Capacity()) / float64(len(t.parts))
	root := math.Sqrt(deviations*deviations/4+t.maxLoad()*slots) - deviations/2
	return root * root / slots // mean + deviations * sqrt(mean) = the pairs that the shard holds
}

// hanging returns the error of a shard whose kernel hangs.
func (t *Table) hanging() error {
	whole := lists.Map(t.partials, func(p *partials) *shard { return p.whole })
	return cmp.Or(lists.Map(append(whole, t.shards...), func(s *shard) error { return s.hung })...)
}

// Clear empties the table; hash functions stay as they are.
func (t *Table) Clear() error {
	if t.oracle != nil {
		t.oracle.clear()
	}
	return t.together(func(q int) error { return t.shards[q].afresh() })
}

// Reseed empties the table and draws the hash functions of the next seed in its sequence.
func (t *Table) Reseed() error { return t.together(func(q int) error { return t.shards[q].Reseed() }) }

// Recount counts the pairs of the table and checks that they are as many as were inserted and not erased.
func (t *Table) Recount() error {
	return t.together(func(q int) error {
		defer t.shards[q].batch.release()
		_, err := t.shards[q].recount()
		return err
	})
}

// Contents are the pairs in a table.
type Contents struct {
	N      uint64
	Digest string // the same for the same pairs in any order
	Keys   []uint64
	Values []uint64
}

// Contents exports and digests the table, checks its size and, if the table is verified, asks the oracle.
func (t *Table) Contents() (c Contents, err error) {
	if err := t.hanging(); err != nil {
		return c, err
	}
	var sums kernels.Digest
	for _, s := range t.shards {
		more, err := s.contents(&sums)
		if err != nil {
			return c, err
		}
		c.N += more.N
		c.Keys, c.Values = append(c.Keys, more.Keys...), append(c.Values, more.Values...)
	}
	if c.Digest = digest.Finish("contents", c.N, &sums); t.oracle == nil {
		return c, nil
	}
	return c, t.oracle.timed(func() error { return t.spec.disagree(t.oracle.holds(c.Keys, c.Values)) })
}

// Verified returns how long checks against the oracle took.
func (t *Table) Verified() time.Duration {
	if t.oracle == nil {
		return 0
	}
	return t.oracle.took
}

// Close gives the memory back, except that of shards that hang.
func (t *Table) Close() error {
	return cmp.Or(append(lists.Map(t.partials, (*partials).close), lists.Map(t.shards, (*shard).close)...)...)
}

// TombstoneError says that erased pairs occupy almost all slots. Walks end at unused slots, so inserts would be slow.
type TombstoneError struct {
	Scheme           string
	Op               string
	N                uint64
	Erased, Capacity uint64
}

func (e *TombstoneError) Error() string {
	return fmt.Sprintf("scheme %s: %d operations %s, and erased pairs still occupy %d of %d slots, which leaves too few unused; hint: t:flush() frees them",
		e.Scheme, e.N, e.Op, e.Erased, e.Capacity)
}

// CheckTombstones refuses a batch that adds pairs for which the table has room only after a flush.
func (t *Table) CheckTombstones(in *Input) error {
	share := in.N / uint64(len(t.shards))
	if !anyOf(append(slices.Clone(in.mixed), in.Op), func(op kernels.Operation) bool { return op.Adds }) {
		return nil
	}
	return lists.Each(t.shards, func(s *shard) error { return s.checkTombstones(in.Op, share) })
}

func (t *shard) checkTombstones(op string, share uint64) error {
	var n uint64
	if op == "insert" { // which keys of the others are new is not known
		n = share
	}
	if share == 0 || t.hung != nil || !t.crowded(n) {
		return nil
	}
	erased, err := t.erased()
	t.taken = t.size + erased
	if err != nil || !t.crowded(n) {
		return err
	}
	return &TombstoneError{t.spec.Config.Name, op, share, erased, t.layout.Capacity}
}

// crowded reports whether n more pairs fit, and may leave less than a thousandth of the slots unused. Where pairs stay in
// place, only a flush frees the slots of erased pairs.
func (t *shard) crowded(n uint64) bool {
	slots, c := t.layout.Capacity, t.spec.Config
	full := t.taken+n > slots-slots/1000 && float64(t.size+n) <= t.maxLoad()*float64(slots)
	return full && c.Caps.Has("flush") && c.Caps.Stable && t.slotUse() >= 0
}

func (t *shard) slotUse() int {
	return slices.IndexFunc(t.spec.Config.Gauges, func(g schemes.Gauge) bool { return g.Name == "slots" })
}

func (t *shard) erased() (uint64, error) {
	r, err := t.spec.Config.Gauges[t.slotUse()].Look(t)
	return uint64(lists.First(r.Bars, func(b schemes.Bar) bool { return b.Label == "erased" }).Value), err
}
