package limits_test

import (
	"math"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/limits"
)

// Every kind of access has a rate, also where the array is smaller than a run is long.
func TestMeasure(t *testing.T) {
	dev, err := devices.Open("cpu", device.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	list, err := limits.Measure(dev, 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, l := range list {
		kinds[l.Access]++
		if l.Memory != "device" || l.Bytes < 8 || len(l.Rates) != limits.Runs || l.Rate() <= 0 {
			t.Errorf("%+v", l)
		}
	}
	if kinds["read"] != 5 || kinds["write"] != 1 || kinds["swap"] != 1 || kinds["copy"] != 1 {
		t.Errorf("kinds of access: %v", kinds)
	}
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
		if rate := list.Of(kernels.Op(c.op), c.host); rate != c.limit {
			t.Errorf("%s: %v", c.op, rate)
		}
	}
}
