package limits_test

import (
	"math"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/limits"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// Every kind of access has a rate, also where the array is smaller than a run is long.
func TestMeasure(t *testing.T) {
	list := must.Get(limits.Measure(open(t), 1<<16))(t)
	kinds := map[string]int{}
	for _, l := range list {
		kinds[l.Access]++
		must.Hold(t, l.Memory == "device" && l.Bytes >= 8 && len(l.Rates) == limits.Runs && l.Rate() > 0, "%+v", l)
	}
	must.Hold(t, kinds["read"] == 5 && kinds["write"] == 1 && kinds["swap"] == 1 && kinds["copy"] == 1, "kinds of access: %v", kinds)
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		rates []float64
		rate  float64
		noise float64
	}{{[]float64{3, 1, 2}, 2, 5.0 / 12}, {[]float64{5, 5, 5, 5}, 5, 0}} {
		if l := (limits.Limit{Rates: c.rates}); l.Rate() != c.rate || math.Abs(l.Noise()-c.noise) > 1e-9 {
			t.Errorf("%v: %v ± %v, want %v ± %v", c.rates, l.Rate(), l.Noise(), c.rate, c.noise)
		}
	}
}

func TestLimitOfAnOperation(t *testing.T) {
	list := limits.List{{Memory: "device", Access: "read", Bytes: 64, Rates: []float64{40}}, {Memory: "host", Access: "read", Bytes: 64, Rates: []float64{4}},
		{Memory: "device", Access: "swap", Bytes: 8, Rates: []float64{16}}}
	for _, c := range []struct {
		op    string
		host  bool
		limit float64
	}{{"find", false, 40}, {"find_all", true, 4}, {"insert", false, 16}, {"erase", false, 16}, {"update", true, 0}, {"mix", false, 0}, {"add", false, 0}, {"flush", false, 0}} {
		must.Match(t, list.Of(kernels.Op(c.op), c.host), c.limit, c.op)
	}
}

// Each access has a rate alone, and where others share its word.
func TestContend(t *testing.T) {
	list := must.Get(limits.Contend(open(t), 1<<16))(t)
	kinds := map[string]int{}
	for _, c := range list {
		kinds[c.Access]++
		must.Hold(t, c.Conflicts >= 1 && c.Conflicts <= 1<<20 && len(c.Rates) == limits.Runs && c.Rate() > 0, "%+v", c)
	}
	must.Hold(t, kinds["swap"] == 11 && kinds["compare"] == 11 && kinds["write"] == 11 && kinds["ordered"] == 1, "kinds of access: %v", kinds)
}

// The allocators give units that do not overlap, which Allocate checks, also where the number is no multiple of a block's.
func TestAllocate(t *testing.T) {
	for _, n := range []uint64{1, 5000} {
		list := must.Get(limits.Allocate(open(t), n))(t)
		names := map[string]bool{}
		for _, a := range list {
			names[a.Allocator] = a.Released != nil
			must.Hold(t, a.N == n && len(a.Allocated) == limits.Runs && a.Allocated.Rate() > 0 && (a.Released == nil || len(a.Released) == limits.Runs), "%+v", a)
		}
		releases, ok := names["bump"]
		must.Hold(t, ok && !releases && names["malloc"], "allocators, and whether they take units back: %v", names)
	}
}

func open(t *testing.T) device.Device {
	t.Helper()
	dev := must.Get(devices.Open("cpu", device.Options{Threads: 2}))(t)
	t.Cleanup(func() { dev.Close() })
	return dev
}
