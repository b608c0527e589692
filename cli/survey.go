package cli

import (
	_ "embed" // the text of docs/schemes.md
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

//go:embed survey.txt
var surveyText string

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
		_, err := fmt.Fprintf(env.text(), surveyText, surveyN, surveySeed, survey.Page(rows, surveyLoads))
		return err
	})
}
