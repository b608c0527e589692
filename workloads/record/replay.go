package record

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Replay is a script that repeats a recording.
type Replay struct {
	*Recording
	Pace Pace
}

// Start makes an instance for a point of the recording. Thresholds and summaries belong to the script.
func (r *Replay) Start(setup run.Setup, table run.Table) (*run.Instance, error) {
	p := r.at(setup.Point)
	if p == nil {
		return nil, errors.New("the recording has no such point")
	}
	config, err := p.configured(setup.Config)
	if err != nil {
		return nil, err
	}
	var stages []run.Stage
	for _, phase := range p.Phases {
		if phase.Name == run.Prepare {
			continue
		}
		warm, all := phase.rounds() // as many as were recorded, and at least one after a warm-up, as stages must
		s := run.Stage{Name: phase.Name, Warmup: warm, Batches: max(1, all-warm), Rate: r.Pace.Rate}
		if r.Pace.Recorded {
			s.Schedule = phase.schedule(r.Pace.Speed)
		}
		stages = append(stages, s)
	}
	i := &instance{replay: r, point: p, table: table, done: map[string]int{}}
	return &run.Instance{
		Shape: p.Shape, Config: config, Stages: stages, Prepare: func() error { return i.round(run.Prepare) },
		Event: func(_ uint64, stage string) (more bool, err error) { return true, i.round(stage) },
	}, nil
}

// Replayable returns why a scheme cannot replay all of the recording: an operation that it lacks.
func (r *Recording) Replayable(config schemes.Config) error {
	return lists.Each(r.Points, func(p *Point) error {
		with, err := p.configured(config)
		if err != nil {
			return err
		}
		onKeys := lists.Filter(p.batches(), func(b *Batch) bool { return !b.wholeTable() })
		supports := func(op string) error { return engine.Supports(with, op) }
		return lists.Each(onKeys, func(b *Batch) error { return b.supported(supports) })
	})
}

func (b *Batch) supported(supports func(op string) error) error {
	for _, op := range b.all() {
		if op == engine.Mix {
			continue
		}
		if err := supports(op); err != nil {
			return fmt.Errorf("%v: %w", b, err)
		}
	}
	return nil
}

func (r *Recording) at(coordinates map[string]any) *Point {
	return lists.First(r.Points, func(p *Point) bool { return maps.Equal(p.At.Map(), coordinates) })
}

func (p *Point) phase(name string) *Phase {
	return lists.First(p.Phases, func(p *Phase) bool { return p.Name == name })
}

type instance struct {
	replay *Replay
	point  *Point
	table  run.Table
	done   map[string]int // items, by phase
}

// configured gives a scheme of the run its recorded parameters, except those that the user gave.
func (p *Point) configured(config schemes.Config) (_ schemes.Config, err error) {
	all := p.settings(config.Name)
	for setting := range strings.SplitSeq(strings.Join(all, ","), ",") {
		param, value, ok := strings.Cut(setting, "=")
		if !ok || len(all) > 1 || config.Given(param) {
			continue
		}
		if config, err = config.With(param, value); err != nil {
			return config, err
		}
	}
	return config, config.CompiledFor(p.Shape.Pair)
}

// round repeats the next round of a phase.
func (i *instance) round(name string) error {
	phase := i.point.phase(name)
	if phase == nil {
		return nil
	}
	items := phase.Items[i.done[name]:]
	for _, item := range items {
		if item.round() != items[0].round() {
			break
		}
		i.done[name]++
		if err := i.item(item); err != nil {
			return err
		}
	}
	return nil
}

func (i *instance) item(item line) error {
	b := item.Batch
	if b == nil {
		return i.table.Clear(item.Clear.Reseed)
	}
	if b.wholeTable() && i.table.Supports(b.Op) != nil { // other schemes do not need it
		i.table.Note(fmt.Sprintf("the recording has %s, which is left out: this scheme has no such operation", b.Op))
		return nil
	}
	if err := b.supported(i.table.Supports); err != nil {
		return err
	}
	batch, err := i.replay.batch(i.point.Shape.Pair, b)
	if err == nil {
		do := lists.Either(b.Warmup, i.table.Fill, i.table.Do)
		_, err = do(batch)
	}
	if err != nil {
		return fmt.Errorf("%v: %w", b, err)
	}
	return nil
}

func (r *Recording) batch(pair schemes.Pair, b *Batch) (engine.Batch, error) {
	batch := engine.Batch{Op: b.Op, Mixed: b.Mixed, Capacity: b.Capacity}
	if b.wholeTable() {
		return batch, nil
	}
	if r.Kind == Materialised {
		return batch, r.columns.fill(b, &batch, pair)
	}
	batch.Keys, batch.Values, batch.Ops = b.Keys.engine(), b.Values.engine(), b.Ops.engine()
	return batch, nil
}

// Pace says when the batches of stages are due; with the zero Pace, when the previous one has ended.
type Pace struct {
	Recorded bool    // at their recorded start times, ...
	Speed    float64 // ... this many times as fast; 0 is 1
	Rate     float64 // or at a rate in operations a second
}

// PaceHelp describes what ParsePace takes.
const PaceHelp = "asap, recorded, or rate:N with N operations a second"

// ParsePace reads a pace as users write it.
func ParsePace(text string) (p Pace, err error) {
	rate, isRate := strings.CutPrefix(text, "rate:")
	switch n, ok := number.Parse(rate); {
	case text == "asap":
		return p, nil
	case text == "recorded":
		return Pace{Recorded: true}, nil
	case isRate && ok && n >= 1e-3 && n <= 1e15:
		return Pace{Rate: n}, nil
	}
	return p, fmt.Errorf("pace is %q: it takes %s, such as rate:1M", text, PaceHelp)
}

// rounds counts the calls of event, and of the warm-up: all before the first measured batch.
func (p *Phase) rounds() (warm, all uint64) {
	measured := false
	for k, item := range p.Items {
		if k == 0 || p.Items[k-1].round() != item.round() {
			all++
		}
		switch b := item.Batch; {
		case b == nil || measured:
		case b.Warmup:
			warm = all
		default:
			measured, warm = true, min(warm, all-1)
		}
	}
	return warm, all
}

func (p *Phase) schedule(speed float64) []time.Duration {
	const longest = float64(365 * 24 * time.Hour)
	list := []time.Duration{}
	for _, item := range p.Items {
		if b := item.Batch; b != nil && !b.Warmup && b.N > 0 {
			list = append(list, time.Duration(min(float64(b.At)/cmp.Or(speed, 1), longest)))
		}
	}
	return list
}
