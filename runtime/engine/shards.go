package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Shards is a table whose pairs lie on several devices, each on the one that owns its key. A shard is a table like any
// other, and its scheme does not know of the rest.
type Shards struct {
	spec   Spec
	parts  []device.Device
	tables []*Table
	oracle *oracle
	heard  [][]heard       // of the batch that is being carried out: what each shard's phases gave
	named  []time.Duration // and how long each shard numbered the values that it found
	failed []error         // why a shard could not carry out its part
	hung   error
}

// heard is a phase of a batch on a shard.
type heard struct {
	gave
	found found
}

func newShards(dev device.Device, parts []device.Device, spec Spec) (*Shards, error) {
	spec.Timeout = cmp.Or(spec.Timeout, time.Minute)
	spec.Results = spec.Results || spec.Verify
	w := &Shards{spec: spec, parts: parts}
	if spec.Verify {
		w.oracle = newOracle(spec.Config.Caps.Duplicates, true)
	}
	spec.Shape, spec.Launch = shardOf(spec.Shape, len(parts)), 0
	for q, part := range parts {
		t, err := New(part, spec)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("shard %d of %d: %w", q, len(parts), err), w.Close())
		}
		t.oracle, t.heed = nil, w.heed(q)
		w.tables = append(w.tables, t)
	}
	return w, nil
}

// shardOf is the shape of one of several shards.
func shardOf(s schemes.Shape, parts int) schemes.Shape {
	s.Capacity, s.N = roomOf(s.Capacity, parts), roomOf(s.N, parts)
	s.Bytes = (s.Bytes + uint64(parts) - 1) / uint64(parts)
	return s
}

// deviations is by how many standard deviations a shard may have more keys than the others. Keys go to shards at
// random, so the number on one is binomial, and less than one shard in a billion has more.
const deviations = 6

// roomOf is the room that a shard needs for its part of n keys.
func roomOf(n uint64, parts int) uint64 {
	mean := float64(n) / float64(parts)
	return min(n, uint64(math.Ceil(mean+deviations*math.Sqrt(mean))))
}

// MaxLoad is the load factor at which the fullest shard is as full as its scheme says that it fills.
func (w *Shards) MaxLoad() float64 {
	slots := float64(w.Capacity()) / float64(len(w.parts))
	root := math.Sqrt(deviations*deviations/4+w.tables[0].MaxLoad()*slots) - deviations/2
	return root * root / slots // mean + deviations * sqrt(mean) = what the shard takes
}

// together calls f for every part at once, and returns the first error, but first that of a part that hangs, and last
// those of parts that waited for another one.
func (w *Shards) together(f func(part int) error) error {
	errs := make([]error, len(w.parts))
	var all sync.WaitGroup
	for i := range w.parts {
		all.Go(func() { errs[i] = device.Caught(func() error { return f(i) }) })
	}
	all.Wait()
	slices.SortStableFunc(errs, func(a, b error) int { return cmp.Compare(weight(a), weight(b)) })
	return cmp.Or(errs...)
}

func weight(err error) int {
	switch {
	case errors.As(err, new(*HangError)):
		return 0
	case errors.As(err, new(*device.Abandoned)):
		return 2
	}
	return 1
}

// exchange has every part copy from others what each turn lists, then do something, and notes how long the slowest took
// by its own clock.
func (w *Shards) exchange(slowest *time.Duration, in *Input, copies func(part, turn int) []device.Copy, then func(part int) error) error {
	all := make([][]device.Copy, len(w.parts))
	for p := range all {
		for k := range in.routes.from[p].turns {
			all[p] = append(all[p], copies(p, k)...)
		}
	}
	traffic, took := device.NewTraffic(w.parts), make([]time.Duration, len(w.parts))
	err := w.together(func(p int) (err error) {
		took[p], err = w.parts[p].Time(func() error {
			arrived, err := traffic.Exchange(lapReturn, all[p], p)
			if err != nil {
				traffic.Fail(err)
				return err
			}
			return inOrder(arrived, func() error { return then(p) })
		})
		return err
	})
	*slowest = slices.Max(took)
	return err
}

// each adds up a number of every shard.
func (w *Shards) each(number func(*Table) uint64) (sum uint64) {
	for _, t := range w.tables {
		sum += number(t)
	}
	return sum
}

// Config is the scheme with its parameters.
func (w *Shards) Config() schemes.Config { return w.spec.Config }

// Size is the number of pairs in all shards.
func (w *Shards) Size() uint64 { return w.each((*Table).Size) }

// Capacity is the number of slots of all shards.
func (w *Shards) Capacity() uint64 { return w.each((*Table).Capacity) }

// Bytes is the memory that all shards take.
func (w *Shards) Bytes() int64 {
	return int64(w.each(func(t *Table) uint64 { return uint64(t.Bytes()) }))
}

// Load is the load factor of all shards together.
func (w *Shards) Load() float64 { return float64(w.Size()) / float64(w.Capacity()) }

// Clear empties all shards.
func (w *Shards) Clear() error {
	if w.hung != nil {
		return w.hung
	}
	if w.oracle != nil {
		w.oracle.clear()
	}
	return w.together(func(q int) error { return w.tables[q].Clear() })
}

// Reseed empties all shards, and draws other hash functions for them.
func (w *Shards) Reseed() error {
	return w.together(func(q int) error { return w.tables[q].Reseed() })
}

// Choked refuses a batch if one of the shards would refuse its part.
func (w *Shards) Choked(in *Input) error {
	part := *in
	part.N = in.N / uint64(len(w.tables))
	for _, t := range w.tables {
		if err := t.Choked(&part); err != nil {
			return err
		}
	}
	return nil
}

// Close gives the memory back, except that of shards that hang.
func (w *Shards) Close() (err error) {
	for _, t := range w.tables {
		err = cmp.Or(err, t.Close())
	}
	return err
}

// Verified is how long checks against the oracle took.
func (w *Shards) Verified() time.Duration { return w.oracle.spent() }

// Recount counts the pairs of all shards and checks their number.
func (w *Shards) Recount() error {
	if w.hung != nil {
		return w.hung
	}
	return w.together(func(q int) error { return w.tables[q].Recount() })
}

// Contents exports and digests all shards, checks their sizes and, if the table is verified, asks the oracle.
func (w *Shards) Contents() (c Contents, err error) {
	if w.hung != nil {
		return c, w.hung
	}
	var sums kernels.Digest
	for _, t := range w.tables {
		shard, err := t.contents(&sums)
		if err != nil {
			return c, err
		}
		c.N += shard.N
		c.Keys, c.Values = append(c.Keys, shard.Keys...), append(c.Values, shard.Values...)
	}
	return c, w.spec.contain(&c, &sums, w.oracle)
}
