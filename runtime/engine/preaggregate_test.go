package engine

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

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
