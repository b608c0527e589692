package cli

import (
	"context"
	_ "embed" // the text of docs/schemes.md
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/workloads/session"
	"github.com/hashzoo/hashzoo/workloads/survey"
)

func newSurveyCommand(env *Env) *cobra.Command {
	r := newRunFlags(env)
	command := &cobra.Command{Use: "survey", RunE: func(command *cobra.Command, args []string) error { return r.survey(command.Context(), args) }}
	env.usesSchemes(command, "device", "threads")
	r.changed = command.Flags().Changed
	return command
}

const surveyN = 1 << 17

//go:embed survey.txt
var surveyText string

func (r *runFlags) survey(ctx context.Context, args []string) error {
	list, err := session.Schemes(args)
	if err != nil {
		return usage(err)
	}
	return r.withDevice(func(dev device.Device) error {
		q, err := r.complete("")
		q.Opened, q.Seed = dev, 1
		var rows []survey.Row
		for _, config := range list {
			var row survey.Row
			if err == nil {
				row, err = survey.Measure(ctx, q, config, surveyN, "0.8,0.9")
			}
			rows = append(rows, row)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(r.text(), surveyText, surveyN, q.Seed, survey.Page(rows, []float64{0.8, 0.9}))
		return err
	})
}
