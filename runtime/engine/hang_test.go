package engine

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// hanging is a device whose insert kernels end when they are told to.
type hanging struct {
	device.Device
	end      chan struct{}
	ended    chan struct{}
	released atomic.Int64
	fails    error // what the kernel gives then
}

func (h *hanging) Call(kernel string, table, batch []byte, count uint64) error {
	if !strings.HasSuffix(kernel, "_insert") {
		return h.Device.Call(kernel, table, batch, count)
	}
	<-h.end
	defer close(h.ended)
	if h.fails != nil {
		return h.fails
	}
	return h.Device.Call(kernel, table, batch, count)
}

func (h *hanging) Release(at device.Addr) error {
	h.released.Add(1)
	return h.Device.Release(at)
}

// hangingTable returns a table whose next kernel hangs, and a batch of inserts for it.
func hangingTable(t *testing.T, scheme string) (*hanging, *Table, *Input) {
	t.Helper()
	dev := &hanging{Device: openCPU(t, 1), end: make(chan struct{}), ended: make(chan struct{})}
	on, err := New(dev, Spec{
		Config: config(t, scheme), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 64}, Timeout: 10 * time.Millisecond,
	})
	must.OK(t, err)
	in := must.Get(Load(dev, schemes.Pair4, insert(from(1, 10))))(t)
	return dev, on, in
}

func TestKernelThatHangs(t *testing.T) {
	dev, on, in := hangingTable(t, "1cht")
	_, err := on.Run(in)
	var hang *HangError
	must.Need(t, errors.As(err, &hang) && hang.Scheme == "1cht" && hang.Op == "insert" && hang.N == 10, "a batch that hangs: %v, want a HangError of scheme 1cht", err)
	must.Hold(t, strings.Contains(err.Error(), "scheme 1cht") && strings.Contains(err.Error(), "10ms"), "the error does not say what hangs and for how long: %v", err)

	// The kernel still uses the table and the batch, so nothing is given back.
	before := dev.released.Load()
	for what, do := range map[string]func() error{"input": in.Release, "table": on.Close} {
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	now := dev.released.Load()
	must.Hold(t, now == before, "%d pieces of memory were released under a kernel that runs", now-before)
	for what, do := range map[string]func() error{
		"run":      func() error { _, err := on.Run(in); return err },
		"contents": func() error { _, err := on.Contents(); return err },
		"clear":    on.Clear,
		"gauges":   func() error { _, err := on.Gauges(); return err },
	} {
		if err := do(); !errors.As(err, &hang) {
			t.Errorf("%s on a table that hangs: %v", what, err)
		}
	}
	close(dev.end)
	bounded.Wait(t, dev.ended)
}

// blind is a device whose kernels that look at tables end when they are told to.
type blind struct {
	hanging
}

func (b *blind) Launch(kernel string, table, batch device.Addr, count uint64) error {
	if strings.HasPrefix(kernel, "hz_look_") {
		<-b.end
		defer close(b.ended)
	}
	return b.Device.Launch(kernel, table, batch, count)
}

// A look that does not end gives the table up, as a batch does.
func TestLookThatHangs(t *testing.T) {
	dev := &blind{hanging{Device: openCPU(t, 1), end: make(chan struct{}), ended: make(chan struct{})}}
	on, err := New(dev, Spec{
		Config: config(t, "bcht"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 64}, Timeout: 10 * time.Millisecond,
	})
	must.OK(t, err)
	var hang *HangError
	for range 2 {
		if _, err := on.Gauges(); !errors.As(err, &hang) || hang.Scheme != "bcht" {
			t.Errorf("a look that hangs: %v, want a HangError of scheme bcht", err)
		}
	}
	close(dev.end)
	bounded.Wait(t, dev.ended)
}

// panicking is a device with a mistake.
type panicking struct{ device.Device }

func (panicking) Time(func() error) (time.Duration, error) { panic("a mistake") }

// A panic while a kernel is launched, on a goroutine of the watchdog, is an error of the batch.
func TestLaunchThatPanics(t *testing.T) {
	dev := openCPU(t, 1)
	on, err := New(panicking{dev}, Spec{
		Config: config(t, "1cht"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 64}, Timeout: time.Minute,
	})
	must.OK(t, err)
	defer on.Close()
	in := must.Get(Load(dev, schemes.Pair4, insert(from(1, 10))))(t)
	defer in.Release()
	must.Say(t, must.Err(on.Run(in)), "scheme 1cht: internal error: a mistake")
}

// A hang of a table that erased pairs may have filled names what frees them.
func TestHangOfFullTable(t *testing.T) {
	dev, on, in := hangingTable(t, "linear")
	on.taken = 64
	if _, err := on.Run(in); err == nil || !strings.Contains(err.Error(), "t:flush()") || !strings.Contains(err.Error(), "batch_timeout") {
		t.Errorf("a hang of a table full of erased pairs: %v", err)
	}
	close(dev.end)
	bounded.Wait(t, dev.ended)
}

// A device that says it is late has a kernel that hangs.
func TestDeviceThatIsLate(t *testing.T) {
	dev := &fetching{Device: openCPU(t, 1)}
	on := table(t, dev, Spec{Config: config(t, "1cht"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 256}, Timeout: time.Hour})
	in := must.Get(Load(dev, schemes.Pair4, find(from(1, 40))))(t)
	if _, err := on.Run(in); err != nil || dev.limit != time.Hour {
		t.Errorf("a batch in time, with a limit of %v: %v", dev.limit, err)
	}
	dev.late = true
	for range 2 {
		if _, err := on.Run(in); !errors.As(err, new(*HangError)) {
			t.Errorf("a batch that is late: %v", err)
		}
	}
}
