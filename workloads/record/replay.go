package record

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Replay is a script that does what a recording says. It is run like any other.
type Replay struct {
	*Recording
	Pace Pace
}

// Pace says when the batches of stages are due. The zero Pace has each begin when the
// last one has ended.
type Pace struct {
	Recorded bool    // when they began, ...
	Speed    float64 // ... so many times as fast; 0 is 1
	Rate     float64 // or operations a second
}

// PaceHelp is what ParsePace takes.
const PaceHelp = "asap, recorded, or rate:N with N operations a second"

// ParsePace reads a pace as users write it.
func ParsePace(text string) (p Pace, err error) {
	rate, isRate := strings.CutPrefix(text, "rate:")
	switch {
	case text == "asap":
		return p, nil
	case text == "recorded":
		return Pace{Recorded: true}, nil
	case isRate:
		if n, ok := run.ParseNumber(rate); ok && n >= 1e-3 && n <= 1e15 {
			return Pace{Rate: n}, nil
		}
	}
	return p, fmt.Errorf("pace is %q: it takes %s, such as rate:1M", text, PaceHelp)
}

// Coordinates are where the recorded tables were on the script's axes.
func (r *Recording) Coordinates() (list []run.Point) {
	for _, p := range r.Points {
		list = append(list, p.At)
	}
	return list
}

// Schemes are those that the run was on, each once. Parameters that a point alone can say
// are left to it.
func (r *Recording) Schemes() ([]schemes.Config, error) {
	var list []schemes.Config
	for _, p := range r.Points {
		for _, scheme := range p.schemes() {
			config, err := schemes.Parse(scheme)
			if err != nil {
				return nil, err
			}
			if p.settings(config.Name) != "" {
				config = config.Scheme.Defaults()
			}
			if !slices.ContainsFunc(list, func(c schemes.Config) bool { return c.String() == config.String() }) {
				list = append(list, config)
			}
		}
	}
	return list, nil
}

// schemes are those of a point, the recorded one first.
func (p *Point) schemes() []string { return append([]string{p.Scheme}, p.Also...) }

// settings are the parameters that a scheme had at a point, if it was there once.
func (p *Point) settings(name string) string {
	var all []string
	for _, scheme := range p.schemes() {
		if is, settings, _ := strings.Cut(scheme, ":"); is == name {
			all = append(all, settings)
		}
	}
	if len(all) != 1 {
		return ""
	}
	return all[0]
}

// Start makes an instance for a point of the recording.
func (r *Replay) Start(setup run.Setup, table run.Table) (run.Instance, error) {
	p := r.at(setup.Point)
	if p == nil {
		return nil, errors.New("the recording has no such point")
	}
	return &instance{replay: r, point: p, config: setup.Config, table: table, done: map[string]int{}}, nil
}

