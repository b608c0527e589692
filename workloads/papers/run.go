package papers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/check"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Request says what to check.
type Request struct {
	Context context.Context
	Seed    uint64
	Limits  lua.Limits
	Schemes []string // only figures with one of these; empty: all
}

const batchTimeout = 2 * time.Minute

// Work is the part papers of a check: a step for each figure that has claims.
func Work(r Request) (list []check.Work, err error) {
	all, err := All()
	for _, p := range all {
		for _, f := range p.Figures {
			if len(f.Claims) > 0 && f.isOf(r.Schemes) {
				list = append(list, check.Work{What: p.Title + ", " + f.What, Do: func(dev device.Device) []check.Finding {
					return r.figure(dev, p, f)
				}})
			}
		}
	}
	return list, err
}

func isGPU(dev device.Device) bool { return dev.Info().Driver != "" }

// figure checks the claims of a figure. On a GPU, rates come from a run of their own, as kernels that count are slower.
func (r Request) figure(dev device.Device, p Paper, f Figure) (findings []check.Finding) {
	isRate := func(c Claim) bool { return c.Rate }
	isCount := func(c Claim) bool { return !c.Rate }
	if !isGPU(dev) {
		return r.judge(dev, p, f, f.Claims, true)
	}
	counts, rates := slices.DeleteFunc(slices.Clone(f.Claims), isRate), slices.DeleteFunc(slices.Clone(f.Claims), isCount)
	return append(r.judge(dev, p, f, counts, true), r.judge(dev, p, f, rates, false)...)
}

// judge runs the script of a figure and compares some of its claims with the results.
func (r Request) judge(dev device.Device, p Paper, f Figure, claims []Claim, counted bool) (findings []check.Finding) {
	if len(claims) == 0 {
		return nil
	}
	e, err := r.evidence(dev, f, counted)
	if r.Context.Err() != nil {
		return nil
	}
	for _, c := range claims {
		findings = append(findings, judged(p, f, c, e, err, isGPU(dev)))
	}
	return findings
}

// judged compares a claim with the results. A CPU calculates rates, so that mistakes in an expression show, but does
// not judge them.
func judged(p Paper, f Figure, c Claim, e *evidence, err error, gpu bool) check.Finding {
	claim := &check.Claim{Paper: p.Title, Figure: f.What, Script: f.path(), Published: c.Paper}
	if gpu {
		c.Differs = cmp.Or(c.Differs, c.GPUDiffers)
	}
	finding := check.Finding{Part: "papers", What: c.Claim, Claim: claim}
	var holds bool
	if err == nil {
		claim.Ours, holds, err = e.judge(c)
	}
	switch {
	case err != nil:
		finding.Status, finding.Why = check.Failed, err.Error()
	case c.Rate && !gpu:
		claim.Ours = ""
		finding.Status, finding.Why = check.Unavailable, "a rate: needs a GPU"
	case holds && c.Differs != "" && !gpu: // what differs on one GPU may hold on another one
		finding.Status, finding.Why = check.Failed, "it holds, but the claim says that it differs because "+c.Differs
	case holds:
		finding.Status = check.Passed
	case c.Differs != "":
		finding.Status, finding.Why = check.Differs, c.Differs
	default:
		finding.Status, finding.Why = check.Failed, "it is "+claim.Ours+", and "+c.Holds+" does not hold"
	}
	return finding
}

// evidence runs the script of a figure.
func (r Request) evidence(dev device.Device, f Figure, counted bool) (*evidence, error) {
	if measure, ok := measures[f.Measure]; ok {
		list, err := measure(dev, !isGPU(dev))
		return &evidence{results.Document{Run: results.Run{Script: &results.Script{Name: f.path()}}, Summaries: list}}, err
	}
	script, plan, err := r.plan(f, isGPU(dev))
	if err != nil {
		return nil, err
	}
	plan.Counted = counted
	d := results.Document{Run: results.Run{Script: &results.Script{Name: script.Name, Published: script.Published, Options: map[string]string{}}}}
	for _, o := range script.Options {
		value, given := plan.Options[o.Name]
		if !given {
			value = o.Default
		}
		d.Run.Script.Options[o.Name] = run.Text(value)
	}
	err = run.Run(r.Context, dev, plan, func(e run.Event) error {
		if ended, ok := e.(run.PointEnded); ok {
			d.Rows, d.Summaries = append(d.Rows, ended.Rows...), append(d.Summaries, ended.Summaries...)
		}
		return nil
	})
	if err != nil && !errors.Is(err, run.ErrThreshold) { // claims say what must hold
		return nil, err
	}
	return &evidence{d}, nil
}

func (r Request) plan(f Figure, gpu bool) (script *lua.Script, plan run.Plan, err error) {
	s, err := scripts.Find(f.path())
	if err != nil {
		return nil, plan, err
	}
	if script, err = lua.Inspect(s.Name+".lua", s.Source, s.Folder(), r.Limits); err != nil {
		return nil, plan, err
	}
	script.Context = r.Context
	plan = run.Plan{Script: script.Start, Seed: r.Seed, Policy: engine.Policy{Least: 6, Noise: 0.02}, Timeout: batchTimeout}
	set, axis := f.Set, f.Axis
	if gpu {
		set = slices.Concat(set, f.GPU)
	}
	if gpu && len(f.GPUAxis) > 0 {
		axis = f.GPUAxis
	}
	if plan.Schemes, err = f.configs(); err != nil {
		return nil, plan, err
	}
	if plan.Options, err = script.ParseOptions(set); err != nil {
		return nil, plan, err
	}
	axes, err := run.Override(script.Axes, axis)
	if err == nil {
		plan.Points, err = run.Points(axes)
	}
	return script, plan, err
}
