// Package check proves on a device that schemes do what they must. Its parts build on each other:
//
//	verbs     every verb of the tile layer and the hash functions, by kernels of
//	          their own, against what Go computes
//	vectors   operations on tiny tables, slot by slot
//	ladder    numbered rungs for every configuration of a scheme, from an empty
//	          table to random batches, verified by the engine's oracle
//	figures   what instrumented kernels count, against the expected figures
//	fills     the load factors that a scheme says its tables reach
//	backends  a device gives the same digests as the CPU
//	papers    what the papers claim; package papers brings these steps
//
// What is checked follows from the declarations of the schemes; none is named here.
// docs/checking.md explains the results.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// Parts are the parts of a check, in the order in which they are run.
var Parts = []string{"verbs", "vectors", "ladder", "figures", "fills", "backends", "papers"}

// Status is the result of one check.
type Status string

// The results of checks.
const (
	Passed      Status = "passed"
	Failed      Status = "failed"
	NotOffered  Status = "not offered" // the scheme declares that it lacks what is checked
	Unavailable Status = "unavailable" // this device cannot run the kernels, or show a rate
	Differs     Status = "differs"     // a paper's claim that does not hold here, for the reason given
)

// Finding is one check and its result.
type Finding struct {
	Part   string      `json:"part"`
	Scheme string      `json:"scheme,omitempty"`
	Config string      `json:"config,omitempty"` // as a user writes it
	Pair   string      `json:"pair,omitempty"`
	Rung   int         `json:"rung,omitempty"`
	What   string      `json:"what"`
	Status Status      `json:"status"`
	Why    string      `json:"why,omitempty"`    // of anything but passed
	Figure *Comparison `json:"figure,omitempty"` // measured and expected
	Fill   *Filled     `json:"fill,omitempty"`
	Claim  *Claim      `json:"claim,omitempty"`
	Repeat string      `json:"repeat,omitempty"` // of a failure: the command that shows it again
}

// Target is a scheme to check.
type Target struct {
	Scheme *schemes.Scheme
	Config *schemes.Config // nil: all its configurations
}

// Plan says what to check.
type Plan struct {
	Targets []Target
	Device  device.Device
	Quick   bool
	Seed    uint64

	// Only these; empty or zero: all.
	Part string
	Rung int
	Pair string

	Papers  []Work   // of the part papers
	From    int      // the first step; another process did those before it
	Skip    []string // configurations that are not checked any more: something hung with them
	Command string   // repeats a failure; empty: hashzoo check

	hear  Listener
	now   *moment
	grace time.Duration // how long a check runs before it is compared with others; 0: as long as is right for all
	scale *scale        // nil: that of a whole or a quick check
}

// scale is the amount of work of a check. Larger scales meet rare faults more often.
type scale struct {
	small uint64 // slots of a table that one worker fills
	large uint64 // slots of a table that many tiles fill side by side
	seeds uint64 // repetitions of what depends on how tiles meet
	fills int    // tables that are filled to a load factor
	timed bool   // instrumented kernels are left out
}

var (
	whole = scale{small: 1 << 11, large: 1 << 16, seeds: 40, fills: 100}
	quick = scale{small: 1 << 9, large: 1 << 14, seeds: 6, fills: 100}
)

func (p Plan) scaled() scale { return *cmp.Or(p.scale, lists.Either(p.Quick, &quick, &whole)) }

// Check returns the mistakes in a plan that show before anything runs.
func (p Plan) Check() error {
	if p.Rung < 0 || p.Rung > len(ladder) {
		return fmt.Errorf("rung %d: the ladder has rungs 1 to %d", p.Rung, len(ladder))
	}
	if p.Rung != 0 && p.Part != "" && p.Part != "ladder" {
		return fmt.Errorf("rung %d of part %s: only the ladder has rungs", p.Rung, p.Part)
	}
	pairs := slices.Concat(lists.Map(p.Targets, func(t Target) []string { return lists.Map(t.Scheme.Caps.Pairs, schemes.Pair.String) })...)
	if p.Pair != "" && !slices.Contains(pairs, p.Pair) {
		return nearest.Unknown("pair", p.Pair, slices.Compact(slices.Sorted(slices.Values(pairs))))
	}
	return nil
}

// Event reports the progress of a check: one of its fields is set.
type Event struct {
	Now     *Step    `json:"now,omitempty"`    // a step begins
	Trying  *Finding `json:"trying,omitempty"` // a check begins
	Finding *Finding `json:"finding,omitempty"`
	Error   string   `json:"error,omitempty"` // a process that checks has failed
	Hung    bool     `json:"hung,omitempty"`  // the check that began last hangs
	Ended   bool     `json:"ended,omitempty"` // it has done everything
}

// Step names a step, and counts those done before it.
type Step struct {
	What string `json:"what"`
	Done int    `json:"done"`
	Of   int    `json:"of"`

	Part float64 `json:"part"` // of the time of all steps that those before it may take, from 0 to 1
}

