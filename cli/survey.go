package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/workloads/session"
	"github.com/hashzoo/hashzoo/workloads/survey"
)

func newSurveyCommand(env *Env) *cobra.Command {
	command := &cobra.Command{
		Use:               "survey [SCHEME[:param=value,...] ...]",
		Short:             "measure what does not depend on the machine, such as probes and load factors, as a Markdown page",
		ValidArgsFunction: env.completeSchemes,
		RunE:              env.survey,
	}
	env.usesSchemes(command, "device", "threads")
	return command
}

var surveyLoads = []float64{0.8, 0.9}

const (
	surveyN    = 1 << 17
	surveySeed = 1
)

// surveyIntro is the first part of docs/schemes.md.
const surveyIntro = `# The schemes

Written by ` + "`hashzoo survey --threads 1`" + ` (` + "`make docs`" + `): what the schemes declare, and what was measured on a CPU with default parameters, %d pairs of each scheme's first widths and seed %d. These figures do not depend on the machine. Rates do; [gpu.md](gpu.md) has some. ` + "`hashzoo schemes NAME`" + ` describes one scheme in full.

"Fills to" is the load factor at which the first insert found no room while a table was filled percent by percent: 1.00 if none did, and "grows" if the table took more memory instead. "insert", "found" and "absent" count bucket reads (whatever the bucket size) per insert while the table is filled to that load factor, per find of a present key, and per find of an absent key. "bytes" is the memory of the table per pair.

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
