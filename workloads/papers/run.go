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
	"github.com/hashzoo/hashzoo/workloads/check"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
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

// evidence runs the script of a figure. Claims say what must hold, thresholds need not.
func (r Request) evidence(dev device.Device, f Figure, counted bool) (*evidence, error) {
	if measure, ok := measures[f.Measure]; ok {
		list, err := measure(dev, !isGPU(dev))
		return &evidence{results.Document{Run: results.Run{Script: &results.Script{Name: f.path()}}, Summaries: list}}, err
	}
	q := r.request(f, isGPU(dev))
	q.Opened, q.Count = dev, &counted
	d, err := q.Results(r.Context)
	if errors.Is(err, run.ErrThreshold) {
		err = nil
	}
	return &evidence{d}, err
}

func (r Request) request(f Figure, gpu bool) session.Request {
	q := session.Request{Choice: session.Choice{Script: f.path(), Schemes: f.Schemes, Device: "cpu", Seed: r.Seed, Set: f.Set, Axis: f.Axis},
		Limits: r.Limits, Policy: engine.Policy{Least: 6, Noise: 0.02}, Timeout: batchTimeout, Settings: map[string]string{}}
	if gpu {
		q.Set = slices.Concat(f.Set, f.GPU)
	}
	if gpu && len(f.GPUAxis) > 0 {
		q.Axis = f.GPUAxis
	}
	return q
}
