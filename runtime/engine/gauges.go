package engine

import (
	"cmp"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Gauges reads the scheme's gauges, between batches. It leaves the table as it is, and takes no device memory. Of several
// shards, it gives each gauge for the whole table, if its values are counts, and for every shard.
func (t *Table) Gauges() (all []schemes.Reading, _ error) {
	shards := make([][]schemes.Reading, len(t.shards))
	err := t.together(func(q int) (err error) {
		shards[q], err = t.shards[q].gauges()
		return err
	})
	if err != nil || !t.several() {
		return shards[0], err
	}
	for i, g := range t.spec.Config.Gauges {
		of := lists.Map(shards, func(list []schemes.Reading) schemes.Reading { return list[i] })
		if !g.Mean {
			all = append(all, sumOf(of))
		}
		for q, r := range of {
			r.Name = fmt.Sprintf("%s, shard %d", r.Name, q)
			all = append(all, r)
		}
	}
	return all, nil
}

// sumOf adds up the bars with the same label, in the order in which labels first appear.
func sumOf(readings []schemes.Reading) schemes.Reading {
	sum := readings[0]
	sum.Bars = nil
	for _, r := range readings {
		for _, b := range r.Bars {
			bar := lists.At(&sum.Bars, func(other schemes.Bar) bool { return other.Label == b.Label }, schemes.Bar{Label: b.Label})
			bar.Value, bar.Of = bar.Value+b.Value, bar.Of+b.Of
		}
	}
	return sum
}

func (t *shard) gauges() ([]schemes.Reading, error) {
	t.looks = map[gaugeRead][]uint64{}
	defer func() { t.looks = nil }()
	return lists.TryMap(t.spec.Config.Gauges, func(g schemes.Gauge) (schemes.Reading, error) { return g.Look(t) })
}

// gaugeRead is a call of a kernel that reads gauges.
type gaugeRead struct {
	kernel string
	items  uint64
	where  kernels.Look
}

// Look returns the bins of a kernel that reads gauges, outside service time. Gauges that are read together share it.
func (t *shard) Look(kernel string, items uint64, where kernels.Look) ([]uint64, error) {
	this := gaugeRead{kernel, items, where}
	if bins, known := t.looks[this]; known {
		return bins, nil
	}
	if err := cmp.Or(t.copyBlock(), ready(t.dev, kernel, t.lookAt, kernels.Bytes(&where))); err != nil {
		return nil, err
	}
	_, err := t.within(schemes.Batch{Op: kernel, N: items}, func() error {
		return t.dev.Launch(kernel, t.here, t.lookAt, items)
	})
	if err != nil {
		return nil, fmt.Errorf("look at the table: %w", err)
	}
	if err := t.dev.Read(kernels.Bytes(&where), t.lookAt); err != nil {
		return nil, err
	}
	if t.looks != nil {
		t.looks[this] = where.Bin[:]
	}
	return where.Bin[:], nil
}

// Event is a step of a batch, which waits while the step is observed.
type Event struct {
	device.Step
	What string // of kernels.Events, or launch and launched
	Op   string // of a launch: the kernel's operation,
	N    uint64 // and how many items it is for
}

// Watch calls onEvent at every step of the batches that follow; nil ends that. With verbs, these are also the verbs of all
// tiles of a warp (device.Observable). The table has to be instrumented, on a CPU with one thread.
func (t *shard) Watch(onEvent func(Event), verbs bool) error {
	dev, ok := device.Unwrapped(t.dev).(device.Observable)
	if !ok || !t.spec.Counted {
		return fmt.Errorf("scheme %s: single steps are those of instrumented kernels on a CPU", t.spec.Config.Name)
	}
	t.onEvent = onEvent
	if onEvent == nil {
		return dev.Watch(nil, false)
	}
	return dev.Watch(func(s device.Step) {
		if t.inBatch { // the engine's own kernels are no steps of a batch
			onEvent(Event{Step: s, What: kernels.Events[s.Event]})
		}
	}, verbs)
}

// announce reports a launch, and returns a function that reports its end.
func (t *shard) announce(b schemes.Batch) (ended func()) {
	if t.onEvent == nil || !t.inBatch {
		return func() {}
	}
	t.onEvent(Event{What: "launch", Op: b.Op, N: b.N})
	return func() { t.onEvent(Event{What: "launched", Op: b.Op, N: b.N}) }
}

// Memory is a region of a table.
type Memory struct {
	Name  string
	Table bool // it holds pairs
	schemes.Span
}

// Memory returns the table's regions, as large as they are now.
func (t *shard) Memory() (list []Memory) {
	for i, r := range t.layout.Regions {
		at := device.Addr(t.block.Region[i])
		list = append(list, Memory{r.Name, r.Table, schemes.Span{At: at, Bytes: uint64(cmp.Or(r.Bytes, t.extra[at]))}})
	}
	return list
}

// Rows returns the table's slots as vectors show them: those that the scheme shows, or the region
// called slots, by bucket.
func (t *shard) Rows() ([]schemes.Row, error) {
	if rows := t.spec.Config.Rows; rows != nil {
		return rows(t)
	}
	m, err := t.region("slots")
	if err != nil {
		return nil, err
	}
	size := t.Pair().SlotBytes()
	if m.Bytes != t.layout.Capacity*size {
		return nil, fmt.Errorf("%d bytes are no %d pairs of %d: the scheme has to say what is in its slots (Rows)",
			m.Bytes, t.layout.Capacity, size)
	}
	r := reader{dev: t.dev}
	slots := r.bytes(nil, m.At, m.Bytes)
	var rows []schemes.Row
	bucket := t.layout.Capacity / t.layout.Buckets * size
	for at := uint64(0); at < m.Bytes && r.err == nil; at += bucket {
		row := schemes.Row{At: []schemes.Span{{At: m.At + device.Addr(at), Bytes: bucket}}}
		for slot := at; slot < at+bucket; slot += size {
			span := schemes.Span{At: m.At + device.Addr(slot), Bytes: size}
			row.Cells = append(row.Cells, schemes.Cell{Text: slotText(t.Pair(), slots[slot:]), At: []schemes.Span{span}})
		}
		rows = append(rows, row)
	}
	return rows, r.err
}

// region returns the region with this name.
func (t *shard) region(name string) (Memory, error) {
	m := lists.First(t.Memory(), func(m Memory) bool { return m.Name == name })
	if m.Name == "" {
		return m, fmt.Errorf("the table has no region %s", name)
	}
	return m, nil
}
