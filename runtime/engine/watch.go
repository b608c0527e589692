package engine

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Event is a step of a batch as a watcher sees it, which runs while the batch waits.
type Event struct {
	device.Step
	What string // of kernels.Events, or launch and launched
	Op   string // of a launch: the kernel's operation,
	N    uint64 // and how many items it is for
}

// Watch has a function called at every step of the batches that follow; nil ends that. The
// table has to be instrumented, on a CPU with one thread.
func (t *Table) Watch(see func(Event)) error { return t.watch(see, false) }

// Compare is Watch for what tiles of a warp do together, and an idle one would do (device.Observable).
func (t *Table) Compare(see func(Event)) error { return t.watch(see, true) }

func (t *Table) watch(see func(Event), verbs bool) error {
	dev, ok := device.Unwrapped(t.dev).(device.Observable)
	if !ok || !t.spec.Counted {
		return fmt.Errorf("scheme %s: single steps are those of instrumented kernels on a CPU", t.spec.Config.Name)
	}
	t.see = see
	if see == nil {
		return dev.Watch(nil, false)
	}
	return dev.Watch(func(s device.Step) {
		if t.busy { // kernels that look at the table for the engine are no steps of a batch
			see(Event{Step: s, What: kernels.Events[s.Event]})
		}
	}, verbs)
}

// launches tells a watcher of a launch, and returns what tells of its end.
func (t *Table) launches(b schemes.Batch) (ended func()) {
	if t.see == nil || !t.busy {
		return func() {}
	}
	t.see(Event{What: "launch", Op: b.Op, N: b.N})
	return func() { t.see(Event{What: "launched", Op: b.Op, N: b.N}) }
}

// Memory is a region of a table.
type Memory struct {
	Name  string
	Table bool // it holds pairs
	schemes.Span
}

// Memory returns the table's regions, as large as they are now.
func (t *Table) Memory() (list []Memory) {
	for i, r := range t.layout.Regions {
		at, bytes := device.Addr(t.block.Region[i]), r.Bytes
		if bytes == 0 {
			bytes = t.extra[at]
		}
		list = append(list, Memory{r.Name, r.Table, schemes.Span{At: at, Bytes: uint64(bytes)}})
	}
	return list
}

// Rows returns the table's slots as vectors show them: what the scheme says, or the region
// called slots, by bucket.
func (t *Table) Rows() ([]schemes.Row, error) {
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
	slots := r.bytes(m.At, m.Bytes)
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

// region returns the region of a name.
func (t *Table) region(name string) (Memory, error) {
	for _, m := range t.Memory() {
		if m.Name == name {
			return m, nil
		}
	}
	return Memory{}, fmt.Errorf("the table has no region %s", name)
}
