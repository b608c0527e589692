// Package suite asks all schemes the same questions, and checks the files with the answers. The questions are in
// scripts/suite/questions.toml: scripts that ship, with their options. A suite is a sweep over them that is measured
// several times, and a file of results whose rows name their question.
package suite

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/runtime/tomlfile"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/session"
	"github.com/hashzoo/hashzoo/workloads/sweep"
)

// Suite is the declaration of the questions, and where they are asked.
type Suite struct {
	Version  string            `toml:"version"`
	Passes   int               `toml:"passes"`
	Settings map[string]string `toml:"settings"` // that everybody measures with
	Runs     []Run             `toml:"run"`

	GPU    bool                     `toml:"-"`
	Scale  float64                  `toml:"-"` // of all sizes
	Chosen map[int][]schemes.Config `toml:"-"` // by run: configurations besides those that are asked
	Tuned  float64                  `toml:"-"` // the budget for choosing them, in seconds
	Digest string                   `toml:"-"`
}

// Run is a script with its options, which answers one or several questions.
type Run struct {
	Script    string             `toml:"script"`
	Set       []string           `toml:"set"`
	Axis      []string           `toml:"axis"`
	GPU       map[string]float64 `toml:"gpu"` // sizes: options of the script
	CPU       map[string]float64 `toml:"cpu"`
	Questions []results.Question `toml:"question"`
}

// New is the suite that ships, for a kind of device.
func New(gpu bool, scale float64) (s Suite, err error) {
	name, text := scripts.Questions()
	s.GPU, s.Scale, s.Chosen = gpu, scale, map[int][]schemes.Config{}
	if err := tomlfile.Decode(name, text, &s); err != nil {
		return s, err
	}
	if scale < 1 {
		s.Passes = trialPasses
	}
	all := xxh3.New()
	_, _ = all.WriteString(text)
	for i := range s.Runs {
		r := &s.Runs[i]
		script, err := scripts.Find(r.Script)
		if err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		_, _ = all.WriteString(script.Source)
		r.Set = append(slices.Clone(r.Set), r.sizes(gpu, scale)...)
		for k := range r.Questions {
			q := &r.Questions[k]
			q.Script, q.Set, q.Axis = r.Script, r.Set, r.Axis
		}
	}
	s.Digest = fmt.Sprintf("%x", all.Sum128().Bytes())
	return s, nil
}

const (
	leastSize   = 512 // to which a trial is scaled
	trialPasses = 2
)

func (r Run) sizes(gpu bool, scale float64) []string {
	sizes := r.CPU
	if gpu {
		sizes = r.GPU
	}
	return lists.Map(slices.Sorted(maps.Keys(sizes)), func(name string) string {
		return fmt.Sprintf("%s=%.0f", name, max(leastSize, math.Round(scale*sizes[name])))
	})
}

// Ask makes a request one for the script of the run.
func (r Run) Ask(q session.Request) session.Request {
	q.Script, q.Set, q.Axis = r.Script, r.Set, r.Axis
	return q
}

// Parts are those of the sweep, pass by pass.
func (s Suite) Parts(asked []string) (list []sweep.Part) {
	for pass := range s.Passes {
		for i, r := range s.Runs {
			part := sweep.Part{Script: r.Script, Set: r.Set, Axis: r.Axis, Schemes: asked, Pass: pass + 1}
			chosen := part
			chosen.Schemes = lists.Map(s.Chosen[i], schemes.Config.String)
			if list = append(list, part); len(chosen.Schemes) > 0 {
				list = append(list, chosen)
			}
		}
	}
	return list
}

// about is what the file says of the suite.
func (s Suite) about(passes int, asked []string) *results.Suite {
	about := &results.Suite{Version: s.Version, Digest: s.Digest, Scale: s.Scale, Passes: passes, Schemes: asked, Tuned: s.Tuned}
	for i, r := range s.Runs {
		for _, q := range r.Questions {
			q.Chosen = lists.Map(s.Chosen[i], schemes.Config.String)
			about.Questions = append(about.Questions, q)
		}
	}
	return about
}
