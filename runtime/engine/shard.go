package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// shard is a table on one device, as its scheme sees it.
type shard struct {
	spec   Spec
	dev    device.Device
	layout schemes.Layout
	block  kernels.Table
	mem    memory      // of the table
	batch  memory      // of the current batch
	counts device.Addr // the counters of the current launch
	lookAt device.Addr // the argument of kernels that read gauges
	here   device.Addr // a copy of the block, for kernels whose lanes read different parts of it
	copied kernels.Table

	size     uint64 // pairs, by the counters
	taken    uint64 // an upper bound of the slots that hold or held a pair since the table was empty (CheckTombstones)
	reseeds  uint64
	launched launchTotals           // in the current phase
	extra    map[device.Addr]int64  // memory that the host side has taken besides the regions
	changed  bool                   // by the host side: its memory is no longer as it was made
	outside  bool                   // Setup has taken memory that Drop gives back
	booked   int64                  // the most bytes of that
	looks    map[gaugeRead][]uint64 // while gauges are read: the bins of each look
	sample   *Sample                // of the current batch
	pipeline pipeline               // moves the operations of that batch to the shard; nil: they are there
	inBatch  bool                   // device work counts as service time
	current  schemes.Batch          // while inBatch
	hung     error
	onEvent  func(Event) // observes the steps of batches; may be nil
}

func newShard(dev device.Device, spec Spec) (*shard, error) {
	if err := spec.Config.CompiledFor(spec.Shape.Pair); err != nil {
		return nil, err
	}
	if spec.Shape.Host && !spec.Config.Caps.HostMemory {
		return nil, fmt.Errorf("scheme %s: its tables lie in device memory only", spec.Config.Name)
	}
	if spec.Launch > MostLaunch {
		return nil, fmt.Errorf("launches of %d operations: a stream has launches of 1 to %d; hint: 0 is one launch", spec.Launch, uint64(MostLaunch))
	}
	if err := Suits(dev, spec.Config.Scheme); err != nil {
		return nil, err
	}
	t := &shard{spec: spec, dev: dev, mem: memory{dev: dev}, batch: memory{dev: dev}}
	if err := t.make(); err != nil {
		t.close()
		return nil, fmt.Errorf("scheme %s, %d slots: %w", spec.Config.Name, t.layout.Capacity, err)
	}
	return t, nil
}

