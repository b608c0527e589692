// Package survey measures what schemes are like apart from their speed: how full they
// get, how often they look at memory, and how much of it they take. Such figures are a
// property of the scheme and its parameters, the same on every machine.
package survey

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// Survey says how to measure.
type Survey struct {
	Device device.Device
	N      uint64 // pairs, or slots
	Seed   uint64
}

// Row describes one scheme.
type Row struct {
	schemes.Config
	Reached float64  // load factor up to which every insert found room
	Grows   bool     // it never ran out of room, because it takes more memory
	Probes  []Probes // by load factor
}

// Probes are reads of a bucket per operation, in a table that was filled to a load factor.
type Probes struct {
	Filled                  float64 // load factor in the end
	Failed                  uint64  // inserts that found no room
	Insert, Present, Absent float64
	Bytes                   float64 // of the table, per pair
}

// Obtain has the kernels compiled that a survey of schemes needs and the program was built without.
func (s Survey) Obtain(list []schemes.Config) error {
	var specs []engine.Spec
	for _, c := range list {
		for _, counted := range []bool{false, true} {
			specs = append(specs, engine.Spec{Config: c, Shape: schemes.Shape{Pair: c.Caps.Pairs[0]}, Counted: counted})
		}
	}
	return engine.Obtain(s.Device.Info().Driver != "", specs...)
}

// Measure surveys one scheme.
func (s Survey) Measure(config schemes.Config, loads []float64) (Row, error) {
	row := Row{Config: config}
	err := s.on(config, schemes.Shape{Capacity: s.N, Pair: config.Caps.Pairs[0]}, false, row.fill)
	for _, load := range loads {
		if err != nil {
			break
		}
		var p Probes
		shape := schemes.Shape{N: s.N, Load: load, Pair: config.Caps.Pairs[0]}
		err = s.on(config, shape, true, func(t run.Table, keys stream.Stream) error { return p.measure(t, keys, s.N) })
		row.Probes = append(row.Probes, p)
	}
	return row, err
}

// on measures an empty table of a scheme.
func (s Survey) on(config schemes.Config, shape schemes.Shape, counted bool, do func(run.Table, stream.Stream) error) error {
	keys := stream.Keys(shape.Pair.Key, stream.Derive(s.Seed, "keys"))
	spec := engine.Spec{Config: config, Shape: shape, Seed: s.Seed, Counted: counted}
	if _, err := run.Once(s.Device, spec, func(t run.Table) error { return do(t, keys) }); err != nil {
		return fmt.Errorf("survey: %w", err)
	}
	return nil
}

// steps are the batches in which a table is filled: each is a percent of it.
const steps = 100

// fill inserts into a table until an insert fails or as many pairs are in as it had slots.
func (row *Row) fill(t run.Table, keys stream.Stream) error {
	slots, bytes := t.Capacity(), t.Bytes()
	for i := range uint64(steps) {
		from, to := slots*i/steps, slots*(i+1)/steps
		sample, err := t.Do(insert(keys.Slice(from, to-from)))
		if err != nil || sample.Counts.Get("failed") > 0 {
			return err
		}
		row.Reached = float64(to) / float64(slots)
	}
	row.Grows = t.Capacity() != slots || t.Bytes() != bytes
	return nil
}

// measure inserts n keys, then looks them up, and as many others.
func (p *Probes) measure(t run.Table, keys stream.Stream, n uint64) error {
	for _, one := range []struct {
		batch engine.Batch
		to    *float64
	}{
		{insert(keys.Take(n)), &p.Insert},
		{engine.Batch{Op: "find", Keys: keys.Take(n)}, &p.Present},
		{engine.Batch{Op: "find", Keys: keys.Slice(n, n)}, &p.Absent},
	} {
		sample, err := t.Do(one.batch)
		if err != nil {
			return err
		}
		*one.to = sample.PerOp("probes")
		p.Failed += sample.Counts.Get("failed")
	}
	p.Filled, p.Bytes = t.Load(), float64(t.Bytes())/float64(max(t.Size(), 1))
	return nil
}

func insert(keys stream.Stream) engine.Batch {
	return engine.Batch{Op: "insert", Keys: keys, Values: keys.Add(stream.Const(1))}
}

// Page is a survey in Markdown.
func Page(rows []Row, loads []float64) string {
	var common []string // operations of all
	if len(rows) > 1 {
		common = lists.Filter(rows[0].Scheme.Caps.Ops, func(op string) bool {
			return !slices.ContainsFunc(rows, func(r Row) bool { return !slices.Contains(r.Scheme.Caps.Ops, op) })
		})
	}
	operations := strings.TrimSuffix("operations besides "+strings.Join(common, ", "), " besides ")
	able := results.TableOf("scheme | what it is | "+operations+" | may share a batch | stable | duplicates | in host memory | pairs", rows, func(r Row) []string {
		c := r.Scheme.Caps
		further := lists.Filter(c.Ops, func(op string) bool { return !slices.Contains(common, op) })
		return []string{"`" + r.String() + "`", r.Title, cmp.Or(strings.Join(further, ", "), "none"), cmp.Or(strings.Join(c.Concurrent, ", "), "none"),
			stable(r.Scheme), yes(c.Duplicates), yes(c.HostMemory), strings.Join(lists.Map(c.Pairs, schemes.Pair.String), " ")}
	})
	titles := "scheme | #fills to"
	for _, load := range loads {
		titles += fmt.Sprintf(" | #insert at %g | #found at %[1]g | #absent at %[1]g | #bytes at %[1]g", load)
	}
	taken := results.TableOf(titles, rows, func(r Row) []string {
		return slices.Concat([]string{"`" + r.String() + "`", reached(r)}, figures(r, loads))
	})
	var b strings.Builder
	b.WriteString("## What each can do\n\n")
	_ = able.Markdown(&b) // into memory
	b.WriteString("\n## What each takes\n\n")
	_ = taken.Markdown(&b)
	return b.String()
}

func reached(r Row) string {
	if r.Grows {
		return "grows"
	}
	return fmt.Sprintf("%.2f", r.Reached)
}

// figures are a scheme's cells. A table that was not filled as far as requested says so.
func figures(r Row, loads []float64) []string {
	var cells []string
	for i, p := range r.Probes {
		if p.Failed > 0 {
			cells = append(cells, "full", "", "", "")
			continue
		}
		note := ""
		if off := p.Filled - loads[i]; off > 0.01 || off < -0.01 {
			note = fmt.Sprintf(" (is %.2f full)", p.Filled)
		}
		cells = append(cells, fmt.Sprintf("%.2f%s", p.Insert, note), fmt.Sprintf("%.2f", p.Present),
			fmt.Sprintf("%.2f", p.Absent), fmt.Sprintf("%.1f", p.Bytes))
	}
	return cells
}

// stable says whether pairs stay in place, and with which choices they do not.
func stable(s *schemes.Scheme) string {
	if with := s.MovesWith(); with != nil {
		return yes(s.Caps.Stable) + ", but not with " + strings.Join(with, " or ")
	}
	return yes(s.Caps.Stable)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