// costs are about what a step takes, relative to one of the ladder; a step of another part takes half of that.
var costs = map[string]float64{"verbs": 0.02, "vectors": 0.1, "ladder": 1, "backends": 0.03}

// Listener hears events as they happen.
type Listener func(Event)

// Run carries out a plan, until the context ends. It returns errors of the machine; failed
// checks are findings. A check that hangs is both, since its kernel cannot be stopped.
func Run(ctx context.Context, p Plan, hear Listener) error {
	err := p.carryOut(ctx, hear)
	if h := new(hang); errors.As(err, &h) {
		hear(Event{Finding: new(p.complete(h.outcome(err)))})
	}
	return err
}

func (p Plan) carryOut(ctx context.Context, hear Listener) error {
	p.now = &moment{}
	p.Device = noted{p.Device, p.now}
	p.hear = func(e Event) {
		if e.Trying != nil {
			p.now.trying.Store(new(*e.Trying))
		}
		hear(e)
	}
	steps, before := p.steps()
	// Compiles the kernels that steps need and the program lacks. Steps fail if theirs do not compile.
	names := lists.Map(steps[min(p.From, len(steps)):], func(s step) []string { return s.kernels })
	_ = kernels.Obtain(p.Device.Info().Driver != "", slices.Concat(names...)...)
	for i, s := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i < p.From || slices.Contains(p.Skip, s.config) {
			continue
		}
		hear(Event{Now: &Step{s.what, i, len(steps), before[i]}})
		findings, err := p.within(s)
		for _, f := range findings {
			hear(Event{Finding: new(p.complete(f))})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// step is a part of the work whose findings come together.
type step struct {
	what    string
	config  string // empty: of no configuration
	kernels []string
	do      func() []Finding
}

func (p Plan) complete(f Finding) Finding {
	if f.Status != Failed {
		return f
	}
	command := []string{cmp.Or(p.Command, "hashzoo check"), f.Config}
	if _, settings, _ := strings.Cut(f.Config, ":"); p.Command != "" {
		command[1] = settings
	} else if f.Config != "" && settings == "" && f.Part != "vectors" {
		command[1] += ":" // with its defaults, not in all its configurations
	}
	add := func(condition bool, format string, value any) {
		if condition {
			command = append(command, fmt.Sprintf(format, value))
		}
	}
	device := p.Device.Info()
	add(true, "--device %s", device.Name)
	add(isCPU(p.Device), "--threads %d", device.Threads)
	add(true, "--part %s", f.Part)
	add(f.Rung > 0, "--rung %d", f.Rung)
	add(f.Pair != "", "--pair %s", f.Pair)
	add(true, "--seed %d", p.Seed)
	add(p.Quick, "--quick%s", "")
	f.Repeat = strings.Join(slices.DeleteFunc(command, func(s string) bool { return s == "" }), " ")
	return f
}

// steps are those of a plan, with the part of the whole time that those before each may take.
func (p Plan) steps() (list []step, before []float64) {
	sum := 0.0
	add := func(part string, steps func() []step) {
		if p.Rung != 0 && part == "ladder" || p.Rung == 0 && (p.Part == "" || p.Part == part) {
			for _, s := range steps() {
				list, before = append(list, s), append(before, sum)
				sum += cmp.Or(costs[part], 0.5)
			}
		}
	}
	add("verbs", p.verbSteps)
	for _, t := range p.Targets {
		add("vectors", func() []step { return p.vectorSteps(t) })
		add("ladder", func() []step { return p.ladderSteps(t) })
		add("figures", func() []step { return p.figureSteps(t) })
		add("fills", func() []step { return p.fillSteps(t) })
	}
	add("backends", p.backendSteps)
	add("papers", p.paperSteps)
	return list, lists.Map(before, func(x float64) float64 { return x / sum })
}

func (f Finding) outcome(err error) Finding {
	f.Status = Passed
	if err != nil {
		f.Status, f.Why = Failed, err.Error()
	}
	return f
}

// try makes one check, if the device can run the kernels that it needs.
func (p Plan) try(f Finding, kernels []string, do func() error) Finding {
	p.hear(Event{Trying: &f})
	err := p.Device.Prepare(kernels...)
	if err != nil && !isCPU(p.Device) { // a CPU can run all of them
		f.Status, f.Why = Unavailable, err.Error()
		return f
	}
	if err == nil {
		err = do()
	}
	return f.outcome(err)
}

func (p Plan) one(what string, f Finding, kernels []string, do func() error) step {
	return step{what, f.Config, kernels, func() []Finding { return []Finding{p.try(f, kernels, do)} }}
}

func isCPU(dev device.Device) bool { return strings.HasPrefix(dev.Info().Name, "cpu") }

// vectorSteps play the vectors of a scheme, which have configurations of their own.
func (p Plan) vectorSteps(t Target) []step {
	if t.Config != nil {
		return nil
	}
	f := Finding{Part: "vectors", Scheme: t.Scheme.Name, Config: t.Scheme.Name, What: "operations, slot by slot"}
	s := step{"vectors of " + f.Scheme, "", nil, func() []Finding { return []Finding{f} }}
	switch text := t.Scheme.Vectors; {
	case text == "":
		f.Status, f.Why = NotOffered, "no vectors"
	case isCPU(p.Device):
		s = p.one(s.what, f, nil, func() error {
			return p.onOneThread(func(one device.Device) error { return engine.PlayVectors(one, text) })
		})
	case inShards(p.Device):
		f.Status, f.Why = Unavailable, "vectors show the slots of one device"
	default:
		s = p.one(s.what, f, engine.VectorKernels(true, engine.VectorLines(text)), func() error { return engine.PlayVectors(p.Device, text) })
	}
	return []step{s}
}

// backendSteps compare the device with a CPU of one thread: generated numbers, and what tables do with them.
func (p Plan) backendSteps() []step {
	steps := lists.Map(p.streams(), func(s stream.Stream) step {
		f := Finding{Part: "backends", What: "stream " + s.String()}
		return p.one(f.What, f, nil, func() error {
			return p.sameOnCPU(func(dev device.Device) ([]engine.Sample, error) { return digestOf(dev, s) })
		})
	})
	for _, t := range p.Targets {
		config := *cmp.Or(t.Config, new(t.Scheme.Defaults()))
		for _, who := range p.wanted(withPairs(config, config.Caps.Pairs)) {
			f := who.finding("backends", "input, results and contents")
			if who.config.OnGPU {
				f.Status, f.Why = NotOffered, "no tables on a CPU"
				steps = append(steps, step{f.What, f.Config, nil, func() []Finding { return []Finding{f} }})
				continue
			}
			steps = append(steps, p.one("backends: "+who.String(), f, kernelsOf(who, !p.scaled().timed), func() error {
				return p.sameOnCPU(func(dev device.Device) (samples []engine.Sample, err error) {
					err = p.climbing(who, dev).try(func(c *climb) { samples = c.trace(c.table(2 * c.large)) })
					return samples, err
				})
			}))
		}
	}
	return steps
}

// streams returns a different slice of every generator, and one of them shuffled.
func (p Plan) streams() []stream.Stream {
	const n, length = 1 << 20, 100_000
	seeded := func(kind string, params stream.Params) stream.Stream {
		params["seed"] = p.Seed
		return stream.New(kind, nil, params)
	}
	random, zipfian, keys := stream.Random(p.Seed), stream.Zipfian(n, 0.99, p.Seed), stream.Keys(8, p.Seed)
	list := []stream.Stream{
		stream.Sequential(),
		stream.New("affine", nil, stream.Params{"a": uint64(0x9e3779b97f4a7c15), "b": 12345}),
		stream.Keys(4, p.Seed), keys, stream.Unique(n, p.Seed), random, stream.Uniform(n, p.Seed),
		zipfian, stream.Zipfian(n, 1, p.Seed), stream.Zipfian(n, 1.7, p.Seed),
		seeded("scrambled_zipfian", stream.Params{"n": n, "theta": 0.5}),
		seeded("hotspot", stream.Params{"n": n, "hot": 0.1, "share": 0.9}),
		seeded("latest", stream.Params{"n": n, "theta": 0.99, "growth": 0.5}),
		seeded("normal", stream.Params{"mean": 1e6, "stddev": 1e5, "high": uint64(1 << 40)}),
		stream.Choose(0.3, p.Seed, random, stream.Sequential()),
		keys.At(zipfian),
	}
	for i, s := range list {
		list[i] = s.Skip(uint64(i) * 1000).Take(length)
	}
	return append(list, list[2].Shuffle(p.Seed))
}

func digestOf(dev device.Device, s stream.Stream) ([]engine.Sample, error) {
	in, err := engine.Load(dev, schemes.Pair8, engine.Batch{Op: "find", Keys: s})
	if err != nil {
		return nil, err
	}
	return []engine.Sample{{Op: "stream", Input: in.Digest}}, in.Release()
}

func (p Plan) sameOnCPU(do func(device.Device) ([]engine.Sample, error)) error {
	return p.onOneThread(func(one device.Device) error {
		want, err := do(one)
		if err != nil {
			return err
		}
		have, err := do(p.Device)
		return cmp.Or(err, differ(want, have, "on "+p.Device.Info().Name))
	})
}

// onOneThread lends a CPU with one thread, on which every run of a batch is the same.
func (p Plan) onOneThread(do func(device.Device) error) error {
	one, err := devices.Open("cpu", device.Options{Threads: 1})
	if err != nil {
		return err
	}
	return errors.Join(do(noted{one, p.now}), one.Close())
}
