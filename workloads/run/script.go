package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
)

// Setup is the input of an instance of a script.
type Setup struct {
	Options map[string]any
	Point   map[string]any
	Seed    uint64
	Pair    schemes.Pair // of the table, instead of the script's; zero: the script's
	Config  schemes.Config
}

// Table is the table of a script.
type Table interface {
	// Do runs a batch, and Fill one that is not measured.
	Do(engine.Batch) (engine.Sample, error)
	Fill(engine.Batch) (engine.Sample, error)
	Clear(reseed bool) error
	Size() uint64
	Capacity() uint64
	Load() float64
	Bytes() int64
	Scheme() string
	Supports(op string) error
	Note(text string)
	// Gave answers one of engine.Questions about the last batch, until the script asks for another one. The instance
	// must have declared Answers.
	Gave(what string) ([]uint64, error)
}

// Stage is a part of a run: for how long, and at which rate.
type Stage struct {
	Name       string
	Warmup     uint64 // calls of event that are not measured
	Batches    uint64 // calls of event
	Operations uint64
	Duration   time.Duration
	Rate       float64 // operations per second; 0 is a closed loop
	// Schedule says when each measured batch is due after the stage began, instead of a rate.
	Schedule []time.Duration
	// Settles ends the stage, for each scheme by itself, when the noise is low enough or a limit of the plan's policy
	// is reached. Every event makes the same batches. A scheme whose event makes none takes no part.
	Settles bool
	Noise   float64 // the bound of a stage that settles; 0 is the policy's
}

// Script is a workload: it starts an instance for one scheme at one point.
type Script func(Setup, Table) (*Instance, error)

// Instance is a script at work for one scheme at one point: what it declares and does.
type Instance struct {
	Shape      schemes.Shape  // of the table that it wants
	Config     schemes.Config // the scheme with the script's parameters
	Stages     []Stage
	Thresholds []string
	Answers    bool // it asks what operations gave
	Prepare    func() error
	// Event makes the batches number i, from 1 on. It returns false to end the run.
	Event func(i uint64, stage string) (more bool, err error)
	// Done gets the results and returns the script's own. It may be nil.
	Done  func(results map[string]any) (map[string]any, error)
	Close func() // may be nil
}

// Named names stages that have no name - run, or run 1, run 2 - and refuses names that are taken.
func Named(stages []Stage) ([]Stage, error) {
	stages = slices.Clone(stages)
	taken := slices.Concat([]string{Prepare}, kernels.OpsOf(kernels.OnKeys, kernels.OnSlots, kernels.Mixed), fields, tableFields)
	for i := range stages {
		s := &stages[i]
		if s.Name == "" && len(stages) == 1 {
			s.Name = "run"
		} else if s.Name == "" {
			s.Name = fmt.Sprintf("run %d", i+1)
		}
		if slices.Contains(taken, s.Name) {
			return nil, fmt.Errorf("stages: the name %q is taken: other stages, operations and results have names, too", s.Name)
		}
		taken = append(taken, s.Name)
	}
	return stages, nil
}

// progress is how far a scheme is in a stage.
type progress struct {
	rounds uint64        // calls of event
	ops    uint64        // operations
	spent  time.Duration // device time; in an open loop all time
}

// done is the part of the stage that is over: at least 1 at the end, negative if unknown.
func (s Stage) done(p progress) float64 {
	switch {
	case s.Settles:
		return -1
	case s.Batches > 0:
		return float64(p.rounds) / float64(s.Batches)
	case s.Operations > 0:
		return float64(p.ops) / float64(s.Operations)
	case s.Duration > 0:
		return float64(p.spent) / float64(s.Duration)
	}
	return -1
}

// Once carries out do on an empty table and returns the contents at the end. With spec.Counted, samples have the
// counts of instrumented kernels.
func Once(dev device.Device, spec engine.Spec, do func(Table) error) (end engine.Contents, err error) {
	plan := Plan{Schemes: []schemes.Config{spec.Config}, Points: []Point{nil}, Seed: spec.Seed, Counted: spec.Counted, Digests: true, Rules: Rules{Timeout: spec.Timeout}}
	plan.Script = func(_ Setup, t Table) (*Instance, error) {
		return &Instance{Shape: spec.Shape, Config: spec.Config, Prepare: func() error { return do(t) }}, nil
	}
	err = Run(context.Background(), dev, plan, func(e Event) error {
		if ended, ok := e.(PhaseEnded); ok {
			end = ended.Contents[0]
		}
		return nil
	})
	return end, err
}

// maxTried bounds the instances that Specs makes.
const maxTried = 1000

// Specs are the tables that a plan makes. The error says what is wrong with the plan, as far as it shows before any table
// is made: what the script declares at each point for each scheme, and tables that no scheme can have.
func (p Plan) Specs() (specs []engine.Spec, err error) {
	for i, at := range p.Points {
		if i*len(p.Schemes) > maxTried {
			break
		}
		if err := p.try(i, at, &specs); err != nil {
			return specs, err
		}
	}
	return specs, nil
}

func (p Plan) try(index int, at Point, specs *[]engine.Spec) error {
	try := &point{runner: &runner{Plan: p}, index: index, at: at}
	var lacking error
	for _, config := range p.Schemes {
		m := &member{config: config, point: try}
		err := m.begin()
		if err == nil {
			err = try.conditions(m.script)
		}
		if m.script != nil && m.script.Close != nil {
			m.script.Close()
		}
		if lacks := p.LeaveOut && schemes.Lacking(err) != nil; err != nil && !lacks {
			return err
		}
		if err == nil {
			try.ended++
			*specs = append(*specs, m.specs()...)
		} else if lacking == nil {
			lacking = err
		}
	}
	return try.nobody(lacking)
}

// nobody returns the error of a run that has left out all schemes, for this reason.
func (r *runner) nobody(lacking error) error {
	if r.ended > 0 || lacking == nil {
		return nil
	}
	return &ScriptError{fmt.Errorf("no scheme has all that the script asks for: %w", lacking)}
}

// begin makes the member's instance of the script, and checks that its scheme can have such a table.
func (m *member) begin() (err error) {
	p := m.point
	m.script, err = p.Script(Setup{Options: p.Options, Point: p.at.Map(), Seed: p.Seed, Pair: p.Pair, Config: m.config}, m)
	if err == nil {
		m.script.Shape, err = m.script.Config.Shaped(m.script.Shape)
	}
	if err == nil {
		err = possible(m.script.Config, m.script.Shape)
	}
	return Mistake(err)
}

// specs are the tables of the member: timed, and instrumented if its accesses are counted.
func (m *member) specs() []engine.Spec {
	spec := engine.Spec{Config: m.script.Config, Shape: m.script.Shape}
	list := []engine.Spec{spec}
	if m.point.Counted && !m.config.Reference {
		spec.Counted = true
		list = append(list, spec)
	}
	return list
}

func (p *point) conditions(script *Instance) (err error) {
	if p.stages, err = Named(script.Stages); err == nil {
		p.limits, err = parseConditions(slices.Concat(script.Thresholds, p.Thresholds), p.stages)
	}
	return Mistake(err)
}

// possible returns why a scheme cannot have such a table, however much memory there is.
func possible(config schemes.Config, shape schemes.Shape) error {
	if err := config.Compiled(); err != nil {
		return err
	}
	if _, err := config.Size(config, shape); err != nil {
		return &schemes.Lack{What: err.Error(), Text: fmt.Sprintf("scheme %s: %v", config.Name, err)}
	}
	return nil
}
