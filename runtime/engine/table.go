package engine

import (
	"cmp"
	"fmt"
	"maps"
	"time"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
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
	Keep    bool          // contents have their pairs, and samples what operations listed
	Timeout time.Duration // the longest that a launch may take; 0: a minute
	Launch  uint64        // operations of a launch: a larger one is cut (stream.go); 0: none is
}

// Table is a hash table of one scheme on one device.
type Table struct {
	spec   Spec
	dev    device.Device
	layout schemes.Layout
	block  kernels.Table
	mem    memory      // the table's own
	batch  memory      // of the batch that is being carried out
	counts device.Addr // the counters of the batch that is being carried out
	lookAt device.Addr // the argument of kernels that look at the table
	here   device.Addr // a copy of the block, for kernels whose lanes read different parts of it
	copied kernels.Table

	size    uint64 // pairs, by the counters
	taken   uint64 // an upper bound of the slots that hold or held a pair since the table was empty (choked.go)
	reseeds uint64
	noted   noted                 // by the launches of the phase that runs
	extra   map[device.Addr]int64 // what the host side has taken besides the regions
	changed bool                  // by the host side: its memory is no longer as it was made
	outside bool                  // Setup has taken what Drop gives back
	booked  int64                 // the most bytes of that
	looks   map[glance][]uint64   // while gauges are read: the bins of each look
	oracle  *oracle
	heed    func(in *Input, done schemes.Result, list *listed, ops []string) error // of each phase that has ended
	sample  *Sample                                                                // of the batch that is being carried out
	conduct conductor                                                              // has the operations of that batch come to a shard; nil: they are there
	busy    bool                                                                   // a batch runs: what its host side has the device do is service time
	doing   schemes.Batch                                                          // that batch
	hung    error
	see     func(Event) // watches the steps of batches; nil: nobody does
}

// New makes an empty table.
func New(dev device.Device, spec Spec) (*Table, error) {
	spec.Timeout = cmp.Or(spec.Timeout, time.Minute)
	spec.Results = spec.Results || spec.Verify
	if err := spec.check(); err != nil {
		return nil, err
	}
	if err := Suits(dev, spec.Config.Scheme); err != nil {
		return nil, err
	}
	t := &Table{spec: spec, dev: dev, mem: memory{dev: dev}, batch: memory{dev: dev}}
	t.heed = t.judge
	if spec.Verify {
		t.oracle = newOracle(spec.Config.Caps.Duplicates, false)
	}
	if err := t.make(); err != nil {
		t.Close()
		return nil, fmt.Errorf("scheme %s, %d slots: %w", spec.Config.Name, t.layout.Capacity, err)
	}
	return t, nil
}

func (spec *Spec) check() error {
	if err := spec.Config.CompiledFor(spec.Shape.Pair); err != nil {
		return err
	}
	if spec.Shape.Host && !spec.Config.Caps.HostMemory {
		return fmt.Errorf("scheme %s: its tables lie in device memory only", spec.Config.Name)
	}
	return checkLaunch(spec.Launch)
}

