//go:build cuda

package cuda

import (
	"errors"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"

	"gorgonia.org/cu"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// Copies beside kernels begin when the kernels before them have ended, on either GPU, and what waits for them ends last.
func testOverlap(t *testing.T) {
	first, second := openAt(t, 0), openAt(t, 1)
	from, to := alloc(t, first, 8), alloc(t, second, 8)
	batch, name := newBatch(t, second), aKernel(t, 70)
	check(t, errors.Join(first.Write(from, []byte("a secret")), second.Prepare(name)))
	check(t, second.CopyFrom(first, to, from, 8)) // the first copy opens the gate, to reach the other GPU
	launch := func() error { return second.Launch(name, 0, batch, 1) }
	done := must.Get(first.Mark())(t)
	apart := func(f func() error) error { return f() }
	for _, together := range []func(func() error) error{apart, second.Sequence, apart} {
		took, err := second.Time(func() error {
			return together(func() error {
				check(t, second.Lap(0, launch))
				mine := must.Get(second.Mark())(t)
				end, err := second.Overlap(1, []device.Mark{done, mine}, func() error {
					for range 2 {
						check(t, second.CopyFrom(first, to, from, 8))
					}
					return nil
				})
				check(t, err)
				check(t, second.Lap(2, func() error { return errors.Join(launch(), launch()) }))
				return second.Wait(end)
			})
		})
		check(t, err)
		ms := time.Millisecond
		want := (device.Laps{ms, ms / 4, 2 * ms})
		must.Hold(t, took == 3*ms && second.Laps() == want, "it took %v, of which %v, want %v", took, second.Laps(), want)
	}
	took, err := second.Time(func() error { // copies alone
		end := must.Get(second.Overlap(3, nil, func() error { return second.CopyFrom(first, to, from, 8) }))(t)
		return second.Wait(end)
	})
	check(t, err)
	must.Match(t, took, time.Millisecond/8, "a copy alone took")
	have := make([]byte, 8)
	check(t, errors.Join(second.Read(have, to), first.Close(), second.Close()))
	must.Match(t, string(have), "a secret", have)
}

// The test driver's clock advances by 1 ms per launch, 0.5 ms per set and 0.25 ms per copy, and by 1/16 ms before a launch
// or set for which the GPU had to wait.
func testTime(t *testing.T) {
	d := open(t)
	batch, name := newBatch(t, d), aKernel(t, 70)
	check(t, d.Prepare(name))
	launch := func() error { return d.Launch(name, 0, batch, 1) }
	for _, c := range []struct {
		what string
		f    func() error
		want time.Duration
	}{
		{"nothing", func() error { return nil }, 0},
		{"a launch", launch, time.Millisecond},
		{"a set and two launches", func() error {
			check(t, d.Set(batch, 0, 8))
			check(t, launch())
			return launch()
		}, 2500 * time.Microsecond},
		{"a launch, a copy and a launch that was submitted after it", func() error {
			check(t, launch())
			check(t, d.Write(batch, make([]byte, 8)))
			return launch()
		}, 2250*time.Microsecond + time.Millisecond/16},
		{"memory for a launch", func() error {
			check(t, launch())
			return d.Release(alloc(t, d, 8))
		}, time.Millisecond},
		{"a copy there and back", func() error {
			check(t, d.Write(batch, make([]byte, 8)))
			return d.Read(make([]byte, 8), batch)
		}, 500 * time.Microsecond},
	} {
		check(t, launch()) // outside: no part of the time
		took := must.Get(d.Time(c.f))(t)
		must.Match(t, took, c.want, c.what)
	}
	_, err := d.Time(func() error {
		_, err := d.Time(launch)
		return err
	})
	check(t, err, "already timing")
	must.Match(t, must.Get(d.Time(launch))(t), time.Millisecond)
}

// The gate opens when many calls wait behind it, so that the driver's queue does not fill up. Later launches are submitted
// while the GPU works.
func testCrowd(t *testing.T) {
	d := open(t)
	batch, name := newBatch(t, d), aKernel(t, 70)
	check(t, d.Prepare(name))
	apart := func(f func() error) error { return f() }
	for _, together := range []func(func() error) error{d.Sequence, apart} {
		for _, n := range []int{mostBehind, mostBehind + 160, 1} {
			took, err := d.Time(func() error {
				return together(func() error {
					for range n {
						check(t, d.Launch(name, 0, batch, 1))
					}
					return nil
				})
			})
			check(t, err)
			want := time.Duration(n)*time.Millisecond + time.Duration(max(0, n-mostBehind))*time.Millisecond/16
			must.Match(t, took, want, n)
		}
	}
}

// Where the GPU cannot wait, the clock includes what the host takes to submit a launch.
func testTimeWithoutWait(t *testing.T) {
	d := open(t)
	batch, name := newBatch(t, d), aKernel(t, 70)
	check(t, d.Prepare(name))
	for range 2 {
		took := must.Get(d.Time(func() error { return d.Launch(name, 0, batch, 1) }))(t)
		must.Match(t, took, time.Millisecond+time.Millisecond/16, "a launch took")
	}
	check(t, d.Close())
}

// A call that waits for the GPU in the middle of timed work, as a profiler's does, waits for the gate's guard at most.
func testGuard(t *testing.T) {
	d := open(t)
	at := alloc(t, d, 8)
	for range 2 {
		_, err := d.Time(func() error {
			check(t, d.Set(at, 0, 8))
			if err := d.inContext(cu.Synchronize); !errors.Is(err, cu.LaunchTimeout) {
				t.Errorf("the GPU waits, and a call for it gave %v", err)
			}
			time.Sleep(3 * longest)
			return d.inContext(cu.Synchronize)
		})
		check(t, err)
	}
}

// What is fetched is what the timed work left, and takes no time of the clock.
func testFetch(t *testing.T) {
	d := open(t)
	at, have := alloc(t, d, 8), make([]byte, 8)
	took, err := d.Time(func() error {
		check(t, d.Fetch(have, at))
		return d.Set(at, 7, 8)
	})
	check(t, err)
	must.Hold(t, have[0] == 7 && have[7] == 7 && took == time.Millisecond/2, "%v in %v", have, took)
	check(t, d.Fetch(make([]byte, small+1), at), "fetch 65537 bytes", "at most 65536")
	have[0] = 0
	if _, err := d.Time(func() error { return nil }); err != nil || have[0] != 0 {
		t.Errorf("fetched again: %v", err)
	}
}

// A GPU that is busy for longer than a moment is waited for, up to a limit.
func testBusy(t *testing.T)  { busy(t, false) }
func testHangs(t *testing.T) { busy(t, true) }

func busy(t *testing.T, hangs bool) {
	d := open(t)
	at, have := alloc(t, d, 8), make([]byte, 8)
	took, late, err := d.TimeWithin(20*time.Millisecond, func() error {
		check(t, d.Fetch(have, at))
		return d.Set(at, 7, 8)
	})
	check(t, err)
	if late != hangs || !hangs && (took != time.Millisecond/2 || have[0] != 7) || hangs && (took != 0 || have[0] != 0) {
		t.Errorf("late: %v, %v after %v", late, have, took)
	}
}
