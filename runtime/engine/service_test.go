package engine

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// clocking is a device on whose clock a launch takes a millisecond, a fill a second, a
// copy a minute, and nothing else takes any time.
type clocking struct {
	device.Device
	now time.Duration
}

func (c *clocking) Call(kernel string, table, batch []byte, count uint64) error {
	c.now += time.Millisecond
	return c.Device.Call(kernel, table, batch, count)
}

func (c *clocking) Set(at device.Addr, value byte, bytes int64) error {
	c.now += time.Second
	return c.Device.Set(at, value, bytes)
}

func (c *clocking) Write(at device.Addr, from []byte) error {
	c.now += time.Minute
	return c.Device.Write(at, from)
}

func (c *clocking) Read(to []byte, at device.Addr) error {
	c.now += time.Minute
	return c.Device.Read(to, at)
}

func (c *clocking) Time(f func() error) (time.Duration, error) {
	began := c.now
	err := f()
	return c.now - began, err
}

// The service time of a batch is of what the scheme has the device do: its launches, and
// what its host side fills and copies. What the engine does around them is none of it, nor
// is what the host side does for a table that is made or looked at.
func TestServiceTime(t *testing.T) {
	on := resizableTable(t, &clocking{Device: openCPU(t, 1)})
	for _, step := range []struct {
		batch Batch
		want  time.Duration
	}{
		{insert(from(1, 40)), time.Millisecond},
		// Count, export, insert; new slots are filled.
		{Batch{Op: "flush"}, 3*time.Millisecond + time.Second},
		{Batch{Op: "resize", Capacity: 128}, 3*time.Millisecond + time.Second},
		{find(from(1, 40)), time.Millisecond},
	} {
		s := passing(t, on, step.batch)
		must.Hold(t, s.Service == step.want, "%s took %v instead of %v", step.batch.Op, s.Service, step.want)
	}
}

// A rebuild pays for taking all pairs out, and for emptying the table.
func TestServiceTimeOfRebuilds(t *testing.T) {
	c := must.Get(config(t, "1cht").With("on_failure", "rebuild"))(t)
	for seed := range uint64(50) {
		dev := &clocking{Device: openCPU(t, 1)}
		on := table(t, dev, Spec{Config: c, Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 256}, Seed: seed})
		s := passing(t, on, insert(from(1, 230)))
		if s.Notes == nil {
			continue
		}
		must.Hold(t, s.Service >= time.Second+time.Minute+4*time.Millisecond, "%v with %q", s.Service, s.Notes)
		return
	}
	t.Error("no table had to be rebuilt")
}

// fetching is a device that reads what it is asked to when a batch has ended.
type fetching struct {
	device.Device
	dst   []byte
	from  device.Addr
	late  bool
	limit time.Duration
	reads int // others
}

func (f *fetching) Fetch(dst []byte, from device.Addr) error {
	f.dst, f.from = dst, from
	return nil
}

func (f *fetching) Read(to []byte, at device.Addr) error {
	f.reads++
	return f.Device.Read(to, at)
}

func (f *fetching) Time(do func() error) (time.Duration, error) {
	took, err := f.Device.Time(do)
	return took, errors.Join(err, f.Device.Read(f.dst, f.from))
}

func (f *fetching) TimeWithin(limit time.Duration, do func() error) (time.Duration, bool, error) {
	f.limit = limit
	took, err := f.Time(do)
	return took, f.late, err
}

// The counters of a batch come with it where the device can do that.
func TestCountersAreFetched(t *testing.T) {
	dev := &fetching{Device: openCPU(t, 1)}
	on := table(t, dev, Spec{Config: config(t, "1cht"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 256}})
	for _, b := range []Batch{insert(from(1, 40)), find(from(1, 40))} {
		in := must.Get(Load(dev.Device, schemes.Pair4, b))(t)
		dev.reads = 0
		if s, err := on.Run(in); err != nil || s.Counts.Get("ok") != 40 || dev.reads > 0 {
			t.Errorf("%s: %d of 40 are ok, and there were %d other reads: %v", b.Op, s.Counts.Get("ok"), dev.reads, err)
		}
		if err := in.Release(); err != nil {
			t.Error(err)
		}
	}
}

func TestSeries(t *testing.T) {
	p := Policy{Least: 9, Noise: 0.5}
	runs := []float64{0.030, 0.010, 0.020, 0.040, 0.050, 0.060, 0.070, 0.080, 0.090}
	series := p.Summarize(runs)
	must.Hold(t, math.Abs(series.Median-0.050) <= 1e-12, "median %v, want 0.050", series.Median)
	must.Hold(t, runs[0] == 0.030 && runs[1] == 0.010, "runs %v are not in the order in which they were made", runs)
	must.Hold(t, series.Noise > 0.2 && series.Noise <= 1, "noise %v of runs that are spread from 10 to 90 ms", series.Noise)
	if steady := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}; !p.Summarize(steady).Settled || p.Summarize(steady[1:]).Settled || series.Settled != (series.Noise <= 0.5) {
		t.Errorf("settled: %v, %v, %v", p.Summarize(steady).Settled, p.Summarize(steady[1:]).Settled, series.Settled)
	}
}

func TestSampleRates(t *testing.T) {
	s := Sample{N: 100, Service: 10 * time.Microsecond, Counts: told("insert", nil, nil).counts}
	s.Counts.Set("ok", 70)
	s.Counts.Set("failed", 20)
	s.Counts.Set("rejected", 10)
	s.Counts.Set("probes", 150)
	if s.Completed() != 70 || math.Abs(s.Mops()-7) > 1e-9 || s.PerOp("probes") != 1.5 {
		t.Errorf("completed %d, %v M/s, %v probes each, want 70, 7 and 1.5", s.Completed(), s.Mops(), s.PerOp("probes"))
	}
	if s.Service = 0; s.Mops() != 0 {
		t.Errorf("%v M/s in no time", s.Mops())
	}
}

// Keys that a batch of inserts has twice are noted on schemes with unique keys: all of a small batch, about as many of
// a large one.
func TestRepeatedKeysAreNoticed(t *testing.T) {
	dev := openCPU(t, 2)
	for _, c := range []struct {
		scheme    string
		n, unique uint64
		want      string
	}{
		{"bcht", 1000, 1000, ""},
		{"bcht", 1000, 999, "1 of 1000 keys were in the batch before"},
		{"linear", 1000, 400, "600 of 1000 keys were in the batch before"},
		{"slab", 1000, 400, ""},
		{"bcht", 300_000, 300_000, ""},
		{"bcht", 300_000, 290_000, "about (from 1 in 4 keys) "},
	} {
		on := table(t, dev, Spec{Config: config(t, c.scheme), Shape: schemes.Shape{Pair: schemes.Pair4, N: 2 * c.n, Load: 0.5}})
		keys := make(List, c.n)
		for i := range keys {
			keys[i] = uint64(i) % c.unique * 7919
		}
		notes := strings.Join(run(t, on, insert(keys)).Notes, "; ")
		if (c.want == "") != (notes == "") || !strings.HasPrefix(notes, c.want) {
			t.Errorf("%s: %d keys, %d different: %q, want %q", c.scheme, c.n, c.unique, notes, c.want)
		}
		var seen uint64
		if n, _ := fmt.Sscanf(notes, "about (from 1 in 4 keys) %d", &seen); n == 1 && (seen < 9000 || seen > 11000) {
			t.Errorf("%s: %d repeated keys noticed, want about 10000", c.scheme, seen)
		}
	}
}
