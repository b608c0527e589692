package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// Batches are run strictly in turn, in prepare too, and each round begins with another scheme. A scheme that asks for
// fewer does not hold up the others.
func TestTurns(t *testing.T) {
	s := script{shape: small, stages: []Stage{{Batches: 2}},
		prepare: func(t Table) error {
			_, err := insert(t, 0, 10)
			if err == nil && strings.HasPrefix(t.Scheme(), "bcht") {
				_, err = insert(t, 10, 20)
			}
			return err
		},
		event: func(t Table, i uint64, _ string) (bool, error) {
			_, err := find(t, 0, 100*i)
			if err == nil {
				_, err = find(t, 0, 100*i+1)
			}
			return true, err
		},
	}
	h := done(t, plan(t, s, "1cht", "bcht"))
	want := []string{
		"A insert 10", "B insert 10", "B insert 20",
		"A find 100", "B find 100", "A find 101", "B find 101",
		"B find 200", "A find 200", "B find 201", "A find 201",
	}
	must.Match(t, h.order(), want)
}

// While a script computes no batch is run, and no other script computes.
func TestScriptsDoNotRunBesideBatches(t *testing.T) {
	busy := 0
	alone := func() func() {
		busy++
		must.Hold(t, busy == 1, "%d at work at once", busy)
		return func() { busy-- }
	}
	s := script{shape: small, stages: []Stage{{Batches: 20}}, event: func(t Table, i uint64, _ string) (bool, error) {
		leave := alone()
		for range 3 {
			leave()
			if _, err := find(t, 0, 50); err != nil {
				return true, err
			}
			leave = alone()
		}
		leave()
		return true, nil
	}}
	h := when(func(Measured) { defer alone()() })
	must.Get(carryOutUntil(t, context.Background(), plan(t, s, "1cht", "bcht", "bcht:bucket=8"), h))(t)
}

func TestStages(t *testing.T) {
	type seen struct {
		i     uint64
		stage string
	}
	var events []seen
	s := script{shape: small, prepare: inserts(100),
		stages: []Stage{{Name: "first", Batches: 3, Warmup: 2}, {Name: "second", Operations: 250}, {Name: "third", Duration: 1}, {}},
		event: func(t Table, i uint64, stage string) (bool, error) {
			events = append(events, seen{i, stage})
			_, err := find(t, 0, 100)
			return i < 11, err
		},
	}
	h := done(t, plan(t, s, "bcht"))
	want := []seen{{1, "first"}, {2, "first"}, {3, "first"}, {4, "first"}, {5, "first"}, // two of them are warm-up
		{6, "second"}, {7, "second"}, {8, "second"}, // 300 operations
		{9, "third"},                 // takes longer than a nanosecond
		{10, "run 4"}, {11, "run 4"}} // until false
	must.Match(t, fmt.Sprint(events), fmt.Sprint(want))
	batches := map[string]uint64{}
	for _, r := range h.rows() {
		batches[r.Phase+" "+r.Op] = r.Batches
		must.Hold(t, r.Counts["ok"] == 100*r.Batches && r.N == r.Counts["ok"] && r.Rate > 0, "%s: %+v", r.Phase, r)
	}
	must.Match(t, fmt.Sprint(batches), "map[first find:3 prepare insert:1 run 4 find:2 second find:3 third find:1]")
}

// All schemes end a stage in the same round, so that they have done the same.
func TestStagesEndForAll(t *testing.T) {
	s := script{shape: small, stages: []Stage{{Duration: 300e3}}, event: finds(200)} // 0.3 ms
	batches := map[string]uint64{}
	for _, r := range done(t, plan(t, s, "1cht", "bcht:bucket=16")).rows() {
		batches[r.Scheme] = r.Batches
		must.Match(t, r.Compare, "")
	}
	must.Hold(t, batches["1cht"] != 0 && batches["1cht"] == batches["bcht:bucket=16"], "batches %v", batches)
}