func (t *shard) make() (err error) {
	if t.layout, err = t.spec.Config.Size(t.spec.Config, t.spec.Shape); err != nil {
		return err
	}
	if err := Fits(t.dev, "the table takes", deviceBytes(t.layout, t.spec.Shape), t.spec.Shape.Pair); err != nil {
		return err
	}
	if err := t.dev.Prepare(t.spec.Kernels()...); err != nil {
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
func (t *shard) allocRegion(r schemes.Region) (device.Addr, error) {
	if r.Table && t.spec.Shape.Host {
		return t.mem.keep(t.dev.AllocHost(max(r.Bytes, 8)))
	}
	return t.mem.alloc(uint64(r.Bytes))
}

// Kernels returns the names of the kernels that tables launch.
func (spec Spec) Kernels() []string {
	return lists.Map(spec.Config.Launched(), func(op string) string { return spec.Config.Kernel(spec.Shape.Pair, op, spec.Counted) })
}

// Obtain compiles the kernels that tables need and the program was built without, several at a time. Otherwise each is
// compiled when its table is made.
func Obtain(gpu bool, specs ...Spec) error {
	return kernels.Obtain(gpu, slices.Concat(lists.Map(specs, Spec.Kernels)...)...)
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

// drop gives back the table's memory outside of its regions.
func (t *shard) drop() error {
	if !t.outside {
		return nil
	}
	t.outside, t.booked = false, 0
	return t.spec.Config.Drop(t)
}

// empty fills every region with its initial value.
func (t *shard) empty() error {
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

// afresh makes the table as new.
func (t *shard) afresh() error {
	if !t.changed {
		t.block = t.newBlock(lists.Map(t.block.Region[:len(t.layout.Regions)], func(at uint64) device.Addr { return device.Addr(at) }))
		return t.empty()
	}
	if err := cmp.Or(t.drop(), t.mem.release()); err != nil {
		return err
	}
	return t.make()
}

// Reseed empties the table and draws the hash functions of the next seed in its sequence.
func (t *shard) Reseed() error {
	t.reseeds++
	return t.afresh()
}

func (t *shard) newBlock(regions []device.Addr) kernels.Table {
	block := t.spec.Config.Block(t.layout, t.spec.Seed+t.reseeds*0x9e3779b97f4a7c15, regions)
	if t.spec.Shape.Host {
		block.Host = 1
	}
	return block
}

// Config returns the scheme with its parameters.
func (t *shard) Config() schemes.Config { return t.spec.Config }

// Size returns the number of pairs, by the counters of the batches.
func (t *shard) Size() uint64 { return t.size }

func (t *shard) capacity() uint64 {
	return lists.Either(t.spec.Config.Reference, max(t.layout.Capacity, t.size), t.layout.Capacity)
}

// book records how much memory a table has outside of its regions.
func (t *shard) book() error {
	if !t.outside {
		return nil
	}
	bytes, err := t.spec.Config.Outside(t)
	t.booked = max(t.booked, bytes)
	return err
}

func (t *shard) bytes() uint64 {
	sum, extra := t.layout.Bytes(), maps.Clone(t.extra)
	for i, r := range t.layout.Regions {
		if r.Bytes > 0 { // the layout has its size
			delete(extra, device.Addr(t.block.Region[i]))
		}
	}
	for _, bytes := range extra {
		sum += bytes
	}
	return uint64(sum + t.booked)
}

func (t *shard) maxLoad() float64 { return t.spec.Config.MaxLoad(t.spec.Config) }

func (t *shard) close() error {
	if t.hung != nil {
		return nil // the device still uses it
	}
	return cmp.Or(t.drop(), t.mem.release())
}

// The memory of a device. Tables are allocated first; batches take the rest, in chunks if need be.

// deviceBytes returns the table's device memory.
func deviceBytes(l schemes.Layout, shape schemes.Shape) (sum int64) {
	for _, r := range l.Regions {
		if !r.Table || !shape.Host {
			sum += r.Bytes
		}
	}
	return sum
}

// TableBytes returns the memory that a table will take of a device, or of each of its parts.
func TableBytes(dev device.Device, config schemes.Config, shape schemes.Shape) (int64, error) {
	if parts := len(device.PartsOf(dev)); parts > 1 {
		shape = shardOf(shape, parts)
	}
	l, err := config.Size(config, shape)
	return deviceBytes(l, shape), err
}

// item is the memory of an operation, in bytes.
type item struct{ input, answer, left int }

// itemOf is the most that an operation on such pairs takes: its key, value and number, an answer and an outcome, and
// room for a rejected pair.
func itemOf(pair schemes.Pair) item {
	return item{input: pair.Bytes() + 1, answer: pair.AnswerBytes() + 1, left: pair.Bytes()}
}

// item is the memory of an operation of the batch.
func (b Batch) item(pair schemes.Pair) item {
	most := itemOf(pair)
	if b.Values == nil {
		most.input -= pair.Value
	}
	if b.Ops == nil {
		most.input--
	}
	if !kernels.Op(b.Op).HandsBack() {
		most.left = 0
	}
	return most
}

func (i item) bytes() uint64 { return uint64(i.input + i.answer + i.left) }

// Fits refuses tables that leave no room for a batch on a device, or on one of its parts.
func Fits(dev device.Device, what string, tables int64, pair schemes.Pair) error {
	free, err := dev.Free()
	each := itemOf(pair)
	if err != nil || tables+int64(leastChunk*each.bytes()) <= free {
		return err
	}
	return fmt.Errorf("%s %d bytes, and device %s has %d free; beside that, %d operations at a time take %d each: %d of input, %d of answers, %d for pairs handed back",
		what, tables, dev.Info().Name, free, leastChunk, each.bytes(), each.input, each.answer, each.left)
}

// memory is a set of allocations that are released together.
type memory struct {
	dev  device.Device
	held []device.Addr
}

func (m *memory) alloc(bytes uint64) (device.Addr, error) {
	return m.keep(m.dev.Alloc(int64(max(bytes, 8))))
}

// arrays takes memory for n keys and n values.
func (m *memory) arrays(pair schemes.Pair, n uint64) (arrays [2]device.Addr, err error) {
	if arrays[0], err = m.alloc(n * uint64(pair.Key)); err == nil {
		arrays[1], err = m.alloc(n * uint64(pair.Value))
	}
	return arrays, err
}

func (m *memory) keep(at device.Addr, err error) (device.Addr, error) {
	if err != nil {
		return 0, schemes.NoMemory{Err: err}
	}
	m.held = append(m.held, at)
	return at, nil
}

func (m *memory) release() error { return m.releaseAfter(0) }

// releaseAfter releases everything allocated after the first kept blocks.
func (m *memory) releaseAfter(kept int) error {
	kept = min(kept, len(m.held))
	err := cmp.Or(lists.Map(m.held[kept:], m.dev.Release)...)
	m.held = m.held[:kept]
	return err
}
