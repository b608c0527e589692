package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/session"
	"github.com/hashzoo/hashzoo/workloads/suite"
	"github.com/hashzoo/hashzoo/workloads/sweep"
)

// suiteFlags are the flags of suite. A suite is a sweep in the folder FILE.parts.
type suiteFlags struct {
	*sweepFlags
	file         string
	tune, budget time.Duration
	scale        float64
	all          suite.Suite
}

func newSuiteCommand(env *Env) *cobra.Command {
	c := &suiteFlags{sweepFlags: &sweepFlags{runFlags: newRunFlags(env), on: thisMachine}, scale: 1}
	command := &cobra.Command{Use: "suite", Args: cobra.NoArgs, RunE: func(command *cobra.Command, _ []string) error { return c.run(command.Context()) }}
	f := command.Flags()
	f.StringVarP(&c.file, "output", "o", "", "the `file` to write, such as h200.ndjson")
	f.Var(settings.Duration(&c.budget), "budget", "stop after this time, with the passes over all questions that are whole by then")
	f.Var(settings.Duration(&c.tune), "tune", "also search the best parameters for each script, for this time altogether, and measure them, too")
	f.Var(settings.Number(&c.scale, 1e-9, 1), "scale", "a part of the usual sizes, measured twice, for a trial: such results are compared with no others")
	c.flags(command, "schemes")
	env.usesSchemes(command, "device", "threads", "engine.batch_timeout")
	c.flags(command, "quiet")
	command.AddCommand(newSuiteVerify(env))
	return command
}

func (c *suiteFlags) run(ctx context.Context) error {
	if c.file == "" {
		return misused(errors.New("-o is missing: it takes the file to write, such as -o h200.ndjson"))
	}
	asked, err := session.Schemes(c.request.Choice.Schemes)
	if err == nil {
		err = c.declare()
	}
	if err != nil {
		return usage(err)
	}
	release, err := sweep.Folder(c.out).Begin()
	if err != nil {
		return err
	}
	defer release()
	q, err := c.complete("")
	if err == nil {
		err = c.choose(ctx, q, asked)
	}
	if err != nil {
		return err
	}
	s, err := c.expand(ctx, q, c.all.Parts(q.Choice.Schemes))
	if err != nil {
		return err
	}
	missing, err := s.Continue()
	if err != nil {
		return err
	}
	return c.measure(ctx, s, missing)
}

// declare reads the questions, and makes their settings those of everybody.
func (c *suiteFlags) declare() error {
	gpu, err := devices.Accelerated(c.Settings.Device)
	if err != nil {
		return usage(err)
	}
	if c.all, err = suite.New(gpu, c.scale); err != nil {
		return err
	}
	for key, value := range c.all.Settings {
		err = errors.Join(err, c.Settings.Set(c.Settings.Find(key), value, c.all.Version))
	}
	c.out, c.all.Tuned = c.file+".parts", c.tune.Seconds()
	return err
}

func (c *suiteFlags) measure(ctx context.Context, s sweep.Sweep, missing []sweep.Ref) error {
	limited, end := ctx, context.CancelFunc(func() {})
	if c.budget > 0 {
		limited, end = context.WithTimeout(ctx, c.budget)
	}
	defer end()
	if len(missing) == 0 {
		c.warn("all was measured before: %s; hint: another -o measures again", c.out)
	}
	if err := c.local(limited, s, missing); err != nil && (ctx.Err() != nil || limited.Err() == nil) {
		return c.ended(ctx, s, err)
	}
	d, err := c.all.Document(s, c.points)
	if err != nil {
		return fmt.Errorf("%w; hint: the same command continues", err)
	}
	if err := regular.Write(c.file, func(to *regular.Output) error { return results.WriteLines(to, d) }); err != nil {
		return err
	}
	failed := len(lists.Filter(d.LeftOut, func(l results.LeftOut) bool { return l.Failed }))
	err = c.lines(fmt.Sprintf("%s: %s of %d questions, %d left out, measured %d times on %s; next: hashzoo suite verify %s", c.file, number.Count(len(d.Rows), "row"),
		len(d.Run.Suite.Questions), len(d.LeftOut), d.Run.Suite.Passes, d.Run.Device.Model, c.file))
	if failed > 0 && err == nil {
		err = fmt.Errorf("%s failed: the file says why; the same command tries again", number.Count(failed, "answer"))
	}
	return err
}