func (t *Table) make() error {
	var err error
	if t.layout, err = t.spec.Config.Size(t.spec.Config, t.spec.Shape); err != nil {
		return err
	}
	if err := t.fits(); err != nil {
		return err
	}
	if err := t.prepare(); err != nil {
		return err
	}
	var regions []device.Addr
	for _, r := range t.layout.Regions {
		at, err := t.allocRegion(r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		regions = append(regions, at)
	}
	t.block = t.newBlock(regions)
	t.copied = kernels.Table{}
	for _, own := range []struct {
		at    *device.Addr
		bytes uintptr
	}{{&t.here, unsafe.Sizeof(t.block)}, {&t.counts, kernels.CounterBytes}, {&t.lookAt, unsafe.Sizeof(kernels.Look{})}} {
		if *own.at, err = t.mem.alloc(uint64(own.bytes)); err != nil {
			return err
		}
	}
	t.extra, t.changed = map[device.Addr]int64{}, false
	return t.empty()
}

// allocRegion takes memory of the host if the table lies there and the region belongs to it.
func (t *Table) allocRegion(r schemes.Region) (device.Addr, error) {
	if r.Table && t.spec.Shape.Host {
		return t.mem.keep(t.dev.AllocHost(max(r.Bytes, 8)))
	}
	return t.mem.alloc(uint64(r.Bytes))
}

func (t *Table) prepare() error { return t.dev.Prepare(t.spec.Kernels()...) }

// Kernels returns the names of those that tables launch.
func (spec Spec) Kernels() []string {
	return lists.Map(spec.Config.Launched(), func(op string) string { return spec.Config.Kernel(spec.Shape.Pair, op, spec.Counted) })
}

// Obtain has the kernels compiled that tables need and the program was built without, several at a time. Otherwise each
// is compiled when its table is made.
func Obtain(gpu bool, specs ...Spec) error {
	var names []string
	for _, spec := range specs {
		names = append(names, spec.Kernels()...)
	}
	return kernels.Obtain(gpu, names...)
}

// fits refuses a table that the device has no room for, before asking for it.
func (t *Table) fits() error {
	return Fits(t.dev, "the table takes", onDevice(t.layout, t.spec.Shape), t.spec.Shape.Pair)
}

// Suits refuses a library's table on a device that is not for it.
func Suits(dev device.Device, s *schemes.Scheme) error {
	if gpu := dev.Info().Driver != ""; !s.Reference || gpu == s.OnGPU {
		return nil
	}
	is, hint := "a GPU", "cpu"
	if s.OnGPU {
		is, hint = "a CPU", "cuda:0"
	}
	return &schemes.Lack{What: "a table of a library, which runs on " + s.Processors() + " alone",
		Text: fmt.Sprintf("scheme %s: a table of a library runs on %s alone, and device %s is %s; hint: --device %s",
			s.Name, s.Processors(), dev.Info().Name, is, hint)}
}

// drop gives back what the table has outside of its regions.
func (t *Table) drop() error {
	if !t.outside {
		return nil
	}
	t.outside, t.booked = false, 0
	return t.spec.Config.Drop(t)
}

// empty writes into every region what it holds at first.
func (t *Table) empty() error {
	if err := t.drop(); err != nil {
		return err
	}
	for i, r := range t.layout.Regions {
		if err := t.Set(device.Addr(t.block.Region[i]), r.Fill, r.Bytes); err != nil {
			return err
		}
	}
	t.size, t.taken = 0, 0
	if t.spec.Config.Setup == nil {
		return nil
	}
	if t.sample == nil {
		t.sample = &Sample{}
	}
	err := t.spec.Config.Setup(t)
	t.changed = false // Setup does the same each time
	t.outside = err == nil && t.spec.Config.Drop != nil
	return cmp.Or(err, t.book())
}

func (t *Table) afresh() error {
	if !t.changed {
		t.block = t.newBlock(t.regions())
		return t.empty()
	}
	if err := cmp.Or(t.drop(), t.mem.release()); err != nil {
		return err
	}
	return t.make()
}

// Clear empties the table; hash functions stay as they are.
func (t *Table) Clear() error {
	if t.hung != nil {
		return t.hung
	}
	if t.oracle != nil {
		t.oracle.clear()
	}
	return t.afresh()
}

// Reseed empties the table and draws the hash functions of the next seed in its sequence.
func (t *Table) Reseed() error {
	t.reseeds++
	return t.afresh()
}

// regions are the addresses of the regions.
func (t *Table) regions() []device.Addr {
	return lists.Map(t.block.Region[:len(t.layout.Regions)], func(at uint64) device.Addr { return device.Addr(at) })
}

func (t *Table) newBlock(regions []device.Addr) kernels.Table {
	block := t.spec.Config.Block(t.layout, t.seed(), regions)
	if t.spec.Shape.Host {
		block.Host = 1
	}
	return block
}

func (t *Table) seed() uint64 { return t.spec.Seed + t.reseeds*0x9e3779b97f4a7c15 }

// Config is the scheme with its parameters.
func (t *Table) Config() schemes.Config { return t.spec.Config }

// Size is the number of pairs in the table, by the counters of its batches.
func (t *Table) Size() uint64 { return t.size }

// Capacity is the number of slots. A library's table grows by itself.
func (t *Table) Capacity() uint64 {
	if t.spec.Config.Reference {
		return max(t.layout.Capacity, t.size)
	}
	return t.layout.Capacity
}

// book notes what a table has outside of its regions.
func (t *Table) book() error {
	if !t.outside {
		return nil
	}
	bytes, err := t.spec.Config.Outside(t)
	t.booked = max(t.booked, bytes)
	return err
}

// Bytes is the memory that the table takes, wherever it lies; of a library's, the most since it was empty.
func (t *Table) Bytes() int64 {
	sum, extra := t.layout.Bytes(), maps.Clone(t.extra)
	for i, r := range t.layout.Regions {
		if r.Bytes > 0 { // the layout has its size
			delete(extra, device.Addr(t.block.Region[i]))
		}
	}
	for _, bytes := range extra {
		sum += bytes
	}
	return sum + t.booked
}

// Load is the load factor.
func (t *Table) Load() float64 { return float64(t.size) / float64(t.Capacity()) }

// Close gives the memory back.
func (t *Table) Close() error {
	if t.hung != nil {
		return nil // the device still uses it
	}
	return cmp.Or(t.drop(), t.mem.release())
}
