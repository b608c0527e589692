package engine

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// The requests of a scheme's host side to its table (schemes.Table), besides launching.

var _ schemes.Table = (*shard)(nil)

func (t *shard) Pair() schemes.Pair     { return t.spec.Shape.Pair }
func (t *shard) Layout() schemes.Layout { return t.layout }
func (t *shard) Block() kernels.Table   { return t.block }

// SetLayout records the layout after a resize. Regions without bytes are as large as their allocation.
func (t *shard) SetLayout(l schemes.Layout) { t.layout, t.changed = l, true }

// SetBlock changes the block. When the table is emptied, it gets its first arguments again.
func (t *shard) SetBlock(b kernels.Table) {
	t.changed = t.changed || b.Region != t.block.Region || b.Capacity != t.block.Capacity || b.Buckets != t.block.Buckets
	t.block = b
}

// AllocRegion takes memory that belongs to the table.
func (t *shard) AllocRegion(r schemes.Region) (device.Addr, error) {
	at, err := t.allocRegion(r)
	if err != nil {
		return 0, err
	}
	t.extra[at], t.changed = r.Bytes, true
	if r.Raw {
		return at, nil
	}
	return at, t.Set(at, r.Fill, r.Bytes)
}

// Release gives back memory of the table, which may be a region of the layout.
func (t *shard) Release(at device.Addr) error {
	delete(t.extra, at)
	t.changed = true
	i := slices.Index(t.mem.held, at)
	if i < 0 {
		return fmt.Errorf("address %#x is given back, and was not taken", at)
	}
	t.mem.held = slices.Delete(t.mem.held, i, i+1)
	return t.dev.Release(at)
}

func (t *shard) Scratch(bytes int64) (device.Addr, error) { return t.batch.alloc(uint64(bytes)) }

// Own launches a kernel that all schemes share, with its own block.
func (t *shard) Own(kernel string, block []byte, n uint64) error {
	if err := t.fetch(); err != nil {
		return err
	}
	at, err := t.batch.alloc(uint64(len(block)))
	if err == nil {
		err = ready(t.dev, kernel, at, block)
	}
	if err != nil {
		return err
	}
	took, err := t.within(schemes.Batch{Op: kernel, N: n}, func() error { return t.dev.Launch(kernel, at, at, n) })
	t.sample.addTime(took, device.Laps{lapOperation: took})
	return err
}

func (t *shard) Bulk() int {
	switch {
	case t.spec.Launch > 0 || t.spec.Counted || t.block.Host != 0:
		return kernels.BulkNowhere
	case isGPU(t.dev):
		return kernels.BulkOnGPU
	}
	return kernels.BulkOnCPU
}

func (t *shard) Set(at device.Addr, fill byte, bytes int64) error {
	return t.timed(func() error { return t.dev.Set(at, fill, bytes) })
}

func (t *shard) Write(at device.Addr, from []byte) error {
	if err := t.fetch(); err != nil {
		return err
	}
	return t.timed(func() error { return t.dev.Write(at, from) })
}

func (t *shard) Read(to []byte, from device.Addr) error {
	if err := t.fetch(); err != nil {
		return err
	}
	return t.timed(func() error { return t.dev.Read(to, from) })
}

// timed runs a copy or a clear, which during a batch counts as service time.
func (t *shard) timed(work func() error) error {
	if !t.inBatch {
		return work()
	}
	took, err := t.dev.Time(work)
	t.sample.addTime(took, device.Laps{lapOperation: took})
	t.sample.Upkeep += took
	return err
}

func (t *shard) counted() (uint64, error) {
	done, err := t.Launch(schemes.Batch{Op: "count", N: t.layout.Capacity})
	if err != nil {
		return 0, err
	}
	return done.Counts.Get("pairs"), nil
}

func (t *shard) exported(pairs uint64) ([2]device.Addr, error) {
	arrays, err := t.batch.arrays(t.Pair(), pairs)
	if err != nil {
		return arrays, err
	}
	done, err := t.Launch(schemes.Batch{Op: "export", N: t.layout.Capacity, Block: kernels.Batch{
		PairKeys: uint64(arrays[0]), PairValues: uint64(arrays[1]), PairLimit: pairs,
	}})
	if have := done.Counts; err == nil && have.Get("pairs") != pairs {
		err = t.spec.disagree(fmt.Errorf("the table exports %d pairs, and counts %d", have.Get("pairs"), pairs))
	}
	return arrays, err
}

// checkSize checks that a host side has neither lost nor duplicated a pair.
func (t *shard) checkSize(op string, done schemes.Result) error {
	own := t.sample
	t.sample = &Sample{} // counting is no service time
	n, err := t.counted()
	t.sample = own
	if err != nil || n == t.size {
		return err
	}
	where := lists.Either(done.At != "", done.At+": ", "")
	return t.spec.disagree(fmt.Errorf("%safter %s the table has %d pairs, and it should have %d: pairs that are taken out are inserted again or left over",
		where, op, n, t.size))
}