// choose searches the best parameters for each script, in a process of its own. What was found before stays.
func (c *suiteFlags) choose(ctx context.Context, q session.Request, asked []schemes.Config) (err error) {
	if c.tune == 0 {
		return nil
	}
	line := newProgress(ctx, c.Env, c.quiet)
	defer line.end()
	for i, r := range c.all.Runs {
		line.say(func() string { return fmt.Sprintf("choosing parameters: %d of %d scripts", i, len(c.all.Runs)) })
		file := filepath.Join(c.out, fmt.Sprintf("chosen-%s-%d.json", c.all.Digest[:8], i))
		if _, err := os.Stat(file); err != nil {
			said, err := again(ctx, c.chooseWords(r.Ask(q), file)).CombinedOutput()
			if ctx.Err() != nil {
				return errors.New("interrupted while choosing parameters; hint: the same command continues")
			}
			if err != nil {
				text := strings.TrimSpace(string(said))
				c.warn("nothing is chosen for %s: %s", r.Questions[0].Name, strings.TrimPrefix(text[strings.LastIndex(text, "\n")+1:], "hashzoo: "))
				continue
			}
		}
		if c.all.Chosen[i], err = chosenIn(file, asked); err != nil {
			return err
		}
	}
	return nil
}

func (c *suiteFlags) chooseWords(q session.Request, file string) []string {
	words := q.Choice.Words("choose", "--quiet", "--json", file, "--budget", (c.tune / time.Duration(len(c.all.Runs))).String(), "--seed", fmt.Sprint(q.Seed))
	for _, s := range q.Choice.Schemes {
		words = append(words, "--schemes", s)
	}
	for _, folder := range c.Settings.Plugins {
		words = append(words, "--plugin", folder)
	}
	return words
}

// chosenIn are the best configurations of schemes in a file of choose, without those that are asked anyway.
func chosenIn(file string, asked []schemes.Config) (list []schemes.Config, err error) {
	side, err := analysis.ReadParts(file)
	if err != nil || side.Files[0].Choice == nil || side.Files[0].Choice.Winner == nil {
		return nil, err
	}
	choice := side.Files[0].Choice
	for _, found := range append([]results.Candidate{*choice.Winner}, choice.Others...) {
		config, err := schemes.Parse(found.Scheme)
		if err != nil {
			return nil, err
		}
		known := func(a schemes.Config) bool { return a.String() == config.String() }
		if !slices.ContainsFunc(append(asked, list...), known) {
			list = append(list, config)
		}
	}
	return list, nil
}

func newSuiteVerify(env *Env) *cobra.Command {
	r := newRunFlags(env)
	command := &cobra.Command{Use: "verify"}
	questions := command.Flags().StringSlice("questions", nil, fmt.Sprintf("the `questions` to ask again here, or the word all (default: %d, drawn at random)", suite.Sampled))
	env.usesSchemes(command, "threads", "engine.batch_timeout")
	r.changed = command.Flags().Changed
	return env.listing(command, func(args []string) (any, func() error, error) {
		d, list, err := r.verifySuite(command.Context(), args[0], *questions)
		return list, env.page(verifiedHeading(args[0], d), results.TableOf("question | #rows | asked again | #inputs | #results | #tables", list, checkedCells), verifiedNotes...), err
	})
}

func (r *runFlags) verifySuite(ctx context.Context, path string, questions []string) (d results.Document, list []*suite.Checked, err error) {
	text, err := regular.Read(path, 1<<30)
	if err != nil {
		return d, nil, err
	}
	if d, err = results.Read(text); err == nil {
		var q session.Request
		if q, err = r.complete(""); err != nil {
			return d, nil, err
		}
		q.Device = "cpu"
		list, err = suite.Verify(ctx, d, q, questions)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return d, list, err
}

func verifiedHeading(path string, d results.Document) string {
	if d.Run.Suite == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s on %s, %s", path, d.Run.Suite.Version, d.Run.Device.Model, number.Count(len(d.Rows), "row"))
}

func checkedCells(c *suite.Checked) []string {
	again := map[bool]string{true: "yes", false: "no"}[c.Oracle]
	return []string{c.Question, fmt.Sprint(c.Rows), again, fmt.Sprint(c.Inputs), fmt.Sprint(c.Results), fmt.Sprint(c.Layouts)}
}

var verifiedNotes = []string{
	"inputs, results: rows whose digests and counts are those of an oracle here if the question was asked again, or else of the other rows",
	"tables: rows whose capacity and memory are what their parameters give; tables that grow have others",
	"rates cannot be checked: measure them again",
}