// Plugins says which schemes were recorded from other plugins than are loaded now.
func (r *Recording) Plugins() (list []string) {
	for _, p := range r.Points {
		for _, was := range p.Plugins {
			s, err := schemes.Find(was.Name)
			if err != nil || s.PluginHash() == was.Hash {
				continue
			}
			text := fmt.Sprintf("scheme %s was recorded from the plugin %s, and is from %s now", was.Name, was.Hash, cmp.Or(s.PluginHash(), "the program"))
			if !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
}

// at is the point with these coordinates.
func (r *Recording) at(coordinates map[string]any) *Point {
	for _, p := range r.Points {
		if maps.Equal(p.At.Map(), coordinates) {
			return p
		}
	}
	return nil
}

// instance replays a point on one table.
type instance struct {
	replay *Replay
	point  *Point
	config schemes.Config
	table  run.Table
	done   map[string]int // items, by phase
}

// Shape is the recorded one. On a scheme that the run was on, the parameters are those of
// then where the user has not chosen others.
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

// Stages are the recorded phases after prepare.
func (i *instance) Stages() []run.Stage {
	var list []run.Stage
	for _, p := range i.point.Phases {
		if p.Name != run.Prepare {
			list = append(list, p.stage(i.replay.Pace))
		}
	}
	return list
}

// stage has as many rounds as were recorded. One of nothing else but a warm-up has a
// round more, that does nothing: a stage has an end.
func (p *Phase) stage(pace Pace) run.Stage {
	warm, all := p.rounds()
	s := run.Stage{Name: p.Name, Warmup: warm, Batches: max(1, all-warm), Rate: pace.Rate}
	if pace.Recorded {
		s.Schedule = p.schedule(pace.Speed)
	}
	return s
}

// rounds counts the calls of event that did something, and those of the warm-up.
func (p *Phase) rounds() (warm, all uint64) {
	for k, item := range p.Items {
		if k == 0 || p.Items[k-1].Round != item.Round {
			all++
		}
		if item.Batch != nil && item.Batch.Warmup {
			warm = all
		}
	}
	return warm, all
}

// schedule is when the measured batches began, but for those that have no operations.
func (p *Phase) schedule(speed float64) []time.Duration {
	if speed == 0 {
		speed = 1
	}
	list := []time.Duration{}
	for _, item := range p.Items {
		if b := item.Batch; b != nil && !b.Warmup && b.N > 0 {
			list = append(list, time.Duration(min(float64(b.At)/speed, float64(365*24*time.Hour))))
		}
	}
	return list
}

// Thresholds: there are none; they are the script's.
func (i *instance) Thresholds() []string { return nil }

// Prepare does what was done before the stages.
func (i *instance) Prepare() error {
	for _, p := range i.point.Phases {
		if p.Name == run.Prepare {
			for _, item := range p.Items {
				if err := i.play(item); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Event does what one call of the script's event did.
func (i *instance) Event(_ uint64, stage string) (more bool, err error) {
	at := slices.IndexFunc(i.point.Phases, func(p *Phase) bool { return p.Name == stage })
	items := i.point.Phases[at].Items[i.done[stage]:]
	for _, item := range items {
		if item.Round != items[0].Round {
			break
		}
		i.done[stage]++
		if err := i.play(item); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (i *instance) play(item Item) error {
	b := item.Batch
	if b == nil {
		return i.table.Clear(item.Reseed)
	}
	if err := i.table.Supports(b.Op); err != nil && b.wholeTable() { // it is of no use to others
		i.table.Note(fmt.Sprintf("the recording has %s, which is left out: this scheme has no such operation", b.Op))
		return nil
	}
	for _, op := range append([]string{b.Op}, b.Mixed...) {
		if err := i.table.Supports(op); err != nil {
			return fmt.Errorf("%v: %w", b, err)
		}
	}
	batch, err := i.replay.batch(i.point.Shape.Pair, b)
	if err == nil {
		_, err = i.table.Do(batch)
	}
	if err != nil {
		return fmt.Errorf("%v: %w", b, err)
	}
	return nil
}

// batch is a batch as it was asked for.
func (r *Recording) batch(pair schemes.Pair, b *Batch) (engine.Batch, error) {
	batch := engine.Batch{Op: b.Op, Mixed: b.Mixed, Capacity: b.Capacity}
	if b.wholeTable() {
		return batch, nil
	}
	if r.Kind == Materialised {
		return batch, r.columns.fill(b, &batch, pair)
	}
	for k, to := range []*engine.Stream{&batch.Keys, &batch.Values, &batch.Ops} {
		if s := b.streams[k]; s.Err() == nil {
			*to = s
		}
	}
	return batch, nil
}

// Done has nothing to say.
func (i *instance) Done(map[string]any) (map[string]any, error) { return nil, nil }

// Close has nothing to give back.
func (i *instance) Close() {}

// Axes are the axes of the recorded points, with all values that they had.
func (r *Recording) Axes() (list []run.Axis) {
	for _, p := range r.Points {
		for _, c := range p.At {
			at := slices.IndexFunc(list, func(a run.Axis) bool { return a.Name == c.Name })
			if at < 0 {
				at, list = len(list), append(list, run.Axis{Name: c.Name})
			}
			if !slices.Contains(list[at].Values, c.Value) {
				list[at].Values = append(list[at].Values, c.Value)
			}
		}
	}
	return list
}

// Provenance is the options that were in force, for results.
func (r *Recording) Provenance() map[string]string {
	options := map[string]string{}
	for _, o := range r.Options {
		options[o.Name] = o.Value
	}
	return options
}

// Title says in a line what was recorded.
func (r *Recording) Title() string {
	text := strconv.FormatUint(r.batches, 10) + " batches"
	if r.Script.Name != "" {
		text += " of " + r.Script.Name
	}
	if missing := r.Missing(); missing != "" {
		text += "; " + missing
	}
	return text
}
