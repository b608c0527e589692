package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/workloads/session"
	"github.com/hashzoo/hashzoo/workloads/survey"
)

func newSurveyCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "survey", RunE: env.survey}
	env.usesSchemes(command, "device", "threads")
	return command
}

var surveyLoads = []float64{0.8, 0.9}

const (
	surveyN    = 1 << 17
	surveySeed = 1
)

// surveyIntro is the first part of docs/schemes.md.
const surveyIntro = "# What can each scheme do, and what does it take?\n\n```sh by hand\n" + `hashzoo survey --threads 1   # writes this page
hashzoo schemes NAME         # one scheme in full, with its parameters and gauges
` + "```" + `

Measured on a CPU with default parameters, %d pairs of each scheme's first widths and seed %d. These figures do not depend on the machine; rates do ([gpu.md](gpu.md)).

| column | meaning |
| --- | --- |
| fills to | the load factor at which the first insert found no room, 1.00 if none did; "grows" if the table took more memory instead |
| insert, found, absent | buckets read, of any size: per insert while the table is filled, per find of a present and of an absent key |
| bytes | memory of the table per pair |

`

func (env *Env) survey(_ *cobra.Command, args []string) error {
	list, err := session.Schemes(args)
	if err != nil {
		return usage(err)
	}
	return env.withDevice(func(dev device.Device) error {
		s := survey.Survey{Device: dev, N: surveyN, Seed: surveySeed}
		if err := s.Obtain(list); err != nil {
			return err
		}
		var rows []survey.Row
		for _, config := range list {
			row, err := s.Measure(config, surveyLoads)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		_, err := fmt.Fprintf(env.text(), surveyIntro+"%s", surveyN, surveySeed, survey.Page(rows, surveyLoads))
		return err
	})
}
