package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Inserts that find no room hand back their pairs, whichever launch of a stream they are in. The oracle checks that.
func TestStreamsIntoFullTables(t *testing.T) {
	dev := openCPU(t, 2)
	for _, s := range schemes.All() {
		spec := Spec{Config: s.Defaults(), Shape: schemes.Shape{Pair: s.Caps.Pairs[0], Capacity: 1 << 10}, Verify: true, Launch: 100}
		on := table(t, dev, spec)
		for _, keys := range []List{from(1, 900), from(1000, 400)} {
			passing(t, on, Batch{Op: "insert", Keys: keys, Values: keys})
		}
		_, err := on.Contents()
		must.Hold(t, err == nil, "%v", err)
	}
}

// noting is a device that notes the calls of kernels.
type noting struct {
	device.Device
	calls []string
	begun atomic.Int64
	slow  time.Duration // how long each takes
}

func (n *noting) Call(kernel string, table, batch []byte, count uint64) error {
	n.calls = append(n.calls, fmt.Sprint(kernel[strings.LastIndex(kernel, "_")+1:], " ", count))
	n.begun.Add(1)
	time.Sleep(n.slow)
	return n.Device.Call(kernel, table, batch, count)
}

// Launches of the operations of a batch are cut, and no others: neither those for lists of values, nor of kernels that a
// host side launches on something else.
func TestLaunchesThatAreCut(t *testing.T) {
	keys := from(1, 1000)
	mixed := Batch{Op: Mix, Keys: keys, Values: keys, Ops: slices.Repeat(List{opCode("find"), opCode("erase")}, 500), Mixed: []string{"find", "erase"}}
	four := func(op string) []string { return []string{op + " 300", op + " 300", op + " 300", op + " 100"} }
	for _, c := range []struct {
		scheme string
		batch  Batch
		size   uint64
		want   []string
	}{
		{"bcht", insert(keys), 300, four("insert")},
		{"bcht", insert(from(1, 300)), 0, []string{"insert 300"}},
		{"bcht", mixed, 300, slices.Concat(four("find"), four("erase"))},
		{"slab", mixed, 300, four("mix")},
		{"linear", Batch{Op: "add", Keys: keys, Values: keys}, 300, four("combine")},
		{"clstash:threshold=25", insert(keys), 300, []string{"insert 300", "insert 214", "insert 300", "insert 186"}}, // those of alone_insert first
		{"slab", Batch{Op: "find_all", Keys: keys}, 0, []string{"all 1000"}},
		{"slab", Batch{Op: "retrieve", Keys: keys}, 0, []string{"all 1000", "all 1000"}},
		{"csr:bulk=always", insert(keys), 0, []string{"insert 1000", "scatter 1000"}},
	} {
		dev := &noting{Device: openCPU(t, 1)}
		on := table(t, dev, Spec{Config: config(t, c.scheme), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 2048}, Results: true, Launch: 300})
		s := passing(t, on, c.batch)
		must.Match(t, dev.calls, c.want, c.batch.Op, c.scheme)
		if s.Launch != c.size || slices.Contains(s.Notes, notCut) != (c.size == 0 && c.batch.Len() > 300) {
			t.Errorf("%s of %s: launches of %d, want %d, and notes %q", c.batch.Op, c.scheme, s.Launch, c.size, s.Notes)
		}
		dev.calls = nil
		must.Get(on.Contents())(t)
		if want := []string{"count 2048", "export 2048"}; c.scheme == "linear" && !slices.Equal(dev.calls, want) {
			t.Errorf("contents: %v, want %v", dev.calls, want)
		}
	}
}

