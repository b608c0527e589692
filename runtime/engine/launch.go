package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Launch runs a kernel of the scheme and waits for it: plan, load, run, check, account. Only device time is service time.
func (t *shard) Launch(b schemes.Batch) (schemes.Result, error) {
	ofBatch := b.Op == t.current.Op && b.N == t.current.N && b.Block.Keys == t.current.Block.Keys
	if !ofBatch || b.Block.FoundAt != 0 { // places among found values are those of operations in the whole batch
		if err := t.fetch(); err != nil {
			return schemes.Result{}, err
		}
	}
	if b.As != nil {
		own := t.block
		defer func() { t.block = own }()
		t.block = *b.As
	}
	l := t.planLaunch(b)
	if err := l.load(); err != nil {
		return schemes.Result{}, err
	}
	took, err := l.run()
	if err := l.check(err); err != nil {
		return schemes.Result{}, err
	}
	return l.account(took), nil
}

// kernelLaunch is one launch of a kernel, or several of its pieces.
type kernelLaunch struct {
	t        *shard
	batch    schemes.Batch
	kernel   string
	table    kernels.Table   // a copy, which a kernel that hangs keeps
	size     uint64          // operations in a piece; all, unless the launch is cut
	pipeline pipeline        // nil: the operations are on the shard
	lead     *preaggregation // nil: there is none
	raw      []byte          // the counters of the launch
}

// planLaunch decides how a launch runs: as it is, in a pipeline, as a stream of pieces, or after a pre-aggregation.
func (t *shard) planLaunch(b schemes.Batch) *kernelLaunch {
	b.Block.Counters, b.Block.Op = uint64(t.counts), uint64(max(0, kernels.OpNumber(b.Op)))
	l := &kernelLaunch{t: t, batch: b, kernel: t.spec.Config.Kernel(t.spec.Shape.Pair, b.Op, t.spec.Counted),
		size: b.N, pipeline: t.pipeline, raw: make([]byte, kernels.CounterBytes)}
	t.pipeline = nil
	if l.pipeline == nil {
		l.size = t.launchSize(b)
	}
	if l.whole() {
		l.lead = t.preaggregate(l.kernel, b)
	}
	return l
}

// whole reports whether all operations run in one piece.
func (l *kernelLaunch) whole() bool { return l.pipeline == nil && l.size == l.batch.N }

// load clears the counters and brings the device's copy of the table block up to date.
func (l *kernelLaunch) load() (err error) {
	if err := cmp.Or(l.t.dev.Set(l.t.counts, 0, kernels.CounterBytes), l.t.copyBlock()); err != nil {
		return err
	}
	l.table = l.t.block
	l.lead, err = l.lead.prepared()
	return err
}

// run launches, and measures the device's time.
func (l *kernelLaunch) run() (time.Duration, error) {
	defer l.t.announce(l.batch)()
	dev, async := l.t.dev.(device.Asynchronous)
	start := l.start
	if async {
		start = func() error { return cmp.Or(dev.Fetch(l.raw, l.t.counts), l.start()) }
	}
	if async && l.whole() { // otherwise the host waits for other parts or a full queue
		return l.t.withinDevice(dev, l.batch, start)
	}
	return l.t.within(l.batch, start)
}

func (l *kernelLaunch) start() error {
	switch {
	case l.pipeline != nil:
		return l.pipeline(l.batch, l.call)
	case l.lead != nil:
		return l.lead.launch(l)
	case l.whole():
		return l.call(l.batch)
	}
	return l.stream()
}

func (l *kernelLaunch) call(b schemes.Batch) error {
	return l.t.dev.Call(l.kernel, kernels.Bytes(&l.table), kernels.Bytes(&b.Block), b.N)
}

// check returns the error of a launch, and reads its counters if they are not here yet.
func (l *kernelLaunch) check(err error) error {
	if errors.Is(err, errLate) {
		err = l.t.hangs(l.batch)
	}
	if l.t.hung != nil {
		return l.t.hung
	}
	if err != nil {
		return fmt.Errorf("scheme %s: %w", l.t.spec.Config.Name, err)
	}
	if _, fetched := l.t.dev.(device.Asynchronous); fetched {
		return nil
	}
	return l.t.dev.Read(l.raw, l.t.counts)
}

// account adds the time to the sample, and returns what the launch counted.
func (l *kernelLaunch) account(took time.Duration) schemes.Result {
	if !l.whole() && l.pipeline == nil {
		l.t.sample.Launch = l.size
	}
	l.t.sample.addTime(took, lists.Either(l.pipeline != nil, l.t.dev.Laps(), device.Laps{lapOperation: took}))
	keys, b := l.t.current.Block.Keys, l.batch // others are for pairs of the table
	if !b.Moved && (b.Block.Keys < keys || b.Block.Keys > keys+l.t.current.N*uint64(l.t.Pair().Key)) {
		l.t.sample.Upkeep += took
	}
	counts := schemes.Counts(kernels.Counted(l.raw))
	if l.batch.Block.Status != 0 {
		l.t.launched = launchTotals{l.t.launched.launches + 1, counts.Get("failed")}
	}
	return schemes.Result{Counts: counts, Batch: l.batch}
}

