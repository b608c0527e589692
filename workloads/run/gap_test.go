package run

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// stretch is from when to when something was, since the test began.
type stretch struct{ from, to time.Duration }

// clocked is a device on which every launch takes as long as it says, by the clock of the test.
type clocked struct {
	watched
	takes   time.Duration
	since   func() time.Duration
	windows *[]stretch // in which a clock ran
}

func (d clocked) Time(f func() error) (time.Duration, error) {
	from := d.since()
	if _, err := d.watched.Time(f); err != nil {
		return 0, err
	}
	time.Sleep(d.takes)
	*d.windows = append(*d.windows, stretch{from, d.since()})
	return d.takes, nil
}

// gapped carries out a script with a gap, beside a guest, and gives when clocks ran, what was
// heard, and how long it took. It is all in a time that goes on only when everybody waits.
func gapped(t *testing.T, s script, takes time.Duration, guest func(g *Gap, since func() time.Duration)) (windows []stretch, h *heard, took time.Duration) {
	dev := open(t, 1)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		since := func() time.Duration { return time.Since(began) }
		p := plan(t, s, "1cht", "bcht")
		p.Gap, h = &Gap{}, &heard{}
		go guest(p.Gap, since)
		r := &runner{Plan: p, dev: clocked{dev, takes, since, &windows}, listener: h, clock: realClock{}}
		if err := r.controlled(t.Context()); err != nil {
			t.Fatal(err)
		}
		took = since()
		synctest.Wait()
	})
	return windows, h, took
}

// visitor enters every so often, stays for as long, and notes when he was there.
func visitor(each, stays time.Duration, visits *[]stretch) func(*Gap, func() time.Duration) {
	return func(g *Gap, since func() time.Duration) {
		for range 5 {
			time.Sleep(each)
			leave := g.Enter(context.Background())
			from := since()
			time.Sleep(stays)
			*visits = append(*visits, stretch{from, since()})
			leave()
		}
	}
}

func nobody(*Gap, func() time.Duration) {}

var tenFinds = script{shape: small, stages: []Stage{{Batches: 10}}, event: finds(10)}

// Somebody who wants to do something between batches is let in there, and the next one waits
// until he has left. What is measured is the same as if he had not been there.
func TestGap(t *testing.T) {
	var visits []stretch
	windows, h, took := gapped(t, tenFinds, 10*ms, visitor(23*ms, 4*ms, &visits))
	without, alone, _ := gapped(t, tenFinds, 10*ms, nobody)
	if len(visits) != 5 || len(windows) != 20 || took != 5*4*ms+20*10*ms {
		t.Fatalf("%d visits, %d batches, %v", len(visits), len(windows), took)
	}
	for _, v := range visits {
		for _, w := range windows {
			if v.from < w.to && w.from < v.to {
				t.Errorf("a visit of %v while a clock ran: %v", v, w)
			}
		}
	}
	if diff := cmp.Diff(alone.rows(), h.rows()); diff != "" || len(without) != len(windows) {
		t.Errorf("%d batches, and without a guest %d: %s", len(windows), len(without), diff)
	}
}

// Who does not leave holds one batch up for a moment, and no other.
func TestGapOfSomebodyWhoStays(t *testing.T) {
	windows, _, _ := gapped(t, tenFinds, 10*ms, func(g *Gap, _ func() time.Duration) {
		time.Sleep(15 * ms)
		g.Enter(context.Background())
	})
	want := []stretch{{0, 10 * ms}, {10 * ms, 20 * ms}, {20*ms + visit, 30*ms + visit}, {30*ms + visit, 40*ms + visit}}
	if !slices.Equal(windows[:4], want) {
		t.Errorf("%v instead of %v", windows[:4], want)
	}
}

// Nobody waits for the end of a batch longer than he wants to.
func TestGapInALongBatch(t *testing.T) {
	var entered time.Duration
	_, _, took := gapped(t, tenFinds, time.Second, func(g *Gap, since func() time.Duration) {
		time.Sleep(100 * ms)
		ctx, stop := context.WithTimeout(context.Background(), 250*ms)
		defer stop()
		defer g.Enter(ctx)()
		entered = since()
	})
	if entered != 350*ms || took != 20*time.Second {
		t.Errorf("entered after %v, and the run took %v", entered, took)
	}
}

// A batch that is due does not wait for anybody: where there is little time between two,
// nobody is let in, and where there is much, whoever is still there has to bear it.
func TestGapOfAnOpenLoop(t *testing.T) {
	for every, entered := range map[time.Duration]time.Duration{visit: 500 * ms, 2 * visit: ms} {
		s := script{shape: small, stages: []Stage{{Batches: 30, Rate: 10 / every.Seconds()}}, event: finds(10)}
		began := time.Duration(-1)
		windows, h, _ := gapped(t, s, ms/4, func(g *Gap, since func() time.Duration) {
			time.Sleep(ms)
			ctx, stop := context.WithTimeout(context.Background(), 499*ms)
			defer stop()
			g.Enter(ctx)
			began = since()
		})
		alone, _, _ := gapped(t, s, ms/4, nobody)
		if began != entered || !slices.Equal(windows, alone) {
			t.Errorf("one each %v: let in after %v instead of %v; batches %v instead of %v", every, began, entered, windows, alone)
		}
		if o := h.rows()[0].Open; o.Late != 0 || o.Behind != 0 {
			t.Errorf("%+v", o)
		}
	}
}

// Where nothing runs nobody waits: while the run pauses, and when it has ended.
func TestGapWhileNothingRuns(t *testing.T) {
	dev := open(t, 1)
	synctest.Test(t, func(t *testing.T) {
		p := plan(t, tenFinds, "bcht")
		p.Gap, p.Control = &Gap{}, &Control{}
		p.Control.Pause(true)
		go func() {
			time.Sleep(time.Second)
			p.Gap.Enter(context.Background())()
			p.Control.Pause(false)
		}()
		r := &runner{Plan: p, dev: dev, listener: &heard{}, clock: realClock{}}
		if err := r.controlled(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.Gap.Enter(context.Background())()
	})
}
