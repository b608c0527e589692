package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Launch runs one operation of the scheme and waits for it. Only the kernel's device time is service time.
func (t *Table) Launch(b schemes.Batch) (schemes.Result, error) {
	if err := t.arriveBefore(b); err != nil {
		return schemes.Result{}, err
	}
	if b.As != nil {
		own := t.block
		defer func() { t.block = own }()
		t.block = *b.As
	}
	b.Block.Counters, b.Block.Op = uint64(t.counts), uint64(max(0, kernels.OpNumber(b.Op)))
	if err := t.dev.Set(t.counts, 0, kernels.CounterBytes); err != nil {
		return schemes.Result{}, err
	}
	if err := t.copyBlock(); err != nil {
		return schemes.Result{}, err
	}
	raw := make([]byte, kernels.CounterBytes)
	if err := t.call(b, raw); err != nil {
		return schemes.Result{}, err
	}
	counts := schemes.Counts(kernels.Counted(raw))
	if b.Block.Status != 0 {
		t.noted = noted{t.noted.launches + 1, counts.Get("failed")}
	}
	return schemes.Result{Counts: counts, Batch: b}, nil
}

// call runs the kernel of a batch and reads what it counted. Operations that are still on their way to a shard come with
// it (flow.go).
func (t *Table) call(b schemes.Batch, counts []byte) error {
	kernel := t.spec.Config.Kernel(t.spec.Shape.Pair, b.Op, t.spec.Counted)
	table, conduct := t.block, t.conduct // a kernel that hangs keeps the blocks
	t.conduct = nil
	launch := func(kernel string, b schemes.Batch) error {
		return t.dev.Call(kernel, kernels.Bytes(&table), kernels.Bytes(&b.Block), b.N)
	}
	call := func(b schemes.Batch) error { return launch(kernel, b) }
	size := t.launchSize(b, conduct)
	defer t.launches(b)()
	ahead, err := t.leads(kernel, b, conduct == nil && size == b.N)
	if err != nil {
		return err
	}
	fetching, fetches := t.dev.(device.Asynchronous)
	bound := t.bounded
	if dev, can := t.dev.(device.Asynchronous); can && conduct == nil && size == b.N { // neither parts nor a full queue are waited for
		bound = func(b schemes.Batch, launch func() error) (time.Duration, error) { return t.within(dev, b, launch) }
	}
	took, err := bound(b, func() error {
		if fetches {
			if err := fetching.Fetch(counts, t.counts); err != nil {
				return err
			}
		}
		if conduct != nil {
			return conduct(b, call)
		}
		if ahead == nil {
			return t.stream(b, size, call)
		}
		behind, err := ahead.launch(launch)
		if err != nil {
			return err
		}
		return call(behind)
	})
	if errors.Is(err, errLate) {
		err = t.hangs(b)
	}
	if t.hung != nil {
		return t.hung
	}
	if err != nil {
		return fmt.Errorf("scheme %s: %w", t.spec.Config.Name, err)
	}
	if size < b.N {
		t.sample.Launch = size
	}
	laps := device.Laps{lapOperation: took}
	if conduct != nil {
		laps = t.dev.Laps()
	}
	t.sample.took(took, laps)
	if !t.ofBatch(b) {
		t.sample.Upkeep += took
	}
	if fetches {
		return nil
	}
	return t.dev.Read(counts, t.counts)
}

// took adds to the service time.
func (s *Sample) took(all time.Duration, laps device.Laps) {
	s.Service += all
	for lap, took := range laps {
		s.laps[lap] += took
	}
}

// ofBatch reports whether a launch is for operations of the batch that is carried out, and not for pairs of the table.
func (t *Table) ofBatch(b schemes.Batch) bool {
	keys := t.doing.Block.Keys
	return b.Moved || b.Block.Keys >= keys && b.Block.Keys <= keys+t.doing.N*uint64(t.Pair().Key)
}

// runOwn runs one of the engine's own kernels on copies of its blocks, and reads the batch block back.
func runOwn(dev device.Device, kernel string, table, batch []byte, n uint64) error {
	scratch := memory{dev: dev}
	defer scratch.release()
	blocks := slices.Concat(table, batch)
	at, err := scratch.alloc(uint64(len(blocks)))
	if err != nil {
		return err
	}
	if err := dev.Write(at, blocks); err != nil {
		return err
	}
	if err := dev.Prepare(kernel); err != nil {
		return err
	}
	behind := at + device.Addr(len(table))
	if err := dev.Launch(kernel, at, behind, n); err != nil {
		return err
	}
	return dev.Read(batch, behind)
}

// copyBlock brings the copy of the table block in device memory up to date.
func (t *Table) copyBlock() error {
	t.block.Here = uint64(t.here)
	if t.copied == t.block {
		return nil
	}
	t.copied = t.block
	return t.dev.Write(t.here, kernels.Bytes(&t.block))
}

// bounded is the watchdog. A kernel cannot be stopped from outside, so a table whose kernel hangs is abandoned.
func (t *Table) bounded(b schemes.Batch, launch func() error) (time.Duration, error) {
	var took time.Duration
	ended := make(chan error, 1)
	go func() {
		ended <- device.Caught(func() (err error) { took, err = t.dev.Time(launch); return err })
	}()
	select {
	case err := <-ended:
		return took, err
	case <-time.After(t.spec.Timeout):
		return 0, t.hangs(b)
	}
}

// within is bounded on a device that keeps watch itself, so that short batches wake no goroutine.
func (t *Table) within(dev device.Asynchronous, b schemes.Batch, launch func() error) (took time.Duration, err error) {
	late := false
	err = device.Caught(func() (err error) { took, late, err = dev.TimeWithin(t.spec.Timeout, launch); return err })
	if late {
		err = t.hangs(b)
	}
	return took, err
}

func (t *Table) hangs(b schemes.Batch) error {
	t.batch.held = nil // the kernel still uses it
	t.hung = &HangError{t.spec.Config.Name, b.Op, b.N, t.spec.Timeout, t.crowded(b.N)}
	return t.hung
}