// Schemes are given the same bits; equal batches are made once.
func TestInputsAreShared(t *testing.T) {
	made := 0
	s := script{shape: small, prepare: inserts(500), stages: []Stage{{Batches: 4}}, event: func(t Table, i uint64, _ string) (bool, error) {
		_, err := find(t, 0, 400) // the same in every round
		if err == nil {
			_, err = find(t, i, 300) // another one in each
		}
		if err == nil {
			_, err = t.Do(engine.Batch{Op: "find", Keys: engine.List{1, 2, i}})
		}
		return true, err
	}}
	dev := counting{open(t, 1), &made}
	h := &heard{}
	must.OK(t, Run(context.Background(), dev, plan(t, s, "1cht", "bcht"), h.Hear))
	must.Match(t, made, 2+1+4, "generated streams") // keys and values, then keys; lists are not generated
	digests := map[string]string{}
	for _, r := range h.rows() {
		other := digests[r.Phase+r.Op]
		must.Hold(t, (other == "" || other == r.Input) && r.Compare == "", "%s of %s: input %s, another's %s; %s", r.Op, r.Scheme, r.Input, other, r.Compare)
		digests[r.Phase+r.Op] = r.Input
	}
	must.Hold(t, len(dev.held) == 0, "%d pieces of memory were not released", len(dev.held))
}

// counting counts generated streams.
type counting struct {
	watched
	made *int
}

func (c counting) Prepare(kernels ...string) error {
	if slices.Contains(kernels, "hz_generate") {
		*c.made++
	}
	return c.watched.Prepare(kernels...)
}

// Where scripts asked for different things, nothing from there on is comparable.
func TestNotComparable(t *testing.T) {
	s := script{shape: small, prepare: inserts(100),
		stages: []Stage{{Name: "same", Batches: 1}, {Name: "other", Batches: 2}, {Name: "later", Batches: 1}},
		event: func(t Table, i uint64, stage string) (bool, error) {
			n := uint64(50)
			if stage == "other" && i == 3 && strings.HasPrefix(t.Scheme(), "bcht") {
				n = 60
			}
			_, err := find(t, 0, n)
			return true, err
		}}
	for _, r := range done(t, plan(t, s, "1cht", "bcht")).rows() {
		differs := r.Phase == "other" || r.Phase == "later"
		must.Match(t, differs, r.Compare != "", r.Phase, r.Scheme, r.Compare)
		must.Hold(t, !differs || strings.HasPrefix(r.Compare, "batch 1 of event 3 was find 50 (input "), "%v", r.Compare)
	}
}

func TestOneMakesMoreBatches(t *testing.T) {
	s := script{shape: small, stages: []Stage{{Batches: 3}}, event: func(t Table, i uint64, _ string) (bool, error) {
		_, err := find(t, 0, 10)
		return i < 2 || t.Scheme() == "bcht", err
	}}
	for _, r := range done(t, plan(t, s, "1cht", "bcht")).rows() {
		must.Match(t, r.Compare, "event 3 made 0 batches on 1cht, 1 on bcht", r.Scheme)
	}
}

// An interrupt ends the run after the batch that runs; what was measured is told.
func TestInterrupt(t *testing.T) {
	s := script{shape: small, prepare: inserts(100), stages: []Stage{{Batches: 3}}, event: finds(50)}
	for stopAt := range 9 {
		ctx, stop := context.WithCancel(context.Background())
		batches := 0
		h := &heard{hear: func(e Event) error {
			if _, ok := e.(Measured); ok {
				batches++
			}
			if batches >= stopAt {
				stop()
			}
			return nil
		}}
		_, err := carryOutUntil(t, ctx, plan(t, s, "1cht", "bcht"), h)
		if stopAt == 8 && batches == 8 { // the last batch: all was measured by then
			must.Hold(t, err == nil || errors.Is(err, context.Canceled), "%v", err)
		} else if !errors.Is(err, context.Canceled) || batches != stopAt {
			t.Errorf("stopped at batch %d: %d were run, %v", stopAt, batches, err)
		}
		measured := uint64(0)
		for _, r := range h.rows() {
			measured += r.Batches
			must.Match(t, r.Compare, "", stopAt)
		}
		must.Match(t, measured, uint64(batches), stopAt)
		stop()
	}
}

// An interrupt ends a rehearsal, too, and stages that settle.
func TestInterruptWhileSettling(t *testing.T) {
	for stopAt := range 20 {
		ctx, stop := context.WithCancel(t.Context())
		p := plan(t, settling(0), "bcht", "1cht")
		p.Policy, p.Rehearse = twice, true
		batches := 0
		h := &heard{hear: func(e Event) error {
			switch e.(type) {
			case Rehearsed, Measured:
				batches++
			}
			if batches > stopAt {
				stop()
			}
			return nil
		}}
		_, err := carryOutUntil(t, ctx, p, h)
		must.Hold(t, errors.Is(err, context.Canceled) && batches == stopAt+1, "stopped at %d, after %d batches: %v", stopAt, batches, err)
	}
}

