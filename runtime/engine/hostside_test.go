package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// resizableTable takes memory on its host side, moves its pairs there, and gives the old memory back.
func resizableTable(t *testing.T, dev device.Device) *Table {
	return table(t, dev, Spec{
		Config: config(t, "linear:bucket=4"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 64}, Seed: 3, Verify: true,
	})
}

// passing carries out a batch whose memory is given back at once.
func passing(t *testing.T, on *Table, b Batch) Sample {
	t.Helper()
	in := must.Get(Load(on.dev, on.Pair(), b))(t)
	defer in.Release()
	return must.Get(on.Run(in))(t)
}

// Emptying a table undoes the changes of its host side: the table is then as it was made, with the memory that it had.
func TestTablesThatTheHostSideHasChanged(t *testing.T) {
	for what, anew := range map[string]func(*Table) error{"clear": (*Table).Clear, "reseed": (*Table).Reseed} {
		dev := newStingy(t, 1<<30)
		on := resizableTable(t, dev)
		bytes := on.Bytes()
		for range 3 {
			passing(t, on, insert(from(1, 50)))
			passing(t, on, Batch{Op: "resize", Capacity: 200})
			if on.Capacity() != 200 || on.Bytes() != 1600 || on.Load() != 0.25 {
				t.Errorf("resized: %d slots, %d bytes, load factor %g", on.Capacity(), on.Bytes(), on.Load())
			}
			passing(t, on, insert(from(100, 120)))
			s := passing(t, on, find(from(1, 300)))
			must.Hold(t, s.Counts.Get("ok") == 170, "after a resize %d of 170 keys are there", s.Counts.Get("ok"))
			contents(t, on)
			if what == "reseed" { // the oracle is told of what the host side's callers take out
				on.oracle = newOracle(false, false)
			}
			must.OK(t, anew(on))
			if c := contents(t, on); c.N != 0 || on.Capacity() != 64 || on.Bytes() != bytes || on.changed {
				t.Errorf("%s: %d pairs, %d slots, %d bytes", what, c.N, on.Capacity(), on.Bytes())
			}
		}
		err := on.Close()
		must.Hold(t, err == nil, "%v", err)
		dev.check(t, 0, 0)
	}
}

// Without memory for what the host side wants, the table stays as it was.
func TestHostSideWithoutMemory(t *testing.T) {
	dev := newStingy(t, 1<<30)
	on := resizableTable(t, dev)
	run(t, on, insert(from(1, 50)))
	in := load(t, dev, schemes.Pair4, Batch{Op: "resize", Capacity: 1 << 16})
	dev.left = 5000 // enough for the pairs on their way, and not for the new table
	s, err := on.Run(in)
	if err != nil || len(s.Notes) != 1 || !strings.HasPrefix(s.Notes[0], "no memory for 65536 slots: 524288 bytes asked for") {
		t.Errorf("a resize without memory: %v, notes %v", err, s.Notes)
	}
	in = load(t, dev, schemes.Pair4, Batch{Op: "resize", Capacity: 10})
	if s, err := on.Run(in); err != nil || len(s.Notes) != 1 || s.Notes[0] != "10 slots are too few for 50 pairs" {
		t.Errorf("a resize to too few slots: %v, notes %v", err, s.Notes)
	}
	dev.left = 1 << 30
	counts(t, on, find(from(1, 60)), "ok", 50)
	must.Match(t, on.Capacity(), 64, "slots after a resize that failed")
	contents(t, on)
}

// Scratch memory is given back when the batch is done, and only then.
func TestScratchMemory(t *testing.T) {
	dev := newStingy(t, 1<<30)
	on := resizableTable(t, dev)
	in := load(t, dev, schemes.Pair4, Batch{Op: "flush"})
	run := func() int {
		must.Get(on.Run(in))(t)
		return len(dev.bytes)
	}
	if first, second := run(), run(); first != second {
		t.Errorf("%d pieces of memory are held after one batch, %d after two", first, second)
	}
}

// Time spent on a table's own pairs is separate from that of the batch, also where its host side launches a kernel of
// its own for them.
func TestUpkeepIsToldApart(t *testing.T) {
	for text, moves := range map[string]bool{
		"linear": false, "clstash:threshold=50": false, "bcht": false,
		"linear:resize=auto": true, "megakv:resize=auto": true, "dycuckoo:resize=auto": true,
	} {
		on := table(t, openCPU(t, 1), Spec{Config: config(t, text), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 4000}, Seed: 5})
		n, before := 1500, on.Capacity()
		if moves {
			n = 20_000
		}
		s := run(t, on, insert(from(1, n)))
		if moved := on.Capacity() != before; moved != moves {
			t.Errorf("%s: capacity %d, then %d", text, before, on.Capacity())
		}
		if apart := s.Upkeep > 0; apart != moves || s.Upkeep >= s.Service {
			t.Errorf("%s: upkeep %v of %v", text, s.Upkeep, s.Service)
		}
	}
}

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
