package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// timed is a device on which time goes by: a millisecond for each batch, and as long as the
// test says for each look at a table.
type timed struct {
	watched
	clock *fakeClock
	look  time.Duration
	spent time.Duration // in looks
}

func (d *timed) Call(kernel string, table, batch []byte, count uint64) error {
	d.clock.now = d.clock.now.Add(ms)
	return d.watched.Call(kernel, table, batch, count)
}

func (d *timed) Launch(kernel string, table, batch device.Addr, count uint64) error {
	if strings.HasPrefix(kernel, "hz_look_") {
		d.clock.now = d.clock.now.Add(d.look)
		d.spent += d.look
	}
	return d.watched.Launch(kernel, table, batch, count)
}

// looks are the events of a plan, on a clock on which batches take a millisecond.
func looks(t *testing.T, p Plan, look time.Duration) (list []string, dev *timed, took time.Duration) {
	t.Helper()
	clock := &fakeClock{now: time.Unix(1e9, 0)}
	began := clock.now
	dev = &timed{watched: open(t, 1), clock: clock, look: look}
	h := &heard{hear: func(e Event) error {
		switch e := e.(type) {
		case Looked:
			list = append(list, fmt.Sprintf("%c", 'A'+e.Scheme))
		case PhaseEnded:
			list = append(list, e.Name)
		}
		return nil
	}}
	must.OK(t, (&runner{Plan: p, dev: dev, listener: h.Hear, clock: clock}).controlled(context.Background()))
	return list, dev, clock.now.Sub(began)
}

// Tables are looked at once in a period, each in its turn, and at the end of a phase; or there only, or never.
func TestLooks(t *testing.T) {
	s := script{shape: small, prepare: inserts(100), stages: []Stage{{Name: "finds", Batches: 25}}, event: finds(10)}
	for period, want := range map[time.Duration]string{
		0:       "prepare finds",
		AtEnds:  "A B prepare A B finds",
		20 * ms: "A B prepare A B A B A B finds", // of 50 ms
		15 * ms: "A B prepare B A B A B A A B finds",
	} {
		p := plan(t, s, "1cht", "bcht")
		p.Look = period
		have, _, _ := looks(t, p, 0)
		must.Hold(t, strings.Join(have, " ") == want, "with a look in %v: %s instead of %s", period, strings.Join(have, " "), want)
	}
}

// However often looks are asked for, and however long they take, they are a 50th of the
// run's time, but for those at the end of phases.
func TestLooksHaveABudget(t *testing.T) {
	s := script{shape: small, prepare: inserts(100), stages: []Stage{{Batches: 3000}}, event: finds(10)}
	p := plan(t, s, "1cht", "bcht")
	p.Look = 1
	for _, each := range []time.Duration{ms / 10, ms, 20 * ms} {
		list, dev, took := looks(t, p, each)
		spent := dev.spent - 4*each // two at the end of each phase
		must.Hold(t, spent*50 <= took && spent*65 >= took, "looks of %v took %v of %v", each, spent, took)
		count := map[string]int{}
		for _, who := range list {
			count[who]++
		}
		more := count["A"] - count["B"] // one in each phase
		must.Hold(t, more >= 0 && more <= 2, "looks of %v: %v", each, count)
	}
}

// A look tells what is in the table, and, of operations that were counted, how many probes
// they took in this phase. The last one is in the results.
func TestWhatLooksTell(t *testing.T) {
	s := script{shape: small, prepare: inserts(100), stages: []Stage{{Batches: 2}, {Batches: 1}}, event: finds(60)}
	p := plan(t, s, "bcht")
	p.Look, p.Counted = AtEnds, true
	h := done(t, p)
	var phases []string
	for _, l := range of[Looked](h) {
		phases = append(phases, l.Phase)
		for _, g := range l.Gauges {
			phases = append(phases, g.Name+" "+fmt.Sprint(sumOf(g.Bars)))
		}
	}
	want := []string{"prepare", "bucket fill 512", "slots 4096", "probes of insert 100", "run 1", "bucket fill 512", "slots 4096",
		"probes of find 120", "run 2", "bucket fill 512", "slots 4096", "probes of find 60"}
	must.Match(t, phases, want)
	gauges := h.summaries()[0].Gauges
	must.Hold(t, len(gauges) == 3 && gauges[1].Bars[0].Label == "pairs" && gauges[1].Bars[0].Value == 100 && gauges[1].Bars[0].Of == 4096, "%+v", gauges)
}

func sumOf(bars []schemes.Bar) (sum float64) {
	for _, b := range bars {
		sum += b.Value
	}
	return sum
}

// half is a device that cannot look at ticket-boards.
type half struct{ watched }

func (d half) Launch(kernel string, table, batch device.Addr, count uint64) error {
	if strings.HasPrefix(kernel, "hz_look_tickets") {
		return errors.New("made up")
	}
	return d.watched.Launch(kernel, table, batch, count)
}

// A look that fails is the scheme's, as a batch that fails is: it ends the run, or others go on without the scheme.
func TestLooksThatFail(t *testing.T) {
	s := script{shape: small, prepare: inserts(100), stages: []Stage{{Batches: 60}}, event: finds(10)}
	for _, period := range []time.Duration{1, AtEnds} {
		for _, goesOn := range []bool{false, true} {
			p := plan(t, s, "stash", "bcht")
			p.Look, p.KeepGoing, p.Verify = period, goesOn, true
			h := &heard{}
			err := Run(t.Context(), half{open(t, 1)}, p, h.Hear)
			must.Hold(t, err != nil && strings.Contains(err.Error(), "scheme stash: gauge tickets: ") && strings.Contains(err.Error(), "made up"),
				"a look that fails: %v", err)
			n := len(h.summaries())
			must.Hold(t, goesOn == (n == 1) && (!goesOn || h.summaries()[0].Scheme == "bcht"), "going on: %v, and %d schemes came to the end", goesOn, n)
		}
	}
}
