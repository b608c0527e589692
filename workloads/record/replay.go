package record

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Replay is a script that repeats a recording.
type Replay struct {
	*Recording
	Pace Pace
}

// Start makes an instance for a point of the recording.
func (r *Replay) Start(setup run.Setup, table run.Table) (run.Instance, error) {
	p := r.at(setup.Point)
	if p == nil {
		return nil, errors.New("the recording has no such point")
	}
	return &instance{replay: r, point: p, config: setup.Config, table: table, done: map[string]int{}}, nil
}

// at is the point with these coordinates, nil if there is none.
func (r *Recording) at(coordinates map[string]any) *Point {
	i := slices.IndexFunc(r.Points, func(p *Point) bool { return maps.Equal(p.At.Map(), coordinates) })
	if i < 0 {
		return nil
	}
	return r.Points[i]
}

func (p *Point) phase(name string) *Phase {
	i := slices.IndexFunc(p.Phases, func(p *Phase) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return p.Phases[i]
}

type instance struct {
	replay *Replay
	point  *Point
	config schemes.Config
	table  run.Table
	done   map[string]int // items, by phase
}

// Shape returns the recorded shape. A scheme of the run has its recorded parameters, except
// those that the user gave.
func (i *instance) Shape() (schemes.Shape, schemes.Config, error) {
	for setting := range strings.SplitSeq(i.point.settings(i.config.Name), ",") {
		param, value, ok := strings.Cut(setting, "=")
		if !ok || i.config.Given(param) {
			continue
		}
		var err error
		if i.config, err = i.config.With(param, value); err != nil {
			return i.point.Shape, i.config, err
		}
	}
	return i.point.Shape, i.config, i.config.CompiledFor(i.point.Shape.Pair)
}

// Stages returns the recorded phases after prepare.
func (i *instance) Stages() (list []run.Stage) {
	for _, p := range i.point.Phases {
		if p.Name != run.Prepare {
			list = append(list, p.stage(i.replay.Pace))
		}
	}
	return list
}

// Thresholds returns nothing: they belong to the script.
func (i *instance) Thresholds() []string { return nil }

// Prepare repeats the phase before the stages.
func (i *instance) Prepare() error { return i.round(run.Prepare) }

// Event repeats one call of the script's event.
func (i *instance) Event(_ uint64, stage string) (more bool, err error) { return true, i.round(stage) }

// Done returns nothing: summaries belong to the script.
func (i *instance) Done(map[string]any) (map[string]any, error) { return nil, nil }

// Close does nothing.
func (i *instance) Close() {}

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

func (i *instance) item(item Item) error {
	b := item.Batch
	if b == nil {
		return i.table.Clear(item.Clear.Reseed)
	}
	if b.wholeTable() && i.table.Supports(b.Op) != nil { // other schemes do not need it
		i.table.Note(fmt.Sprintf("the recording has %s, which is left out: this scheme has no such operation", b.Op))
		return nil
	}
	for _, op := range b.all() {
		if err := i.table.Supports(op); err != nil {
			return fmt.Errorf("%v: %w", b, err)
		}
	}
	batch, err := i.replay.batch(i.point.Shape.Pair, b)
	if err == nil {
		do := i.table.Do
		if b.Warmup {
			do = i.table.Fill
		}
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
