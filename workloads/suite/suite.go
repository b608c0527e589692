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

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/runtime/tomlfile"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/session"
	"github.com/hashzoo/hashzoo/workloads/sweep"
)

// Suite is the declaration of the questions, for a kind of device.
type Suite struct {
	Settings  map[string]string // that everybody measures with
	Questions []Question        `toml:"question"`
	results.Suite
}

// Question is a question with its sizes, which are options of the script.
type Question struct {
	results.Question
	GPU, CPU map[string]float64
}

const (
	leastSize   = 512 // to which a trial is scaled
	trialPasses = 2
)

// New is the suite that ships.
func New(gpu bool, scale float64) (s Suite, err error) {
	name, text := scripts.Questions()
	if err := tomlfile.Decode(name, text, &s); err != nil {
		return s, err
	}
	all := xxh3.New()
	_, _ = all.WriteString(text)
	for _, q := range s.Questions {
		script, err := scripts.Find(q.Script)
		if err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		_, _ = all.WriteString(script.Source)
		sizes := map[bool]map[string]float64{true: q.GPU, false: q.CPU}[gpu]
		for _, option := range slices.Sorted(maps.Keys(sizes)) {
			q.Set = append(q.Set, fmt.Sprintf("%s=%.0f", option, max(leastSize, math.Round(scale*sizes[option]))))
		}
		s.Suite.Questions = append(s.Suite.Questions, q.Question)
	}
	s.Digest, s.Scale = fmt.Sprintf("%x", all.Sum128().Bytes()), scale
	if scale < 1 {
		s.Passes = trialPasses
	}
	return s, nil
}

// Ask makes a request one for a question.
func Ask(q results.Question, r session.Request) session.Request {
	r.Script, r.Set, r.Axis = q.Script, q.Set, q.Axis
	return r
}

// Parts are those of the sweep, pass by pass. Those of several questions may be the same.
func (s Suite) Parts(asked []string) (list []sweep.Part) {
	for pass := range s.Passes {
		for _, q := range s.Suite.Questions {
			part := sweep.Part{Script: q.Script, Set: q.Set, Axis: q.Axis, Schemes: asked, Pass: pass + 1}
			if list = append(list, part); len(q.Chosen) > 0 {
				part.Schemes = q.Chosen
				list = append(list, part)
			}
		}
	}
	return list
}