// A host side that launches a batch in pieces of its own, grows its table meanwhile and repeats what failed is cut there.
func TestStreamWithAHostSide(t *testing.T) {
	keys := from(1, 3000)
	for _, op := range []string{"insert", "upsert", "add"} {
		dev := &noting{Device: openCPU(t, 2)}
		on := table(t, dev, Spec{Config: config(t, "dycuckoo"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1024}, Verify: true, Launch: 200})
		s := passing(t, on, Batch{Op: op, Keys: keys, Values: keys})
		if s.Completed() != 3000 || s.Launch != 200 || on.Size() != 3000 {
			t.Errorf("%s: %d completed in launches of %d, and %d pairs", op, s.Completed(), s.Launch, on.Size())
		}
		largest := map[string]bool{}
		for _, call := range dev.calls {
			var kernel string
			var n int
			must.Get(fmt.Sscan(call, &kernel, &n))(t)
			largest[kernel] = largest[kernel] || n > 200
		}
		must.Hold(t, !largest[op] && !largest["combine"] && largest["split"], "%s: %v", op, dev.calls)
	}
}

// The clock runs once for all launches of a stream, and what they count is fetched once.
func TestStreamIsTimedAsAWhole(t *testing.T) {
	on := table(t, &clocking{Device: openCPU(t, 1)}, Spec{Config: config(t, "bcht"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 256}, Launch: 10})
	if s := passing(t, on, insert(from(1, 95))); s.Service != 10*time.Millisecond || s.Upkeep != 0 {
		t.Errorf("ten launches took %v, and upkeep %v", s.Service, s.Upkeep)
	}
	dev := &fetching{Device: openCPU(t, 1)}
	on = table(t, dev, Spec{Config: config(t, "bcht"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 256}, Launch: 10})
	in := load(t, dev.Device, schemes.Pair4, insert(from(1, 95)))
	if s, err := on.Run(in); err != nil || s.Counts.Get("ok") != 95 || dev.reads > 0 {
		t.Errorf("%d of 95 are ok, and there were %d other reads: %v", s.Counts.Get("ok"), dev.reads, err)
	}
}

// The time limit is that of the whole stream, and the host may wait for a full queue while it submits one. So the engine
// keeps watch, on a device that could do so itself, too, and a stream that is late ends.
func TestStreamThatIsLate(t *testing.T) {
	slow := &noting{Device: openCPU(t, 1), slow: 5 * time.Millisecond}
	dev := &fetching{Device: slow}
	on := must.Get(New(dev, Spec{Config: config(t, "bcht"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 2048}, Timeout: 20 * time.Millisecond, Launch: 10}))(t)
	in := must.Get(Load(dev, schemes.Pair4, insert(from(1, 1000))))(t)
	var hang *HangError
	_, err := on.Run(in)
	must.Hold(t, errors.As(err, &hang) && hang.N == 1000 && dev.limit == 0, "a stream that is late: %v, with a limit of %v", err, dev.limit)
	time.Sleep(10 * slow.slow)
	n := slow.begun.Load()
	must.Hold(t, n <= 6, "%d launches began, for which there was no time", n)
}

// Launches are bounded, and not cut on several devices, which a note says.
func TestBoundsOfLaunches(t *testing.T) {
	spec := Spec{Config: config(t, "bcht"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 2048}, Launch: MostLaunch + 1}
	must.Equal(t, must.Err(New(openCPU(t, 1), spec)), "launches of 1048577 operations: a stream has launches of 1 to 1048576; hint: 0 is one launch")
	spec.Launch = 100
	group := openGroup(t, "cpu*2")
	on := must.Get(New(group, spec))(t)
	defer on.Close()
	in := must.Get(Load(group, schemes.Pair4, insert(from(1, 1000))))(t)
	defer in.Release()
	if s, err := on.Run(in); err != nil || s.Launch != 0 || !slices.Equal(s.Notes, []string{"its launches are not cut on several devices"}) {
		t.Errorf("launches of %d, %q: %v", s.Launch, s.Notes, err)
	}
}

// leading is a CPU that has kernels which go ahead, and do nothing. Rows come in the reverse order.
type leading struct {
	device.Device
	groups   uint64 // that its samples have
	launched []string
}

