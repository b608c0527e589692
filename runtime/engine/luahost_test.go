package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
)

// inLua is a configuration with a Lua source for the operations that it has functions for.
func inLua(t testing.TB, text, source string) schemes.Config {
	t.Helper()
	c := config(t, text)
	s := *c.Scheme
	host, err := host.Compile("x.lua", source)
	if err != nil {
		t.Fatal(err)
	}
	s.Host = maps.Clone(s.Host)
	maps.Copy(s.Host, host)
	s.Caps.Ops = slices.Clone(s.Caps.Ops)
	for op := range s.Host {
		switch {
		case s.Caps.Has(op) || op == Mix:
		case slices.Contains(schemes.TableOps, op):
			s.Caps.Ops = append(s.Caps.Ops, op)
		default:
			delete(s.Host, op) // the scheme has no kernel for it
		}
	}
	made := s.Defaults()
	for param, value := range c.Settings() {
		if made, err = made.With(param, value); err != nil {
			t.Fatal(err)
		}
	}
	return made
}

func luaTable(t testing.TB, dev device.Device, text, source string, capacity, seed uint64) *Table {
	t.Helper()
	return table(t, dev, Spec{
		Config: inLua(t, text, source), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: capacity}, Seed: seed, Verify: true,
	})
}

const rebuildInLua = `
function insert(t, batch)
  local done = t:launch(batch)
  for i = 1, t.param.rebuilds do
    if done.failed == 0 then break end
    local all = t:pairs(done)
    t:swap(t:make{ reseed = true })
    done = t:launch(all)
    t:note("rebuild " .. i)
  end
  return done
end`

// A rebuild with other hash functions, until all pairs are in or it was tried often enough:
// what is left over then is handed back, also if that is more than the batch has.
func TestRebuildsInLua(t *testing.T) {
	rebuilt, handedBack := 0, 0
	for seed := range uint64(40) {
		dev := newStingy(t, 1<<30)
		on := luaTable(t, dev, "1cht:on_failure=rebuild,rebuilds=2", rebuildInLua, 256, seed)
		run(t, on, insert(from(1, 200)))
		s := run(t, on, insert(from(500, 54)))
		rebuilt += len(s.Notes)
		if failed, left := s.Counts.Get("failed"), s.Counts.Get("pairs"); on.Size()+left != 254 || failed > left {
			t.Errorf("seed %d: %d pairs, %d left over, %d failed of 54", seed, on.Size(), left, failed)
		} else if left > 0 {
			handedBack++
		}
		contents(t, on)
		if on.Bytes() != 256*8 || on.Capacity() != 256 {
			t.Errorf("%d slots, %d bytes", on.Capacity(), on.Bytes())
		}
	}
	if rebuilt == 0 || handedBack == 0 {
		t.Errorf("%d rebuilds, and %d tables handed pairs back", rebuilt, handedBack)
	}
}

// Growing, by the ways that there are to take what found no room in.
func TestGrowingInLua(t *testing.T) {
	grow := func(again string) string {
		return fmt.Sprintf(`function insert(t, batch)
		  local done = t:launch(t:remember(batch))
		  while done.failed > 0 do
		    local all = t:pairs(%s)
		    local old = t:swap(t:make{ capacity = 2 * t.capacity })
		    local moved = t:launch(all)
		    done = %s
		  end
		  return done
		end upsert, mix = insert, insert`, map[bool]string{true: "done"}[again == "moved"], again)
	}
	for text, again := range map[string]string{
		"bcht": "moved", "linear": "t:again(done)", "linear:bucket=1": "t:launch(t:left(done))", "double": "moved", "bcht:bucket=4": "t:launch(t:left(done))",
	} {
		dev := newStingy(t, 1<<30)
		c := inLua(t, text, grow(again))
		on := table(t, dev, Spec{Config: c, Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 64}, Seed: 3, Verify: true})
		slots := on.Capacity()
		for i := range uint64(5) {
			s := passing(t, on, insert(from(1000*i, 300)))
			if s.Counts.Get("ok") != 300 || on.Size() != 300*(i+1) || s.Counts.Get("pairs") != 0 {
				t.Errorf("%s by %s: %v, %d pairs", text, again, s.Counts.Named(), on.Size())
			}
			contents(t, on)
		}
		if on.Bytes() != int64(on.Capacity())*8 || on.Capacity() < 1500 {
			t.Errorf("%s: %d slots in %d bytes", text, on.Capacity(), on.Bytes())
		}
		held := len(dev.bytes)
		if err := on.Clear(); err != nil || on.Capacity() != slots || len(dev.bytes) != held {
			t.Errorf("%s: cleared: %v, %d slots, %d blocks held instead of %d", text, err, on.Capacity(), len(dev.bytes), held)
		}
		if err := on.Close(); err != nil {
			t.Error(err)
		}
		dev.check(t, 0, 0)
	}
}

