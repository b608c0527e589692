package run

import (
	"fmt"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
)

// named gives stages without a name one - run, or run 1, run 2 - and refuses names
// that results have for something else.
func named(stages []Stage) ([]Stage, error) {
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

// CheckStages says what is wrong with the names of a script's stages.
func CheckStages(stages []Stage) error {
	_, err := named(stages)
	return err
}

// progress is how far a scheme is in a stage.
type progress struct {
	rounds uint64        // calls of event
	ops    uint64        // operations
	spent  time.Duration // device time; in an open loop all time
}

// done is the part of the stage that is over, at least 1 if it is all, and negative
// if nobody knows.
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
