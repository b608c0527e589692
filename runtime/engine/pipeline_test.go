package engine

import (
	"errors"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// When the kernel of one part hangs, the others do not wait for it for ever, and the table is given up.
func TestPipelineThatHangs(t *testing.T) {
	bad := &hanging{Device: openCPU(t, 1), end: make(chan struct{}), ended: make(chan struct{}),
		fails: errors.New("no more turns")} // whose copies would be from memory of a device that is closed
	group := device.NewGroup("two", []device.Device{openCPU(t, 1), &peer{bad}})
	inStages(t, 10)
	table := must.Get(New(group, Spec{Config: config(t, "1cht"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}, Timeout: 50 * time.Millisecond}))(t)
	in := must.Get(Load(group, schemes.Pair4, insert(from(1, 100))))(t)
	var hang *HangError
	for range 2 {
		_, err := table.Run(in)
		must.Need(t, errors.As(err, &hang) && hang.Op == "insert", "a batch that hangs: %v", err)
	}
	must.OK(t, errors.Join(in.Release(), table.Close()))
	close(bad.end)
	bounded.Wait(t, bad.ended)
}

// peer is a device that looks into another one and copies as that does.
type peer struct{ device.Device }

func (p *peer) Unwrap() device.Device { return device.Unwrapped(p.Device.(*hanging).Device) }

// A part that fails before its launch ends the batch for all, and no table has changed.
func TestPipelineThatFails(t *testing.T) {
	dev := openGroup(t, "cpu*3")
	opened := must.Get(New(dev, Spec{Config: config(t, "1cht"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}, Verify: true}))(t)
	defer opened.Close()
	table := opened
	in := must.Get(Load(dev, schemes.Pair4, insert(from(1, 100))))(t)
	defer in.Release()
	one := table.shards[1]
	one.dev = timeless{one.dev}
	if _, err := table.Run(in); err == nil || table.Size() != 0 {
		t.Errorf("%d pairs after a failure: %v", table.Size(), err)
	}
	one.dev = one.dev.(timeless).Device
	s, err := table.Run(in)
	must.Hold(t, err == nil && s.Counts.Get("ok") == 100, "%d inserts afterwards: %v", s.Counts.Get("ok"), err)
}

// timeless is a device whose clock does not work.
type timeless struct{ device.Device }

func (timeless) Time(func() error) (time.Duration, error) { return 0, errors.New("no clock") }

// Turns of a batch that is one launch overlap; one with a host side goes step by step, and both say where the time went.
func TestPipelineIsTimed(t *testing.T) {
	dev := openGroup(t, "cpu*2")
	inStages(t, 1000)
	for scheme, once := range map[string]bool{"chained": true, "bcht": false} {
		opened := must.Get(New(dev, Spec{Config: config(t, scheme), Shape: schemes.Shape{Pair: schemes.Pair4, N: 8000, Load: 0.5}}))(t)
		in := must.Get(Load(dev, schemes.Pair4, Batch{Op: "insert", Keys: from(0, 8000), Values: from(0, 8000)}))(t)
		s, err := opened.Run(in)
		if err != nil || opened.launchedOnce(in) != once || len(in.routes.to[0].cuts) != 5 {
			t.Errorf("%s: once %t, cuts %v: %v", scheme, opened.launchedOnce(in), in.routes.to[0].cuts, err)
		}
		longest := max(s.Sharing.Partition, s.Sharing.Exchange, s.Sharing.Operation, s.Sharing.Return)
		must.Hold(t, s.Service == s.Sharing.Service && s.Service >= longest && longest != 0, "%s: %v of which %+v", scheme, s.Service, s.Sharing)
		if err := errors.Join(in.Release(), opened.Close()); err != nil {
			t.Error(err)
		}
	}
}