// A kernel of the scheme's own: subtables are weighed, all buckets of each.
func TestOwnKernelsInLua(t *testing.T) {
	on := luaTable(t, openCPU(t, 2), "dycuckoo:resize=manual", `
	function resize(t)
	  local sum = t:alloc{ bytes = 8, fill = 0 }
	  for i = 0, t.param.subtables - 1 do
	    t:launch("weigh", { n = t.capacity / t.param.subtables, out = sum, select = i })
	  end
	  t:note(string.format("%d of %d, %d", t:read(sum, 1), t.size, sum.bytes))
	end`, 2000, 1)
	passing(t, on, insert(from(1, 1234)))
	if s := passing(t, on, Batch{Op: "resize"}); !slices.Equal(s.Notes, []string{"1234 of 1234, 8"}) {
		t.Errorf("notes %q", s.Notes)
	}
}

// Nothing that one call leaves behind is there in the next.
func TestCallsInLuaAreApart(t *testing.T) {
	on := luaTable(t, openCPU(t, 1), "linear", `
	local calls = {}
	function flush(t)
	  calls[#calls + 1] = true
	  string.calls = (string.calls or 0) + 1
	  t:note(#calls .. " " .. string.calls)
	end`, 64, 1)
	for range 3 {
		if s := run(t, on, Batch{Op: "flush"}); !slices.Equal(s.Notes, []string{"1 1"}) {
			t.Errorf("notes %q", s.Notes)
		}
	}
}

// Several tables of one scheme are at work at once.
func TestHostSidesInLuaSideBySide(t *testing.T) {
	var all sync.WaitGroup
	for seed := range uint64(4) {
		on := table(t, openCPU(t, 1), Spec{
			Config: config(t, "linear:resize=auto"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 100}, Seed: seed, Verify: true,
		})
		all.Go(func() {
			for i := range uint64(20) {
				in, err := Load(on.dev, on.Pair(), insert(from(100*i, 100)))
				if err == nil {
					_, err = on.Run(in)
				}
				if err != nil || on.Size() != 100*(i+1) {
					t.Errorf("%d pairs, %v", on.Size(), err)
				}
			}
		})
	}
	all.Wait()
}

// failing is a device whose inserts fail from some launch on.
type failing struct {
	device.Device
	left int
	err  error
}

func (f *failing) Call(kernel string, table, batch []byte, n uint64) error {
	if strings.Contains(kernel, "_insert") {
		if f.left--; f.left < 0 {
			return f.err
		}
	}
	return f.Device.Call(kernel, table, batch, n)
}

// An error of the device ends the call; Lua code cannot catch it.
func TestDevicesThatFailUnderLua(t *testing.T) {
	gone := errors.New("the device is gone")
	for launches := range 2 {
		dev := &failing{openCPU(t, 1), launches, gone}
		on := luaTable(t, dev, "1cht:on_failure=rebuild", strings.ReplaceAll(rebuildInLua, "t:launch(all)", "select(2, pcall(t.launch, t, all))"), 64, 1)
		_, err := on.Run(load(t, dev, schemes.Pair4, insert(from(1, 64))))
		var where *sandbox.Error
		if !errors.Is(err, gone) || !errors.As(err, &where) || where.File != "x.lua" || where.Line == 0 {
			t.Errorf("after %d launches: %v", launches, err)
		}
	}
}

// A kernel that hangs is an error of the engine's, as without Lua, and nothing that it may
// still use is given back.
func TestKernelThatHangsUnderLua(t *testing.T) {
	dev := &hanging{Device: openCPU(t, 1), end: make(chan struct{}), ended: make(chan struct{})}
	on, err := New(dev, Spec{
		Config: config(t, "linear"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 64}, Timeout: 10 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, on, find(from(1, 10)))
	in, err := Load(dev, schemes.Pair4, Batch{Op: "insert", Keys: from(1, 10), Values: from(1, 10)})
	if err != nil {
		t.Fatal(err)
	}
	before := dev.released.Load()
	var hang *HangError
	if _, err = on.Run(in); !errors.As(err, &hang) || !strings.Contains(err.Error(), "host.lua:") {
		t.Errorf("%v", err)
	}
	if dev.released.Load() != before {
		t.Error("memory was given back that the kernel may use")
	}
	close(dev.end)
	<-dev.ended
}

// BenchmarkHostSides is what a batch takes that does nothing, and one of a million inserts:
// through a host side in Lua, through one in Go, and without any. What Lua takes is no
// service time, but whoever waits for a batch waits for it.
func BenchmarkHostSides(b *testing.B) {
	inGo := func(t schemes.Table, b schemes.Batch) (schemes.Result, error) { return t.Launch(b) }
	for _, n := range []int{0, 1 << 20} {
		in := Batch{Op: "insert", Keys: from(1, n), Values: from(1, n)}
		for what, host := range map[string]schemes.HostOp{"lua": config(b, "linear").Host["insert"], "go": inGo, "none": nil} {
			b.Run(fmt.Sprintf("%s/%d", what, n), func(b *testing.B) {
				c := config(b, "linear")
				s := *c.Scheme
				s.Host = maps.Clone(s.Host)
				if s.Host["insert"] = host; host == nil {
					delete(s.Host, "insert")
				}
				on := table(b, openCPU(b, 2), Spec{Config: s.Defaults(), Shape: schemes.Shape{Pair: schemes.Pair4, N: max(1, uint64(n)), Load: 0.6}})
				batch := load(b, on.dev, schemes.Pair4, in)
				for b.Loop() {
					b.StopTimer()
					if err := on.Clear(); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					if _, err := on.Run(batch); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
