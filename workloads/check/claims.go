package check

import (
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// Work is a step that another package adds to a check.
type Work struct {
	What string
	Do   func(device.Device) []Finding
}

// Claim is a statement of a paper and the value that is found here.
type Claim struct {
	Paper     string `json:"paper"`
	Figure    string `json:"figure"`
	Script    string `json:"script"`
	Published string `json:"published"`
	Ours      string `json:"ours,omitempty"`
}

// paperSteps run on one thread of a CPU, where counts are the same on every run. A batch that hangs has a time limit.
func (p Plan) paperSteps() (steps []step) {
	for _, w := range p.Papers {
		steps = append(steps, step{w.What, "", nil, func() (findings []Finding) {
			p.now.trying.Store(nil)
			if !isCPU(p.Device) {
				return w.Do(p.Device)
			}
			err := p.onOneThread(func(one device.Device) error {
				findings = w.Do(one)
				return nil
			})
			if err != nil {
				findings = append(findings, Finding{Part: "papers", What: w.What}.outcome(err))
			}
			return findings
		}})
	}
	return steps
}

func (r Report) claims() []results.Table {
	compared := r.where(func(f Finding) bool { return f.Claim != nil })
	figure := func(f Finding) string { return f.Claim.Paper + ", " + f.Claim.Figure }
	return lists.Map(lists.Groups(compared, figure), func(of Report) results.Table {
		return results.TableOf(figure(of[0])+" | paper | ours | verdict", of, func(f Finding) []string {
			return []string{f.What, f.Claim.Published, f.Claim.Ours, f.Verdict()}
		})
	})
}

// Verdict says whether a claim holds, or why not.
func (f Finding) Verdict() string {
	switch f.Status {
	case Passed:
		return "holds"
	case Differs:
		return "differs: " + f.Why
	case Failed:
		return "fails"
	}
	return f.Why
}
