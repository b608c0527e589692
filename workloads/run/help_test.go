package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// watched is a CPU that counts what is allocated and not released.
type watched struct {
	device.Device
	held map[device.Addr]bool
}

func (w watched) Alloc(bytes int64) (device.Addr, error) {
	at, err := w.Device.Alloc(bytes)
	if err == nil {
		w.held[at] = true
	}
	return at, err
}

func (w watched) Release(at device.Addr) error {
	delete(w.held, at)
	return w.Device.Release(at)
}

func open(t *testing.T, threads int) watched {
	t.Helper()
	dev := must.Get(cpu.Backend().Open(0, device.Options{Threads: threads}))(t)
	t.Cleanup(func() { dev.Close() })
	return watched{dev, map[device.Addr]bool{}}
}

// script is a workload written in Go, for tests of all that is around scripts.
type script struct {
	shape   schemes.Shape
	stages  []Stage
	limits  []string
	prepare func(t Table) error
	event   func(t Table, i uint64, stage string) (bool, error)
	done    func(all map[string]any) (map[string]any, error)
}

func (s script) Start(setup Setup, t Table) (*Instance, error) {
	i := &Instance{Shape: s.shape, Config: setup.Config, Stages: s.stages, Thresholds: s.limits, Done: s.done}
	i.Prepare = func() error {
		if s.prepare == nil {
			return nil
		}
		return s.prepare(t)
	}
	i.Event = func(n uint64, stage string) (bool, error) { return s.event(t, n, stage) }
	return i, nil
}

// heard keeps all that was told.
type heard struct {
	events []Event
	hear   func(Event) error // if not nil
}

func (h *heard) Hear(e Event) error {
	h.events = append(h.events, e)
	if h.hear != nil {
		return h.hear(e)
	}
	return nil
}

// when does something at each event of one kind.
func when[E Event](do func(E)) *heard {
	return &heard{hear: func(e Event) error {
		if e, ok := e.(E); ok {
			do(e)
		}
		return nil
	}}
}

// of are the events of one kind.
func of[E Event](h *heard) (list []E) {
	for _, e := range h.events {
		if e, ok := e.(E); ok {
			list = append(list, e)
		}
	}
	return list
}

func (h *heard) rows() []results.Row {
	return slices.Concat(lists.Map(of[PointEnded](h), func(p PointEnded) []results.Row { return p.Rows })...)
}

func (h *heard) summaries() []results.Summary {
	return slices.Concat(lists.Map(of[PointEnded](h), func(p PointEnded) []results.Summary { return p.Summaries })...)
}

func (h *heard) leftOut() []results.LeftOut {
	return slices.Concat(lists.Map(of[PointEnded](h), func(p PointEnded) []results.LeftOut { return p.LeftOut })...)
}

// order is what was measured: the scheme, the operation, and how many.
func (h *heard) order() []string {
	return lists.Map(of[Measured](h), func(m Measured) string { return fmt.Sprintf("%c %s %d", 'A'+m.Scheme, m.Sample.Op, m.Sample.N) })
}

// plan is a run of a script on schemes, at one point.
func plan(t *testing.T, s script, names ...string) Plan {
	t.Helper()
	p := Plan{Script: s.Start, Points: []Point{nil}, Seed: 7, Rules: Rules{Timeout: time.Minute, Policy: engine.Policy{Least: 6, Noise: 0.02}}}
	for _, name := range names {
		c := must.Get(schemes.Parse(name))(t)
		p.Schemes = append(p.Schemes, c)
	}
	return p
}

// carryOut runs a plan and checks that all memory is given back.
func carryOut(t *testing.T, p Plan) (*heard, error) {
	t.Helper()
	return carryOutUntil(t, context.Background(), p, &heard{})
}

func carryOutUntil(t *testing.T, ctx context.Context, p Plan, h *heard) (*heard, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(ctx, bounded.Limit)
	defer stop()
	dev := open(t, 2)
	err := Run(ctx, dev, p, h.Hear)
	must.Hold(t, len(dev.held) == 0, "%d pieces of memory were not released", len(dev.held))
	return h, err
}

// done carries out a plan that must succeed.
func done(t *testing.T, p Plan) *heard {
	t.Helper()
	return must.Get(carryOut(t, p))(t)
}

var small = schemes.Shape{Pair: schemes.Pair4, Capacity: 4096}

// keys are n of the keys of a seed, from one on.
func keys(from, n uint64) stream.Stream { return stream.Keys(4, 1).Slice(from, n) }

func insert(t Table, from, n uint64) (engine.Sample, error) {
	return t.Do(engine.Batch{Op: "insert", Keys: keys(from, n), Values: stream.Sequential().Take(n)})
}

func find(t Table, from, n uint64) (engine.Sample, error) {
	return t.Do(engine.Batch{Op: "find", Keys: keys(from, n)})
}

// does is an event of one batch, always the same.
func does(b engine.Batch) func(Table, uint64, string) (bool, error) {
	return func(t Table, _ uint64, _ string) (bool, error) {
		_, err := t.Do(b)
		return true, err
	}
}

// finds is an event that looks n keys up.
func finds(n uint64) func(Table, uint64, string) (bool, error) {
	return does(engine.Batch{Op: "find", Keys: keys(0, n)})
}

func inserts(n uint64) func(Table) error {
	return func(t Table) error {
		_, err := insert(t, 0, n)
		return err
	}
}

var errScript = errors.New("made up by the script")
