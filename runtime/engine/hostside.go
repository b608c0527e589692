package engine

import (
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// What a scheme's host side may do with its table (schemes.Table), besides launching.

var _ schemes.Table = (*Table)(nil)

// Pair is what the table holds.
func (t *Table) Pair() schemes.Pair { return t.spec.Shape.Pair }

// Layout is what the table is made of at present.
func (t *Table) Layout() schemes.Layout { return t.layout }

// SetLayout is for a table that was resized. Regions without bytes count as what was
// allocated for them.
func (t *Table) SetLayout(l schemes.Layout) { t.layout, t.changed = l, true }

// Block is the table block.
func (t *Table) Block() kernels.Table { return t.block }

// SetBlock changes the table block.
func (t *Table) SetBlock(b kernels.Table) { t.block, t.changed = b, true }

// Alloc takes memory that is a part of the table.
func (t *Table) Alloc(bytes int64, fill byte) (device.Addr, error) {
	return t.AllocRegion(schemes.Region{Bytes: bytes, Fill: fill})
}

// AllocRegion is Alloc for a region, which may lie in host memory.
func (t *Table) AllocRegion(r schemes.Region) (device.Addr, error) {
	at, err := t.allocRegion(r)
	if err != nil {
		return 0, err
	}
	t.extra[at], t.changed = r.Bytes, true
	return at, t.Set(at, r.Fill, r.Bytes)
}

// Release gives back memory of the table, a region of the layout included.
func (t *Table) Release(at device.Addr) error {
	delete(t.extra, at)
	t.changed = true
	return t.mem.free(at)
}

// Scratch takes memory until the batch is done.
func (t *Table) Scratch(bytes int64, fill byte) (device.Addr, error) {
	at, err := t.batch.alloc(uint64(bytes))
	if err != nil {
		return 0, err
	}
	return at, t.Set(at, fill, bytes)
}

// Set fills memory with one byte.
func (t *Table) Set(at device.Addr, fill byte, bytes int64) error {
	return t.clocked(func() error { return t.dev.Set(at, fill, bytes) })
}

// Write copies to the device.
func (t *Table) Write(at device.Addr, from []byte) error {
	return t.clocked(func() error { return t.dev.Write(at, from) })
}

// Read copies from it.
func (t *Table) Read(to []byte, from device.Addr) error {
	return t.clocked(func() error { return t.dev.Read(to, from) })
}

// clocked has the device do something besides launching. During a batch that is service
// time. Each piece is timed by itself, so what the engine does between them is not.
func (t *Table) clocked(work func() error) error {
	if !t.busy {
		return work()
	}
	took, err := t.dev.Time(work)
	t.sample.Service += took
	return err
}
