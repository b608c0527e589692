package engine

import (
	"fmt"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Spec says which table to make.
type Spec struct {
	Config  schemes.Config
	Shape   schemes.Shape
	Seed    uint64
	Counted bool          // run the instrumented kernels
	Results bool          // keep what every operation gave, and digest it
	Verify  bool          // check everything against the oracle; implies Results
	Timeout time.Duration // the longest that a launch may take; 0: a minute
}

// Table is a hash table of one scheme on one device.
type Table struct {
	spec   Spec
	dev    device.Device
	layout schemes.Layout
	block  kernels.Table
	mem    memory // the table's own
	batch  memory // of the batch that is being carried out
	at     struct{ table, batch, counters device.Addr }

	size    uint64 // pairs, by the counters
	reseeds uint64
	oracle  *oracle
	sample  *Sample // of the batch that is being carried out
	hung    error
}

// New makes an empty table.
func New(dev device.Device, spec Spec) (*Table, error) {
	if spec.Timeout == 0 {
		spec.Timeout = time.Minute
	}
	layout, err := spec.Config.Size(spec.Config, spec.Shape)
	if err != nil {
		return nil, fmt.Errorf("scheme %s: %w", spec.Config.Name, err)
	}
	t := &Table{spec: spec, dev: dev, layout: layout, mem: memory{dev: dev}, batch: memory{dev: dev}}
	if spec.Verify {
		t.oracle = newOracle()
	}
	if err := t.make(); err != nil {
		t.Close()
		return nil, fmt.Errorf("scheme %s, %d slots: %w", spec.Config.Name, layout.Capacity, err)
	}
	return t, nil
}

func (t *Table) make() error {
	if err := t.fits(); err != nil {
		return err
	}
	var names []string
	for _, op := range t.spec.Config.Caps.Ops {
		names = append(names, t.spec.Config.Kernel(t.spec.Shape.Pair, op, t.spec.Counted))
	}
	if err := t.dev.Prepare(names...); err != nil {
		return err
	}
	var regions []device.Addr
	for _, r := range t.layout.Regions {
		at, err := t.mem.alloc(uint64(r.Bytes))
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		regions = append(regions, at)
	}
	t.block = t.spec.Config.Block(t.layout, t.spec.Seed, regions)
	var err error
	if t.at.table, err = place(&t.mem, &t.block); err != nil {
		return err
	}
	if t.at.batch, err = place(&t.mem, &kernels.Batch{}); err != nil {
		return err
	}
	if t.at.counters, err = t.mem.alloc(uint64(8 * len(kernels.Counters))); err != nil {
		return err
	}
	return t.empty()
}

// fits refuses a table that the device has no room for, before asking for it.
func (t *Table) fits() error {
	free, err := t.dev.Free()
	if err != nil {
		return err
	}
	if need := t.layout.Bytes(); need > free {
		return fmt.Errorf("the table takes %d bytes, and device %s has %d free", need, t.dev.Info().Name, free)
	}
	return nil
}

// empty writes into every region what it holds at first.
func (t *Table) empty() error {
	for i, r := range t.layout.Regions {
		if err := t.dev.Set(device.Addr(t.block.Region[i]), r.Fill, r.Bytes); err != nil {
			return err
		}
	}
	t.size = 0
	return nil
}

// Clear empties the table; hash functions stay as they are.
func (t *Table) Clear() error {
	if t.hung != nil {
		return t.hung
	}
	if t.oracle != nil {
		t.oracle = newOracle()
	}
	return t.empty()
}

// Reseed empties the table and draws other hash functions, those of the next
// seed in a sequence that the table's own seed determines.
func (t *Table) Reseed() error {
	t.reseeds++
	var regions []device.Addr
	for i := range t.layout.Regions {
		regions = append(regions, device.Addr(t.block.Region[i]))
	}
	t.block = t.spec.Config.Block(t.layout, t.spec.Seed+t.reseeds*0x9e3779b97f4a7c15, regions)
	if err := t.dev.Write(t.at.table, kernels.Bytes(&t.block)); err != nil {
		return err
	}
	return t.empty()
}

// Config is the scheme with its parameters.
func (t *Table) Config() schemes.Config { return t.spec.Config }

// Size is the number of pairs in the table, by the counters of its batches.
func (t *Table) Size() uint64 { return t.size }

// Capacity is the number of slots.
func (t *Table) Capacity() uint64 { return t.layout.Capacity }

// Bytes is the memory that the table takes on the device.
func (t *Table) Bytes() int64 { return t.layout.Bytes() }

// Load is the load factor.
func (t *Table) Load() float64 { return float64(t.size) / float64(t.layout.Capacity) }

// Close gives the memory back.
func (t *Table) Close() error {
	if t.hung != nil {
		return nil // the device still uses it
	}
	return t.mem.release()
}