// addTime adds to the service time.
func (s *Sample) addTime(all time.Duration, laps device.Laps) {
	s.Service += all
	for lap, took := range laps {
		s.laps[lap] += took
	}
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
	behind := at + device.Addr(len(table))
	return cmp.Or(ready(dev, kernel, at, blocks), dev.Launch(kernel, at, behind, n), dev.Read(batch, behind))
}

// ready writes the block of a kernel to a device, and prepares the kernel.
func ready(dev device.Device, kernel string, at device.Addr, block []byte) error {
	return cmp.Or(dev.Write(at, block), dev.Prepare(kernel))
}

// copyBlock brings the copy of the table block in device memory up to date.
func (t *shard) copyBlock() error {
	t.block.Here = uint64(t.here)
	if t.copied == t.block {
		return nil
	}
	t.copied = t.block
	return t.dev.Write(t.here, kernels.Bytes(&t.block))
}

// within is the watchdog. A kernel cannot be stopped from outside, so a table whose kernel hangs is abandoned.
func (t *shard) within(b schemes.Batch, launch func() error) (time.Duration, error) {
	var took time.Duration
	ended := make(chan error, 1)
	go func() { ended <- device.Caught(func() (err error) { took, err = t.dev.Time(launch); return err }) }()
	select {
	case err := <-ended:
		return took, err
	case <-time.After(t.spec.Timeout):
		return 0, t.hangs(b)
	}
}

// withinDevice is the watchdog of the device itself, so that short batches wake no goroutine.
func (t *shard) withinDevice(dev device.Asynchronous, b schemes.Batch, launch func() error) (took time.Duration, err error) {
	late := false
	err = device.Caught(func() (err error) { took, late, err = dev.TimeWithin(t.spec.Timeout, launch); return err })
	if late {
		err = t.hangs(b)
	}
	return took, err
}

func (t *shard) hangs(b schemes.Batch) error {
	t.batch.held = nil // the kernel still uses it
	t.hung = &HangError{t.spec.Config.Name, b.Op, b.N, t.spec.Timeout, t.crowded(b.N)}
	return t.hung
}

// With Spec.Launch, a larger batch is a stream of launches: the host submits one after the other without waiting, and the
// clock runs from the first to the last. The rate is that of an application that sends many small batches. All launches add
// to the same counters and write to the arrays of one batch, so counts and digests are those of one launch.

// MostLaunch bounds Spec.Launch: larger launches need no stream. It is below the size from which a GPU pre-aggregates
// (preaggregate.go) all rows of a batch or none.
const MostLaunch = 1 << 20

// notCut is the note of a sample whose launches are not cut.
const notCut = "its launches are not cut"

// launchSize returns how many operations a launch has: all, unless it is cut.
func (t *shard) launchSize(b schemes.Batch) uint64 {
	size := t.spec.Launch
	// Rest of the batch does not have the addresses of found values and of notes of a host side.
	more := kernels.Op(b.Op).Lists() || kernels.Op(t.current.Op).Lists() || b.Moved || b.Block.FoundOf != 0 || b.Block.FoundAt != 0
	switch {
	case size == 0 || size >= b.N || !t.keyed(b):
		return b.N
	case !more:
		return size
	case !slices.Contains(t.sample.Notes, notCut):
		t.Note(notCut)
	}
	return b.N
}

// keyed reports whether each item of a launch is an operation of the current batch.
func (t *shard) keyed(b schemes.Batch) bool {
	op := kernels.Op(b.Op)
	inside := b.Block.Keys-t.current.Block.Keys < t.current.N*uint64(t.Pair().Key) // below, the difference wraps around
	return t.inBatch && (b.Keyed || op.Kind == kernels.OnKeys || op.Kind == kernels.Mixed) && (b.Moved || inside)
}

// errLate ends a stream that runs out of time.
var errLate = errors.New("late")

// stream calls the kernel piece by piece.
func (l *kernelLaunch) stream() error {
	end := time.Now().Add(l.t.spec.Timeout)
	return l.t.dev.Sequence(func() error { // without an event after each launch
		b := l.batch
		for ; b.N > l.size; b = b.Rest(l.t.Pair(), l.size) {
			if time.Now().After(end) {
				return errLate
			}
			piece := b
			piece.N = l.size
			if err := l.call(piece); err != nil {
				return err
			}
		}
		return l.call(b)
	})
}