// A script cannot swallow what went wrong below it; its own mistakes are told apart.
func TestFailures(t *testing.T) {
	var mistake *ScriptError
	for name, test := range map[string]struct {
		event   func(Table, uint64, string) (bool, error)
		mistake bool
		says    string
	}{
		"its own":           {func(Table, uint64, string) (bool, error) { return true, errScript }, true, "made up by the script"},
		"no such operation": {does(engine.Batch{Op: "flush", Keys: keys(0, 1)}), true, "scheme bcht has no operation flush"},
		"no memory":         {does(engine.Batch{Op: "find", Keys: stream.Sequential().Take(1 << 50)}), false, "scheme bcht: batch of 1125899906842624 find: device cpu: "},
		"swallowed": {func(t Table, i uint64, _ string) (bool, error) {
			t.Do(engine.Batch{Op: "find", Keys: stream.Sequential().Take(1 << 50)})
			for range 100 {
				if _, err := find(t, 0, 1); !errors.Is(err, ErrStopped) {
					return true, fmt.Errorf("went on after a failure: %v", err)
				}
			}
			return true, nil
		}, false, "scheme bcht: batch of 1125899906842624 find: "},
		"no batch": {func(Table, uint64, string) (bool, error) { return true, nil }, true, "event 1 made no batch, so stage run would never end"},
	} {
		s := script{shape: small, prepare: inserts(10), stages: []Stage{{Operations: 1000}}, event: test.event}
		h, err := carryOut(t, plan(t, s, "bcht", "1cht"))
		must.Hold(t, err != nil && strings.HasPrefix(err.Error(), test.says) && errors.As(err, &mistake) == test.mistake, "%s: %v", name, err)
		must.Hold(t, len(h.rows()) == 2 && len(h.summaries()) == 0, "%s: %d rows, %d summaries", name, len(h.rows()), len(h.summaries()))
	}
}

func TestTablesThatCannotBe(t *testing.T) {
	_, err := carryOut(t, plan(t, script{shape: schemes.Shape{Pair: schemes.Pair4}}, "1cht"))
	must.Begin(t, err, "scheme 1cht: capacity is 0")
	must.Hold(t, errors.As(err, new(*ScriptError)), "%v: it is the script's", err)
}

// A listener that fails, as one that writes to a full disk, ends the run.
func TestListenerFails(t *testing.T) {
	s := script{shape: small, stages: []Stage{{Batches: 1000}}, event: finds(10)}
	h := &heard{hear: func(e Event) error {
		if _, ok := e.(Measured); ok {
			return errScript
		}
		return nil
	}}
	_, err := carryOutUntil(t, context.Background(), plan(t, s, "bcht"), h)
	must.Hold(t, errors.Is(err, errScript) && len(h.order()) == 1, "%v after %v", err, h.order())
}

// Outside of its turn a script has no table to use.
func TestBatchOutsideOfTurns(t *testing.T) {
	var late Table
	s := script{shape: small, prepare: func(t Table) error { late = t; return inserts(10)(t) },
		done: func(map[string]any) (map[string]any, error) {
			_, err := find(late, 0, 10)
			return nil, err
		}}
	must.Begin(t, must.Err(carryOut(t, plan(t, s, "bcht"))), "a batch outside of prepare and event")
}

// Every point has fresh tables, and its own values.
func TestPoints(t *testing.T) {
	p := plan(t, script{shape: small, prepare: inserts(100)}, "bcht")
	p.Points = must.Get(Points([]Axis{{"x", []any{1.0, 2.0}}, {"word", []any{"a", "b"}}}))(t)
	var at []string
	for _, r := range done(t, p).rows() {
		at = append(at, fmt.Sprint(r.Point))
		must.Match(t, r.Size, 100, r.Point)
	}
	want := []string{"map[word:a x:1]", "map[word:b x:1]", "map[word:a x:2]", "map[word:b x:2]"}
	must.Match(t, at, want)
}

