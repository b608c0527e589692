package check

import (
	"fmt"
	"math"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// Comparison is a measured figure beside the published one.
type Comparison struct {
	Load      float64 `json:"load"`
	Op        string  `json:"op"`
	Present   float64 `json:"present,omitempty"` // percent
	Counter   string  `json:"counter"`
	Measured  float64 `json:"measured"`
	Published float64 `json:"published"`
	Within    float64 `json:"within"`
}

// Off is how far the measured figure is from the published one, relative to it.
func (c Comparison) Off() float64 { return c.Measured/c.Published - 1 }

func (c Comparison) holds() error {
	if math.Abs(c.Off()) <= c.Within {
		return nil
	}
	return fmt.Errorf("%s of %s at load factor %g: measured %.5g, published %.5g: %+.1f %%, more than %.1f %%",
		c.Counter, c.Op, c.Load, c.Measured, c.Published, 100*c.Off(), 100*c.Within)
}

// compareFigures fills a table to a load factor with instrumented kernels, looks
// keys up, and compares what was counted. The figures share settings and load.
func compareFigures(dev device.Device, config schemes.Config, figures []schemes.Figure, n, seed uint64) ([]Comparison, error) {
	load := figures[0].Load
	table, err := engine.New(dev, engine.Spec{
		Config: config, Shape: schemes.Shape{Pair: schemes.Pair4, N: n, Load: load}, Seed: seed, Counted: true,
	})
	if err != nil {
		return nil, err
	}
	defer table.Close()
	m := &figureMeasurement{dev: dev, table: table, keys: stream.Keys(4, stream.Derive(seed, "keys")), n: n}
	insert, err := m.insert()
	if err != nil {
		return nil, err
	}
	var list []Comparison
	for _, f := range figures {
		sample := insert
		if f.Op != "insert" {
			if sample, err = m.run(f.Op, m.mixed(f.Present)); err != nil {
				return nil, err
			}
		}
		list = append(list, Comparison{
			Load: load, Op: f.Op, Present: f.Present, Counter: f.Counter,
			Measured: sample.PerOp(f.Counter), Published: f.PerOp, Within: f.Within,
		})
	}
	return list, nil
}

type figureMeasurement struct {
	dev   device.Device
	table *engine.Table
	keys  stream.Stream
	n     uint64
}

// insert fills the table in slices, so that the keys come in about the same order
// however many threads there are.
func (m *figureMeasurement) insert() (engine.Sample, error) {
	const slices = 16
	var all engine.Sample
	for i := range uint64(slices) {
		from, to := m.n*i/slices, m.n*(i+1)/slices
		s, err := m.run("insert", m.keys.Slice(from, to-from))
		if err != nil {
			return all, err
		}
		if i == 0 {
			all = s
			continue
		}
		all.N += s.N
		all.Counts.Add(s.Counts)
	}
	return all, nil
}

// mixed are n keys, of which so many percent are in the table: those that were
// inserted last, as in the publications. They cost less than others, since others
// were evicted to make room for them.
func (m *figureMeasurement) mixed(present float64) stream.Stream {
	inside := uint64(math.Round(float64(m.n) * present / 100))
	return m.keys.Slice(m.n-inside, m.n)
}

func (m *figureMeasurement) run(op string, keys stream.Stream) (engine.Sample, error) {
	b := engine.Batch{Op: op, Keys: keys}
	if op == "insert" {
		b.Values = keys
	}
	in, err := engine.Load(m.dev, schemes.Pair4, b)
	if err != nil {
		return engine.Sample{}, err
	}
	defer in.Release()
	return m.table.Run(in)
}

// filled builds tables with different seeds and says how many held everything. A
// build that fails must say exactly how many pairs it left out.
func filled(dev device.Device, config schemes.Config, load float64, slots, seeds, seed uint64) (int, error) {
	shape := schemes.Shape{Pair: config.Caps.Pairs[0], Capacity: slots}
	full := 0
	for i := range seeds {
		failed, err := fill(dev, config, shape, load, stream.Derive(seed, fmt.Sprintf("table %d", i)))
		if err != nil {
			return full, fmt.Errorf("seed %d of %d: %w", i+1, seeds, err)
		}
		if failed == 0 {
			full++
		}
	}
	return full, nil
}

// fill builds one table, checks that its counts balance, and returns how many
// pairs found no room.
func fill(dev device.Device, config schemes.Config, shape schemes.Shape, load float64, seed uint64) (failed uint64, err error) {
	table, err := engine.New(dev, engine.Spec{Config: config, Shape: shape, Seed: seed})
	if err != nil {
		return 0, err
	}
	defer table.Close()
	n := uint64(load * float64(table.Capacity()))
	keys := stream.Keys(shape.Pair.Key, seed).Take(n)
	in, err := engine.Load(dev, shape.Pair, engine.Batch{Op: "insert", Keys: keys, Values: keys})
	if err != nil {
		return 0, err
	}
	defer in.Release()
	s, err := table.Run(in)
	if err != nil {
		return 0, err
	}
	inside, err := table.Contents() // compares the pairs in the table with the counters
	if err != nil {
		return 0, err
	}
	failed = s.Counts.Get("failed")
	if left := s.Counts.Get("pairs"); left != failed || inside.N+failed != n {
		return failed, fmt.Errorf("%d pairs inserted, %d in the table, %d failed, %d handed back", n, inside.N, failed, left)
	}
	return failed, nil
}
