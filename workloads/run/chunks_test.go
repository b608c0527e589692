package run

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// crammed has room for a table, and beside it for small arrays only.
type crammed struct {
	device.Device
	table int64
}

func (c crammed) Alloc(bytes int64) (device.Addr, error) {
	if bytes > 1<<17 && bytes < c.table {
		return 0, fmt.Errorf("%d bytes do not fit", bytes)
	}
	return c.Device.Alloc(bytes)
}

// A table that takes nearly all memory is measured with batches in chunks, and rehearsed without a copy of its pairs.
func TestATableThatFillsTheDevice(t *testing.T) {
	const n = 100_000
	keys := stream.Keys(4, 1).Take(n)
	s := script{shape: schemes.Shape{Pair: schemes.Pair4, N: n, Load: 0.8}, stages: []Stage{{Name: "build", Settles: true}},
		event: func(t Table, _ uint64, _ string) (bool, error) {
			if err := t.Clear(false); err != nil {
				return false, err
			}
			_, err := t.Do(engine.Batch{Op: "insert", Keys: keys, Values: keys})
			return true, err
		}}
	p := plan(t, s, "bcht", "linear")
	p.Rehearse, p.Chunk, p.Policy.Least, p.Policy.Most = true, 7000, 1, 1
	h := &heard{}
	must.OK(t, Run(context.Background(), crammed{open(t, 2), n * 8}, p, h.Hear))
	for _, r := range h.rows() {
		must.Hold(t, r.N == n && r.Completed == n && r.Compare == "" && r.Input == h.rows()[0].Input && r.Chunk == 7000,
			"%s: %d of %d, %s, chunks of %d", r.Scheme, r.Completed, r.N, r.Compare, r.Chunk)
	}
	p.Chunk = 0
	must.Hold(t, Run(context.Background(), crammed{open(t, 2), n * 8}, p, h.Hear) != nil, "a batch in one piece fits, so this shows nothing")
}

// scarce is a device with that much free memory.
type scarce struct {
	device.Device
	free int64
}

func (s scarce) Free() (int64, error) { return s.free, nil }

// Tables that do not fit side by side are refused before anything runs, with what each part takes.
func TestTablesThatDoNotFitSideBySide(t *testing.T) {
	s := script{shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1 << 20}, stages: []Stage{{Name: "build", Settles: true}},
		event: does(engine.Batch{Op: "find", Keys: keys(0, 1)})}
	p := plan(t, s, "bcht", "linear")
	p.Rehearse, p.Policy.Least, p.Policy.Most = true, 1, 1
	for _, c := range []struct {
		free int64
		want string
	}{
		{1 << 25, ""},
		{1<<24 + 1<<16, "the tables (bcht 8388608, linear 8388608) take 16777216 bytes, and device cpu has 16842752 free; " +
			"beside that, 65536 operations at a time take 22 each: 9 of input, 5 of answers, 8 for pairs handed back; hint: fewer schemes at once, or smaller tables"},
		{1 << 20, "the tables (bcht 8388608, linear 8388608) take 16777216 bytes, and device cpu has 1048576 free"},
	} {
		h := &heard{}
		err := Run(context.Background(), scarce{open(t, 2), c.free}, p, h.Hear)
		must.Begin(t, err, c.want, c.free, "bytes free, after", h.order())
		must.Hold(t, c.want == "" || len(h.order()) == 0, "%d bytes free: %v, after %v", c.free, err, h.order())
	}
}
