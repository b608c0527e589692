package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/survey"
)

var _ = register(newSurveyCommand)

func newSurveyCommand(env *Env) *cobra.Command {
	command := &cobra.Command{
		Use:               "survey [SCHEME ...]",
		Short:             "what schemes are like apart from their speed, as a page in Markdown",
		ValidArgsFunction: env.completeSchemes,
		RunE: func(_ *cobra.Command, args []string) error {
			list := schemes.All()
			if len(args) > 0 {
				list = nil
			}
			for _, name := range args {
				scheme, err := schemes.Find(name)
				if err != nil {
					return usage(err)
				}
				list = append(list, scheme)
			}
			return env.survey(list)
		},
	}
	env.usesSchemes(command, "device", "threads")
	return command
}

// surveyLoads are the load factors of the survey's figures.
var surveyLoads = []float64{0.8, 0.9}

const (
	surveyN    = 1 << 17
	surveySeed = 1
)

// surveyIntro opens the page of docs/schemes.md.
const surveyIntro = `# The schemes

Made by ` + "`hashzoo survey --threads 1`" + ` (` + "`make docs`" + ` writes this page): what the schemes declare,
and what was measured of them with their default parameters, %d pairs of their first widths, seed %d, on a
CPU. These figures do not depend on the machine; rates do, and are in [gpu.md](gpu.md).
` + "`hashzoo schemes NAME`" + ` says everything about one.

"Fills to" is the load factor at which the first insert found no room, when a table was filled percent
by percent; 1.00 if none did, and "grows" if it took more memory instead. "insert", "found" and "absent" are
reads of a bucket (whatever its size) for each insert while the table is filled to that load factor, and for each
find of keys that are there and of keys that are not. "bytes" is the memory of the table for each pair.

`

// survey measures schemes and prints the page.
func (e *Env) survey(list []*schemes.Scheme) error {
	dev, err := e.open()
	if err != nil {
		return err
	}
	defer dev.Close()
	page, err := surveyPage(dev, list)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(e.Out, page)
	return err
}

func surveyPage(dev device.Device, list []*schemes.Scheme) (string, error) {
	s := survey.Survey{Device: dev, N: surveyN, Seed: surveySeed}
	var rows []survey.Row
	for _, scheme := range list {
		row, err := s.Measure(scheme, surveyLoads)
		if err != nil {
			return "", err
		}
		rows = append(rows, row)
	}
	return fmt.Sprintf(surveyIntro, surveyN, surveySeed) + survey.Page(rows, surveyLoads), nil
}
