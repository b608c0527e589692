package run

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
)

// maxTried bounds the instances that Check makes.
const maxTried = 1000

// Check says what is wrong with a plan, as far as it shows before any table is made: what the script declares at each
// point for each scheme, and tables that no scheme can have.
func (p Plan) Check() error {
	_, err := p.Specs()
	return err
}

// Specs are the tables that a plan makes, as far as that shows before any is made. The error is that of Check.
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
		lacks := p.LeaveOut && schemes.Lacking(err) != nil
		if err != nil && !lacks {
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
	if err != nil {
		return &ScriptError{err}
	}
	return nil
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
	if err != nil {
		return &ScriptError{err}
	}
	return nil
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