func (d *leading) Loaded(string) bool { return true }

func (d *leading) Prepare(names ...string) error {
	return d.Device.Prepare(slices.DeleteFunc(slices.Clone(names), sorting)...)
}

func sorting(name string) bool { return strings.Contains("sort sample", strings.Split(name, "_")[1]) }

func (d *leading) Launch(kernel string, table, batch device.Addr, count uint64) error {
	if !sorting(kernel) {
		return d.Device.Launch(kernel, table, batch, count)
	}
	step := strings.Split(strings.Replace(kernel, "sort_", "", 1), "_")[1]
	d.launched = append(d.launched, step)
	var s kernels.Sort
	if err := d.Read(kernels.Bytes(&s), batch); err != nil {
		return err
	}
	switch step {
	case "sample":
		return d.Write(device.Addr(s.Marks+marksBytes-8), kernels.Bytes(&d.groups))
	case "move":
		reverse(s.Keys, s.KeysTo, s.Items)
		reverse(s.Values, s.ValuesTo, s.Items)
	}
	return nil
}

func reverse(from, to, n uint64) {
	list := unsafe.Slice((*uint32)(pointer(from)), n)
	moved := unsafe.Slice((*uint32)(pointer(to)), n)
	copy(moved, list)
	slices.Reverse(moved)
}

func pointer(at uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

func (d *leading) Call(kernel string, table, batch []byte, count uint64) error {
	if strings.HasSuffix(kernel, kernels.Ahead("")) {
		b := (*kernels.Batch)(unsafe.Pointer(&batch[0]))
		d.launched = append(d.launched, "ahead")
		if parts := b.FoundLimit; parts != 1 && (parts != kernels.SortParts || b.FoundAt == 0) {
			d.launched = append(d.launched, "of wrong parts")
		}
		return nil
	}
	return d.Device.Call(kernel, table, batch, count)
}

// Pre-aggregation depends on the slots of the table, the number of rows, whether per-row results are requested,
// and then on a sample.
func TestPreaggregation(t *testing.T) {
	order := []string{"count", "starts", "move"}
	rows := make(List, sampleFrom)
	for i := range rows {
		rows[i] = uint64(i%1000 + 1)
	}
	for _, c := range []struct {
		slots, rows, groups uint64
		results             bool
		want                []string
	}{
		{slots: 4000, rows: aggregateFrom - 1},
		{slots: 4000, rows: aggregateFrom, want: []string{"ahead"}},
		{slots: 4000, rows: aggregateFrom, results: true, want: []string{"ahead"}},
		{slots: 100_000, rows: aggregateFrom, want: append(order[:3:3], "ahead")},
		{slots: 100_000, rows: aggregateFrom, results: true},
		{slots: aggregateFrom, rows: aggregateFrom, groups: 1},
		{slots: 9_000_000, rows: sampleFrom, groups: 60_000, want: append([]string{"sample"}, order...)},
		{slots: 9_000_000, rows: sampleFrom, groups: 2048, want: []string{"sample", "ahead"}},
	}[:shorter(8, 7)] {
		dev := &leading{Device: openCPU(t, 2), groups: c.groups}
		on := table(t, dev, Spec{Config: config(t, "linear"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: c.slots}, Results: c.results})
		s := run(t, on, Batch{Op: "add", Keys: rows[:c.rows], Values: rows[:c.rows]})
		if !slices.Equal(dev.launched, c.want) || s.Counts.Get("ok") != 1000 || s.Counts.Get("replaced") != c.rows-1000 {
			t.Errorf("%d rows into %d slots: %v, want %v; %v", c.rows, c.slots, dev.launched, c.want, s.Counts)
		}
		must.Hold(t, s.Upkeep == 0, "%d rows into %d slots: %v were for the table", c.rows, c.slots, s.Upkeep)
	}
}