// Clearing with other hash functions: with few slots, where keys go shows.
func TestClear(t *testing.T) {
	failures := func(reseed bool) (list []uint64) {
		s := script{shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 512}, stages: []Stage{{Batches: 8}},
			event: func(t Table, i uint64, _ string) (bool, error) {
				if err := t.Clear(reseed); err != nil {
					return false, err
				}
				if t.Size() != 0 {
					return false, fmt.Errorf("%d pairs left", t.Size())
				}
				s, err := insert(t, 0, 500)
				list = append(list, s.Counts.Get("failed"))
				return true, err
			}}
		p := plan(t, s, "bcht:bucket=1,hashes=2")
		p.Verify, p.Counted = true, true
		h := &heard{}
		must.OK(t, Run(context.Background(), open(t, 1), p, h.Hear)) // 1 thread: nothing is up to timing
		slices.Sort(list)
		return slices.Compact(list)
	}
	same := failures(false)
	must.Hold(t, len(same) == 1 && same[0] != 0, "failures with the same functions: %v", same)
	other := failures(true)
	must.Hold(t, len(other) >= 2, "failures with other functions: %v", other)
}

func TestSummaries(t *testing.T) {
	limits := []string{"find.ok == 3000", "a.find.ok==2k", "prepare.insert.n <= 1000", "insert.ok >= 1e3", "failed < 1", "own != 3", "load > 0.3"}
	p := plan(t, script{shape: small, prepare: inserts(1000), stages: []Stage{{Name: "a", Batches: 2}, {Name: "b", Batches: 1}},
		event:  finds(2000),
		limits: limits,
		done: func(all map[string]any) (map[string]any, error) {
			if all["scheme"] == "1cht" {
				return map[string]any{"own": 3.0, "verdict": "bad"}, nil
			}
			return map[string]any{"own": all["find"].(map[string]any)["missing"]}, nil
		}}, "bcht", "1cht")
	h, err := carryOut(t, p)
	must.Hold(t, errors.Is(err, ErrThreshold) && err.Error() == "a threshold does not hold: load > 0.3: bcht has 0.244140625, and 2 more", "%v", err)
	for i, s := range h.summaries() {
		for j, c := range s.Thresholds {
			holds := c.Condition != "load > 0.3" && (i == 0 || c.Condition != "own != 3")
			must.Hold(t, c.Holds == holds && c.Condition == limits[j], "%s: %+v", s.Scheme, c)
		}
		must.Match(t, i == 0, s.Values["own"] == 3000.0, s.Scheme, s.Values)
	}
}

// A run's memory does not grow with the number of batches of a call, on either side.
func TestMemoryOfBatchesIsBounded(t *testing.T) {
	const warm = maxSeries + 2000 // from then on, series are thinned
	dev := open(t, 1)
	tiny := func(t Table, from, to uint64) (heap, held int) {
		for i := from; i < to; i++ {
			if _, err := find(t, i, 1); err != nil {
				panic(err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc), len(dev.held)
	}
	p := plan(t, script{shape: small, prepare: func(table Table) error {
		heap, held := tiny(table, 0, warm)
		if more, holds := tiny(table, warm, 2*warm); more > heap+1_000_000 || holds > 5000 {
			t.Errorf("%d batches left %d bytes on the heap, and %d arrays on the device instead of %d", warm, more-heap, holds, held)
		}
		return nil
	}}, "bcht", "1cht")
	must.OK(t, Run(context.Background(), dev, p, func(Event) error { return nil }))
}

// Schemes are compared by all batches of a call, also by those that are not kept one by one.
func TestLateBatchesAreCompared(t *testing.T) {
	for late, want := range map[uint64]string{
		maxNamed - 1: "batch 1000 of prepare was find 1 (input ",
		maxNamed:     "a batch of prepare after the first 1000 differs on bcht and 1cht",
	} {
		p := plan(t, script{shape: small, prepare: func(t Table) error {
			for i := range uint64(maxNamed + 5) {
				from := uint64(0)
				if i == late && t.Scheme() == "1cht" {
					from = 1
				}
				if _, err := find(t, from, 1); err != nil {
					return err
				}
			}
			return nil
		}}, "bcht", "1cht")
		for _, row := range done(t, p).rows() {
			must.Hold(t, strings.HasPrefix(row.Compare, want), "batch %d differs: %q, want %q", late+1, row.Compare, want)
		}
	}
}
