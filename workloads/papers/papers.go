// Package papers holds what the papers claim against what their scripts show here.
//
// Beside the scripts of scripts/paper is a file for each paper, NAME.claims.toml: its mechanisms, its figures and
// tables with the small runs that show them, and what it says of each as a claim: in words, in the paper's numbers, and
// as an expression over the results. The check, the page docs/papers.md and its test all read these files. A claim
// holds, or the file says why it does not; a claim that is said not to hold and does is an error, too.
package papers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/runtime/tomlfile"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/check"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Paper is what is known of a paper.
type Paper struct {
	Name       string      `toml:"-"` // that its scripts begin with
	Title      string      `toml:"title"`
	By         string      `toml:"by"`
	Mechanisms []Mechanism `toml:"mechanism"`
	Figures    []Figure    `toml:"figure"`
}

// Mechanism is a part of a paper's scheme, and how it is here.
type Mechanism struct {
	What string `toml:"what"`
	Here string `toml:"here"`
}

// Figure is a figure or a table, or several that one run shows.
type Figure struct {
	What    string   `toml:"what"`
	Script  string   `toml:"script"`
	Measure string   `toml:"measure"`  // instead of a script: one of measures
	Not     string   `toml:"not_here"` // why there is neither
	Set     []string `toml:"set"`      // options of the small run
	GPU     []string `toml:"gpu"`      // options on a GPU, which override those of the small run
	Axis    []string `toml:"axis"`
	GPUAxis []string `toml:"gpu_axis"` // on a GPU, instead of axis
	Schemes []string `toml:"schemes"`
	Claims  []Claim  `toml:"claim"`
}

// Claim is what a paper says of a figure.
type Claim struct {
	Claim   string `toml:"claim"`
	Paper   string `toml:"paper"`   // its numbers, as text
	Ours    string `toml:"ours"`    // an expression: a number, or a list of numbers
	Holds   string `toml:"holds"`   // a condition on ours
	Differs string `toml:"differs"` // why the condition does not hold
	Rate    bool   `toml:"rate"`    // it is about times, so only a GPU shows it

	GPUDiffers string `toml:"gpu_differs"` // why it does not hold on a GPU, for sizes of the paper
}

// All reads the files of all papers that ship.
func All() (list []Paper, err error) {
	for name, text := range scripts.Claims() {
		p, err := read(name, text)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Paper) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

func read(name, text string) (p Paper, err error) {
	file := name + scripts.ClaimsExtension
	if err := tomlfile.Decode(file, text, &p); err != nil {
		return p, err
	}
	p.Name = strings.TrimPrefix(name, "paper/")
	for _, f := range p.Figures {
		if err := f.check(); err != nil {
			return p, fmt.Errorf("%s: %s: %w", file, f.What, err)
		}
	}
	return p, nil
}

func (f Figure) check() error {
	given := slices.DeleteFunc([]string{f.Script, f.Measure, f.Not}, func(s string) bool { return s == "" })
	if len(given) != 1 {
		return fmt.Errorf("it takes either script, measure or not_here")
	}
	switch {
	case f.Not != "":
		return nil
	case f.Measure != "":
		return cmp.Or(checkMeasure(f.Measure), f.checkClaims())
	}
	if _, err := scripts.Find(f.path()); err != nil {
		return err
	}
	if _, err := session.Schemes(f.Schemes); err != nil {
		return err
	}
	return f.checkClaims()
}

func (f Figure) checkClaims() error {
	for _, c := range f.Claims {
		if c.Claim == "" || c.Paper == "" || c.Ours == "" || c.Holds == "" {
			return fmt.Errorf("claim %q: it takes claim, paper, ours and holds", c.Claim)
		}
	}
	return nil
}

// path is that of the script, or of what is measured instead.
func (f Figure) path() string {
	return lists.Either(f.Measure != "", "hashzoo devices --"+f.Measure, "paper/"+f.Script)
}

// isOf reports whether one of the schemes is measured; of none, all are meant.
func (f Figure) isOf(names []string) bool {
	return len(names) == 0 || slices.ContainsFunc(f.Schemes, func(text string) bool {
		name, _, _ := strings.Cut(text, ":")
		return slices.Contains(names, name)
	})
}

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
	if !isGPU(dev) {
		return r.judge(dev, p, f, f.Claims, true)
	}
	counts := lists.Filter(f.Claims, func(c Claim) bool { return !c.Rate })
	rates := lists.Filter(f.Claims, func(c Claim) bool { return c.Rate })
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
