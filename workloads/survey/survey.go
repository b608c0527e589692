// Package survey measures what schemes are like apart from their speed: how full they
// get, how often they look at memory, and how much of it they take. Such figures
// are a property of the scheme and its parameters, the same on every machine.
package survey

import (
	"fmt"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// Survey is what to measure with.
type Survey struct {
	Device device.Device
	N      uint64 // pairs, or slots
	Seed   uint64
}

// Row is what one scheme is like, with its default parameters.
type Row struct {
	Scheme  *schemes.Scheme
	Reached float64  // load factor up to which every insert found room
	Grows   bool     // it never ran out of room, because it takes more memory
	Probes  []Probes // by the load factors that were asked for
}

// Probes are reads of a bucket for each operation, in a table that was filled to a
// load factor.
type Probes struct {
	Filled                  float64 // load factor in the end
	Failed                  uint64  // inserts that found no room
	Insert, Present, Absent float64
	Bytes                   float64 // of the table, for each pair
}

// Measure surveys one scheme.
func (s Survey) Measure(scheme *schemes.Scheme, loads []float64) (Row, error) {
	row := Row{Scheme: scheme}
	if err := s.fill(&row); err != nil {
		return row, err
	}
	for _, load := range loads {
		p, err := s.probes(scheme, load)
		if err != nil {
			return row, err
		}
		row.Probes = append(row.Probes, p)
	}
	return row, nil
}

// steps are the batches in which a table is filled: each is a percent of it.
const steps = 100

// fill inserts into a table until an insert fails or there are as many pairs as it
// had slots.
func (s Survey) fill(row *Row) error {
	t, err := s.table(row.Scheme, schemes.Shape{Capacity: s.N}, false)
	if err != nil {
		return err
	}
	defer t.Close()
	slots, bytes := t.Capacity(), t.Bytes()
	keys := s.keys(row.Scheme)
	for i := range uint64(steps) {
		from, to := slots*i/steps, slots*(i+1)/steps
		sample, err := s.run(t, "insert", keys.Slice(from, to-from))
		if err != nil {
			return err
		}
		if sample.Counts.Get("failed") > 0 {
			return nil
		}
		row.Reached = float64(to) / float64(slots)
	}
	row.Grows = t.Capacity() != slots || t.Bytes() != bytes
	return nil
}

// probes fills a table to a load factor, then looks all its keys up, and as many others.
func (s Survey) probes(scheme *schemes.Scheme, load float64) (p Probes, err error) {
	t, err := s.table(scheme, schemes.Shape{N: s.N, Load: load}, true)
	if err != nil {
		return p, err
	}
	defer t.Close()
	keys := s.keys(scheme)
	measure := func(op string, keys stream.Stream, to *float64) {
		if err != nil {
			return
		}
		var sample engine.Sample
		sample, err = s.run(t, op, keys)
		*to = sample.PerOp("probes")
		p.Failed += sample.Counts.Get("failed")
	}
	measure("insert", keys.Take(s.N), &p.Insert)
	measure("find", keys.Take(s.N), &p.Present)
	measure("find", keys.Slice(s.N, s.N), &p.Absent)
	p.Filled, p.Bytes = t.Load(), float64(t.Bytes())/float64(max(t.Size(), 1))
	return p, err
}

func (s Survey) keys(scheme *schemes.Scheme) stream.Stream {
	return stream.Keys(scheme.Caps.Pairs[0].Key, stream.Derive(s.Seed, "keys"))
}

func (s Survey) table(scheme *schemes.Scheme, shape schemes.Shape, counted bool) (*engine.Table, error) {
	shape.Pair = scheme.Caps.Pairs[0]
	return engine.New(s.Device, engine.Spec{Config: scheme.Defaults(), Shape: shape, Seed: s.Seed, Counted: counted})
}

func (s Survey) run(t *engine.Table, op string, keys stream.Stream) (engine.Sample, error) {
	b := engine.Batch{Op: op, Keys: keys}
	if op == "insert" {
		b.Values = keys.Add(stream.Const(1))
	}
	in, err := engine.Load(s.Device, t.Pair(), b)
	if err != nil {
		return engine.Sample{}, err
	}
	defer in.Release()
	sample, err := t.Run(in)
	if err != nil {
		return sample, fmt.Errorf("survey: %w", err)
	}
	return sample, nil
}
