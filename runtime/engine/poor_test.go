package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// poor is a device that gives no large blocks once it has become so.
type poor struct {
	device.Device
	most int64 // bytes of a block; 0: any
	host int64 // bytes that were taken of the host
}

func (p *poor) AllocHost(bytes int64) (device.Addr, error) {
	p.host += bytes
	return p.Device.AllocHost(bytes)
}

func (p *poor) Alloc(bytes int64) (device.Addr, error) {
	if p.most > 0 && bytes > p.most {
		return 0, fmt.Errorf("device poor: %d bytes asked for, %d free", bytes, p.most)
	}
	return p.Device.Alloc(bytes)
}

// A table that has to grow and cannot hands pairs back, says why, and stays as it was for all others; once there is
// memory, it takes them. Memory for growth lies where the table does. (The ladder lacks memory at each allocation.)
func TestMemoryToGrow(t *testing.T) {
	for _, name := range []string{"fks", "fks:bucket=8,max_chain=1,hashes=2", "linear:resize=auto", "linear:resize=auto,bucket=1,beta=95", "dycuckoo",
		"dycuckoo:subtables=5", "dycuckoo:places=all,max_chain=3"} {
		for _, most := range []int64{0, 1 << 9, 1 << 11, 1 << 13} {
			dev := &poor{Device: openCPU(t, 2)}
			growPoor(t, dev, config(t, name), most, schemes.Shape{Pair: schemes.Pair4, Capacity: 1000, Host: most == 0})
			must.Hold(t, most > 0 || dev.host >= 20000*8, "%s: %d bytes of the host were taken for 20000 pairs", name, dev.host)
		}
	}
}

func growPoor(t *testing.T, dev *poor, config schemes.Config, most int64, shape schemes.Shape) {
	spec := Spec{Config: config, Shape: shape, Verify: true}
	table := must.Get(New(dev, spec))(t)
	defer table.Close()
	insert := func(first uint64, n int) Sample {
		keys := from(first, n)
		in := must.Get(Load(dev, schemes.Pair4, Batch{Op: "insert", Keys: keys, Values: keys}))(t)
		defer in.Release()
		must.OK(t, in.results(true)) // the caller's memory, not the table's
		dev.most = most
		s, err := table.Run(in)
		dev.most = 0
		must.OK(t, err)
		return s
	}
	insert(0, 300)
	s := insert(300, 20000)
	failed, why := s.Counts.Get("failed"), strings.Join(s.Notes, "\n")
	must.Hold(t, (most == 0 || failed != 0 && strings.Contains(why, "no memory")) && (most != 0 || failed == 0), "%v with blocks of %d bytes: %d failed of 20000, notes %q", config, most, failed, why)
	if have, err := table.Contents(); err != nil || have.N != table.Size() {
		t.Errorf("%+v, %v; the size is %d", have, err, table.Size())
	}
	most = 0
	if s := insert(30000, 5000); s.Counts.Get("failed") != 0 {
		t.Errorf("%d fail though there is memory again, notes %q", s.Counts.Get("failed"), s.Notes)
	}
}
